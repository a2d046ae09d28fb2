"""The report in Markdown."""

from __future__ import annotations

from lwcal_study.markdown import bullets, pipe_table
from lwcal_study.paper.analysis import Analysis
from lwcal_study.paper.report_parts import Grid, Section
from lwcal_study.paper.sections import sections
from lwcal_study.paper.summary import CAPTIONS


def report(analysis: Analysis, figures: str) -> str:
    """Write the report. ``figures`` is the relative address of the folder with the figures."""
    first, *rest = sections(analysis)
    parts = ["# The paper's study, repeated", *first.paragraphs]
    parts += [part for section in rest for part in section_parts(section)]
    parts.append("## Figures")
    parts += [f"![{caption}]({figures}/{name}.png)" for name, caption in CAPTIONS.items()]
    return "\n\n".join(parts) + "\n"


def section_parts(section: Section) -> list[str]:
    """Heading, paragraphs, points and tables of a section."""
    parts = [f"## {section.title}", *section.paragraphs]
    if section.points:
        parts.append(bullets(section.points))
    for grid in section.grids:
        parts += [*([f"### {grid.title}"] if grid.title else []), _table(grid)]
    return parts


def _table(grid: Grid) -> str:
    emphasised = [[f"**{row[0]}**", *row[1:]] if grid.prose else row for row in grid.rows]
    return pipe_table(grid.header, emphasised)
