"""Write tables, figures and reports from the CSV files, without fitting anything."""

from __future__ import annotations

from pathlib import Path

from lwcal_study.files import write_csv, write_text
from lwcal_study.paper import artifact, figures, report_html, report_latex, report_markdown
from lwcal_study.paper.analysis import Analysis, analyse
from lwcal_study.paper.results import Results, read_results
from lwcal_study.paper.summary import Summary
from lwcal_study.paper.tables import StudyTable, trimming


def write_all(out: Path, *, quick: bool) -> Summary:
    """Rebuild everything that follows from ``data/*.csv``."""
    results = read_results(out / "data")
    analysis = analyse(results, quick=quick)
    _write_tables(analysis.tables, results, out)
    figures.draw_all(results, out / "figures")
    _write_reports(analysis, out)
    artifact.write_environment(out)
    return analysis.summary


def _write_tables(tables: list[StudyTable], results: Results, out: Path) -> None:
    for table in tables:
        write_csv(table.side_by_side(), out / "tables" / f"{table.name}.csv")
        write_text(report_latex.tabular(table.measured), out / "tables" / f"{table.name}.tex")
    write_csv(trimming(results), out / "tables" / "trimming.csv", index=True)
    deltas = next(table for table in tables if table.name == "deltas").measured
    write_csv(deltas.rename_axis("comparison"), out / "data" / "paired_deltas.csv", index=True)


def _write_reports(analysis: Analysis, out: Path) -> None:
    write_text(report_latex.report(analysis), out / "papers" / "trimcal" / "report.tex")
    write_text(report_html.report(analysis, out / "figures"), out / "report.html")
    write_text(report_markdown.report(analysis, "figures"), out / "report.md")
