"""A third reading of opinions: the raw scores are right, and reviewers make the same mistakes.

Mistakes that all reviewers share look like truth. A third reviewer shows those of a pair; where
there is none, only the scores could contradict the labels, and the opinions say nothing about it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.diagnosis.right_scores import CheckedRows, Explained, RightScores, right_scores
from lwcal.reviews.near_copies import copies_would_show
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.single_labels import label_rows


def right_if_mistakes_are_shared(
    rows: OpinionRows,
    left_out: Explained,
    predict: Callable[[FloatArray], FloatArray],
    expected: FloatArray,
) -> RightScores | None:
    """Find the noise matrix of the labels if the raw scores are right.

    Parameters
    ----------
    rows : OpinionRows
        With the opinions of copies counted as one.
    left_out : Explained
        All labels, with predictions of maps that did not see them.
    predict : callable
        The map that is judged, from (n, K) to (n, K). Where rows are checked, it says what they
        make of the others.
    expected : (K, K)
        The noise matrix by the opinions.

    Returns
    -------
    RightScores or None
        None if a copy would show, if labels or checks contradict right scores, or if reviewers
        contradict each other more often than so few wrong labels allow.
    """
    if copies_would_show(rows):
        return None
    explained, checked = left_out, _checked_rows(rows, predict)
    if checked is not None:
        labels = label_rows(rows.part(~rows.is_checked))
        explained = Explained(labels.scores, predict(labels.scores), labels.labels, labels.weights)
    found = right_scores(explained, expected, checked) if len(explained.codes) else None
    if found is None or explained.wrong_share(found.matrix) < _least_wrong(rows):
        return None
    if rows.n_classes == 2 and found.flip_rates.kept <= 0.0:
        return None
    return found


def _checked_rows(
    rows: OpinionRows, predict: Callable[[FloatArray], FloatArray]
) -> CheckedRows | None:
    which = rows.is_checked
    if not which.any():
        return None
    scores, truths, weights = rows.scores[which], rows.truths[which], rows.weights[which]
    counts, given = np.zeros((rows.n_classes, rows.n_classes)), which[rows.rows]
    shared = rows.weights / np.maximum(rows.opinions, 1)
    of_label = rows.rows[given]
    np.add.at(counts, (rows.truths[of_label], rows.labels[given]), shared[of_label])
    return CheckedRows(Explained(scores, predict(scores), truths, weights), counts)


def _least_wrong(rows: OpinionRows) -> float:
    """Share of wrong labels that contradictions prove, less two standard errors.

    Where two labels of a row differ, at least half of them are wrong.
    """
    several = rows.several
    if not several:
        return 0.0
    differ = float(rows.weights[rows.contradicted].sum()) / several
    return 0.5 * (differ - 2.0 * float(np.sqrt(differ * (1.0 - differ) / several)))
