"""The noise estimate and the decision of a fitted calibrator as plain JSON types."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lwcal.adjustments import REASONS, Adjustment
from lwcal.artifact.checks import as_list, as_number, as_object, as_share, as_share_matrix
from lwcal.calibrators.decision import CHOICES, Choice, Decision
from lwcal.errors import ArtifactError, InputError, message
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import NoiseEstimate, RateEstimate
from lwcal.noise.rates import RatePosterior
from lwcal.rows.probabilities import most_off_by

MATRICES = ("matrix", "low", "high")
"""Fields of an estimate for more than two classes, of shape (K, K)."""
RATE_FIELDS = ("value", "low", "high", "clear_cases")
MOST_DRAWS = 1000
"""Draws accepted on reading; a saved calibrator has about 200."""


def noise_to_dict(noise: NoiseEstimate | ClassNoiseEstimate) -> dict[str, Any]:
    """Write an estimate; the draws of two classes are rows of r0, r1 and weight."""
    if isinstance(noise, ClassNoiseEstimate):
        return {
            **{name: getattr(noise, name).tolist() for name in MATRICES},
            "rates": [_rate_to_dict(rate) for rate in noise.rates],
            "wrong": _rate_to_dict(noise.wrong),
            "probability_clean": noise.probability_clean,
            "hypotheses": noise.hypotheses,
            "confidence": noise.confidence,
        }
    posterior = noise.rates_posterior
    return {
        "negative": _rate_to_dict(noise.negative),
        "positive": _rate_to_dict(noise.positive),
        "probability_clean": noise.probability_clean,
        "confidence": noise.confidence,
        "draws": np.column_stack([posterior.points, posterior.weights]).tolist(),
    }


def noise_from_dict(document: object) -> NoiseEstimate:
    """Read an estimate, and refuse anything that ``noise_to_dict`` could not have written."""
    given = as_object(document, "noise")
    return NoiseEstimate(
        _rate_from_dict(given.get("negative"), "noise.negative"),
        _rate_from_dict(given.get("positive"), "noise.positive"),
        as_share(given.get("probability_clean"), "noise.probability_clean"),
        as_share(given.get("confidence"), "noise.confidence"),
        _posterior(given.get("draws")),
    )


def class_noise_from_dict(document: object, classes: Sequence[Any]) -> ClassNoiseEstimate:
    """Read an estimate for more than two classes."""
    given = as_object(document, "noise")
    k = len(classes)
    matrix, low, high = (as_share_matrix(given.get(name), f"noise.{name}", k) for name in MATRICES)
    rates = as_list(given.get("rates"), "noise.rates", k)
    hypotheses = as_object(given.get("hypotheses"), "noise.hypotheses")
    return ClassNoiseEstimate(
        tuple(classes),
        matrix,
        low,
        high,
        tuple(_rate_from_dict(rate, "noise.rates") for rate in rates),
        _rate_from_dict(given.get("wrong"), "noise.wrong"),
        as_share(given.get("probability_clean"), "noise.probability_clean"),
        {name: as_share(value, "noise.hypotheses") for name, value in hypotheses.items()},
        as_share(given.get("confidence"), "noise.confidence"),
    )


def adjustments_from_list(document: object, n_classes: int) -> tuple[Adjustment, ...]:
    """Read changes of the base rate of so many classes."""
    changes = as_list(document, "adjustments")
    return tuple(_adjustment(as_object(one, "adjustments"), n_classes) for one in changes)


def _adjustment(given: dict[str, Any], n_classes: int) -> Adjustment:
    reason = next((known for known in REASONS if known == given.get("reason")), None)
    if reason is None:
        expected = f"adjustments.reason out of {', '.join(REASONS)}"
        raise ArtifactError(message(expected, f"{given.get('reason')!r}"))
    before, after = (
        _class_shares(given.get(name), f"adjustments.{name}", n_classes)
        for name in ("before", "after")
    )
    interval = given.get("interval")
    if interval is None:
        return Adjustment(reason, before, after)
    low, high = (
        as_share(end, "adjustments.interval")
        for end in as_list(interval, "adjustments.interval", 2)
    )
    return Adjustment(reason, before, after, (low, high))


def _class_shares(given: object, name: str, n_classes: int) -> tuple[float, ...]:
    shares = tuple(as_share(share, name) for share in as_list(given, name, n_classes))
    if min(shares) <= 0.0 or abs(sum(shares) - 1.0) > most_off_by(n_classes):
        raise ArtifactError(message(f"{name} to be shares above 0 that add up to 1", f"{given!r}"))
    return shares


def decision_to_dict(decision: Decision) -> dict[str, Any]:
    """Write a decision."""
    return decision._asdict()


def decision_from_dict(document: object) -> Decision:
    """Read a decision, and refuse anything that ``decision_to_dict`` could not have written."""
    given = as_object(document, "decision")
    return Decision(
        _choice(given.get("choice")),
        as_share(given.get("p_clean_used"), "decision.p_clean_used"),
        as_number(given.get("cost_if_right"), "decision.cost_if_right"),
        as_number(given.get("cost_unbounded"), "decision.cost_unbounded"),
        as_number(given.get("expected_gain"), "decision.expected_gain"),
    )


def _choice(given: object) -> Choice:
    for choice in CHOICES:
        if choice == given:
            return choice
    raise ArtifactError(message(f"decision.choice out of {', '.join(CHOICES)}", f"{given!r}"))


def _rate_to_dict(rate: RateEstimate) -> dict[str, float | None]:
    return {name: getattr(rate, name) for name in RATE_FIELDS}


def _rate_from_dict(document: object, name: str) -> RateEstimate:
    given = as_object(document, name)
    low, high, clear_cases = (as_share(given.get(field), name) for field in RATE_FIELDS[1:])
    value = given.get("value")
    return RateEstimate(None if value is None else as_share(value, name), low, high, clear_cases)


def _posterior(draws: object) -> RatePosterior:
    if not isinstance(draws, list) or not 1 <= len(draws) <= MOST_DRAWS:
        got = f"{len(draws):,}" if isinstance(draws, list) else type(draws).__name__
        raise ArtifactError(message(f"a list of 1 to {MOST_DRAWS:,} noise.draws", got))
    if not all(isinstance(row, list) and len(row) == 3 for row in draws):
        raise ArtifactError(message("noise.draws to be triples of r0, r1 and weight", "others"))
    rows = np.array([[as_share(value, "noise.draws") for value in row] for row in draws])
    try:
        return RatePosterior(rows[:, :2], rows[:, 2])
    except InputError as error:
        raise ArtifactError(f"noise.draws: {error}") from None
