"""Exact p-values of the tests of several classes, where they decide.

There are two tests for each class, so chi-square is asked for very small p-values, and rare classes
have few rows: of unchanged samples, up to 4% raised an alarm, instead of 1%. So every alarm is
confirmed by exchanging the rows of the fit and the new rows at random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lwcal.monitoring.class_verdict import Compared
from lwcal.monitoring.grading import ALPHA, has_reached
from lwcal.monitoring.permutation import SMALL, Counted, are_many, exact_p
from lwcal.monitoring.statistics import holm

ENOUGH_CONFIRMED = 5
"""Confirmed changes after which the others need no confirmation: there is drift. Where a thousand
classes changed, exact p-values of all would take long."""


def with_confirmed_p(compared: Sequence[Compared], counted: Sequence[Counted]) -> list[Compared]:
    """Replace the p-values that could raise an alarm, the smallest first.

    Parameters
    ----------
    compared : sequence of Compared
        All tests.
    counted : sequence of Counted
        What each of them looked at.
    """
    found = list(compared)
    tests, confirmed = len(found), 0
    adjusted = holm([one.found.p_value for one in found])
    for place in np.argsort([one.found.p_value for one in found], kind="stable").tolist():
        name, _, test = found[place]
        notable = has_reached("watch", name, test.effect, test.odds_ratio)
        matters = adjusted[place] < SMALL and notable
        if not matters or are_many(counted[place]):
            continue
        p = exact_p(name, test, counted[place], tests)
        found[place] = found[place]._replace(found=test._replace(p_value=p))
        confirmed += p * tests < ALPHA
        if confirmed == ENOUGH_CONFIRMED:
            break
    return found
