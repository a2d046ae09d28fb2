"""Trustworthy probabilities from untrusted labels.

``lwcal`` calibrates the scores of a trained classifier when the labels it is calibrated on
are noisy. See ``help(lwcal.LWCal)`` for the method and ``lwcal.diagnose`` for whether to use it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lwcal._version import __version__
from lwcal.calibrators import (
    Audited,
    Auto,
    Beta,
    GatedLWCal,
    Identity,
    Isotonic,
    LWCal,
    NoiseAware,
    Platt,
    TrimmedBeta,
    TrimmedIsotonic,
)
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal import audit, metrics, noise, plots, report
    from lwcal.artifact import load, save
    from lwcal.artifact.export import export
    from lwcal.audit import audit_table, plan_audit
    from lwcal.classifier import CalibratedClassifier
    from lwcal.diagnosis import diagnose
    from lwcal.monitoring import monitor
    from lwcal.noise.estimate import estimate_noise

__all__ = [
    "Audited",
    "Auto",
    "Beta",
    "CalibratedClassifier",
    "GatedLWCal",
    "Identity",
    "Isotonic",
    "LWCal",
    "NoiseAware",
    "Platt",
    "ScoreTable",
    "TrimmedBeta",
    "TrimmedIsotonic",
    "__version__",
    "audit",
    "audit_table",
    "diagnose",
    "estimate_noise",
    "export",
    "load",
    "metrics",
    "monitor",
    "noise",
    "plan_audit",
    "plots",
    "report",
    "save",
]

# Imported when first used, so that `import lwcal` stays quick.
_LAZY_MODULES = {"audit", "metrics", "noise", "plots", "report"}
_LAZY_NAMES = {
    "CalibratedClassifier": "lwcal.classifier",
    "audit_table": "lwcal.audit",
    "diagnose": "lwcal.diagnosis",
    "estimate_noise": "lwcal.noise.estimate",
    "export": "lwcal.artifact.export",
    "load": "lwcal.artifact",
    "monitor": "lwcal.monitoring",
    "plan_audit": "lwcal.audit",
    "save": "lwcal.artifact",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY_MODULES:
        return import_module(f"lwcal.{name}")
    if name in _LAZY_NAMES:
        return getattr(import_module(_LAZY_NAMES[name]), name)
    raise AttributeError(f"module 'lwcal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
