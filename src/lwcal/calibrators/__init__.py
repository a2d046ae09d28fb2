"""Calibrators: each fits one map, most of them to a :class:`lwcal.ScoreTable`."""

from typing import TYPE_CHECKING

from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.calibrators.audited import Audited
    from lwcal.calibrators.auto import Auto
    from lwcal.calibrators.base import Calibrator
    from lwcal.calibrators.beta import Beta
    from lwcal.calibrators.class_base import ClassCalibrator
    from lwcal.calibrators.gated_lwcal import GatedLWCal
    from lwcal.calibrators.identity import Identity
    from lwcal.calibrators.isotonic import Isotonic
    from lwcal.calibrators.lwcal import LWCal
    from lwcal.calibrators.lwcal_weights import LabelWeights, label_weights
    from lwcal.calibrators.noise_aware import NoiseAware
    from lwcal.calibrators.platt import Platt
    from lwcal.calibrators.reviewed import Reviewed
    from lwcal.calibrators.scaling import MatrixScaling, Temperature, VectorScaling
    from lwcal.calibrators.trimmed import TrimmedBeta, TrimmedIsotonic

    CALIBRATORS: dict[str, type[Calibrator]]
    """Every calibrator, by its name in artefacts and on the command line."""

__all__ = [
    "CALIBRATORS",
    "Audited",
    "Auto",
    "Beta",
    "Calibrator",
    "ClassCalibrator",
    "GatedLWCal",
    "Identity",
    "Isotonic",
    "LWCal",
    "LabelWeights",
    "MatrixScaling",
    "NoiseAware",
    "Platt",
    "Reviewed",
    "Temperature",
    "TrimmedBeta",
    "TrimmedIsotonic",
    "VectorScaling",
    "label_weights",
]

# Names are imported on first use: a calibrator is an estimator of scikit-learn, which is slow to
# import, and what else is here needs none.
_MODULES = {
    "CALIBRATORS": ".registry",
    "Audited": ".audited",
    "Auto": ".auto",
    "Beta": ".beta",
    "Calibrator": ".base",
    "ClassCalibrator": ".class_base",
    "GatedLWCal": ".gated_lwcal",
    "Identity": ".identity",
    "Isotonic": ".isotonic",
    "LWCal": ".lwcal",
    "LabelWeights": ".lwcal_weights",
    "MatrixScaling": ".scaling",
    "NoiseAware": ".noise_aware",
    "Platt": ".platt",
    "Reviewed": ".reviewed",
    "Temperature": ".scaling",
    "TrimmedBeta": ".trimmed",
    "TrimmedIsotonic": ".trimmed",
    "VectorScaling": ".scaling",
    "label_weights": ".lwcal_weights",
}

__getattr__, __dir__ = lazy_names(__name__, __all__, _MODULES)
