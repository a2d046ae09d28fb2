"""Classes whose labels seem to be lost: nobody gives them, or they go elsewhere.

A model that was trained on the class expects it, and its labels are missing. That lowers the share
of such labels by the same factor at every score. A model that was trained on rows with more of the
class is off by its odds instead: hardly at high scores, and most at low ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.diagnosis.rate_curve import smooth_rate
from lwcal.diagnosis.table_faults import MOST_CLASSES, NO_FAULTS, TableFaults
from lwcal.multiclass.class_rows import ClassRows
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.noise.posterior import MISFIT
from lwcal.table import ScoreTable

LEAST_LOST, LEAST_FEWER = 0.5, 0.4
"""Share of the rows of a class that lost its label, and by how much fewer rows have it than
expected. Below them, other readings judge: labels of an overconfident model are lost to other
classes, too, which get as many back."""
FEWEST_EXPECTED = 10.0
"""Rows of the class that the scores expect."""
MOST_TOLD = 4
"""Classes that a sentence names."""
TINY = 1e-12
MOST_KEPT = 0.9
"""Share that the search begins at; where scores say little, it stays there."""
STEPS = 100
"""Steps of the EM algorithm for the share that is lost."""
RULED_OUT, TELLING_ROWS = 8.0, 10_000.0
"""Log odds against lost labels; more rows tell hardly more: no model is exactly of either form.

Chosen by simulations, with models that are too flat and too sharp. A sign that is missed costs more
than a false one, which some checked labels answer.
"""


class LostLabels(NamedTuple):
    """A class that seems to keep few of its labels.

    Attributes
    ----------
    name : str
        The class, as a sentence names it.
    expected, kept : float
        Rows of the class by the scores, and those of them that have its label.
    """

    name: str
    expected: float
    kept: float

    @property
    def wrong(self) -> float:
        """Rows whose labels are wrong, if the scores are right."""
        return self.expected - self.kept


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

        >>> print(Lost((LostLabels("'fraud'", 120.0, 3.0),)).sentence)
        If the scores are right, only 3 of 120 rows of 'fraud' are labelled so. Are such labels ...
        >>> print(Lost((LostLabels("'a'", 90.0, 0.0), LostLabels("'b'", 20.0, 5.0))).sentence)
        If the scores are right, only 0 of 90 rows of 'a' and 5 of 20 rows of 'b' are labelled ...
        """
        told = [
            f"{one.kept:,.0f} of {one.expected:,.0f} rows of {one.name}" for one in self.classes
        ]
        if len(told) > MOST_TOLD:
            told[MOST_TOLD - 1 :] = [f"few of {len(told) - MOST_TOLD + 1} more classes"]
        listed = " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)
        return (
            f"If the scores are right, only {listed} are labelled so. Are such labels lost, or "
            "does the model expect too many? Look at the rows with the highest scores."
        )


def lost_faults(rows: ClassRows) -> TableFaults:
    """The same of several classes, as a sign that labels say less than they seem to."""
    return _as_faults(lost_labels(rows), rows.n)


def lost_faults_of_table(table: ScoreTable) -> TableFaults:
    """The same of two classes.

    Examples
    --------
    Four of five positive labels are missing, at all scores:

    >>> table = ScoreTable.from_counts([0.2, 0.8], negatives=[960, 840], positives=[40, 160])
    >>> print(*lost_faults_of_table(table).labels)
    If the scores are right, only 200 of 1,000 rows of the positive class are labelled so. Are ...
    """
    flipped = ScoreTable.from_counts(1.0 - table.scores, table.positives, table.negatives)
    found = (_found("the positive class", table), _found("the negative class", flipped))
    return _as_faults(_most_first(found), table.n)


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
    ['2']
    """
    found = []
    for k, name in enumerate(rows.classes[:MOST_CLASSES]):
        is_class = np.where(rows.labels == k, rows.weights, 0.0)
        table = ScoreTable.from_counts(rows.scores[:, k], rows.weights - is_class, is_class)
        found.append(_found(f"{name!r}", table))
    return _most_first(found)


def _found(name: str, table: ScoreTable) -> LostLabels | None:
    """The positive class of a table, if its labels may be lost."""
    expected = float((table.negatives + table.positives) @ table.scores)
    if expected < FEWEST_EXPECTED or table.n_positive > (1.0 - LEAST_FEWER) * expected:
        return None
    pooled = pool_by_logit(table)
    kept, rate = _with_lost(pooled, MOST_KEPT)
    if kept > 1.0 - LEAST_LOST or not _may_be(rate, table, pooled):
        return None
    return LostLabels(name, expected, kept * expected)


def _most_first(found: Iterable[LostLabels | None]) -> Lost | None:
    classes = sorted((one for one in found if one is not None), key=lambda one: -one.wrong)
    return Lost(tuple(classes)) if classes else None


def _as_faults(lost: Lost | None, n: float) -> TableFaults:
    return NO_FAULTS if lost is None else TableFaults((), (lost.sentence,), lost.wrong / n)


def _may_be(rate: FloatArray, table: ScoreTable, pooled: ScoreTable) -> bool:
    """Whether lost labels explain more than right ones do, and hardly less than other odds do."""
    by_lost = _log_likelihood(pooled, rate)
    by_line = _log_likelihood(pooled, smooth_rate(table, pooled.scores, 1))
    _, none_lost = _with_lost(pooled, 1.0)
    is_seen = by_lost - _log_likelihood(pooled, none_lost) > MISFIT
    less = (by_line - by_lost) / (1.0 + table.n / TELLING_ROWS)
    return is_seen and less <= RULED_OUT


def _with_lost(table: ScoreTable, kept: float) -> tuple[float, FloatArray]:
    """Share of the class that keeps its label, and the share of such labels at each score.

    Rows of other classes may have the label, too, at one rate. The search begins at ``kept``; 1 is
    left as it is.
    """
    p, others, is_free = table.scores, 0.01, kept < 1.0
    for _ in range(STEPS):
        rate = others + (kept - others) * p
        of_labelled = float(table.positives @ (kept * p / np.maximum(rate, TINY)))
        of_rest = float(table.negatives @ ((1.0 - kept) * p / np.maximum(1.0 - rate, TINY)))
        known = of_labelled + of_rest
        kept = of_labelled / max(known, TINY) if is_free else 1.0
        others = (table.n_positive - of_labelled) / max(table.n - known, TINY)
    return kept, np.asarray(others + (kept - others) * p)


def _log_likelihood(table: ScoreTable, rate: FloatArray) -> float:
    kept = np.clip(rate, TINY, 1.0 - TINY)
    return float(table.negatives @ np.log1p(-kept) + table.positives @ np.log(kept))
