"""When the rows were made: how many on each day, which labels are old enough, where to cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.errors import InputError, ParameterError
from lwcal.parameters import Between, check_parameter
from lwcal.rows.faults import DROP_HINT, InvalidRows
from lwcal.rows.frames import Frame, columns_of, shown
from lwcal.rows.times import DAY, Seconds, TimeReader, shown_time, time_parameter
from lwcal.rows.values import Column, no_rows

LATER_SHARE = 0.3
"""Share of the rows that are later than the cut, if it is chosen."""
Counted = tuple[Seconds, npt.NDArray[np.int64]]
"""Distinct seconds in order, and the number of rows of each."""


class TimeCounts(NamedTuple):
    """Number of rows on each day.

    Attributes
    ----------
    days, rows : int64 arrays
        Days since 1970 that have rows, in order; and the number of their rows.
    newest : int
        The latest second.
    zoned : bool
        Whether the times have a zone.
    """

    days: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    newest: int
    zoned: bool = False


class TimeCounter:
    """Counts the rows of each day, batch by batch.

    Parameters
    ----------
    name : str
        The column of times, as messages call it.
    """

    def __init__(self, name: str) -> None:
        self._reader = TimeReader(name)
        self._invalid = InvalidRows()
        self._totals: dict[int, int] = {}
        self._newest: int | None = None

    def add(self, times: Column) -> None:
        """Count a batch."""
        seconds, bad = self._reader.read(times, self._invalid.rows, self._invalid)
        self._invalid.rows += len(times)
        kept = seconds if bad is None else seconds[~bad]
        if not len(kept):
            return
        latest = int(kept.max())
        self._newest = latest if self._newest is None else max(self._newest, latest)
        for day, count in zip(*np.unique(kept // DAY, return_counts=True), strict=True):
            self._totals[int(day)] = self._totals.get(int(day), 0) + int(count)

    def finish(self, *, drop_invalid: bool = False, drop_hint: str = DROP_HINT) -> TimeCounts:
        """Return the counts; times that cannot be read are refused, or left out."""
        if not self._invalid.rows:
            raise InputError(no_rows(self._reader.name))
        self._reader.refuse_mixture()
        if not drop_invalid or self._newest is None:
            self._invalid.refuse(drop_hint=drop_hint)
        days = np.array(sorted(self._totals), dtype=np.int64)
        rows = np.array([self._totals[day] for day in days.tolist()], dtype=np.int64)
        return TimeCounts(days, rows, int(self._newest or 0), self._reader.zoned)


def count_times(batches: Iterable[Frame], time: str, *, drop_invalid: bool = False) -> TimeCounts:
    """Count the rows of each day in frames; see :class:`TimeCounter`.

    >>> count_times([{"t": ["1970-01-03", "1970-01-01", "1970-01-03"]}], "t").rows
    array([1, 2])
    """
    counter = TimeCounter(shown(time))
    for batch in batches:
        for (column,) in columns_of(batch, [time]):
            counter.add(column)
    return counter.finish(drop_invalid=drop_invalid)


def count_seconds(columns: Iterable[Column], day: int) -> Counted:
    """Distinct seconds of one day in columns of times that were counted before."""
    reader, parts = TimeReader("times"), []
    for column in columns:
        seconds, bad = reader.read(column, 0, InvalidRows())
        of_day = seconds // DAY == day
        parts.append(seconds[of_day if bad is None else of_day & ~bad])
    found, rows = np.unique(np.concatenate(parts), return_counts=True)
    return found, np.asarray(rows, dtype=np.int64)


class Maturity(NamedTuple):
    """When a label is old enough to count.

    Attributes
    ----------
    days : float or None
        Age in days; None: every label counts.
    as_of : object
        The time at which the labels were read; None: the newest time of the rows.
    names : tuple of str
        What messages call the two.
    """

    days: float | None = None
    as_of: Any = None
    names: tuple[str, str] = ("label_matures", "as_of")

    def check(self) -> None:
        """Refuse values that cannot be used, before any row is read."""
        if self.days is not None:
            check_parameter(self.names[0], self.days, Between(0.0, 36_525.0))
        if self.as_of is None:
            return
        read_at = time_parameter(self.names[1], self.as_of).seconds
        if self.days is None:
            raise ParameterError(f"{self.names[1]} works only with {self.names[0]}; add it.")
        if _is_future(read_at):
            raise ParameterError(
                f"{self.names[1]} is {shown_time(read_at)}, which is in the future: every label "
                "would count as old enough. Give the time at which the labels were read."
            )

    def until(self, counts: TimeCounts) -> int | None:
        """The last second whose labels count; None if all do.

        >>> counts = TimeCounts(np.array([0, 9]), np.array([5, 5]), newest=9 * DAY)
        >>> Maturity(7).until(counts) == 2 * DAY, Maturity().until(counts)
        (True, None)
        """
        if self.days is None:
            return None
        return self._read_at(counts) - round(self.days * DAY)

    def _read_at(self, counts: TimeCounts) -> int:
        days, as_of = self.names
        if self.as_of is not None:
            found = time_parameter(as_of, self.as_of)
            refuse_other_zone(as_of, found.zoned, counts)
            first = int(counts.days[0]) * DAY
            if found.seconds < first:
                raise InputError(
                    f"{as_of} is {shown_time(found.seconds)}, and the rows are from "
                    f"{shown_time(first)} to {shown_time(counts.newest)}: labels cannot be read "
                    f"before the rows exist. Give a time since then, or omit {as_of}."
                )
            return found.seconds
        if _is_future(counts.newest):
            raise InputError(
                f"The newest time is {shown_time(counts.newest)}, which is in the future, so the "
                f"age of the labels is not known. Repair it, or say with {as_of} when the labels "
                f"were read; {days} counts from then."
            )
        return counts.newest


def _is_future(seconds: int) -> bool:
    """Whether a time has come nowhere on earth."""
    return seconds > datetime.now(UTC).timestamp() + DAY


def refuse_other_zone(name: str, zoned: bool, counts: TimeCounts) -> None:
    """Refuse a time with a zone if those of the rows have none: a plain one is taken as theirs."""
    if zoned and not counts.zoned:
        hint = "Omit the zone."
        raise ParameterError(f"{name} has a time zone, and the times of the rows have none. {hint}")


def named_cut(name: str, value: Any, counts: TimeCounts) -> int:
    """The second that a caller named; some rows must be earlier, and some as late or later."""
    found = time_parameter(name, value)
    refuse_other_zone(name, found.zoned, counts)
    first = int(counts.days[0]) * DAY
    if first < found.seconds <= counts.newest:
        return found.seconds
    raise InputError(
        f"{name} is {shown_time(found.seconds)}, and the rows are from {shown_time(first)} to "
        f"{shown_time(counts.newest)}. Choose a time between them."
    )


def choose_cut(
    counts: TimeCounts, seconds_of: Callable[[int], Counted], until: int | None = None
) -> int:
    """First second of about the latest 30% of the rows; rows of the same second stay together.

    Parameters
    ----------
    counts : TimeCounts
    seconds_of : function
        Returns the distinct seconds of a day, and their numbers of rows.
    until : int, optional
        The last second whose labels count; later days are left out.

    Examples
    --------
    >>> counts = TimeCounts(np.arange(10), np.ones(10, dtype=int), newest=9 * DAY)
    >>> choose_cut(counts, lambda day: (np.array([day * DAY]), np.array([1]))) // DAY
    7
    """
    kept = slice(None) if until is None else counts.days * DAY <= until
    days, rows = counts.days[kept], counts.rows[kept]
    total = int(rows.sum())
    later = total - np.cumsum(rows)  # rows after each day
    place = int(np.argmax(later <= LATER_SHARE * total)) if total else 0
    if not total:
        raise InputError("No label is old enough to count. Let fewer days pass, or wait.")
    seconds, of_second = seconds_of(int(days[place]))
    if until is not None:
        of_second, seconds = of_second[seconds <= until], seconds[seconds <= until]
    starts = np.append(seconds, days[place + 1] * DAY if place + 1 < len(days) else [])
    since = int(later[place]) + np.append(np.cumsum(of_second[::-1])[::-1], 0)[: len(starts)]
    # a cut at the first second of all leaves no row before it
    usable = since < total
    if not usable.any():
        raise InputError(
            f"All rows have the same time, {shown_time(counts.newest)}, so no row is later than "
            "another. Choose a column of times that differ."
        )
    distance = np.where(usable, np.abs(since - LATER_SHARE * total), np.inf)
    return int(starts[int(np.argmin(distance))])
