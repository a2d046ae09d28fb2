"""Tables, figures and reports from the CSV files, without fitting anything."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lwcal.files import replacing
from lwcal_study import figures, html, latex, markdown, package
from lwcal_study.claims import TestedClaim, tested_claims
from lwcal_study.grid import main_cells, robustness_cells
from lwcal_study.results import Results, read_results, write_csv
from lwcal_study.tables import StudyTable, all_tables, trimming
from lwcal_study.wording import Summary, summarise


class Analysed(NamedTuple):
    """All that the reports show."""

    tables: list[StudyTable]
    claims: list[TestedClaim]
    summary: Summary


def analysed(results: Results, *, quick: bool) -> Analysed:
    """Compute tables and claims."""
    tables, claims = all_tables(results), tested_claims(results)
    noisy = sum(cell.rate > 0 for cell in main_cells(quick=quick))
    counted = noisy, len(robustness_cells(quick=quick))
    return Analysed(tables, claims, summarise(tables, claims, quick=quick, cells_run=counted))


def analyse(out: Path, *, quick: bool) -> Summary:
    """Rebuild everything that follows from ``data/*.csv``."""
    results = read_results(out / "data")
    tables, claims, summary = analysed(results, quick=quick)
    (out / "tables").mkdir(parents=True, exist_ok=True)
    for table in tables:
        write_csv(table.side_by_side(), out / "tables" / f"{table.name}.csv")
        _write_text(latex.tabular(table.measured), out / "tables" / f"{table.name}.tex")
    write_csv(trimming(results), out / "tables" / "trimming.csv", index=True)
    deltas = next(table for table in tables if table.name == "deltas").measured
    write_csv(deltas.rename_axis("comparison"), out / "data" / "paired_deltas.csv", index=True)

    figures.draw_all(results, out / "figures")
    papers = out / "papers" / "trimcal"
    papers.mkdir(parents=True, exist_ok=True)
    _write_text(latex.report(tables, claims, summary), papers / "report.tex")
    page = html.report(tables, claims, summary, out / "figures")
    _write_text(page, out / "report.html")
    _write_text(markdown.report(tables, claims, summary, "figures"), out / "report.md")
    package.write_environment(out)
    return summary


def _write_text(text: str, path: Path) -> None:
    with replacing(path, overwrite=True) as temporary:
        temporary.write_text(text, encoding="utf-8")
