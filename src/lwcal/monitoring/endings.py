"""Whether a drift goes on after the last period in which it was found.

A period without a finding proves little: a drift that few rows show is found in some periods and
missed in others. Rows that follow tell that it is over only if they would have shown it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import chdtri, chndtr, log_ndtr, ndtri

from lwcal.calibrators import Calibrator
from lwcal.monitoring.grading import ALPHA, LABEL_TESTS, DriftTest, change_of_labels
from lwcal.monitoring.label_tests import SURELY_FOUND
from lwcal.monitoring.new_tables import TESTS, NewTables, changes, counted_rows, together
from lwcal.monitoring.permutation import with_exact_p
from lwcal.monitoring.score_groups import TOPS
from lwcal.monitoring.statistics import GROUPS, Found
from lwcal.monitoring.telling import ENOUGH_POWER
from lwcal.reference import Reference

COMPARED = {"groups": len(TOPS) + GROUPS}
"""Groups of scores of which the clearest is reported."""
QUIET = 0.1
"""P-value below which rows are not called unlike those that drifted, significant or not."""
PART = 0.5
"""Part of a drift that goes on, if there is so much of it."""


class Seen(NamedTuple):
    """A test of some rows.

    Attributes
    ----------
    found : Found
    overlap : float
        As how many rows they and those of the fit count together.
    """

    found: Found
    overlap: float


def drift_has_ended(
    reference: Reference,
    calibrator: Calibrator,
    rows: Sequence[NewTables],
    found: Sequence[Mapping[str, Found]],
    judged: Sequence[tuple[DriftTest, ...]],
) -> bool | None:
    """Ask :func:`has_ended` of the rows of periods, their tests, and what these were judged to be.

    None without drift, and False if the last period drifts.
    """
    drift: dict[str, list[Seen]] = {}
    last = -1
    fitted = reference.table().n
    for place, (new, tests) in enumerate(zip(rows, judged, strict=True)):
        for test in tests:
            if test.level != "no drift":
                last = place
                one = Seen(found[place][test.name], _overlap(test.name, new, fitted))
                drift.setdefault(test.name, []).append(one)
    if not drift:
        return None
    if last == len(rows) - 1:
        return False
    later = together(rows[last + 1 :])
    counted = counted_rows(reference, calibrator, later)
    tested = with_exact_p(changes(counted, change_of_labels(TESTS)), counted, TESTS)
    after = {name: Seen(one, _overlap(name, later, fitted)) for name, one in tested.items()}
    return has_ended(drift, after, sum(map(len, judged)))


def _overlap(test: str, new: NewTables, fitted: float) -> float:
    """As how many rows new rows and those of the fit count together in a test."""
    n = new.n if test == "scores" or new.labelled is None else new.labelled.n
    return n * fitted / (n + fitted)


def has_ended(drift: dict[str, list[Seen]], after: dict[str, Seen], tests: int) -> bool | None:
    """Whether later rows show that a drift is over; None if they do not tell.

    It goes on if they show half of it. It is over if they show no sign of it, and would have shown
    a drift of the size that was found with a probability of 90%. That size is taken as small as it
    may be: where few rows show a drift, it is found only where chance enlarged it.

    Parameters
    ----------
    drift : dict of lists of Seen
        By the name of a test, its results in the periods in which it found drift. If some tests
        are about labels, these alone decide.
    after : dict of Seen
        The tests of all rows after the last of these periods.
    tests : int
        Number of tests that were corrected for when drift was found.

    Examples
    --------
    >>> def seen(statistic, p, rows):
    ...     return Seen(Found(statistic, p, 0.0, freedom=10), rows)
    >>> drift = {"labels": [seen(110.0, 1e-19, 2000)]}
    >>> has_ended(drift, {"labels": seen(10.0, 0.44, 2000)}, tests=48)
    True
    >>> has_ended(drift, {"labels": seen(10.0, 0.44, 300)}, tests=48) is None
    True
    >>> has_ended(drift, {"labels": seen(70.0, 4e-11, 2000)}, tests=48)
    False
    """
    decisive = [name for name in drift if name in LABEL_TESTS] or list(drift)
    made = [name for name in decisive if name in after]
    said = [_said(name, drift[name], after[name], tests) for name in made]
    if False in said:
        return False
    is_quiet = all(after[name].found.p_value >= QUIET for name in made)
    return True if is_quiet and True in said else None


def _said(name: str, drift: Sequence[Seen], after: Seen, tests: int) -> bool | None:
    found = after.found
    compared = COMPARED.get(name, 1)
    least = float(chdtri(drift[0].found.freedom, ALPHA / tests / compared))
    # what a chi-square has beyond chance grows with the rows, and with the square of a change
    rows = float(np.mean([one.overlap for one in drift]))
    expected = least_strength([one.found for one in drift], least) * after.overlap / rows
    if found.p_value < ALPHA and found.chi_square - found.freedom >= PART**2 * expected:
        return False
    limit = chdtri(found.freedom, ALPHA / compared)
    missed = float(chndtr(limit, found.freedom, min(expected, SURELY_FOUND)))
    return True if 1.0 - missed >= ENOUGH_POWER else None


def least_strength(drift: Sequence[Found], limit: float) -> float:
    """Smallest likely noncentrality of tests that were noticed because they reached a limit.

    The root of a chi-square is about normal, and here it is cut off below the limit. The result is
    the strength at which a mean as large has a probability of 10%.

    Examples
    --------
    >>> found = [Found(64.0, 1e-9, 0.1, freedom=10)]
    >>> [round(least_strength(found * n, limit=33.0), 1) for n in (1, 9)]
    [35.2, 47.1]
    >>> least_strength([Found(34.0, 1e-4, 0.1, freedom=10)], limit=33.0)
    0.0
    """
    freedom = drift[0].freedom
    mean = float(np.mean([np.sqrt(one.chi_square) for one in drift]))
    least = float(np.sqrt(limit))
    beyond = float(ndtri(ENOUGH_POWER) / np.sqrt(len(drift)))

    def too_large(root: float) -> float:
        gap = least - root
        hazard = float(np.exp(-0.5 * gap**2 - 0.5 * np.log(2.0 * np.pi) - log_ndtr(-gap)))
        spread = float(np.sqrt(max(1.0 + gap * hazard - hazard**2, 0.0)))
        return root + hazard + beyond * spread - mean

    lowest = float(np.sqrt(freedom - 0.5))
    if too_large(lowest) >= 0.0:
        return 0.0
    return float(brentq(too_large, lowest, mean) ** 2) - lowest**2
