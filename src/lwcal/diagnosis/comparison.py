"""Compare calibrators on rows they did not see, by labels as they are and corrected for noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS, Calibrator
from lwcal.calibrators.crossfit import CrossFitted, cross_predict
from lwcal.errors import ParameterError, message
from lwcal.estimates import Estimate
from lwcal.metrics.calibration import ece
from lwcal.metrics.corrected import ESTIMATORS
from lwcal.metrics.noise_correction import clean_counts, estimates
from lwcal.metrics.proper import NLL_CLIP, brier, nll
from lwcal.metrics.resampling import Resampling, resampled_counts
from lwcal.noise.estimate import estimate_noise
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.rates import FlipRates, Noise, RatePosterior, as_rate_posterior
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable, as_table

DEFAULT_METHODS = ("identity", "platt", "isotonic", "lwcal", "gated", "noise-aware", "auto")
"""Calibrators that :func:`lwcal.compare` and :func:`lwcal.diagnose` compare by default."""
CORRECTED_METRICS = ("brier", "nll", "ece")
EXACT_SCORES = 20_000
"""Tables with more distinct scores are pooled before they are fitted and resampled many times."""
N_RESAMPLES = 200
NO_NOISE = FlipRates(0.0, 0.0)

Factories: TypeAlias = Mapping[str, Callable[[], Calibrator]]


@dataclass(frozen=True)
class Candidate:
    """One cross-fitted calibrator: fitted five times, judged each time on the rows left out.

    Attributes
    ----------
    method : str
        Its name on the command line.
    labelled : dict of str to float
        Brier score, log loss (``nll``) and ECE, with every label taken as right.
    corrected : dict of str to Estimate
        The same metrics against the true labels; the intervals include the uncertainty about
        the flip rates.
    labelled_change, corrected_change : Estimate
        Log loss less that of the raw score on the same rows, by labels as they are and
        corrected for noise; below 0, the calibrator improves on the raw score.
    """

    method: str
    labelled: dict[str, float]
    corrected: dict[str, Estimate]
    labelled_change: Estimate
    corrected_change: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "method": self.method,
            "labelled": self.labelled,
            "corrected": {name: value.to_dict() for name, value in self.corrected.items()},
            "nll_less_raw": {
                "labelled": self.labelled_change.to_dict(),
                "corrected": self.corrected_change.to_dict(),
            },
        }


@dataclass(frozen=True)
class Comparison:
    """Several calibrators on the same rows.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    noise_rates : FlipRates
        Expected flip rates behind the corrected metrics.
    confidence : float
        Level of all intervals.
    candidates : tuple of Candidate
        The calibrators, the lowest corrected log loss first.
    """

    n: float
    noise_rates: FlipRates
    confidence: float
    candidates: tuple[Candidate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {
            "n": self.n,
            "noise_rates": list(self.noise_rates),
            "confidence": self.confidence,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def compare(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    methods: Iterable[str] = DEFAULT_METHODS,
    noise_rates: Noise | None = None,
    confidence: float = 0.9,
    n_resamples: int = N_RESAMPLES,
    pos_label: Any = None,
    scale: str | None = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Comparison:
    """Cross-fit calibrators, and judge them by labels as they are and corrected for noise.

    Parameters
    ----------
    scores : one-dimensional, in [0, 1], or ScoreTable
        Scores of a model on rows it was not trained on; or these rows, pooled.
    y : one-dimensional, two classes
        Labels of the same rows, possibly wrong; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    methods : iterable of str
        Names of calibrators, as in :data:`lwcal.calibrators.CALIBRATORS`.
    noise_rates : pair of float, RatePosterior or fitted calibrator, optional
        Flip rates (r0, r1); by default estimated from these rows.
    confidence : float, default 0.9
        Level of all intervals.
    n_resamples : int, default 200
        Number of bootstrap resamples behind each interval.
    pos_label : optional
        The positive class, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores; default: probability. Omitted with a ScoreTable.
    on_progress : callable, optional
        Called without arguments after each calibrator.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(2, 2, 800)
    >>> labels = rng.random(800) < scores**2
    >>> found = compare(scores, labels, methods=["identity", "platt"], noise_rates=(0, 0))
    >>> [candidate.method for candidate in found.candidates]
    ['platt', 'identity']
    >>> found.candidates[0].corrected_change.high < 0
    True
    """
    names = checked_methods(methods)
    check_parameter("confidence", confidence, CONFIDENCE)
    table = as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale)
    table.require_both_classes()
    rates = as_rate_posterior(estimate_noise(table) if noise_rates is None else noise_rates)
    found = judge_all(
        {name: CALIBRATORS[name] for name in names},
        table,
        rates,
        Resampling(confidence, n_resamples, random_state=0),
        on_progress,
    )
    ranked = tuple(sorted(found, key=lambda candidate: candidate.corrected["nll"].value))
    return Comparison(table.n, rates.mean(), confidence, ranked)


def checked_methods(methods: Iterable[str]) -> tuple[str, ...]:
    """Refuse names that no calibrator has."""
    names = tuple(dict.fromkeys(methods))
    for name in names:
        if name not in CALIBRATORS:
            hint = f"known methods are {', '.join(CALIBRATORS)}"
            raise ParameterError(message("names of calibrators", f"{name!r}", hint))
    return names


def judge_all(
    calibrators: Factories,
    table: ScoreTable,
    rates: RatePosterior,
    resampling: Resampling,
    on_progress: Callable[[], None] = lambda: None,
) -> tuple[Candidate, ...]:
    """Cross-fit and judge calibrators, in the order given."""
    pooled = pool_by_logit(table, exact_up_to=EXACT_SCORES)
    found = []
    for method, make in calibrators.items():
        found.append(_judge(method, cross_predict(make, pooled), rates, resampling))
        on_progress()
    return tuple(found)


def _judge(
    method: str, found: CrossFitted, rates: RatePosterior, resampling: Resampling
) -> Candidate:
    predicted = ScoreTable.from_counts(found.predicted, found.negatives, found.positives)
    estimators = {name: ESTIMATORS[name](predicted) for name in CORRECTED_METRICS}
    corrected = estimates(predicted, rates, estimators, resampling)
    return Candidate(
        method,
        {"brier": brier(predicted), "nll": nll(predicted), "ece": ece(predicted)},
        {name: Estimate(one.value, one.low, one.high) for name, one in corrected.items()},
        *_changes(found, rates, resampling),
    )


def _changes(
    found: CrossFitted, rates: RatePosterior, resampling: Resampling
) -> tuple[Estimate, Estimate]:
    """Paired differences of log loss, by labels as they are and corrected, from the same draws.

    Both losses are on the same rows, so the variation that they share cancels.
    """
    losses = _loss_changes(found)
    counts = np.concatenate([found.negatives, found.positives])
    generator = np.random.default_rng(resampling.random_state)
    drawn_rates = rates.draw(resampling.n_resamples, generator)
    one_stratum = np.zeros(len(counts), dtype=np.uint8)
    drawn = resampled_counts(one_stratum, counts, resampling.n_resamples, generator)
    pairs = [
        (_mean_change(losses, draw, NO_NOISE), _mean_change(losses, draw, pair))
        for draw, pair in zip(drawn, drawn_rates, strict=True)
    ]
    labelled, corrected = np.array(pairs).T
    return (
        _with_interval(_mean_change(losses, counts, NO_NOISE), labelled, resampling),
        _with_interval(_mean_change(losses, counts, rates.mean()), corrected, resampling),
    )


def _loss_changes(found: CrossFitted) -> tuple[FloatArray, FloatArray]:
    """Loss of a negative and of a positive label, less that under the raw score."""
    p, raw = (np.clip(x, NLL_CLIP, 1.0 - NLL_CLIP) for x in (found.predicted, found.scores))
    return np.log1p(-raw) - np.log1p(-p), np.log(raw) - np.log(p)


def _mean_change(
    losses: tuple[FloatArray, FloatArray], counts: FloatArray, rates: FlipRates
) -> float:
    half = len(counts) // 2
    negatives, positives = clean_counts(counts[:half], counts[half:], rates)
    # not a product of vectors: BLAS adds up long ones in an order that depends on its threads
    return float(np.sum(negatives * losses[0] + positives * losses[1]) / counts.sum())


def _with_interval(value: float, resampled: FloatArray, resampling: Resampling) -> Estimate:
    low, high = np.quantile(resampled, resampling.tails)
    # rates drawn around their mean can leave all draws on one side of the value
    return Estimate(value, min(float(low), value), max(float(high), value))
