"""Calibrators by segment are saved, loaded and exported as one thing."""

import json
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lwcal
from lwcal.errors import ArtifactError, ParameterError
from tests.shift.simulated import rows

KEYS = {
    "texts": ["NL", "it's", "back\\slash"],
    "numbers": [1, 2, 30],
    "booleans": [True, False],
    "missing": ["NL", None],
    "floats": [1.0, 2.5, None],
    "pairs": [("NL", 1), ("LU", 2), ("LU", None)],
}


def fitted_to(keys, calibrator=None):
    """One calibrator for each segment, of which the base rates differ."""
    rng = np.random.default_rng(0)
    tables = {
        key: lwcal.ScoreTable.from_arrays(*rows(rng, 400, rate))
        for key, rate in zip(keys, np.linspace(0.2, 0.6, len(keys)), strict=True)
    }
    first = next(iter(tables))
    tables[first] = tables[first] + tables[first]  # so that one has a curve, others have odds
    return lwcal.fit_segments(tables, calibrator or lwcal.Isotonic(), prior_rows=500)


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_files_round_trip(tmp_path, keys):
    """Names keep their types, and probabilities their bits."""
    fitted = fitted_to(keys)
    lwcal.save(fitted, tmp_path / "s.json")
    loaded = lwcal.load_segments(tmp_path / "s.json")
    assert list(loaded.segments) == list(fitted.segments)
    assert [type(key) for key in loaded.segments] == [type(key) for key in fitted.segments]
    scores, names = np.linspace(0, 1, 50), [keys[i % len(keys)] for i in range(49)] + ["elsewhere"]
    np.testing.assert_array_equal(loaded.predict(scores, names), fitted.predict(scores, names))
    for key, one in loaded.segments.items():
        before = fitted.segments[key]
        assert (one.n, one.own_share, one.odds_ratio, one.has_own_curve) == (
            before.n,
            before.own_share,
            before.odds_ratio,
            before.has_own_curve,
        )
    assert list(loaded.curves) == keys[:1]
    assert loaded.spread == fitted.spread


@pytest.mark.parametrize("keys", KEYS.values(), ids=KEYS)
def test_sql_gives_the_same_values(keys):
    """As one expression, in DuckDB; other segments get the pooled calibrator."""
    fitted = fitted_to(keys)
    many = isinstance(keys[0], tuple)
    columns = ["country", "product"] if many else ["country"]
    scores = np.tile(np.linspace(0, 1, 21), len(keys))
    names = [key for key in keys for _ in range(21)]
    frame = pd.DataFrame(
        names if many else [(key,) for key in names], columns=columns, dtype=object
    )
    if all(isinstance(key, int) for key in keys):
        frame = frame.astype(type(keys[0]))
    frame["p"] = scores
    expression = lwcal.export(fitted, "sql", column="p", segment=columns if many else columns[0])
    found = duckdb.sql(f"SELECT {expression} AS q FROM frame").df().q
    np.testing.assert_array_equal(found, fitted.predict(scores, names))
    frame[columns[0]] = "elsewhere" if isinstance(keys[0], str | tuple) else None
    expected = fitted.pooled.predict(scores)
    if None not in keys:
        np.testing.assert_array_equal(
            duckdb.sql(f"SELECT {expression} AS q FROM frame").df().q, expected
        )
    assert (
        duckdb.sql(f"SELECT {expression} AS q FROM (SELECT * REPLACE (NULL AS p) FROM frame)")
        .df()
        .q.isna()
        .all()
    )


@pytest.mark.parametrize("one_column", [True, False])
def test_nan_is_a_missing_segment_in_sql(tmp_path, one_column):
    """As it is in Python. In a Parquet file, statistics hide NaN from comparisons."""
    keys = [1.0, 2.5, float("nan")] if one_column else [("NL", 1.0), ("NL", float("nan"))]
    fitted = fitted_to(keys)
    scores = np.tile(np.linspace(0, 1, 21), len(keys))
    names = [key for key in keys for _ in range(21)]
    frame = pa.table(
        {"p": scores, "shop": pa.array([key if one_column else key[1] for key in names])}
    ).append_column("country", pa.array(["NL"] * len(names)))
    assert frame["shop"].null_count == 0
    expression = lwcal.export(
        fitted, "sql", column="p", segment="shop" if one_column else ["country", "shop"]
    )
    pq.write_table(frame, tmp_path / "rows.parquet")
    for source in ("frame", f"'{tmp_path / 'rows.parquet'}'"):
        found = duckdb.sql(f"SELECT {expression} AS q FROM {source}").df().q
        np.testing.assert_array_equal(found, fitted.predict(scores, names))
    others = lwcal.export(
        fitted, "sql", dialect="postgres", segment=["country", "shop"][one_column:]
    )
    assert 'THEN "shop" END IS NULL' in others


def test_adjusted_and_many_segments():
    """A hundred segments are one expression, which can be made shorter."""
    fitted = fitted_to([f"shop {i}" for i in range(100)], lwcal.Platt())
    text = lwcal.export(fitted, "sql", dialect="postgres", segment="shop")
    assert text.count('WHEN "shop" = \'shop') == 100
    assert "100 segments, of which 1 have" in text
    steps = fitted_to(["a", "b"])
    assert len(lwcal.export(steps, "sql", max_error=0.05)) < len(lwcal.export(steps, "sql"))


DAMAGES = {
    "format": (lambda d: {**d, "format": "other"}, "lwcal-segments"),
    "a calibrator": (lambda d: d["pooled"], "lwcal-segments"),
    "version": (lambda d: {**d, "schema_version": 99}, "upgrade lwcal"),
    "no segments": (lambda d: {**d, "segments": []}, "segments"),
    "twice": (lambda d: {**d, "segments": ["a", "a"]}, "twice"),
    "share": (lambda d: {**d, "own_shares": [2, 1]}, "own_shares"),
    "rows": (lambda d: {**d, "n": [-1, 1]}, "n to have"),
    "too few": (lambda d: {**d, "n": [1]}, "n to have"),
    "texts": (lambda d: {**d, "n": ["1", "2"]}, "n to have"),
    "odds": (lambda d: {**d, "odds_ratios": [[0, 0, 0], [1, 1, 1]]}, "odds_ratios"),
    "no numbers": (lambda d: {**d, "odds_ratios": {}}, "odds_ratios"),
    "spread": (lambda d: {**d, "spread": [1, 2]}, "spread"),
    "columns": (lambda d: {**d, "columns": "country"}, "columns"),
    "name": (lambda d: {**d, "segments": ["a", {}]}, "name"),
    "map": (lambda d: {**d, "curves": [{**d["curves"][0], "calibrator": {}}]}, "format"),
    "no curves": (lambda d: {**d, "curves": None}, "curves"),
    "curve": (lambda d: {**d, "curves": [{**d["curves"][0], "segment": "c"}]}, "one curve"),
    "curve twice": (lambda d: {**d, "curves": d["curves"][:1] * 2}, "one curve"),
    "pooled": (lambda d: {**d, "pooled": None}, "format"),
}


@pytest.mark.parametrize(("damage", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_damaged_files_are_refused(tmp_path, damage, expected):
    """With the file, and with what is wrong."""
    path = tmp_path / "s.json"
    lwcal.save(fitted_to(["a", "b"]), path)
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(ArtifactError, match=rf"s\.json.*{expected}"):
        lwcal.load_segments(path)


def test_segments_without_a_curve_are_saved(tmp_path):
    """Most have none."""
    fitted = replace(fitted_to(["a", "b"]), curves={})
    lwcal.save(fitted, tmp_path / "s.json")
    loaded = lwcal.load_segments(tmp_path / "s.json")
    assert loaded.curves == {}
    np.testing.assert_array_equal(loaded.odds_ratios, fitted.odds_ratios)


def test_files_are_not_confused(tmp_path):
    """Each reader names the other one."""
    fitted = fitted_to(["a", "b"])
    lwcal.save(fitted, tmp_path / "s.json")
    lwcal.save(fitted.pooled, tmp_path / "c.json")
    with pytest.raises(ArtifactError, match=r"lwcal\.load_segments"):
        lwcal.load(tmp_path / "s.json")
    with pytest.raises(ArtifactError, match=r"lwcal\.load "):
        lwcal.load_segments(tmp_path / "c.json")


def test_impossible_calls_are_refused(tmp_path):
    """Other targets, several columns of scores, keys that JSON cannot hold."""
    fitted = fitted_to(["a", "b"])
    for options in (
        {"to": "onnx"},
        {"to": "sql", "column": ["p", "q"]},
        {"to": "sql", "keep": ["x"]},
    ):
        with pytest.raises(ParameterError, match="Segments"):
            lwcal.export(fitted, **options)
    with pytest.raises(ParameterError, match="1 columns"):
        lwcal.export(fitted, "sql", segment=["x", "y"])
    with pytest.raises(ParameterError, match="Segments"):
        lwcal.export(fitted.pooled, "sql", segment="x")
    odd = replace(fitted, names=["a", b"x"])
    with pytest.raises(ArtifactError, match="names of segments"):
        lwcal.save(odd, tmp_path / "s.json")
    assert not list(tmp_path.iterdir())
