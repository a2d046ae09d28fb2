"""Ways to calibrate from several opinions, with one interface: ``way(rows, asked) -> Fit``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import lwcal
from lwcal_study.opinions.cells import OpinionScores

ROUNDS = 12
"""Rounds in which a scaling with known matrices is found. The last changes nothing visible."""
TIE_BREAK = 1e-3
"""What the first label counts beyond its vote."""
EVERY = np.inf
"""Rows with a further opinion: all of them."""


class Asked(NamedTuple):
    """How many calibration rows have a second opinion, and a third; or are checked by an expert."""

    second: float = 0
    third: float = 0
    checked: int = 0

    @property
    def title(self) -> str:
        """In words.

        >>> Asked(100).title, Asked(EVERY, EVERY).title, Asked(checked=50).title
        ('100 rows twice', 'every row three times', '50 checked')
        """
        if self.checked:
            return f"{self.checked} checked"
        if self.third:
            return "every row three times"
        if self.second:
            return "every row twice" if self.second == EVERY else f"{self.second:g} rows twice"
        return "one label"

    def extra(self, n: int) -> int:
        """Labels beyond one for each of n rows.

        >>> Asked(100).extra(80), Asked(EVERY, EVERY).extra(80)
        (80, 160)
        """
        return int(min(self.second, n) + min(self.third, n) + min(self.checked, n))


class Fit(NamedTuple):
    """A fitted calibrator and, where the way has them, what it says of rows and of reviewers.

    Attributes
    ----------
    calibrator : object with ``predict(scores)``
    consensus : array of shape (rows, classes), or None
        Probability of each true class of the calibration rows, given their opinions.
    reviews : ReviewSummary or None
        Estimates of named reviewers.
    """

    calibrator: Any
    consensus: Any = None
    reviews: Any = None


def given(scores: Any) -> Any:
    """Scores as calibrators take them: one column if there are two classes."""
    return scores[:, 1] if scores.shape[1] == 2 else scores


def labels_of(rows: OpinionScores, asked: Asked) -> Any:
    """Opinions with a column for each reviewer, NaN where nobody was asked."""
    n, found = len(rows.picked), np.full(rows.opinions.shape, np.nan)
    for place, count in enumerate((n, asked.second, asked.third)):
        some = rows.picked[: int(min(count, n))]
        who = rows.order[some, place]
        found[some, who] = rows.opinions[some, who]
    return found


def first_labels(rows: OpinionScores) -> Any:
    """The label of the reviewer who is asked first about each row."""
    return np.take_along_axis(rows.opinions, rows.order[:, :1], axis=1)[:, 0]


def classes_of(rows: OpinionScores) -> dict[str, Any]:
    """Classes for calibrators of several classes: one may lack labels."""
    return {} if rows.n_classes == 2 else {"classes": range(rows.n_classes)}


def scaled(rows: OpinionScores, labels: Any) -> Any:
    """Platt scaling, or matrix scaling of several classes, as if the labels were right."""
    scaling = lwcal.Platt() if rows.n_classes == 2 else lwcal.MatrixScaling()
    return scaling.fit(given(rows.calibration), labels, **classes_of(rows))


def raw(rows: OpinionScores, asked: Asked) -> Fit:
    """Scores as they are."""
    return Fit(lwcal.Identity().fit(given(rows.calibration), rows.y_clean, **classes_of(rows)))


def automatic(rows: OpinionScores, asked: Asked) -> Fit:
    """``Auto`` on one label a row."""
    fitted = lwcal.Auto().fit(given(rows.calibration), first_labels(rows), **classes_of(rows))
    return Fit(fitted)


def reviewed(rows: OpinionScores, asked: Asked) -> Fit:
    """``Reviewed``, which knows who gave each label."""
    return _reviewed(rows, labels_of(rows, asked))


def anonymous(rows: OpinionScores, asked: Asked) -> Fit:
    """``Reviewed``, with the labels of each row in columns by chance."""
    shuffled = np.random.default_rng(0).permuted(labels_of(rows, asked), axis=1)
    return _reviewed(rows, shuffled)._replace(reviews=None)


def _reviewed(rows: OpinionScores, labels: Any) -> Fit:
    scores = given(rows.calibration)
    fitted = lwcal.Reviewed().fit(scores, labels, **classes_of(rows))
    return Fit(fitted, fitted.consensus(scores, labels).probabilities, fitted.reviews_)


def voted(rows: OpinionScores, asked: Asked) -> Fit:
    """Majority vote, then scaling. The first label decides between equal numbers of votes."""
    labels = labels_of(rows, asked)
    votes = (labels[:, :, None] == np.arange(rows.n_classes)).sum(axis=1)
    votes = votes + TIE_BREAK * np.eye(rows.n_classes)[first_labels(rows)]
    # without one vote that all classes share, a wrong but unanimous row costs the most possible
    shares = (votes + 1 / rows.n_classes) / (votes.sum(axis=1, keepdims=True) + 1)
    return Fit(scaled(rows, votes.argmax(axis=1)), shares)


def dawid_skene(rows: OpinionScores, asked: Asked) -> Fit:
    """Consensus labels of crowd-kit's Dawid-Skene, then scaling."""
    from crowdkit.aggregation import DawidSkene

    labels = labels_of(rows, asked)
    task, worker = np.nonzero(~np.isnan(labels))
    said = pd.DataFrame({"task": task, "worker": worker, "label": labels[task, worker].astype(int)})
    found = DawidSkene(n_iter=100).fit(said).probas_
    truth = found.reindex(index=range(len(labels)), columns=range(rows.n_classes)).fillna(0.0)
    return Fit(scaled(rows, truth.to_numpy().argmax(axis=1)), truth.to_numpy())


def audited(rows: OpinionScores, asked: Asked) -> Fit:
    """``Audited``: one label a row, and the truth of those that an expert checked."""
    checked = rows.picked[: asked.checked]
    truths = np.full(len(rows.y_clean), np.nan)
    truths[checked] = rows.y_clean[checked]
    fitted = lwcal.Audited().fit(
        given(rows.calibration), first_labels(rows), y_audited=truths, **classes_of(rows)
    )
    return Fit(fitted)


def told(rows: OpinionScores, asked: Asked) -> Fit:
    """Scaling by maximum likelihood (EM) for somebody who knows every reviewer's matrix."""
    n, k = rows.calibration.shape
    labels = labels_of(rows, asked)
    row, who = np.nonzero(~np.isnan(labels))
    evidence = np.ones((n, k))
    np.multiply.at(evidence, row, rows.matrices[who, :, labels[row, who].astype(int)])
    scores = np.repeat(given(rows.calibration), k, axis=0)
    every_class = np.tile(np.arange(k), n)
    scaling = lwcal.Platt() if k == 2 else lwcal.MatrixScaling()
    truth = rows.calibration.mean(axis=0) * evidence
    for _ in range(ROUNDS):
        weights = (truth / truth.sum(axis=1, keepdims=True)).ravel()
        scaling.fit(scores, every_class, weights, **classes_of(rows))
        truth = of_all_classes(scaling.predict(given(rows.calibration))) * evidence
    return Fit(scaling)


def clean(rows: OpinionScores, asked: Asked) -> Fit:
    """Scaling on clean labels."""
    return Fit(scaled(rows, rows.y_clean))


def of_all_classes(probability: Any) -> Any:
    """Probabilities with a column for each class."""
    return (
        np.stack([1 - probability, probability], axis=1) if probability.ndim == 1 else probability
    )
