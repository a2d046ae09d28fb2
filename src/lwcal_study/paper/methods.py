"""The calibrators of the study, under the names of the paper. Add a new one with one line."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import lwcal

Method: TypeAlias = Callable[[], Any]

KEEP = 0.83
"""Share of rows that hard trimming keeps.

The paper does not state it. The value was fitted to the paper's main table on the cells of this
study. The report explains the consequence for the two TrimCal rows.
"""

METHODS: dict[str, Method] = {
    "Raw": lwcal.Identity,
    "Platt": lwcal.Platt,
    "Isotonic": lwcal.Isotonic,
    "Beta": lwcal.Beta,
    "TrimCal-Iso": partial(lwcal.TrimmedIsotonic, keep=KEEP),
    "TrimCal-Beta": partial(lwcal.TrimmedBeta, keep=KEEP),
    "LWCal": lwcal.LWCal,
    "Gated-LWCal": lwcal.GatedLWCal,
}
"""Fitted to noisy calibration labels."""

ORACLE: dict[str, Method] = {"Oracle": lwcal.Isotonic}
"""Fitted to clean calibration labels: shows what perfect labels would give."""

GATE_CENTERS = (0.25, 0.29, 0.33, 0.35)
GATE_WIDTHS = (0.08, 0.12, 0.16)
GATES: dict[str, Method] = {
    f"{center:.2f} / {width:.2f}": partial(lwcal.GatedLWCal, gate_center=center, gate_width=width)
    for center in GATE_CENTERS
    for width in GATE_WIDTHS
}
"""Sensitivity of the gate, by centre / width."""

KEPT_SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
TRIMS: dict[str, Method] = {
    f"{keep:.2f}": partial(lwcal.TrimmedBeta, keep=keep) for keep in KEPT_SHARES
}
"""Trimmed beta calibration, by the share of rows that it keeps."""
