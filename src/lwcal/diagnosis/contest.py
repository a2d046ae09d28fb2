"""Calibrators against the raw score on the same rows: differences with paired intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.calibrators import CALIBRATORS
from lwcal.calibrators.crossfit import CrossFitted, cross_predict
from lwcal.diagnosis.candidates import Candidate, judge, small_enough
from lwcal.estimates import Estimate
from lwcal.metrics.noise_correction import clean_counts
from lwcal.metrics.proper import NLL_CLIP
from lwcal.metrics.resampling import Resampling, resampled_counts
from lwcal.noise.rates import FlipRates, RatePosterior
from lwcal.table import ScoreTable


@dataclass(frozen=True)
class Contender:
    """A cross-fitted calibrator, and how much its NLL differs from that of the raw score.

    Attributes
    ----------
    candidate : Candidate
        Its scores, with labels as they are and corrected.
    labelled, corrected : Estimate
        NLL less that of the raw score on the same rows, with labels as they are and corrected;
        below 0 it helps. Both come from the same draws of rows.
    """

    candidate: Candidate
    labelled: Estimate
    corrected: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        change = {"labelled": self.labelled.to_dict(), "corrected": self.corrected.to_dict()}
        return {**self.candidate.to_dict(), "nll_less_raw": change}


def contest(
    table: ScoreTable,
    rates: RatePosterior,
    methods: tuple[str, ...],
    *,
    confidence: float = 0.9,
    n_resamples: int = 200,
    on_candidate: Callable[[], None] = lambda: None,
) -> tuple[Contender, ...]:
    """Cross-fit calibrators, and compare each with the raw score; best corrected NLL first."""
    small = small_enough(table)
    resampling = Resampling(confidence, n_resamples, random_state=0)

    def contender(method: str) -> Contender:
        found = cross_predict(CALIBRATORS[method], small)
        pooled = ScoreTable.from_counts(found.predicted, found.negatives, found.positives)
        candidate = judge(method, pooled, rates, resampling)
        changes = [_change(found, belief, resampling) for belief in (TRUSTED, rates)]
        on_candidate()
        return Contender(candidate, *changes)

    found = (contender(method) for method in methods)
    return tuple(sorted(found, key=lambda one: one.candidate.corrected["nll"].value))


TRUSTED = RatePosterior.known((0.0, 0.0))


def _change(found: CrossFitted, belief: RatePosterior, resampling: Resampling) -> Estimate:
    """Difference of two mean losses on the same rows, so that their common part drops out."""
    losses = _loss_change(found)
    counts = np.concatenate([found.negatives, found.positives])
    generator = np.random.default_rng(resampling.random_state)
    rates = belief.draw(resampling.n_resamples, generator)
    of_one_kind = np.zeros(len(counts), dtype=np.uint8)
    draws = resampled_counts(of_one_kind, counts, resampling.n_resamples, generator)
    resampled = [_mean(losses, draw, pair) for draw, pair in zip(draws, rates, strict=True)]
    value = _mean(losses, counts, belief.mean())
    low, high = np.quantile(resampled, resampling.tails)
    # rates drawn about their mean can leave all draws to one side of the value
    return Estimate(value, min(float(low), value), max(float(high), value))


def _loss_change(found: CrossFitted) -> tuple[FloatArray, FloatArray]:
    """What a negative and a positive label cost more than under the raw score, at every entry."""
    p, raw = (np.clip(x, NLL_CLIP, 1.0 - NLL_CLIP) for x in (found.predicted, found.scores))
    return np.log1p(-raw) - np.log1p(-p), np.log(raw) - np.log(p)


def _mean(losses: tuple[FloatArray, FloatArray], counts: FloatArray, rates: FlipRates) -> float:
    half = len(counts) // 2
    negatives, positives = clean_counts(counts[:half], counts[half:], rates)
    return float((negatives @ losses[0] + positives @ losses[1]) / counts.sum())
