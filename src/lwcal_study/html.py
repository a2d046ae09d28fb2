"""The report as one self-contained HTML page."""

from __future__ import annotations

import base64
from pathlib import Path

from lwcal.errors import missing_extra
from lwcal_study.claims import TestedClaim
from lwcal_study.tables import StudyTable
from lwcal_study.wording import CAPTIONS, Summary, open_points, shown_cells, summary_sentences


def report(
    tables: list[StudyTable], claims: list[TestedClaim], summary: Summary, figures: Path
) -> str:
    """Fill the page's template; everything is escaped, pictures are inline."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("jinja2", "study", "the HTML report") from None
    environment = Environment(
        loader=PackageLoader("lwcal_study"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html").render(
        sentences=summary_sentences(summary),
        claims=claims,
        open_points=open_points(),
        tables=[
            {
                "title": table.title,
                "columns": list(table.measured.columns),
                "rows": shown_cells(table),
            }
            for table in tables
        ],
        figures=[(caption, _inline(figures / f"{name}.png")) for name, caption in CAPTIONS.items()],
    )


def _inline(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
