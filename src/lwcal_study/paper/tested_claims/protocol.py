"""Claims about the disagreement d, from the protocol and the discussion."""

from __future__ import annotations

from lwcal_study.paper.protocol import KINDS_SHOWN, LEVELS, at_level, cells_with_levels
from lwcal_study.paper.results import Results
from lwcal_study.paper.tables import FOUR
from lwcal_study.paper.tested_claims.measures import OURS, PROPER, higher, lower, lowest
from lwcal_study.paper.tested_claims.parts import Part


def lwcal_at_low_d(results: Results) -> list[Part]:
    """Where d is low, LWCal has the lowest ECE. Gated-LWCal is LWCal there."""
    among = [name for name in FOUR if name != "Gated-LWCal"]
    return [lowest(at_level(results, LEVELS[0]), "ece", "LWCal", among, where="d below 0.29: ")]


def gate_at_middle_d(results: Results) -> list[Part]:
    """Where d is in the middle, the gate costs ECE and protects Brier score and log loss."""
    frame, where = at_level(results, LEVELS[1]), "d from 0.29 to 0.41: "
    parts = [lower(frame, metric, "Gated-LWCal", "LWCal", where) for metric in PROPER]
    return [*parts, higher(frame, "ece", "Gated-LWCal", "LWCal", where)]


def raw_at_high_d(results: Results) -> list[Part]:
    """Where d is high, the raw score has lower Brier score and log loss than LWCal."""
    frame = at_level(results, LEVELS[2])
    parts = []
    for kind in KINDS_SHOWN:
        of_kind = frame if kind == "all" else frame[frame["kind"] == kind]
        if of_kind.empty:
            continue  # the cells of a quick run may lack a kind
        for metric in PROPER:
            where = f"d of 0.41 or more, {kind} noise: "
            parts.append(lower(of_kind, metric, "Raw", OURS[0], where))
    return parts


def alarm_fires(results: Results) -> list[Part]:
    """At 40% noise, d reaches 0.41 in most cells of each kind, so that the alarm fires."""
    cells = cells_with_levels(results)
    extreme = cells[cells["rate"] == 0.4]
    parts = []
    for kind, of_kind in extreme.groupby("kind", sort=False):
        fired, n = int((of_kind["level"] == LEVELS[2]).sum()), len(of_kind)
        text = f"the alarm fires in most cells with 40% {kind} noise"
        parts.append(Part(text, fired > n / 2, f"in {fired} of {n}"))
    return parts
