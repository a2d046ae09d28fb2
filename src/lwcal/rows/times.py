"""Read columns of dates and timestamps as whole seconds, and refuse what is no time."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.rows.fault_kinds import Kind
from lwcal.rows.faults import Found, InvalidRows, RowNumbers, row_number
from lwcal.rows.values import Column, as_objects, is_arrow, is_missing_value, is_text

Seconds = npt.NDArray[np.int64]
"""Seconds since 1970; those of a time with a zone are counted in UTC."""
DAY = 86_400
"""Seconds of a day."""
ZONE = r"Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?"
TIME = (
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    rf"([ T]([0-9]{{2}})(:([0-9]{{2}})(:([0-9]{{2}})([.][0-9]+)?)?)?[ ]?({ZONE})?)?"
)
"""Text of a date or timestamp. It works as a regular expression of Java too. Its groups: 1 is the
day, 3, 5 and 7 are hour, minute and second, 9 is the zone."""
FIRST, LAST = -62_135_596_800, 253_402_300_799
"""Range of times: the years 1 to 9999."""
RULE = (
    "Times must be dates of the calendar or timestamps, such as 2024-01-31 or 2024-01-31 08:30:00. "
    "Convert others first, by the format that they have: pandas.to_datetime(t, format=...) in "
    "Python, strptime(t, ...) in SQL; '%d/%m/%Y' reads 31/01/2024, and '%Y%m%d' reads 20240131."
)
NOT_A_TIME = Kind("not a time", RULE, "like something else")
NO_TIME = Kind("missing", "Every row needs a time.", "mostly missing")
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
EPOCH, EPOCH_UTC = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC)


class Time(NamedTuple):
    """One time."""

    seconds: int
    zoned: bool


def parse_time(value: Any) -> Time | None:
    """Read a date, a timestamp or their text; None for anything else.

    >>> parse_time("1970-01-02"), parse_time("1970-01-01T02:00:00+02:00")
    (Time(seconds=86400, zoned=False), Time(seconds=0, zoned=True))
    >>> parse_time("20240131") is None, parse_time("2024-02-30") is None, parse_time(17) is None
    (True, True, True)
    """
    if isinstance(value, np.datetime64):
        value = value.astype("M8[us]").item()
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, str):
        value = _from_text(value.strip())
    if not isinstance(value, date):
        return None
    if not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    zoned = value.tzinfo is not None
    return Time((value - (EPOCH_UTC if zoned else EPOCH)) // timedelta(seconds=1), zoned)


def _from_text(text: str) -> datetime | None:
    found = re.fullmatch(TIME, text)
    if found is None:
        return None
    zone = found[9] or ""
    plain = text.removesuffix(zone).rstrip()
    try:
        return datetime.fromisoformat(plain + ("Z" if zone == "UTC" else zone))
    except ValueError:  # such as February 30
        return None


def time_parameter(name: str, value: Any) -> Time:
    """Read a time that a caller named, or refuse it."""
    found = parse_time(value)
    if found is None:
        example = "write it as 2024-01-31 or 2024-01-31 08:30:00"
        raise ParameterError(message(f"{name} to be a date or a timestamp", repr(value), example))
    return found


def shown_time(seconds: int) -> str:
    """Write a time: as a date, if it is midnight.

    >>> shown_time(0), shown_time(3600)
    ('1970-01-01', '1970-01-01 01:00:00')
    """
    written = str(np.datetime64(seconds, "s")).replace("T", " ")
    return written.removesuffix(" 00:00:00")


class Parsed(NamedTuple):
    """A batch of times.

    Attributes
    ----------
    seconds : int64 array
        Anything in rows that have no time.
    missing, wrong : bool arrays or None
        Rows without a value, and with one that is no time; None when there are none.
    zoned : bool array or bool
        Which times have a zone; or whether all have one.
    """

    seconds: Seconds
    missing: BoolArray | None
    wrong: BoolArray | None
    zoned: BoolArray | bool


class TimeReader:
    """Reads a column of times batch by batch.

    Parameters
    ----------
    name : str
        The column, as messages call it.

    Examples
    --------
    >>> reader = TimeReader("times")
    >>> invalid = InvalidRows(rows=3)
    >>> reader.read(np.array(["1970-01-02", "soon", None], dtype=object), 0, invalid)
    (array([86400,     0,     0]), array([False,  True,  True]))
    >>> print(invalid)
    dropped 2 of 3 rows: times: 1 is missing, the first in row 2 (None); times: 1 is not a time, \
the first in row 1 ('soon')
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._seen: dict[bool, tuple[int, Found]] = {}

    def read(
        self, column: Column, first_row: RowNumbers, invalid: InvalidRows
    ) -> tuple[Seconds, BoolArray | None]:
        """Return the seconds of a batch, and which rows have no time, if any."""
        parsed = _parsed(column, self.name)
        bad: BoolArray | None = None
        for kind, rows in ((NO_TIME, parsed.missing), (NOT_A_TIME, parsed.wrong)):
            if rows is not None and rows.any():
                invalid.find(rows, _shown(column), first_row, self.name, kind)
                bad = rows if bad is None else bad | rows
        self._note_zones(parsed, bad, column, first_row)
        return parsed.seconds, bad

    @property
    def zoned(self) -> bool:
        """Whether the times have a zone."""
        return True in self._seen

    def refuse_mixture(self) -> None:
        """Refuse a column in which some times have a zone and others have none."""
        refuse_mixed_zones(self.name, self._seen)

    def _note_zones(
        self, parsed: Parsed, bad: BoolArray | None, column: Column, first_row: RowNumbers
    ) -> None:
        used = np.ones(len(parsed.seconds), dtype=np.bool_) if bad is None else ~bad
        for zoned in (True, False):
            rows = used & (parsed.zoned == zoned)
            count = int(np.count_nonzero(rows))
            if count:
                place = int(np.argmax(rows))
                before, first = self._seen.get(zoned, (0, None))
                if first is None:
                    first = Found(row_number(first_row, place), _text_at(column, place))
                self._seen[zoned] = (before + count, first)


def refuse_mixed_zones(name: str, seen: dict[bool, tuple[int, Found]]) -> None:
    """Refuse times of both kinds; ``seen`` has the number and the first of each kind."""
    if len(seen) < 2:
        return
    (with_zone, first), (without, other) = seen[True], seen[False]
    raise InputError(
        f"{name} mixes {with_zone:,} times with a zone ({first}) and {without:,} without ({other})."
        " Nobody can tell how far they are apart. Write all of them in the same way."
    )


def refuse_numbers(name: str, kind: str) -> InputError:
    """Word the error about numbers in place of times."""
    return InputError(
        f"{name} holds numbers ({kind}), and a number does not say whether it counts seconds, "
        "milliseconds or days. Convert it to timestamps first: pandas.to_datetime(t, unit=...) in "
        "Python; to_timestamp(t) for seconds, epoch_ms(t) for milliseconds in SQL."
    )


def _parsed(column: Column, name: str) -> Parsed:
    if is_arrow(column):
        return _parsed_arrow(column, name)
    kind = column.dtype.kind
    if kind in "iufbc":
        raise refuse_numbers(name, str(column.dtype))
    if kind == "M":
        return _in_range(column.astype("M8[s]").astype(np.int64), np.isnat(column), zoned=False)
    return _one_by_one(column.tolist())


def _parsed_arrow(column: Column, name: str) -> Parsed:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    kind = column.type
    if pa.types.is_null(kind):
        return _one_by_one([None] * len(column))
    if pa.types.is_date(kind):
        return _from_units(column.cast(pa.timestamp("s")), zoned=False)
    if pa.types.is_timestamp(kind):
        return _from_units(column, zoned=kind.tz is not None)
    if is_text(kind):
        return _from_texts(column)
    if (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    ):
        raise refuse_numbers(name, str(kind))
    return _one_by_one(column.to_pylist())


def _from_units(column: Column, *, zoned: bool) -> Parsed:
    import pyarrow as pa

    unit = UNITS[column.type.unit]
    missing = column.is_null().to_numpy(zero_copy_only=False) if column.null_count else None
    whole = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    return _in_range(whole // unit, missing, zoned=zoned)


def _in_range(seconds: Seconds, missing: BoolArray | None, *, zoned: bool) -> Parsed:
    """Refuse years that calendars do not have; engines have a time that is infinite."""
    wrong = (seconds < FIRST) | (seconds > LAST)
    if missing is not None:
        wrong &= ~missing
    if not wrong.any():
        return Parsed(seconds, missing, None, zoned)
    return Parsed(np.where(wrong, 0, seconds), missing, wrong, zoned)


def _from_texts(column: Column) -> Parsed:
    """Cast all texts at once; where that fails, read each distinct one."""
    import pyarrow as pa

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())
    for zone in (None, "UTC"):
        try:
            return _from_units(column.cast(pa.timestamp("us", zone)), zoned=zone is not None)
        except pa.ArrowInvalid:
            continue
    coded = column.dictionary_encode()
    places = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
    distinct = _one_by_one([*coded.dictionary.to_pylist(), None])
    return Parsed(*(None if part is None else part[places] for part in distinct))  # type: ignore[arg-type, index]


def _one_by_one(values: list[Any]) -> Parsed:
    seconds = np.zeros(len(values), dtype=np.int64)
    missing, wrong, zoned = (np.zeros(len(values), dtype=np.bool_) for _ in range(3))
    for row, value in enumerate(values):
        if is_missing_value(value) or (isinstance(value, np.datetime64) and np.isnat(value)):
            missing[row] = True
            continue
        found = parse_time(value)
        if found is None:
            wrong[row] = True
        else:
            seconds[row], zoned[row] = found
    return Parsed(seconds, missing, wrong, zoned)


def _shown(column: Column) -> npt.NDArray[Any]:
    return as_objects(column.to_pylist()) if is_arrow(column) else column


def _text_at(column: Column, place: int) -> str:
    value = column[place]
    return str(value.as_py() if hasattr(value, "as_py") else value)
