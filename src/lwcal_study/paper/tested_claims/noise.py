"""Claims of RQ2 and RQ3: rates and kinds of noise."""

from __future__ import annotations

from lwcal_study.paper.results import Results
from lwcal_study.paper.tables import FOUR
from lwcal_study.paper.tested_claims.measures import (
    BASELINES,
    OURS,
    PROPER,
    TITLES,
    TRIMMED,
    at_rate,
    higher,
    lower,
    lowest,
    means,
    of_kind,
)
from lwcal_study.paper.tested_claims.parts import Part

SHOWN = ("ece", "nll")
"""Metrics of the paper's tables by noise."""


def dominates_at_low_noise(results: Results) -> list[Part]:
    """At 10% and 20% noise, each of our methods beats every baseline."""
    parts = []
    for rate in (0.1, 0.2):
        frame = at_rate(results, rate)
        for metric in SHOWN:
            for method in OURS:
                among = (*BASELINES, *TRIMMED, method)
                part = lowest(frame, metric, method, among, where=f"at {rate:.0%}, ")
                text = f"at {rate:.0%}, {method} beats every baseline in {TITLES[metric]}"
                parts.append(part._replace(text=text))
    return parts


def lwcal_at_30(results: Results) -> list[Part]:
    """At 30% noise, LWCal is the best of the four, and Gated-LWCal beats raw and isotonic."""
    frame = at_rate(results, 0.3)
    best = [lowest(frame, metric, "LWCal", FOUR) for metric in SHOWN]
    others = [
        lower(frame, "nll", "Gated-LWCal", other) for other in ("Raw", "Isotonic")
    ]  # "remains competitive"
    return best + others


def raw_best_at_40(results: Results) -> list[Part]:
    """At 40% noise, the raw score has the lowest log loss of the four."""
    return [lowest(at_rate(results, 0.4), "nll", "Raw", FOUR)]


def gains_are_at_moderate_noise(results: Results) -> list[Part]:
    """The gain over the raw score is larger at 10%, 20% and 30% than at 40%."""
    parts = []
    for method in OURS:
        for metric in SHOWN:
            gains = {}
            for rate in (0.1, 0.2, 0.3, 0.4):
                values = means(at_rate(results, rate), metric)
                gains[rate] = values["Raw"] - values[method]
            extreme = gains.pop(0.4)
            parts.append(
                Part(
                    f"{method} gains more {TITLES[metric]} at each of 10% to 30% than at 40%",
                    bool(min(gains.values()) > extreme),
                    ", ".join(f"{gain:+.3f}" for gain in (*gains.values(), extreme)),
                )
            )
    return parts


def gate_at_40(results: Results) -> list[Part]:
    """At 40% noise, the gate improves proper scores of LWCal, for a slightly higher ECE."""
    frame = at_rate(results, 0.4)
    parts = [lower(frame, metric, "Gated-LWCal", "LWCal") for metric in PROPER]
    return [*parts, higher(frame, "ece", "Gated-LWCal", "LWCal")]


def symmetric(results: Results) -> list[Part]:
    """Under symmetric noise, LWCal has the lowest ECE and log loss of the four."""
    frame = of_kind(results, "symmetric")
    return [lowest(frame, metric, "LWCal", FOUR) for metric in SHOWN]


def asymmetric_is_harder(results: Results) -> list[Part]:
    """ECE and log loss are higher under asymmetric noise."""
    frames = {kind: of_kind(results, kind) for kind in ("symmetric", "asymmetric")}
    parts = []
    for method in FOUR:
        for metric in SHOWN:
            even, uneven = (means(frame, metric)[method] for frame in frames.values())
            text = f"{method} has higher {TITLES[metric]} under asymmetric noise"
            measured = f"{uneven:.3f} against {even:.3f}"
            parts.append(Part(text, bool(uneven > even), measured))
    return parts


def lwcal_asymmetric(results: Results) -> list[Part]:
    """Under asymmetric noise, LWCal lowers ECE and raises log loss."""
    frame = of_kind(results, "asymmetric")
    return [lower(frame, "ece", "LWCal", "Raw"), higher(frame, "nll", "LWCal", "Raw")]


def gate_asymmetric(results: Results) -> list[Part]:
    """Under asymmetric noise, Gated-LWCal has the lowest log loss of the four, and lower ECE."""
    frame = of_kind(results, "asymmetric")
    parts = [lower(frame, "nll", "Gated-LWCal", m) for m in ("Raw", "Isotonic", "LWCal")]
    return [*parts, lower(frame, "ece", "Gated-LWCal", "Raw")]


def gate_is_more_stable(results: Results) -> list[Part]:
    """From symmetric to asymmetric noise, Gated-LWCal changes less than LWCal."""
    parts = []
    for metric in SHOWN:
        even, uneven = (
            means(of_kind(results, kind), metric) for kind in ("symmetric", "asymmetric")
        )
        change = (uneven - even).abs()
        parts.append(
            Part(
                f"{TITLES[metric]} of Gated-LWCal changes less than that of LWCal",
                bool(change["Gated-LWCal"] < change["LWCal"]),
                f"{change['Gated-LWCal']:.3f} against {change['LWCal']:.3f}",
            )
        )
    return parts
