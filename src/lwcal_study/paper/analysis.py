"""Tables, tested claims and summary of a finished study."""

from __future__ import annotations

from typing import NamedTuple

from lwcal_study.paper.claims import TestedClaim, tested_claims
from lwcal_study.paper.grid import main_cells, robustness_cells
from lwcal_study.paper.results import Results
from lwcal_study.paper.summary import Summary, summarise
from lwcal_study.paper.tables import StudyTable, all_tables


class Analysis(NamedTuple):
    """The content of every report."""

    tables: list[StudyTable]
    claims: list[TestedClaim]
    summary: Summary


def analyse(results: Results, *, quick: bool) -> Analysis:
    """Compute tables, claims and summary."""
    tables, claims = all_tables(results), tested_claims(results)
    noisy = sum(cell.rate > 0 for cell in main_cells(quick=quick))
    cells_run = noisy, len(robustness_cells(quick=quick))
    return Analysis(tables, claims, summarise(tables, claims, quick=quick, cells_run=cells_run))
