"""Whether new rows could have shown a change, and how many rows would."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtri, chndtrinc

from lwcal.arrays import FloatArray
from lwcal.monitoring.label_tests import Change, Labels
from lwcal.monitoring.statistics import GROUPS, group_bins
from lwcal.numerics.rounding import up_to_two_digits

ENOUGH_POWER = 0.9
"""Probability of finding a change of labels that calls for a refit. With less, labels that did not
change significantly say little."""
FEW_SCORES = 100
"""Rows of which ten groups of scores can hardly be compared."""


class Telling(NamedTuple):
    """What new rows can tell.

    Attributes
    ----------
    labelled : int or float
        New rows whose label counts, or their weight.
    power : float or None
        Probability that their labels show a change that calls for a refit, if it is the same at
        all scores; None without labels.
    needed : int or None
        About how many rows with labels would show it, if they are like those of the fit; None if
        no number would, because the fit had too few rows.
    """

    labelled: float
    power: float | None
    needed: int | None

    @property
    def is_enough(self) -> bool:
        """Whether labels that look unchanged mean something."""
        return self.power is not None and self.power >= ENOUGH_POWER

    def quiet_sentence(self, n: float, scores: str = "", labels: str = "") -> str:
        """What so many new rows say in which no drift was found.

        Parameters
        ----------
        n : float
        scores, labels : str
            A change of the scores, and of labels at equal scores, that is no chance, but too small
            for an alarm.

        Examples
        --------
        >>> Telling(12, 0.007, 1400).quiet_sentence(12)
        'Cannot tell: no drift shows in 12 new rows, but their labels would show one that calls \
for a refit with a probability of only 1%. About 1,400 rows with labels would tell.'
        """
        rows = f"{n:,} new row{'s' if n != 1 else ''}"
        slight = " and ".join(words for words in (labels, scores) if words)
        if self.is_enough and labels:
            return f"No alarm: in {rows} {slight}. This is not chance, but too little for an alarm."
        if self.is_enough and slight:
            return (
                f"No drift: labels of {rows} at equal scores are like those of the fit. "
                f"{slight[0].upper()}{slight[1:]}, too little for an alarm."
            )
        if self.is_enough:
            return f"No drift: {rows} {'look' if n != 1 else 'looks'} like those of the fit."
        if self.power is not None:
            whose = "their labels" if self.labelled == n else f"the {self.labelled:,} labels"
            shown = f"in {rows} {slight}, and" if slight else f"no drift shows in {rows}, but"
            said = (
                f"{shown} {whose} would show one that calls for a refit with a probability of only "
                f"{self.power:.0%}"
            )
        elif n < FEW_SCORES:
            said = f"{rows} without labels {'are' if n != 1 else 'is'} too few"
        elif slight:
            said = (
                f"in {rows} {slight}. If only the base rate changed, lwcal adapt allows for it. "
                "Only labels say whether the calibrator still holds, and there are none that count"
            )
        else:
            said = (
                f"the scores of {rows} look like those of the fit, but only labels say whether the "
                "calibrator still holds, and there are none that count"
            )
        return f"Cannot tell: {said}. {self.advice}"

    @property
    def advice(self) -> str:
        """What would tell."""
        if self.needed is None:
            return "The fit had too few rows for any number of new ones to tell; fit to more."
        return f"About {self.needed:,} rows with labels would tell."


def as_count(total: float) -> float:
    """A number of rows as an integer, where it is one."""
    return int(total) if float(total).is_integer() else total


def rows_needed(before: Labels, change: Change, rows: FloatArray | None = None) -> int | None:
    """About how many rows like those of the fit show a change with a probability of 90%.

    None if no number would.

    Parameters
    ----------
    before : Labels
        Of the fit.
    change : Change
    rows : float64 array, optional
        Rows of the fit, if they are not as many as the labels count for: new ones are like them.

    Examples
    --------
    >>> fit = Labels(np.full(50, 90.0), np.full(50, 10.0))
    >>> rows_needed(fit, Change(0.1, 2.0, 0.003))
    950
    >>> rows_needed(Labels(np.full(50, 0.9), np.full(50, 0.1)), Change(0.1, 2.0, 0.003)) is None
    True
    """
    total = float(before.weight.sum())
    if rows is not None:
        counted = rows / np.maximum(before.weight, 1e-300) * (total / rows.sum())
        before = Labels(before.negatives * counted, before.positives * counted)
    weight = before.weight
    starts = group_bins(weight, weight)
    share = np.add.reduceat(weight, starts) / total
    spread = before.negatives * before.positives / np.maximum(weight, 1e-300) / total
    variance = np.add.reduceat(spread, starts)
    usable = variance > 0.0
    if not usable.any():
        return None
    a_row = min(
        change.size**2 * float((share[usable] ** 2 / variance[usable]).sum()),
        float(np.log(change.odds_ratio)) ** 2 * float(variance.sum()),
    )
    limit = chdtri(GROUPS, change.alpha)
    # both samples together count as n m / (n + m) rows
    # new rows are never quite like those of the fit, so a tenth more
    both = 1.1 * float(chndtrinc(limit, GROUPS, 1.0 - ENOUGH_POWER)) / a_row
    if both >= total:
        return None
    return up_to_two_digits(both * total / (total - both))
