"""Claims of RQ4: the tradeoff, the reliability curve and the gate."""

from __future__ import annotations

import pandas as pd

from lwcal_study.paper import tables
from lwcal_study.paper.methods import GATE_CENTERS, GATE_WIDTHS
from lwcal_study.paper.results import Results
from lwcal_study.paper.tested_claims.measures import OURS, PROPER, TITLES, higher, lower, noisy
from lwcal_study.paper.tested_claims.parts import Part

SEVERAL = 3
"""The fewest bins that are called several."""
SMOOTH = 0.01
"""A step of the gate that changes a metric by less is smooth."""


def tradeoff(results: Results) -> list[Part]:
    """The gate lowers Brier score and log loss of LWCal, and raises its ECE."""
    frame = noisy(results)
    parts = [lower(frame, metric, "Gated-LWCal", "LWCal") for metric in PROPER]
    return [*parts, higher(frame, "ece", "Gated-LWCal", "LWCal")]


def raw_is_overconfident(results: Results) -> list[Part]:
    """The raw curve is overconfident in several bins: further from one half than the truth."""
    bins = tables.reliability_curve(results).loc["Raw"]
    over = (bins["predicted"] - 0.5).abs() > (bins["observed"] - 0.5).abs()
    return [
        Part(
            f"the raw score is overconfident in at least {SEVERAL} bins",
            bool(over.sum() >= SEVERAL),
            f"overconfident in {int(over.sum())} of {len(bins)} bins, with "
            f"{bins['rows'][over].sum() / bins['rows'].sum():.0%} of the rows; underconfident in "
            f"{int((~over).sum())}",
        )
    ]


def closer_to_the_diagonal(results: Results) -> list[Part]:
    """Both our methods have a reliability curve closer to the diagonal than the raw score."""
    curve = tables.reliability_curve(results)
    apart = (curve["predicted"] - curve["observed"]).abs() * curve["rows"]
    distance = apart.groupby("method").sum() / curve["rows"].groupby("method").sum()
    return [
        Part(
            f"the curve of {method} is closer to the diagonal than the raw one",
            bool(distance[method] < distance["Raw"]),
            f"mean distance {distance[method]:.3f} against {distance['Raw']:.3f}",
        )
        for method in OURS
    ]


def gate_is_smooth(results: Results) -> list[Part]:
    """No step of centre or width changes ECE or log loss by 0.01, and the gate is near the best."""
    found = tables.gate(results)
    best, chosen = found["nll"].min(), found.loc["0.29 / 0.12", "nll"]
    steps = {metric: _largest_step(found[metric]) for metric in ("ece", "nll")}
    parts = [
        Part(
            f"one step of the gate changes {TITLES[metric]} by less than {SMOOTH}",
            step < SMOOTH,
            f"the largest step is {step:.4f}",
        )
        for metric, step in steps.items()
    ]
    measured = f"{chosen:.3f}; from {best:.3f} to {found['nll'].max():.3f} over all gates"
    text = f"log loss† of the chosen gate is within {SMOOTH} of the best"
    return [*parts, Part(text, bool(chosen - best < SMOOTH), measured)]


def gate_direction(results: Results) -> list[Part]:
    """Lower centres give lower log loss, higher centres give lower ECE, at every width."""
    found = tables.gate(results)
    parts = []
    for width in GATE_WIDTHS:
        rows = found.loc[[_name(center, width) for center in GATE_CENTERS]]
        for metric, text, sign in (
            ("nll", "lower centres give lower log loss†", 1),
            ("ece", "higher centres give lower ECE", -1),
        ):
            steps = sign * rows[metric].diff().dropna()
            measured = ", ".join(f"{value:.4f}" for value in rows[metric])
            parts.append(Part(f"{text} at width {width:.2f}", bool((steps >= 0).all()), measured))
    return parts


def _name(center: float, width: float) -> str:
    return f"{center:.2f} / {width:.2f}"


def _largest_step(values: pd.Series) -> float:
    """Largest difference between neighbours in the grid of centres and widths."""
    grid = pd.DataFrame(
        [[values[_name(center, width)] for width in GATE_WIDTHS] for center in GATE_CENTERS]
    )
    return float(max(grid.diff(axis=axis).abs().max().max() for axis in (0, 1)))
