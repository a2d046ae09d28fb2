"""The appendix of a quick run: its tables and sentences, and that the paper's do not notice it."""

import json

import numpy as np
import pandas as pd
import pytest

from lwcal_study.paper import tables
from lwcal_study.paper.analysis import analyse_baselines
from lwcal_study.paper.appendix import methods
from lwcal_study.paper.appendix.findings import findings, headline
from lwcal_study.paper.appendix.methods import BASELINES, BLENDED, FAMILY
from lwcal_study.paper.appendix.tables import AppendixTable, compared
from lwcal_study.paper.cells import Cell, evaluate_cell, fit_and_score
from lwcal_study.paper.results import COORDINATES
from lwcal_study.paper.sections import sections
from tests.lwcal_study.paper.conftest import RESAMPLES

SMALL = Cell("Iris Versicolor", "Random Forest", "asymmetric", 0.3, 0, trees=5)


@pytest.fixture(scope="module")
def appendix(analysis):
    """Tables and sentences of the appendix."""
    return analysis.appendix


@pytest.fixture(scope="module")
def shown(appendix):
    """The tables by name."""
    return {table.name: table.measured for table in appendix.tables}


def test_a_cell_is_the_same_without_baselines(monkeypatch):
    """Every other result has the same bits, so no table of the paper can change."""
    rows = fit_and_score(SMALL)
    with_them = evaluate_cell(SMALL, rows)
    monkeypatch.setattr(methods, "BASELINES", {})
    monkeypatch.setattr(methods, "BLENDED", {})
    without = evaluate_cell(SMALL, rows)
    assert FAMILY in {row["family"] for row in with_them["results"]}
    with_them["results"] = [row for row in with_them["results"] if row["family"] != FAMILY]
    assert json.dumps(with_them) == json.dumps(without)


def test_the_report_above_the_appendix_does_not_depend_on_it(results, baselines, analysis):
    """Baselines that win everything change no table, rank or claim of the paper."""
    appendix, plain = analysis.appendix, analysis._replace(appendix=None, run="")
    perfect = baselines._replace(
        baseline_results=baselines.baseline_results.assign(ece=0.0, brier=0.0, nll=0.0),
        baseline_robustness=baselines.baseline_robustness.assign(ece=0.0, brier=0.0, nll=0.0),
    )
    other = analyse_baselines(results, perfect)
    for found in (appendix, other):
        summary, *above, last = sections(plain._replace(appendix=found))
        wanted, *others = sections(plain)
        assert above == others
        assert summary.paragraphs == [*wanted.paragraphs, found.headline]
        assert last.points == found.findings
    assert other.findings != appendix.findings


def test_no_table_of_the_paper_has_a_baseline(results):
    """The frames that its tables are made of do not even hold them."""
    names = set(results.main_results["method"]) | set(results.robustness_results["method"])
    assert not names & {*BASELINES, *BLENDED}


def test_baselines_have_the_cells_of_the_papers_methods(results, baselines):
    """Each once, so that differences are paired."""
    for ours, theirs in [
        (baselines.baseline_results, results.main_results),
        (baselines.baseline_robustness, results.robustness_results),
    ]:
        wanted = set(map(tuple, theirs[COORDINATES].to_numpy()))
        for name in (*BASELINES, *BLENDED):
            part = ours[ours["method"] == name]
            assert len(part) == len(wanted)
            assert set(map(tuple, part[COORDINATES].to_numpy())) == wanted


def test_differences_are_gated_minus_the_baseline(results, baselines, shown):
    """By hand for one baseline: cells paired, and intervals that draw whole data sets."""
    gated = results.main_results.query("method == 'Gated-LWCal' and rate > 0")
    bbq = baselines.baseline_results.query("method == 'BBQ' and rate > 0")
    paired = gated.set_index(COORDINATES)["nll"] - bbq.set_index(COORDINATES)["nll"]
    row = shown["baseline_deltas"].loc["nll BBQ"]
    assert row["delta"] == pytest.approx(paired.mean())
    means = paired.groupby("dataset").mean()
    drawn = np.random.default_rng(1).choice(means, (20_000, 9)).mean(axis=1)
    assert row["lower by data set"] == pytest.approx(np.quantile(drawn, 0.025), abs=0.003)
    assert row["upper by data set"] == pytest.approx(np.quantile(drawn, 0.975), abs=0.003)


def test_hindsight_bounds_what_it_blends(results, baselines):
    """In every cell, its log loss is at most that of both scores, and of the gate between them."""
    found = compared(results, baselines)
    nll = tables.cell_values(found.main, "nll")
    for blend, blended in [("raw + isotonic", "Isotonic"), ("raw + LWCal", "LWCal")]:
        best = nll[f"Hindsight: {blend}"]
        assert (best <= nll[[blended, "Raw"]].min(axis=1) + 1e-12).all()
    # the weights of the blend are hundredths, that of the gate is any number
    assert (nll["Hindsight: raw + LWCal"] <= nll["Gated-LWCal"] + 2e-3).all()


def test_counts_of_suspected_labels_are_those_of_the_cells(results, baselines, shown):
    """The share of wrong labels is the one that the study measures elsewhere, too."""
    both = baselines.suspicion.merge(results.scalars, on=COORDINATES)
    np.testing.assert_allclose(both["wrong"] / both["rows"], both["flipped"])
    assert (both["both"] <= both[["wrong", "suspected"]].min(axis=1)).all()
    assert shown["suspicion"]["of repairs"].sum() == 2 * (baselines.suspicion["rate"] > 0).sum()


def invented(**nll):
    """Tables with two data sets in which the baselines have these log losses; others have 0.5."""
    names = ["Raw", "Gated-LWCal", *BASELINES, *BLENDED]
    values = pd.Series({name: nll.get(name, 0.5) for name in names})
    metrics = ["ece", "brier", "nll", "nll_strict"]
    frames = {
        "baselines": pd.DataFrame(dict.fromkeys(metrics, values)),
        "baseline_deltas": pd.DataFrame(
            {"delta": 0.1, "lower by data set": 0.05, "upper by data set": 0.2},
            index=[f"{metric} {name}" for metric in metrics for name in names],
        ),
        "baseline_noise": pd.DataFrame({"10% symmetric": values, "40% symmetric": 0.5}),
        "baseline_datasets": pd.DataFrame({"A": 0.5, "B": values}),
        "baseline_learners": pd.DataFrame({"ece Extra Trees": values}),
        "suspicion": pd.DataFrame(
            {
                "wrong, of the suspected": [0.25, 0.5],
                "suspected, of the wrong": [0.75, 0.125],
                "repairs not made": [0.0, 3.0],
                "of repairs": [4.0, 4.0],
            },
            index=["10% symmetric", "10% asymmetric"],
        ),
    }
    return [AppendixTable(name, "", frame) for name, frame in frames.items()]


def test_sentences_name_what_beats_gated_and_where():
    """With its numbers; hindsight is no winner, because nobody can have it."""
    found = findings(invented(**{"BBQ": 0.4, "Hindsight: raw + LWCal": 0.1, "Raw": 0.6}))
    assert found[0] == (
        "ECE: lower than Gated-LWCal (0.500) on average: BBQ 0.400 (+0.100 [+0.050, +0.200])."
    )
    assert "of 2 noise settings: Histogram binning in 0; BBQ in 1; " in found[4]
    assert found[4].endswith("best baseline is: 10% symmetric, BBQ 0.400 against 0.500.")
    assert found[5].endswith("best baseline is: B, BBQ 0.400 against 0.500.")
    assert found[6].endswith("Extra Trees, ECE: BBQ.")
    assert "20% of the possible gain" in found[7]
    assert "suspects 12% to 75%; fewest at 10% asymmetric noise" in found[8]
    assert "In 3 of 8 repairs" in found[8]


def test_the_headline_counts_what_beats_gated():
    """By metric; hindsight does not count."""
    better = headline(invented(**{"BBQ": 0.4, "Hindsight: raw + LWCal": 0.1}))
    assert "on average: 1 in ECE, 1 in Brier score, 1 in log loss†, 1 in log loss with" in better
    assert (
        "BBQ wins most often: it has the lower log loss† in 1 of 2 noise settings and on 1 of 2 "
        "data sets." in better
    )
    assert "none in ECE" in headline(invented(**{"Gated-LWCal": 0.3}))


def test_sentences_say_when_no_baseline_is_better():
    """And name the nearest one."""
    found = findings(invented(**{"Gated-LWCal": 0.3, "BBQ": 0.4, "Hindsight: raw + LWCal": 0.1}))
    assert found[2].startswith("Log loss†: no baseline is lower than Gated-LWCal (0.300). The")
    assert "lowest is BBQ 0.400" in found[2]
    assert "loses" not in found[4] + found[5]
    assert found[6].endswith("Extra Trees, ECE: none.")


def test_the_appendix_is_in_every_form_of_the_report(artefact, results, baselines, monkeypatch):
    """Page, Markdown, LaTeX, CSV files and the list of files with their hashes."""
    monkeypatch.setattr(tables, "N_RESAMPLES", RESAMPLES)
    for name in ("report.html", "report.md", "papers/trimcal/report.tex"):
        text = (artefact / name).read_text()
        assert "Appendix: other baselines" in text
        assert all(baseline in text for baseline in (*BASELINES, *BLENDED))
    listed = json.loads((artefact / "artifact_manifest.json").read_text())["sha256"]
    for table in analyse_baselines(results, baselines).tables:
        assert f"tables/{table.name}.csv" in listed
        again = pd.read_csv(artefact / "tables" / f"{table.name}.csv", index_col=0)
        np.testing.assert_array_equal(again.to_numpy(), table.measured.to_numpy())
    assert {"data/baseline_results.csv", "data/suspicion.csv", "run.json"} <= set(listed)
