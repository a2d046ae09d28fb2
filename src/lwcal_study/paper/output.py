"""Write tables, figures and reports from the CSV files, without fitting anything."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from lwcal_study.files import write_csv, write_text
from lwcal_study.paper import figures, report_html, report_latex, report_markdown
from lwcal_study.paper.analysis import Analysis, analyse, analyse_baselines
from lwcal_study.paper.results import Results, read_baselines, read_results
from lwcal_study.paper.run_record import read_run
from lwcal_study.paper.sensitivity.report import read_section
from lwcal_study.paper.summary import Summary, digits_of
from lwcal_study.paper.tables import trimming
from lwcal_study.paper.tested_claims.listed import TestedClaim

PROTOCOL_FILES = ("protocol_levels", "protocol_disagreement", "rate_by_kind")
"""Files of the tables of the protocol, in their order."""


def write_all(out: Path, *, quick: bool) -> Summary:
    """Rebuild everything that follows from ``data/*.csv``."""
    results = read_results(out / "data")
    analysis = complete_analysis(results, out, quick=quick)
    _write_tables(analysis, results, out)
    assert analysis.appendix is not None  # a run always has the baselines
    shown = {table.name: table.measured for table in analysis.appendix.tables}
    figures.draw_all(results, shown["baseline_noise"], out / "figures")
    _write_reports(analysis, out)
    return analysis.summary


def complete_analysis(results: Results, out: Path, *, quick: bool) -> Analysis:
    """Everything that the files of a run give: the study, its appendix, and its sensitivity."""
    return analyse(results, quick=quick)._replace(
        appendix=analyse_baselines(results, read_baselines(out / "data")),
        run=read_run(out),
        sensitivity=read_section(out),
    )


def _write_tables(analysis: Analysis, results: Results, out: Path) -> None:
    for table in analysis.tables:
        write_csv(table.side_by_side(), out / "tables" / f"{table.name}.csv")
        text = report_latex.tabular(table.measured, digits_of(table.name))
        write_text(text, out / "tables" / f"{table.name}.tex")
    for other in analysis.appendix.tables if analysis.appendix else []:
        write_csv(other.measured, out / "tables" / f"{other.name}.csv", index=True)
        text = report_latex.tabular(other.measured, digits_of(other.name))
        write_text(text, out / "tables" / f"{other.name}.tex")
    write_csv(trimming(results), out / "tables" / "trimming.csv", index=True)
    write_csv(claim_parts(analysis.claims), out / "tables" / "claim_parts.csv")
    for name, frame in zip(PROTOCOL_FILES, analysis.protocol_tables.values(), strict=True):
        write_csv(frame, out / "tables" / f"{name}.csv", index=True)
    deltas = next(table for table in analysis.tables if table.name == "deltas").measured
    write_csv(deltas.rename_axis("comparison"), out / "data" / "paired_deltas.csv", index=True)


def claim_parts(claims: list[TestedClaim]) -> pd.DataFrame:
    """Every part of every claim, with what was measured."""
    return pd.DataFrame(
        [
            {
                "claim": claim.text,
                "where": claim.where,
                "outcome": claim.outcome,
                "part": part.text,
                "holds": part.holds,
                "sure": part.sure,
                "measured": part.measured,
            }
            for claim in claims
            for part in claim.parts
        ]
    )


def _write_reports(analysis: Analysis, out: Path) -> None:
    write_text(report_latex.report(analysis), out / "papers" / "trimcal" / "report.tex")
    write_text(report_html.report(analysis, out / "figures"), out / "report.html")
    write_text(report_markdown.report(analysis, "figures"), out / "report.md")
