"""Times of every kind become the same seconds; what is no time is refused with its row."""

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError, ParameterError
from lwcal.rows.faults import InvalidRows
from lwcal.rows.periods import PERIODS, STARTS, choose_period, period_starts
from lwcal.rows.time_counts import Maturity, TimeCounts, choose_cut, count_times, named_cut
from lwcal.rows.times import DAY, TimeReader, parse_time, time_parameter
from lwcal.rows.values import as_column

WHEN = datetime(2024, 2, 29, 23, 30, 5)
SECONDS = int(WHEN.replace(tzinfo=UTC).timestamp())


def seconds_of(values):
    """Seconds of a column without faults."""
    invalid = InvalidRows()
    found, bad = TimeReader("t").read(as_column(values, "t"), 0, invalid)
    assert bad is None
    return found.tolist()


@pytest.mark.parametrize(
    "values",
    [
        np.array([WHEN], dtype="M8[ns]"),
        [WHEN],
        pd.Series([WHEN]),
        pd.Series([WHEN]).dt.tz_localize("UTC").dt.tz_convert("Asia/Kolkata"),
        pa.array([WHEN], pa.timestamp("ms")),
        pa.array(["2024-02-29T23:30:05.75"]),
        pa.array(["2024-02-29 23:30:05"]).dictionary_encode(),
        ["2024-03-01 01:30:05 +02:00"],
        ["2024-02-29T23:30:05Z"],
        ["2024-02-29 23:30:05 UTC"],
        pa.array([" 2024-02-29 18:30:05-0500", "NA"])[:1],
    ],
)
def test_all_kinds_of_one_time_are_the_same_second(values):
    """Of numpy, pandas, Arrow and text; a zone is taken into account."""
    assert seconds_of(values) == [SECONDS]


def test_dates_begin_at_midnight():
    """Also those before 1970."""
    day = date(1969, 12, 31)
    for values in ([day], pa.array([day]), ["1969-12-31"], np.array([day], dtype="M8[D]")):
        assert seconds_of(values) == [-DAY]


@given(st.datetimes(datetime(1, 1, 3), datetime(9999, 12, 29)), st.integers(-14, 14))
def test_text_of_any_time_is_read_back(when, hours):
    """One by one and as a column of Arrow, with a zone and without."""
    zoned = when.replace(tzinfo=timezone(timedelta(hours=hours)))
    for value in (when, zoned):
        expected = parse_time(value)
        assert parse_time(value.isoformat()) == expected
        assert seconds_of(pa.array([value.isoformat()])) == [expected.seconds]


@pytest.mark.parametrize("numbers", [[20240131, 1], [1.7e9, 2.0], pa.array([1, 2]), [True, False]])
def test_numbers_are_refused(numbers):
    """Nobody can tell seconds from milliseconds."""
    with pytest.raises(InputError, match=r"t holds numbers .* Convert it to timestamps first"):
        seconds_of(numbers)


def test_faults_have_their_number_and_first_row():
    """Missing times and what is no time are counted apart; a batch does not begin with row 0."""
    invalid = InvalidRows(rows=9)
    column = pa.array(["2024-01-01", None, "soon", "2024-02-30", "NA", "20240101"])
    _, bad = TimeReader("t").read(column, 3, invalid)
    assert bad.tolist() == [False, True, True, True, True, True]
    with pytest.raises(InputError, match=r"t: 2 of 9 values are missing, the first in row 4"):
        invalid.refuse()
    assert "3 are not a time, the first in row 5 ('soon')" in str(invalid)


def test_times_with_and_without_a_zone_are_not_mixed():
    """The number and the first row of both kinds are named; different offsets are one kind."""
    reader, invalid = TimeReader("t"), InvalidRows(rows=4)
    reader.read(pa.array(["2024-01-01T00:00Z", "2024-07-01T00:00+02:00"]), 0, invalid)
    reader.refuse_mixture()
    reader.read(pa.array(["2024-01-01", "2024-01-02"]), 2, invalid)
    with pytest.raises(InputError, match=r"2 times with a zone \(the first in row 0.* and 2 wi"):
        reader.refuse_mixture()


@given(st.integers(-800_000, 2_500_000), st.sampled_from(PERIODS))
def test_a_day_lies_in_its_period(day, period):
    """The period begins on that day or before, and the next one begins after it."""
    start = int(STARTS[period](np.array([day]))[0])
    assert start <= day < start + {"day": 1, "week": 7, "month": 31, "quarter": 92}.get(period, 366)
    assert STARTS[period](np.array([start]))[0] == start


def test_too_many_named_periods_are_refused():
    """Each of them makes all tests stricter."""
    with pytest.raises(InputError, match="200 periods of a day, and at most 120"):
        period_starts(np.arange(200), "day")


@given(st.integers(1, 4000), st.integers(1, 500))
def test_a_chosen_period_has_enough_rows_or_is_the_longest(days, rows):
    """And there are at most 24, unless they are years."""
    found = choose_period(np.arange(days), np.full(days, rows))
    starts = np.unique(STARTS[found](np.arange(days)))
    assert found == "year" or (len(starts) <= 24 and days * rows >= 100)


@given(st.lists(st.integers(0, 5 * DAY), min_size=2, max_size=60))
def test_a_cut_leaves_rows_on_both_sides_as_near_to_the_share_as_possible(seconds):
    """No other cut between distinct times is nearer to 30%."""
    when = np.array(seconds)
    frame = {"t": when.astype("M8[s]")}
    if len(set(seconds)) == 1:
        return

    def seconds_of_day(day):
        return np.unique(when[when // DAY == day], return_counts=True)

    cut = choose_cut(count_times([frame], "t"), seconds_of_day)
    shares = [np.mean(when >= other) for other in np.unique(when)[1:]]
    assert 0 < np.mean(when >= cut) < 1
    assert abs(np.mean(when >= cut) - 0.3) == pytest.approx(min(abs(np.array(shares) - 0.3)))


def test_one_time_cannot_be_split():
    """And a named cut must lie between the rows."""
    counts = count_times([{"t": ["2024-01-01", "2024-01-01"]}], "t")
    with pytest.raises(InputError, match=r"All rows have the same time, 2024-01-01"):
        choose_cut(counts, lambda day: (np.array([day * DAY]), np.array([2])))
    with pytest.raises(InputError, match=r"split_at is 2025-01-01, and the rows are from 2024-01"):
        named_cut("split_at", "2025-01-01", counts)


def test_labels_mature_at_a_known_time():
    """The newest row says when labels were read, unless somebody says it, or it is no past."""
    counts = TimeCounts(np.array([0, 30]), np.array([1, 1]), newest=30 * DAY)
    assert Maturity(10).until(counts) == 20 * DAY
    assert Maturity(10, "1970-02-10").until(counts) == 30 * DAY
    assert Maturity(0.5, date(1970, 1, 2)).until(counts) == DAY // 2
    with pytest.raises(InputError, match="in the future"):
        Maturity(10).until(counts._replace(newest=2 * 10**11))
    with pytest.raises(ParameterError, match=r"as_of is 9999-02-15, which is in the future"):
        Maturity(10, "9999-02-15").check()
    with pytest.raises(ParameterError, match="has a time zone, and the times of the rows have"):
        Maturity(10, "1970-02-10T00:00Z").until(counts)
    with pytest.raises(ParameterError, match="as_of works only with label_matures"):
        Maturity(None, "1970-02-10").check()
    with pytest.raises(ParameterError, match="expected label_matures to be a number from 0"):
        Maturity(-1.0).check()
    with pytest.raises(ParameterError, match="expected as_of to be a date or a timestamp, got 7"):
        time_parameter("as_of", 7)


def test_the_hint_about_other_times_fits_more_than_one_format():
    """A day that no calendar has is named, and one format is not proposed for all."""
    for value in ("20240101", "2024-02-30", "31/01/2024"):
        with pytest.raises(InputError) as caught:
            count_times([{"t": [value]}], "t")
        said = str(caught.value)
        assert "dates of the calendar" in said
        assert "by the format that they have" in said
        assert "'%Y%m%d' reads 20240131" in said
