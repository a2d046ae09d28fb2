"""Which labels are most likely wrong, by what the noise model makes of their scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import FloatArray, LabelArray
from lwcal.calibrators import Calibrator
from lwcal.noise.logit_counts import soft_logit
from lwcal.noise.posterior import Posterior
from lwcal.report.data import Suspect

SHOWN = 200
KNOTS = 400
"""Scores, at even steps of their log-odds, between which the probability is interpolated."""
LONGEST = 120
"""Characters of an id that are shown."""


class WrongLabels(NamedTuple):
    """Probability that a label is wrong, for each label, at given scores."""

    negative: FloatArray
    positive: FloatArray


def wrong_probability(posterior: Posterior, scores: FloatArray) -> WrongLabels:
    """Probability that a label is wrong, given its score, averaged over all possible worlds.

    >>> from lwcal.noise.hypotheses import hypotheses
    >>> from lwcal.noise.inference import infer
    >>> from lwcal.table import ScoreTable
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.2, 0.2, 4000)
    >>> truth = rng.beta(2, 2, 4000) < scores
    >>> labels = truth ^ (rng.random(4000) < 0.15)
    >>> posterior = infer(ScoreTable.from_arrays(scores, labels), hypotheses())
    >>> wrong_probability(posterior, np.array([0.01, 0.99])).positive.round(1)
    array([1., 0.])
    """
    return WrongLabels(
        posterior.truth_given_label(scores, 0), 1.0 - posterior.truth_given_label(scores, 1)
    )


def most_suspicious(
    posterior: Posterior,
    calibrator: Calibrator,
    scores: FloatArray,
    labels: LabelArray,
    named: npt.NDArray[Any],
    identities: npt.NDArray[Any] | None,
) -> tuple[Suspect, ...]:
    """Rows by the probability that their label is wrong; by their loss where that ties.

    Parameters
    ----------
    named : array
        Labels as they are in the data, to be shown.
    identities : array, optional
        What to call the rows; by default their numbers, counted from 0.
    """
    wrong = _of_rows(posterior, scores, labels)
    loss = kernels.log_losses(np.where(labels == 1, scores, 1.0 - scores))
    rows = _first(wrong, loss)
    names = rows if identities is None else identities[rows]
    columns = (scores[rows], calibrator.predict(scores[rows]), named[rows], wrong[rows], loss[rows])
    return tuple(
        Suspect(_text(name), float(score), float(p), _text(label), float(w), float(lost))
        for name, score, p, label, w, lost in zip(names, *columns, strict=True)
    )


def _of_rows(posterior: Posterior, scores: FloatArray, labels: LabelArray) -> FloatArray:
    knots = _knots(posterior.softness)
    found = wrong_probability(posterior, knots)
    return np.where(
        labels == 1,
        np.interp(scores, knots, found.positive),
        np.interp(scores, knots, found.negative),
    )


def _knots(soft: float) -> FloatArray:
    top = float(soft_logit(np.ones(1), soft)[0])
    inner = expit(np.linspace(-top, top, KNOTS))
    return np.unique(np.concatenate([[0.0], inner, [1.0]]))


def _first(wrong: FloatArray, loss: FloatArray) -> npt.NDArray[np.intp]:
    """Numbers of the rows to be shown; equal rows stay in their order."""
    return np.lexsort((-loss, -wrong))[:SHOWN]


def _text(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
