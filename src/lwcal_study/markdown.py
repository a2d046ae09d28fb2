"""The report as Markdown, for the repository and the documentation."""

from __future__ import annotations

from lwcal_study.claims import TestedClaim
from lwcal_study.tables import StudyTable
from lwcal_study.wording import CAPTIONS, Summary, open_points, shown_cells, summary_sentences


def report(
    tables: list[StudyTable], claims: list[TestedClaim], summary: Summary, figures: str
) -> str:
    """Write the report with its figures at the given relative address."""
    parts = ["# The paper's study, repeated", *summary_sentences(summary), "## Claims"]
    parts.append(
        pipe_table(
            ["outcome", "claim", "measured here"],
            [[f"**{c.outcome}**", f"{c.text} ({c.where})", c.evidence] for c in claims],
        )
    )
    parts += ["## What the paper leaves open", "\n".join(f"- {point}" for point in open_points())]
    parts += ["## Tables", "Measured here, and in brackets what the paper reports."]
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


def pipe_table(header: list[str], rows: list[list[str]]) -> str:
    """Write a table, with bars in its texts escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )
