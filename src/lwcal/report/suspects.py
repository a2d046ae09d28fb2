"""Find the labels that are most likely to be wrong, among those that nobody checked."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from lwcal import kernels
from lwcal.arrays import BoolArray, FloatArray, IndexArray, LabelArray
from lwcal.calibrators import Calibrator
from lwcal.noise.checked.posterior import AuditedPosterior
from lwcal.noise.logit_counts import soft_logit
from lwcal.noise.posterior import Posterior
from lwcal.report.report_data import Suspect
from lwcal.report.rows import Rows

SHOWN = 200
"""Most labels on the page."""
LEAST_WRONG = 0.05
"""Smallest probability of being wrong by which a label is worth a look of its own."""
KNOTS = 400
"""Number of scores, evenly spaced in log-odds, between which probabilities are interpolated."""
LONGEST = 120
"""Largest number of characters of an id that are shown."""


class WrongLabels(NamedTuple):
    """Probability at given scores that a negative and that a positive label is wrong."""

    negative: FloatArray
    positive: FloatArray


def wrong_probability(posterior: Posterior | AuditedPosterior, scores: FloatArray) -> WrongLabels:
    """Return the probability that a label is wrong, given its score.

    Examples
    --------
    >>> from lwcal.noise.hypotheses import hypotheses
    >>> from lwcal.noise.inference import infer
    >>> from lwcal.table import ScoreTable
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.2, 0.2, 4000)
    >>> truth = rng.beta(2, 2, 4000) < scores
    >>> labels = truth ^ (rng.random(4000) < 0.15)
    >>> posterior = infer(ScoreTable.from_arrays(scores, labels), hypotheses())
    >>> wrong_probability(posterior, np.array([0.01, 0.99])).positive.round(1)
    array([0.9, 0. ])
    """
    return WrongLabels(
        negative=posterior.truth_given_label(scores, 0),
        positive=1.0 - posterior.truth_given_label(scores, 1),
    )


def most_suspicious(
    posterior: Posterior | AuditedPosterior | None,
    calibrator: Calibrator,
    rows: Rows,
    checked: BoolArray | None = None,
) -> tuple[Suspect, ...]:
    """Return the rows whose labels are most likely wrong, sorted by probability, then by loss.

    Labels that are surely right are left out, as far as noise is known.

    Parameters
    ----------
    posterior : Posterior or AuditedPosterior or None
        None if noise does not fit the labels: then nothing is known but the loss.
    calibrator : Calibrator
    rows : Rows
    checked : bool array, optional
        Rows that somebody checked. Their label is confirmed or corrected, so they are left out.
    """
    loss = kernels.log_losses(np.where(rows.labels == 1, rows.scores, 1.0 - rows.scores))
    wrong = None if posterior is None else _of_rows(posterior, rows.scores, rows.labels)
    open_rows = np.arange(len(loss)) if checked is None else np.flatnonzero(~checked)
    first = open_rows[_first(None if wrong is None else wrong[open_rows], loss[open_rows])]
    if wrong is not None:
        first = first[wrong[first] >= LEAST_WRONG]
    names = first if rows.identities is None else rows.identities[first]
    scores = rows.scores[first]
    shown = [None] * len(first) if wrong is None else wrong[first].tolist()
    columns = (
        scores.tolist(),
        calibrator.map_.apply_unchecked(scores).tolist(),
        rows.named[first],
        shown,
    )
    return tuple(
        Suspect(_text(name), score, p, _text(label), w, lost)
        for name, score, p, label, w, lost in zip(
            names, *columns, loss[first].tolist(), strict=True
        )
    )


def _of_rows(
    posterior: Posterior | AuditedPosterior, scores: FloatArray, labels: LabelArray
) -> FloatArray:
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


def _first(wrong: FloatArray | None, loss: FloatArray) -> IndexArray:
    """Return the numbers of the rows to show. Equal rows stay in their order."""
    if wrong is None:  # of few rows, most fit their score
        return np.lexsort((-loss,))[: min(SHOWN, ceil(len(loss) / 10))]
    return np.lexsort((-loss, -wrong))[:SHOWN]


def _text(value: object) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
