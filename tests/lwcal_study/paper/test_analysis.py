"""Tables, claims, figures and reports of a quick run."""

import hashlib
import json
import re
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lwcal import metrics
from lwcal.cli.app import run
from lwcal_study.paper import artifact, documentation, report_html, report_latex, reported, tables
from lwcal_study.paper.figures import APPENDIX_FIGURE, FIGURES
from lwcal_study.paper.report_parts import Grid, Section
from lwcal_study.paper.sections import sections
from lwcal_study.paper.summary import CAPTIONS
from tests.lwcal_study.paper.conftest import COMMITTED, RESAMPLES

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def measured(analysis):
    """Every table of the paper."""
    return {table.name: table for table in analysis.tables}


def test_every_number_of_the_paper_has_its_counterpart(measured):
    """No cell that the paper printed is missing here."""
    assert [name for name, table in measured.items() if table.reported.empty] == ["main_deltas"]
    for table in measured.values():
        assert table.distances().notna().all(), table.name
        assert len(table.distances()) == table.reported.size or table.name == "oracle"


def test_the_main_table_is_the_mean_over_noisy_cells(results, measured):
    """By hand, for one method and metric."""
    frame = results.main_results
    rows = frame[(frame["rate"] > 0) & (frame["method"] == "LWCal")]
    assert measured["main"].measured.loc["LWCal", "ece"] == pytest.approx(rows["ece"].mean())
    assert set(measured["main"].measured.index) == set(reported.MAIN)


def test_deltas_are_paired(results, measured):
    """The same as differences of matched cells, resampled."""
    wide = tables.cell_values(results.robustness_results, "nll")
    found = measured["deltas"].measured.loc["nll Raw"]
    assert found["delta"] == pytest.approx((wide["Gated-LWCal"] - wide["Raw"]).mean())
    again = metrics.paired_bootstrap(
        wide["Gated-LWCal"], wide["Raw"], n_resamples=4_000, confidence=0.95
    )
    assert found["lower"] == pytest.approx(again.low, abs=0.003)


def test_intervals_by_data_set_draw_whole_data_sets(results, measured):
    """The same as a bootstrap of nine means; by cell, the interval is that of the cells."""
    wide = tables.cell_values(results.robustness_results, "ece")
    difference = (wide["Gated-LWCal"] - wide["Beta"]).groupby(level="dataset").mean()
    drawn = np.random.default_rng(1).choice(difference, (20_000, 9)).mean(axis=1)
    found = measured["deltas"].measured.loc["ece Beta"]
    assert found["delta"] == pytest.approx(difference.mean())
    assert found["lower by data set"] == pytest.approx(np.quantile(drawn, 0.025), abs=0.002)
    assert found["upper by data set"] == pytest.approx(np.quantile(drawn, 0.975), abs=0.002)


def test_the_latex_tables_have_the_papers_digits(artefact):
    """Four for differences, three for all else."""
    deltas = (artefact / "tables" / "deltas.tex").read_text()
    assert re.search(r"-?0\.\d{4} & -?0\.\d{4}", deltas)
    assert not re.search(r"0\.\d{4}", (artefact / "tables" / "main.tex").read_text())


def test_fitted_choices_are_marked_in_every_table(analysis):
    """Log loss, hard trimming, synthetic tasks and asymmetric noise carry it, and nothing else."""
    grids = [grid for section in sections(analysis) for grid in section.grids if not grid.prose]
    names = {name for grid in grids for name in (*grid.header, *(row[0] for row in grid.rows))}
    fitted = {
        name
        for name in names
        if name.startswith(("nll", "TrimCal", "Synthetic")) or "asymmetric" in name.lower()
    }
    strict = {name for name in names if name.startswith("nll_strict")}
    assert {name for name in names if name.endswith("†")} == fitted - strict
    assert len(fitted) > 10


def test_distance_is_the_mean_over_all_cells(measured):
    """Of every table but the one of data sets."""
    by_hand = np.concatenate([t.distances() for t in measured.values() if t.name != "datasets"])
    assert tables.overall_distance(measured.values()) == pytest.approx(by_hand.mean())


def test_every_figure_is_drawn_twice(artefact):
    """PDF for print, PNG for the screen, and a caption each."""
    assert {*FIGURES, APPENDIX_FIGURE} == set(CAPTIONS)
    for name in CAPTIONS:
        assert (artefact / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF-")
        assert (artefact / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_needs_nothing_from_outside(artefact, analysis):
    """No address, no script; every table and claim is in it."""
    page = (artefact / "report.html").read_text()
    assert not re.search(r"https?://|<script|<link", page)
    assert page.count("<table") == sum(len(section.grids) for section in sections(analysis)) == 22
    assert page.count("data:image/png;base64,") == len(CAPTIONS)
    assert "QUICK RUN" in page
    assert "<code>lwcal reproduce</code> finished on 2026-01-31 (162 cells)" in page
    assert "`" not in page


def test_text_from_the_data_is_escaped(analysis, measured, artefact):
    """In the page and in LaTeX."""
    table = measured["main"]
    hostile = table._replace(
        name="hostile", measured=table.measured.rename(index={"Raw": "<b>100% & more_$</b>"})
    )
    hostile_analysis = analysis._replace(tables=[hostile, *analysis.tables])
    page = report_html.report(hostile_analysis, artefact / "figures")
    assert "<b>100%" not in page
    assert "&lt;b&gt;100% &amp; more_$" in page
    assert r"100\% \& more\_\$" in report_latex.tabular(hostile.measured)
    assert r"100\% \& more\_\$" in report_latex.report(hostile_analysis)
    assert "`" not in report_latex.report(analysis)


def test_wide_tables_of_sentences_lie_on_their_side(analysis):
    """With 15 columns, the table of open choices ran off the page; now every word fits."""
    choices = Grid("", ["claim", *["asymmetric"] * 13, "pairs"], [["a"] * 14 + ["H" * 18]], True)
    assert "landscape" not in report_latex.report(analysis).partition("begin{document}")[2]
    varied = Section("What depends", ["One of two."], [choices], [])
    text = report_latex.report(analysis._replace(sensitivity=varied))
    assert text.count(r"\begin{landscape}") == text.count(r"\end{landscape}") == 1
    widths = report_latex.column_widths([choices.header, *choices.rows], wide=True)
    assert sum(widths) <= report_latex.USED + 0.001 * len(widths)
    assert min(widths[1:14]) * report_latex.LANDSCAPE_LETTERS > len("asymmetric")
    assert widths[14] == max(widths)


def test_the_report_compiles(artefact):
    """With the engine that the set-up installed."""
    if report_latex.find_engine() is None:
        pytest.skip("no LaTeX engine: install latexmk and texlive-latex-recommended")
    assert (artefact / "papers" / "trimcal" / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_the_analysis_rebuilds_from_the_csv_files_alone(artefact, monkeypatch, capsys):
    """Delete what follows from them: it comes back byte for byte, without fitting.

    The record of the machine that fitted stays. Without a LaTeX engine, one line says how to get
    one, and the rest is written all the same. Figures are drawn again in the test of a killed run.
    """
    monkeypatch.setattr(tables, "N_RESAMPLES", RESAMPLES)
    monkeypatch.setattr("lwcal_study.paper.figures.draw_all", lambda *_: [])
    monkeypatch.setattr("lwcal_study.paper.cells.run_cell", lambda cell: pytest.fail("a fit"))
    monkeypatch.setattr("lwcal_study.paper.report_latex.find_engine", lambda: None)
    kept = {path: path.read_bytes() for path in (artefact / "tables").iterdir()}
    kept[artefact / "report.html"] = (artefact / "report.html").read_bytes()
    for path in kept:
        path.unlink()
    record = artefact / "environment.json"
    fitted_on = record.read_bytes()
    monkeypatch.setattr("platform.machine", lambda: "another")
    assert run(["reproduce", "--quick", "--analyse-only", "--out", str(artefact)]) == 0
    assert {path: path.read_bytes() for path in kept} == kept
    assert record.read_bytes() == fitted_on
    lines = [line for line in capsys.readouterr().out.splitlines() if "no PDF" in line]
    assert len(lines) == 1
    assert "LaTeX engine" in lines[0]


def test_the_manifest_names_every_file_with_its_hash(artefact):
    """So that a reader can check the archive."""
    artifact.write_manifest(artefact, "lwcal reproduce --quick")
    manifest = json.loads((artefact / artifact.MANIFEST).read_text())
    assert manifest["seeds"] == [0, 1, 2, 3, 4, 5]
    assert {"data/main_results.csv", "data/paired_deltas.csv", "data/oracle_results.csv"} <= set(
        manifest["sha256"]
    )
    for name, expected in manifest["sha256"].items():
        assert hashlib.sha256((artefact / name).read_bytes()).hexdigest() == expected
    assert not [name for name in manifest["sha256"] if name.startswith("cells/")]


def test_the_archive_is_the_same_every_time(artefact):
    """No time, no user, no machine in it."""
    first = hashlib.sha256(artifact.write_archive(artefact).read_bytes()).digest()
    (artefact / "report.html").touch()
    assert hashlib.sha256(artifact.write_archive(artefact).read_bytes()).digest() == first
    with tarfile.open(artefact / "lwcal-artifact.tar.gz") as archive:
        entries = archive.getmembers()
    assert {entry.uname for entry in entries} == {""}
    assert "lwcal-artifact/report.html" in {entry.name for entry in entries}


def test_weights_trace_every_row(artefact, results):
    """One line a calibration row, for every cell of both studies."""
    weights = pd.read_parquet(artefact / "data" / "weights.parquet")
    sizes = weights.groupby(["dataset", "learner", "kind", "rate", "seed"], observed=True).size()
    assert len(sizes) == 162
    first = results.scalars.iloc[0]
    key = tuple(first[name] for name in ("dataset", "learner", "kind", "rate", "seed"))
    assert sizes[key] == first["n_calibration"]
    assert weights["weight"].between(0.05, 1.0).all()


def test_the_documentation_shows_the_committed_results(committed, monkeypatch):
    """docs/benchmarks/paper.md is what the committed CSV files give today."""

    def analysed_already(results, folder, *, quick):
        assert len(results.main_results) > 432
        assert folder == COMMITTED
        assert not quick
        return committed

    monkeypatch.setattr(documentation, "complete_analysis", analysed_already)
    page = ROOT / "docs" / "benchmarks" / "paper.md"
    assert page.read_text() == documentation.documentation_page(COMMITTED, page)


def test_the_committed_results_are_close_to_the_paper(committed):
    """No method's ECE in the main table is further than 0.02 from the paper's."""
    assert committed.summary.main_distance <= 0.02
    assert committed.summary.n_noisy_cells == 432


def test_the_committed_results_are_whole():
    """Every file that their manifest names is there, unchanged."""
    folder = COMMITTED
    manifest = json.loads((folder / artifact.MANIFEST).read_text())
    assert len(manifest["sha256"]) > 40
    for name, expected in manifest["sha256"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == expected, name
