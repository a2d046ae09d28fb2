"""Rows are counted by spans of time, and young or missing labels apart from others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.errors import InputError
from lwcal.rows.reducer import Names
from lwcal.rows.spans import Spans, reduce_spans
from lwcal.rows.times import DAY

NAMES = Names("p", "y")
ROWS = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(["no", "yes", None]), st.integers(0, 9)),
    min_size=1,
    max_size=40,
)


@given(ROWS, st.integers(-1, 10), st.integers(1, 7))
def test_each_row_is_counted_once_in_its_span(rows, last, size):
    """With a label, or without one if it is missing or young; batches do not matter."""
    frames = [
        {
            "p": [p / 20 for p, _, _ in part],
            "y": np.array([y for _, y, _ in part], dtype=object),
            "t": np.array([t for _, _, t in part]).astype("M8[D]"),
        }
        for part in (rows[begin : begin + size] for begin in range(0, len(rows), size))
    ]
    spans = Spans(np.array([2, 5]) * DAY, mature_until=last * DAY, needs_labels=False)
    found = reduce_spans(frames, NAMES, "t", spans)
    for place, one in enumerate(found.spans):
        here = [(p, y, t <= last) for p, y, t in rows if (t >= 5) == bool(place)]
        final = [y for _, y, mature in here if mature and y is not None]
        assert one.labelled.positives.sum() == final.count("yes")
        assert one.labelled.negatives.sum() == final.count("no")
        assert one.unlabelled.negatives.sum() == len(here) - len(final)
    assert found.young == sum(t > last for _, _, t in rows)


def test_young_labels_are_not_looked_at():
    """They may be anything; of final ones, another class or none is a fault with its row."""
    frame = {
        "p": [0.1, 0.9, 0.5],
        "y": ["no", "yes", "pending"],
        "t": ["1970-01-01"] * 2 + ["1970-01-09"],
    }
    found = reduce_spans([frame], NAMES, "t", Spans(np.array([0]), mature_until=DAY))
    assert (found.young, found.spans[0].labelled.positives.sum()) == (1, 1)
    with pytest.raises(InputError, match=r"column 'y': 1 is not|column 'y': 1 of 3 values is not"):
        reduce_spans([frame], NAMES, "t", Spans(np.array([0])))
    frame["y"][0] = None
    with pytest.raises(InputError, match=r"column 'y': 1 of 3 values is missing, the first in row"):
        reduce_spans([frame], NAMES, "t", Spans(np.array([0]), mature_until=DAY))


def test_rows_without_a_time_are_refused_or_dropped():
    """With the other faults, in one count."""
    frame = {
        "p": [0.1, 0.9, 7.0, 0.4],
        "y": [0, 1, 0, 0],
        "t": ["2024-01-01", "x", "2024-01-01", "2024-01-01"],
    }
    with pytest.raises(InputError, match=r"column 't': 1 of 4 values is not a time.* in row 1"):
        reduce_spans([frame], NAMES, "t", Spans(np.array([0])))
    found = reduce_spans([frame], NAMES, "t", Spans(np.array([0])), drop_invalid=True)
    assert found.dropped.count == 2
    assert found.spans[0].labelled.scores.tolist() == [0.1, 0.4]


def test_the_scale_is_decided_from_all_rows():
    """As without times."""
    frame = {"p": [5, 95], "y": [0, 1], "t": ["2024-01-01"] * 2, "w": [1, 2]}
    found = reduce_spans([frame], Names("p", "y", "w"), "t", Spans(np.array([0])), scale="auto")
    assert found.scale == "percent"
    assert found.spans[0].labelled.positives.tolist() == [0, 2]
