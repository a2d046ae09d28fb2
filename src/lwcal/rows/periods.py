"""Periods of the calendar, and the one that suits some rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError
from lwcal.rows.times import DAY, Seconds

Days = npt.NDArray[np.int64]
"""Days since 1970."""
MONDAY = 3
"""Days from a Monday to the Thursday on which 1970 began."""
MOST_PERIODS = 24
"""The most periods that are chosen; each of them makes all tests stricter."""
MOST_NAMED_PERIODS = 120
"""The most periods that are compared, if somebody names the period. More would need so small
p-values that they take minutes to compute."""
ENOUGH_ROWS = 200
"""Rows that the period in the middle has at least, if a period is chosen: with fewer, drift is
rarely found."""


def _month_start(days: Days, months: int) -> Days:
    """First day of the month, quarter or year: of one, three or twelve months."""
    since = days.astype("M8[D]").astype("M8[M]").astype(np.int64)
    return np.asarray((since // months * months).astype("M8[M]").astype("M8[D]").astype(np.int64))


STARTS: dict[str, Callable[[Days], Days]] = {
    "day": lambda days: days,
    "week": lambda days: (days + MONDAY) // 7 * 7 - MONDAY,
    "month": lambda days: _month_start(days, 1),
    "quarter": lambda days: _month_start(days, 3),
    "year": lambda days: _month_start(days, 12),
}
"""First day of the period of each day, by the name of the period, the finest first."""
PERIODS = tuple(STARTS)


def period_starts(days: Days, period: str) -> Seconds:
    """Starts of the periods that have one of these days.

    >>> days = np.array(["2024-01-30", "2024-02-01", "2024-02-03"], dtype="M8[D]")
    >>> period_starts(days.astype(np.int64), "month").astype("M8[s]").astype("M8[M]")
    array(['2024-01', '2024-02'], dtype='datetime64[M]')
    """
    starts = np.unique(STARTS[period](days))
    if len(starts) > MOST_NAMED_PERIODS:
        raise InputError(
            f"The rows have {len(starts):,} periods of a {period}, and at most "
            f"{MOST_NAMED_PERIODS:,} are compared. Choose a longer period."
        )
    return np.asarray(starts * DAY)


def choose_period(days: Days, counts: npt.NDArray[np.int64]) -> str:
    """Name the finest period of at most 24, of which half have at least 200 rows.

    Without such a period, it is a year: then there are few rows, or they span decades.

    Parameters
    ----------
    days : int array
        Days that have rows.
    counts : int array
        Number of their rows.

    Examples
    --------
    >>> days = np.arange(365)
    >>> choose_period(days, np.full(365, 10)), choose_period(days[:20], np.full(20, 500))
    ('month', 'day')
    """
    for period, start in STARTS.items():
        _, places = np.unique(start(days), return_inverse=True)
        rows = np.bincount(places, counts)
        if len(rows) <= MOST_PERIODS and np.median(rows) >= ENOUGH_ROWS:
            return period
    return PERIODS[-1]


def period_name(start: int, period: str) -> str:
    """Name the period that begins at this second.

    >>> [period_name(1709510400, period) for period in PERIODS]
    ['2024-03-04', '2024-W10', '2024-03', '2024-Q1', '2024']
    """
    day = np.datetime64(start, "s").astype("M8[D]").item()
    if period == "week":
        year, week, _ = day.isocalendar()
        return f"{year}-W{week:02}"
    if period == "quarter":
        return f"{day.year}-Q{(day.month + 2) // 3}"
    length = {"day": 10, "month": 7, "year": 4}[period]
    return str(day.isoformat()[:length])
