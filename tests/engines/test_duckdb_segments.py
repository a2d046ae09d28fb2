"""``fit_segments`` of a source: as from tables, for any number of segments."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lwcal
from lwcal.engines.duckdb import fit_segments, reduce_groups, segment_fitting
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError

SCORES = np.linspace(0.05, 0.95, 7)


@pytest.fixture(scope="module")
def rows():
    """Segments of very different sizes, of which one has no name; base rates differ."""
    rng = np.random.default_rng(0)
    n = 6000
    names = np.array(["a", "b", "c", None, "it's"], dtype=object)
    segment = rng.choice(5, n, p=[0.6, 0.2, 0.1, 0.06, 0.04])
    p = rng.random(n).round(3)
    odds = p / (1 - p + 1e-9) * np.array([1.0, 2.0, 0.5, 1.0, 3.0])[segment]
    return pd.DataFrame(
        {
            "segment": names[segment],
            "shop": rng.integers(0, 3, n),
            "p": p,
            "y": np.where(rng.random(n) < odds / (1 + odds), "yes", "no"),
            "w": rng.integers(1, 4, n),
        }
    )


def same(found, expected):
    """Whether two results agree, but for the rounding of sums."""
    assert found.names == expected.names
    np.testing.assert_allclose(found.n, expected.n)
    np.testing.assert_allclose(found.odds_ratios, expected.odds_ratios, rtol=1e-7)
    assert found.curves.keys() == expected.curves.keys()
    for name in found.names:
        np.testing.assert_allclose(
            found.calibrator_of(name).predict(SCORES),
            expected.calibrator_of(name).predict(SCORES),
            rtol=1e-7,
        )


@pytest.mark.parametrize("by", ["segment", "shop", ["segment", "shop"]])
@pytest.mark.parametrize("weight", [None, "w"])
def test_a_source_gives_what_tables_give(rows, by, weight):
    """With one column or several, with weights or without."""
    tables = reduce_groups(rows, by, "p", "y", weight)
    expected = lwcal.fit_segments(tables, lwcal.Platt(), prior_rows=1000)
    found = fit_segments(rows, by, "p", "y", weight, calibrator=lwcal.Platt())
    same(found, expected)
    assert found.columns == ([by] if isinstance(by, str) else by)


def test_files_are_read_as_frames_are(tmp_path, rows):
    """Parquet gives the same bits; in a CSV every name is text, and none is missing."""
    rows.to_parquet(tmp_path / "rows.parquet")
    found = fit_segments(tmp_path / "rows.parquet", "shop", "p", "y", calibrator=lwcal.Platt())
    same(found, fit_segments(rows, "shop", "p", "y", calibrator=lwcal.Platt()))
    rows.to_csv(tmp_path / "rows.csv", index=False)
    found = fit_segments(tmp_path / "rows.csv", "shop", "p", "y", calibrator=lwcal.Platt())
    assert sorted(found.names) == ["0", "1", "2"]


def test_invalid_rows_are_dropped_on_request(rows):
    """A segment of which no row is valid is not there."""
    broken = rows.copy()
    broken.loc[broken.segment == "c", "p"] = np.nan
    with pytest.raises(InputError, match="missing"):
        fit_segments(broken, "segment", "p", "y")
    with pytest.warns(DroppedRowsWarning):
        found = fit_segments(
            broken, "segment", "p", "y", calibrator=lwcal.Platt(), drop_invalid=True
        )
    same(
        found,
        fit_segments(rows[rows.segment != "c"], "segment", "p", "y", calibrator=lwcal.Platt()),
    )


def test_many_segments_keep_their_rows():
    """Each has its own odds; names lead to the right one."""
    rng = np.random.default_rng(1)
    names = np.repeat(np.arange(5000), 4)
    positive = names % 2 == 0
    frame = pd.DataFrame({"id": names, "p": 0.3 + 0.4 * rng.random(len(names)), "y": positive})
    found = fit_segments(frame, "id", "p", "y", calibrator=lwcal.Identity())
    assert not found.curves
    ratio = found.odds_ratios[[found.places[name] for name in range(5000)], 0]
    assert ratio[::2].min() > 1.0 > ratio[1::2].max()


def test_only_the_largest_get_curves(monkeypatch, rows):
    """Each needs a table in memory."""
    monkeypatch.setattr(segment_fitting, "MOST_CURVES", 1)
    found = fit_segments(rows, "segment", "p", "y", calibrator=lwcal.Platt(), prior_rows=100)
    assert list(found.curves) == ["a"]


def test_impossible_calls_are_refused(monkeypatch, rows):
    """Unknown columns, an id instead of a segment, rows that can be read once."""
    with pytest.raises(InputError, match="'land'"):
        fit_segments(rows, "land", "p", "y")
    with pytest.raises(ParameterError, match="prior_rows"):
        fit_segments(rows, "shop", "p", "y", prior_rows=-1)
    monkeypatch.setattr(segment_fitting, "MOST_SEGMENTS", 2)
    with pytest.raises(InputError, match="2 segments at most"):
        fit_segments(rows, "shop", "p", "y")


@pytest.mark.parametrize("source", ["frame", "file"])
def test_not_a_number_is_no_name(tmp_path, source):
    """NaN is a missing value in pandas and in Parquet, so it is the segment None."""
    frame = pd.DataFrame({"p": [0.1, 0.2, 0.8, 0.9] * 9, "y": [0, 1, 0, 1] * 9})
    frame["shop"] = [1.0, np.nan, 2.0, np.nan] * 9
    given = frame
    if source == "file":
        given = str(tmp_path / "rows.parquet")
        columns = {name: frame[name].to_numpy() for name in frame}  # pandas would write null
        pq.write_table(pa.table(columns), given)
    assert {name: table.n for name, table in reduce_groups(given, "shop", "p", "y").items()} == {
        1.0: 9,
        2.0: 9,
        None: 18,
    }
    fitted = fit_segments(given, "shop", "p", "y", calibrator=lwcal.Platt())
    assert fitted.names[0] is None
    assert fitted.n.tolist() == [18, 9, 9]
    lwcal.engines.duckdb.apply(given, fitted, "p", tmp_path / "out.parquet")
    found = pd.read_parquet(tmp_path / "out.parquet").p_calibrated
    np.testing.assert_array_equal(found, fitted.predict(frame.p, frame.shop))
