"""The report in Markdown."""

from __future__ import annotations

from lwcal_study.markdown import bullets, pipe_table
from lwcal_study.paper.analysis import Analysis
from lwcal_study.paper.summary import CAPTIONS, open_points, shown_cells, summary_sentences
from lwcal_study.paper.tables import StudyTable


def report(analysis: Analysis, figures: str) -> str:
    """Write the report. ``figures`` is the relative address of the folder with the figures."""
    tables, claims, summary = analysis
    parts = ["# The paper's study, repeated", *summary_sentences(summary), "## Claims"]
    parts.append(
        pipe_table(
            ["outcome", "claim", "measured here"],
            [[f"**{c.outcome}**", f"{c.text} ({c.where})", c.evidence] for c in claims],
        )
    )
    parts += ["## Details that the paper does not state", bullets(open_points())]
    parts += ["## Tables", "Values measured here, with the paper's values in brackets."]
    for table in tables:
        parts += [f"### {table.title}", _study_table(table)]
    parts.append("## Figures")
    parts += [f"![{caption}]({figures}/{name}.png)" for name, caption in CAPTIONS.items()]
    return "\n\n".join(parts) + "\n"


def _study_table(table: StudyTable) -> str:
    rows = [
        [str(name), *(f"{here} ({there})" if there else here for here, there in cells)]
        for name, cells in shown_cells(table)
    ]
    return pipe_table(["", *map(str, table.measured.columns)], rows)
