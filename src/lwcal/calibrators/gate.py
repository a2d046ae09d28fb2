"""The disagreement gate: how much of the raw score to keep when model and labels disagree."""

GATE_CENTER = 0.29
GATE_WIDTH = 0.12


def gate(d: float, center: float = GATE_CENTER, width: float = GATE_WIDTH) -> float:
    """Share rho of the raw score at disagreement d (paper, equation 3).

    >>> gate(0.20), round(gate(0.35), 3), gate(0.45)
    (0.0, 0.5, 1.0)
    """
    return min(max((d - center) / width, 0.0), 1.0)
