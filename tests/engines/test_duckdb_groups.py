"""``reduce_groups``: one pass, the table of every group, and a calibrator from each."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lwcal
from lwcal import ScoreTable
from lwcal.engines.duckdb import reduce_groups
from lwcal.errors import DroppedRowsWarning, InputError


def same(a, b):
    """Whether two tables hold the same bits."""
    names = ("scores", "negatives", "positives")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet", "rows.arrow", "hive"])
def test_every_group_has_the_table_of_its_rows(here, source, frame):
    """Wherever the column of groups is, also in the names of folders."""
    found = reduce_groups(source, "country", "score", "label", "w")
    assert set(found) == {"NL", "DE"}
    for country, part in frame.groupby("country"):
        expected = ScoreTable.from_frame(part, "score", "label", "w")
        assert same(found[country], expected)


def test_frames_have_groups_too_and_several_columns_make_tuples(frame):
    """Rows without a value are a group of their own."""
    frame["odd"] = np.where(frame["id"] % 2 == 1, 1, 0)
    frame.loc[:9, "country"] = None
    for source in (frame, pl.from_pandas(frame)):
        found = reduce_groups(source, ["country", "odd"], "score", "label")
        assert len(found) == 6
        assert sum(table.n for table in found.values()) == 800
        assert found[None, 0].n == 5
        assert reduce_groups(source, "country", "score", "label")[None].n == 10


def test_bad_rows_are_told_by_their_group(frame):
    """Or dropped, and counted."""
    frame.loc[4, "score"] = 7.0
    country = frame.loc[4, "country"]
    with pytest.raises(InputError, match=f"group '{country}': column 'score': 1 of"):
        reduce_groups(frame, "country", "score", "label")
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of"):
        found = reduce_groups(frame, "country", "score", "label", drop_invalid=True)
    assert sum(table.n for table in found.values()) == 799


def test_an_id_is_no_group():
    """A thousand groups are enough."""
    frame = pd.DataFrame({"id": range(1001), "s": 0.5, "y": 1})
    with pytest.raises(InputError, match="more than 1,000 groups"):
        reduce_groups(frame, "id", "s", "y")


def test_groups_become_calibrators(here, frame):
    """The pooled one is that of all rows."""
    fitted = lwcal.fit_segments(reduce_groups("rows.parquet", "country", "score", "label"))
    everything = lwcal.Auto().fit(frame["score"], frame["label"])
    grid = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(fitted.pooled.predict(grid), everything.predict(grid))
    assert {name: segment.n for name, segment in fitted.segments.items()} == (
        frame["country"].value_counts().to_dict()
    )


@pytest.mark.parametrize("source", ["rows.csv", "rows.parquet", "frame", "polars"])
def test_rows_may_be_grouped_by_their_own_label(here, source, frame):
    """Then every group has labels of one class."""
    rows = {"frame": frame, "polars": pl.from_pandas(frame)}.get(source, source)
    found = reduce_groups(rows, "label", "score", "label")
    assert sorted((table.n_negative, table.n_positive) for table in found.values()) == [
        (0, (frame["label"] == 1).sum()),
        ((frame["label"] == 0).sum(), 0),
    ]


def test_groups_without_rows_are_refused(frame):
    """As a table without rows is."""
    with pytest.raises(InputError, match="column 'score' has no rows"):
        reduce_groups(frame[:0], "country", "score", "label")
