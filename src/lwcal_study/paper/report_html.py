"""The report as one HTML page without external files."""

from __future__ import annotations

import base64
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from lwcal_study.paper.analysis import Analysis
from lwcal_study.paper.sections import sections
from lwcal_study.paper.summary import CAPTIONS


def report(analysis: Analysis, figures: Path) -> str:
    """Fill the template. Texts are escaped, and figures are part of the page."""
    environment = Environment(
        loader=PackageLoader("lwcal_study.paper"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("report.html").render(
        sections=sections(analysis),
        figures=[(caption, _inline(figures / f"{name}.png")) for name, caption in CAPTIONS.items()],
    )


def _inline(path: Path) -> str:
    return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")
