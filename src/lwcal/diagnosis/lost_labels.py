"""Classes of several whose labels seem to be lost: nobody gives them, or they go elsewhere.

A model that was trained on the class expects it, and its labels are missing. That lowers the share
of such labels by the same factor at every score. A model that was trained on rows with more of the
class is off by its odds instead: hardly at high scores, and most at low ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.diagnosis.right_scores import RULED_OUT
from lwcal.diagnosis.table_faults import MOST_CLASSES, smooth_rate
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.hypotheses import ROWS_OF_EVIDENCE
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.table import ScoreTable

LEAST_LOST = 0.5
"""Share of the expected labels that are missing; below it, other readings of the labels judge."""
FEWEST_EXPECTED = 10.0
"""Rows of the class that the scores expect."""
MOST_TOLD = 4
"""Classes that a sentence names."""
TINY = 1e-12
STEPS = 100
"""Steps of the EM algorithm for the share that is lost."""


class LostLabels(NamedTuple):
    """A class that the scores expect more often than it is a label.

    Attributes
    ----------
    name : object
        The class.
    expected, labelled : float
        Rows of the class by the scores, and rows with that label.
    """

    name: Any
    expected: float
    labelled: float

    @property
    def wrong(self) -> float:
        """Rows whose labels are wrong, if the scores are right."""
        return self.expected - self.labelled


class Lost(NamedTuple):
    """All classes of which labels may be lost.

    Attributes
    ----------
    classes : tuple of LostLabels
        Those that miss most labels first.
    """

    classes: tuple[LostLabels, ...]

    @property
    def wrong(self) -> float:
        """Rows whose labels are wrong, if the scores are right."""
        return sum(one.wrong for one in self.classes)

    @property
    def sentence(self) -> str:
        """What is seen, and what to look at.

        >>> print(Lost((LostLabels("fraud", 120.0, 3.0),)).sentence)
        Only 3 rows are labelled 'fraud', where the scores expect 120. Are such labels lost, or ...
        >>> print(Lost((LostLabels("a", 90.0, 0.0), LostLabels("b", 20.0, 5.0))).sentence)
        Fewer rows than the scores expect are labelled 'a' (0 of 90) and 'b' (5 of 20). Are such ...
        """
        if len(self.classes) == 1:
            ((name, expected, labelled),) = self.classes
            number = f"Only {labelled:,.0f} rows are" if labelled else "No row is"
            found = f"{number} labelled {name!r}, where the scores expect {expected:,.0f}."
        else:
            told = [
                f"{one.name!r} ({one.labelled:,.0f} of {one.expected:,.0f})" for one in self.classes
            ]
            if len(told) > MOST_TOLD:
                told[MOST_TOLD - 1 :] = [f"{len(told) - MOST_TOLD + 1} more classes"]
            listed = f"{', '.join(told[:-1])} and {told[-1]}"
            found = f"Fewer rows than the scores expect are labelled {listed}."
        return (
            f"{found} Are such labels lost, or does the model expect too many? Look at the rows "
            "with the highest scores."
        )


def lost_labels(rows: ClassRows) -> Lost | None:
    """Classes of which labels may be lost, as far as the scores of the class itself tell.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.dirichlet([0.4, 0.3, 0.3], 1000)
    >>> labels = (rng.random((1000, 1)) > scores.cumsum(axis=1)).sum(axis=1)
    >>> lost_labels(ClassRows.from_arrays(scores, labels))
    >>> replaced = (labels == 2) & (rng.random(1000) < 0.9)
    >>> rows = ClassRows.from_arrays(scores, np.where(replaced, 0, labels))
    >>> [one.name for one in lost_labels(rows).classes]
    [2]
    """
    found = []
    for k, name in enumerate(rows.classes[:MOST_CLASSES]):
        expected = float(rows.weights @ rows.scores[:, k])
        labelled = float(rows.weights[rows.labels == k].sum())
        if expected >= FEWEST_EXPECTED and labelled <= (1.0 - LEAST_LOST) * expected:
            is_class = np.where(rows.labels == k, rows.weights, 0.0)
            table = ScoreTable.from_counts(rows.scores[:, k], rows.weights - is_class, is_class)
            if _may_be_lost(table):
                found.append(LostLabels(name, expected, labelled))
    found.sort(key=lambda one: -one.wrong)
    return Lost(tuple(found)) if found else None


def _may_be_lost(table: ScoreTable) -> bool:
    """Whether a score with odds of its own does not explain the labels far better."""
    pooled = pool_by_logit(table)
    power = 1.0 / (1.0 + table.n / ROWS_OF_EVIDENCE)
    by_line = _log_likelihood(pooled, smooth_rate(table, pooled.scores, 1)) - 1.0
    # the line has one number more
    return power * (by_line - _log_likelihood(pooled, _with_lost(pooled))) <= RULED_OUT


def _with_lost(table: ScoreTable) -> FloatArray:
    """Share of labels at each score if the most likely share of them is lost."""
    n, kept = table.negatives + table.positives, 0.5
    total = float(n @ table.scores)
    for _ in range(STEPS):
        still = table.negatives @ (
            table.scores * (1.0 - kept) / np.maximum(1.0 - kept * table.scores, TINY)
        )
        kept = 1.0 - float(still) / max(float(still) + table.n_positive, TINY)
    return np.asarray(kept * table.scores) if total else table.scores


def _log_likelihood(table: ScoreTable, rate: FloatArray) -> float:
    kept = np.clip(rate, TINY, 1.0 - TINY)
    return float(table.negatives @ np.log1p(-kept) + table.positives @ np.log(kept))
