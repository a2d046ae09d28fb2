"""Tables, tested claims, evaluated protocol and summary of a finished study."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from lwcal_study.paper import protocol
from lwcal_study.paper.appendix.findings import findings as appendix_findings
from lwcal_study.paper.appendix.findings import headline as appendix_headline
from lwcal_study.paper.appendix.tables import AppendixTable, appendix_tables, compared
from lwcal_study.paper.grid import main_cells, robustness_cells
from lwcal_study.paper.report_parts import Section
from lwcal_study.paper.results import BaselineResults, Results
from lwcal_study.paper.summary import Summary, summarise
from lwcal_study.paper.tables import StudyTable, all_tables
from lwcal_study.paper.tested_claims.listed import TestedClaim, tested_claims


class Appendix(NamedTuple):
    """Other baselines on the same cells. Nothing else of the analysis depends on them."""

    tables: list[AppendixTable]
    headline: str
    findings: list[str]


class Analysis(NamedTuple):
    """The content of every report.

    ``run`` says when and where the cells ran, if that is known. ``sensitivity`` is the section on
    other choices, if they were tried.
    """

    tables: list[StudyTable]
    claims: list[TestedClaim]
    summary: Summary
    protocol_tables: dict[str, pd.DataFrame]
    protocol_findings: list[str]
    appendix: Appendix | None = None
    run: str = ""
    sensitivity: Section | None = None


def analyse_baselines(results: Results, baselines: BaselineResults) -> Appendix:
    """Compute the tables of the appendix, and what they show."""
    tables = appendix_tables(compared(results, baselines))
    return Appendix(tables, appendix_headline(tables), appendix_findings(tables))


def analyse(results: Results, *, quick: bool) -> Analysis:
    """Compute tables, claims and summary."""
    tables, claims = all_tables(results), tested_claims(results)
    noisy = sum(cell.rate > 0 for cell in main_cells(quick=quick))
    cells_run = noisy, len(robustness_cells(quick=quick))
    return Analysis(
        tables,
        claims,
        summarise(tables, claims, quick=quick, cells_run=cells_run),
        protocol_tables={
            "Methods by level of the protocol and kind of noise": protocol.by_level(results),
            "Disagreement, gate and true noise": protocol.disagreement(results),
            "Noise rate crossed with kind": protocol.rate_by_kind(results),
        },
        protocol_findings=protocol.findings(results),
    )
