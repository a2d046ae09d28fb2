"""Render the page: one HTML file that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

from lwcal.atomic_files import check_writable, replacing
from lwcal.calibrators import Calibrator
from lwcal.decisions import Policy
from lwcal.diagnosis.corrected_losses import about_corrected
from lwcal.errors import missing_extra
from lwcal.files import PathLike
from lwcal.multiclass.class_rows import ClassRows
from lwcal.report import charts
from lwcal.report.building import build
from lwcal.report.chart_shapes import CostChart, MapChart, RatesChart, ReliabilityChart, WeightChart
from lwcal.report.class_page import content_of
from lwcal.report.class_report_data import ClassReportData
from lwcal.report.formats import FILTERS
from lwcal.report.next_step import next_step, remarks
from lwcal.report.report_data import Bins, ReportData, Reproduction
from lwcal.report.reviewer_section import reviewer_section
from lwcal.report.segment_table import segments_sentence, shown_segments
from lwcal.report.summary import ASSUMPTION, STATUSES, facts, readings_table
from lwcal.report.wording import noise_facts, noise_sentence, paper_facts, policy_facts
from lwcal.rows import ArrayLike
from lwcal.segments.verdict import SMALL_RATIO
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from jinja2 import Environment, Template

UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
"""Characters that could end a script element or a line of a script, and their escapes in JSON."""


class ReportOptions(TypedDict, total=False):
    """The options of :func:`build`."""

    trusted: ArrayLike | ScoreTable | None
    audit_probability: ArrayLike | None
    identities: ArrayLike | None
    identity_name: str
    segments: ArrayLike | None
    segment_name: str
    policy: Policy | None
    sample_weight: ArrayLike | None
    pos_label: Any
    positive_class: str | None
    scale: str | None
    title: str
    created: datetime | None
    reproduction: Reproduction | None


class Charts(NamedTuple):
    """All charts of the page. Reliability is shown before and after, for each kind of labels."""

    reliability: dict[str, tuple[ReliabilityChart, ReliabilityChart]]
    map: MapChart
    weights: WeightChart
    rates: RatesChart
    cost: CostChart


def write_report(
    calibrator: Calibrator,
    scores: ArrayLike | ScoreTable | ClassRows,
    y: ArrayLike | None = None,
    *,
    path: PathLike,
    overwrite: bool = False,
    **options: Unpack[ReportOptions],
) -> ReportData | ClassReportData:
    """Write a report on a calibrator as one HTML file.

    Parameters
    ----------
    calibrator, scores, y
        As in :func:`build`. ``scores`` can be a :class:`lwcal.ScoreTable` or
        :class:`lwcal.ClassRows`, without ``y``.
    path : str or path
        File to write.
    overwrite : bool, default False
        Whether an existing file may be replaced.
    **options
        All other options of :func:`build`, such as title, identities, trusted labels and weights.

    Returns
    -------
    ReportData or ClassReportData
        The numbers that the page shows; the latter for more than two classes.
    """
    check_writable(path, overwrite=overwrite)
    template()  # fails without jinja2, before anything is computed
    data = build(calibrator, scores, y, **options)
    write_page(data, path, overwrite=overwrite)
    return data


def write_page(data: ReportData | ClassReportData, path: PathLike, *, overwrite: bool) -> None:
    """Write the page atomically."""
    with replacing(path, overwrite=overwrite) as temporary:
        temporary.write_text(render(data), encoding="utf-8")


def render(data: ReportData | ClassReportData) -> str:
    """Fill the template. All values are escaped."""
    if isinstance(data, ClassReportData):
        return _filled("class_report.html.j2", data, content_of(data), ("shared.js",))
    content = {
        "facts": facts(data),
        "remarks": remarks(data),
        "next_step": next_step(data),
        "readings": readings_table(data),
        "noise_sentence": noise_sentence(data),
        "noise_facts": noise_facts(data),
        "averaged": about_corrected(data.diagnosis),
        "paper_facts": paper_facts(data.diagnosis),
        "charts": _charts(data),
        "embedded": embedded_json(_embedded(data)),
        "reviewers": reviewer_section(data.reviews),
        "policy_facts": [] if data.policy is None else policy_facts(data.policy),
        "segments": None if data.segments is None else shown_segments(data.segments),
        "small_ratio": SMALL_RATIO,
        "segments_sentence": "" if data.segments is None else segments_sentence(data.segments),
    }
    return _filled("report.html.j2", data, content, ("shared.js", "script.js"))


def _filled(
    name: str,
    data: ReportData | ClassReportData,
    content: Mapping[str, object],
    scripts: Sequence[str],
) -> str:
    """Fill a template with what every page has, and with its own content."""
    styles = ("style.css",) if data.reviews is None else ("style.css", "reviewers.css")
    style, script = ("".join(map(_asset, names)) for names in (styles, scripts))
    page: str = template(name).render(
        data=data,
        status=STATUSES[data.diagnosis.recommendation.action],
        assumption=ASSUMPTION,
        style=style,
        script=script,
        policy=_policy(style, script),
        **content,
    )
    return page


def template(name: str = "report.html.j2") -> Template:
    """Load a template. The error without jinja2 says how to install it."""
    try:
        import jinja2  # noqa: F401  (here or not, whatever an earlier call found)
    except ImportError:
        raise missing_extra("jinja2", "report", "the report") from None
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    """Where templates are found. It keeps them compiled, which takes as long as a page."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("lwcal.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(FILTERS)
    return environment


def embedded_json(document: object) -> str:
    r"""Write JSON that is safe inside a script element, whatever it holds.

    Examples
    --------
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
    """Allow only the style and the script of this page."""
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    ]
    return (
        f"default-src 'none'; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _charts(data: ReportData) -> Charts:
    rows = data.histograms
    reliability = {
        view.key: (
            charts.reliability_chart(view.before, rows.before),
            charts.reliability_chart(view.after, rows.after),
        )
        for view in data.views
    }
    return Charts(
        reliability,
        charts.map_chart(data.map_curve),
        charts.weight_chart(data.weights),
        charts.rates_chart(data.diagnosis.noise),
        charts.cost_chart(data.thresholds),
    )


def _embedded(data: ReportData) -> dict[str, object]:
    """Return the numbers that the script needs: counts in bins, never rows."""
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
