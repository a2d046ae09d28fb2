"""The calibrators by name."""

from lwcal.calibrators.audited import Audited
from lwcal.calibrators.auto import Auto
from lwcal.calibrators.base import Calibrator
from lwcal.calibrators.beta import Beta
from lwcal.calibrators.gated_lwcal import GatedLWCal
from lwcal.calibrators.identity import Identity
from lwcal.calibrators.isotonic import Isotonic
from lwcal.calibrators.lwcal import LWCal
from lwcal.calibrators.noise_aware import NoiseAware
from lwcal.calibrators.platt import Platt
from lwcal.calibrators.reviewed import Reviewed
from lwcal.calibrators.scaling import MatrixScaling, Temperature, VectorScaling
from lwcal.calibrators.trimmed import TrimmedBeta, TrimmedIsotonic

CALIBRATORS: dict[str, type[Calibrator]] = {
    "identity": Identity,
    "isotonic": Isotonic,
    "platt": Platt,
    "temperature": Temperature,
    "vector-scaling": VectorScaling,
    "matrix-scaling": MatrixScaling,
    "beta": Beta,
    "trimmed-isotonic": TrimmedIsotonic,
    "trimmed-beta": TrimmedBeta,
    "lwcal": LWCal,
    "gated": GatedLWCal,
    "noise-aware": NoiseAware,
    "auto": Auto,
    "audited": Audited,
    "reviewed": Reviewed,
}
"""Every calibrator, by its name in artefacts and on the command line."""
