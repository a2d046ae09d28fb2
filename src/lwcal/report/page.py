"""The page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from typing import Any

from lwcal.calibrators import Calibrator
from lwcal.errors import missing_extra
from lwcal.files import PathLike, check_writable, replacing
from lwcal.report import charts
from lwcal.report.build import build
from lwcal.report.data import Bins, ReportData
from lwcal.report.wording import FILTERS, STATUSES, facts, noise_facts, remarks
from lwcal.rows import ArrayLike

UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that could end a script element, or a line of a script, and how JSON spells them."""


def write_report(
    calibrator: Calibrator,
    scores: ArrayLike,
    y: ArrayLike,
    path: PathLike,
    *,
    overwrite: bool = False,
    **options: Any,
) -> ReportData:
    """Write the report of a calibrator on scores and labels as one HTML file.

    Parameters
    ----------
    calibrator, scores, y
        As in :func:`build`.
    path : str or path
        File to write.
    overwrite : bool, default False
        Whether a file that is there may be replaced.
    **options
        Of :func:`build`: title, ids, trusted labels, weights and so on.

    Returns
    -------
    ReportData
        What the page shows.
    """
    check_writable(path, overwrite=overwrite)
    template()  # no jinja2: say so before anything is computed
    data = build(calibrator, scores, y, **options)
    write_page(data, path, overwrite=overwrite)
    return data


def write_page(data: ReportData, path: PathLike, *, overwrite: bool) -> None:
    """Write what was computed, complete or not at all."""
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.write_text(render(data), encoding="utf-8")


def render(data: ReportData) -> str:
    """Fill the template; everything is escaped."""
    style, script = _asset("style.css"), _asset("script.js")
    page: str = template().render(
        data=data,
        status=STATUSES[data.diagnosis.recommendation.action],
        facts=facts(data),
        noise_facts=noise_facts(data.diagnosis),
        remarks=remarks(data),
        charts=_charts(data),
        embedded=embedded_json(_embedded(data)),
        style=style,
        script=script,
        policy=_policy(style, script),
    )
    return page


def template() -> Any:
    """Load the page's template, or say how to install what fills it."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("jinja2", "report", "the report") from None
    environment = Environment(
        loader=PackageLoader("lwcal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment.get_template("report.html.j2")


def embedded_json(document: Any) -> str:
    r"""Write JSON that can stand inside of a script element, whatever it holds.

    >>> print(embedded_json({"id": "</script>"}))
    {"id":"\u003c/script\u003e"}
    """
    text = json.dumps(document, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    for character, escaped in UNSAFE.items():
        text = text.replace(character, escaped)
    return text


def _asset(name: str) -> str:
    return files("lwcal.report").joinpath("templates", name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """Forbid everything but the style and the script of this very page."""
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _charts(data: ReportData) -> dict[str, Any]:
    rows = data.histograms
    return {
        "reliability": {
            view.key: (
                charts.reliability_chart(view.before, rows.before),
                charts.reliability_chart(view.after, rows.after),
            )
            for view in data.views
        },
        "map": charts.map_chart(data.map_curve),
        "weights": charts.weight_chart(data.weights),
        "rates": charts.interval_chart(data.diagnosis.noise),
        "cost": charts.cost_chart(data.thresholds),
    }


def _embedded(data: ReportData) -> dict[str, Any]:
    """All that the script computes from: counts in bins, never rows."""
    return {
        "map": [float(f"{p:.6g}") for p in data.map_curve.probabilities],
        "edges": data.thresholds.edges.tolist(),
        "before": _counts(data.thresholds.before),
        "after": _counts(data.thresholds.after),
    }


def _counts(bins: Bins) -> dict[str, list[float]]:
    return {
        "weight": [float(f"{value:.9g}") for value in bins.weight],
        "positives": [float(f"{value:.9g}") for value in bins.positives],
    }
