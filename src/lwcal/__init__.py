"""Trustworthy probabilities from untrusted labels.

``lwcal`` calibrates the scores of a trained classifier on noisy labels. Start with
:func:`lwcal.diagnose`, which says whether that is safe, and :class:`lwcal.Auto`, which does it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lwcal._version import __version__

if TYPE_CHECKING:
    from lwcal import (
        artifact,
        audit,
        calibrators,
        decisions,
        diagnosis,
        engines,
        errors,
        metrics,
        mlflow,
        nannyml,
        noise,
        plots,
        report,
        reviews,
        segments,
        shift,
    )
    from lwcal.artifact import load, load_classifier, load_segments, save
    from lwcal.artifact.export import export
    from lwcal.audit import plan_audit
    from lwcal.calibrators import (
        Audited,
        Auto,
        Beta,
        GatedLWCal,
        Identity,
        Isotonic,
        LWCal,
        MatrixScaling,
        NoiseAware,
        Platt,
        Reviewed,
        Temperature,
        TrimmedBeta,
        TrimmedIsotonic,
        VectorScaling,
        label_weights,
    )
    from lwcal.classifier import CalibratedClassifier
    from lwcal.decisions import decide
    from lwcal.diagnosis import compare, diagnose
    from lwcal.estimates import Estimate
    from lwcal.kernels.threads import thread_limit
    from lwcal.models import FittedModel
    from lwcal.monitoring import monitor, monitor_periods
    from lwcal.multiclass.class_rows import ClassRows
    from lwcal.multiclass.estimate import estimate_noise
    from lwcal.reviews.exports.opinions import ExportedOpinions
    from lwcal.reviews.exports.reading import read_opinions
    from lwcal.reviews.opinion_counts import OpinionCounts
    from lwcal.reviews.opinions import Opinions, opinions
    from lwcal.reviews.plan import plan_opinions
    from lwcal.segments import fit_segments
    from lwcal.table import ScoreTable

__all__ = [
    "Audited",
    "Auto",
    "Beta",
    "CalibratedClassifier",
    "ClassRows",
    "Estimate",
    "ExportedOpinions",
    "FittedModel",
    "GatedLWCal",
    "Identity",
    "Isotonic",
    "LWCal",
    "MatrixScaling",
    "NoiseAware",
    "OpinionCounts",
    "Opinions",
    "Platt",
    "Reviewed",
    "ScoreTable",
    "Temperature",
    "TrimmedBeta",
    "TrimmedIsotonic",
    "VectorScaling",
    "__version__",
    "artifact",
    "audit",
    "calibrators",
    "compare",
    "decide",
    "decisions",
    "diagnose",
    "diagnosis",
    "engines",
    "errors",
    "estimate_noise",
    "export",
    "fit_segments",
    "label_weights",
    "load",
    "load_classifier",
    "load_segments",
    "metrics",
    "mlflow",
    "monitor",
    "monitor_periods",
    "nannyml",
    "noise",
    "opinions",
    "plan_audit",
    "plan_opinions",
    "plots",
    "read_opinions",
    "report",
    "reviews",
    "save",
    "segments",
    "shift",
    "thread_limit",
]

# Names are imported on first use. So `import lwcal` is fast, and the command line can be
# interrupted from the start.
_MODULES = {
    "artifact",
    "audit",
    "calibrators",
    "decisions",
    "diagnosis",
    "engines",
    "errors",
    "metrics",
    "mlflow",
    "nannyml",
    "noise",
    "plots",
    "report",
    "reviews",
    "segments",
    "shift",
}
_NAMES = {
    "CalibratedClassifier": "lwcal.classifier",
    "ClassRows": "lwcal.multiclass.class_rows",
    "Estimate": "lwcal.estimates",
    "ExportedOpinions": "lwcal.reviews.exports.opinions",
    "FittedModel": "lwcal.models",
    "OpinionCounts": "lwcal.reviews.opinion_counts",
    "Opinions": "lwcal.reviews.opinions",
    "ScoreTable": "lwcal.table",
    "compare": "lwcal.diagnosis",
    "decide": "lwcal.decisions",
    "diagnose": "lwcal.diagnosis",
    "estimate_noise": "lwcal.multiclass.estimate",
    "export": "lwcal.artifact.export",
    "fit_segments": "lwcal.segments",
    "load": "lwcal.artifact",
    "load_classifier": "lwcal.artifact",
    "load_segments": "lwcal.artifact",
    "monitor": "lwcal.monitoring",
    "monitor_periods": "lwcal.monitoring",
    "opinions": "lwcal.reviews.opinions",
    "plan_audit": "lwcal.audit",
    "plan_opinions": "lwcal.reviews.plan",
    "read_opinions": "lwcal.reviews.exports.reading",
    "save": "lwcal.artifact",
    "thread_limit": "lwcal.kernels.threads",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"lwcal.{name}")
    if name in __all__:
        found = getattr(import_module(_NAMES.get(name, "lwcal.calibrators")), name)
        globals()[name] = found  # so that the next use is a plain look-up
        return found
    raise AttributeError(f"module 'lwcal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
