"""Names of the segments of rows, in frames and arrays of every library."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lwcal
from lwcal.errors import InputError, SegmentWarning
from lwcal.segments.naming import names_of_rows

PAIRS = [("NL", 1), ("BE", 2), (None, 1), ("nan", 2)] * 3
FRAME = pd.DataFrame({"land": [a for a, _ in PAIRS], "shop": [b for _, b in PAIRS]})
SCORES = np.linspace(0.1, 0.9, len(PAIRS))
FORMS = {
    "pandas": FRAME,
    "pandas in another order": FRAME[["shop", "land"]],
    "polars": pl.from_pandas(FRAME),
    "pyarrow": pa.table(dict(zip(FRAME, map(list, zip(*PAIRS, strict=True)), strict=True))),
    "numpy": FRAME.to_numpy(dtype=object),
    "lists": [list(pair) for pair in PAIRS],
    "index": pd.MultiIndex.from_frame(FRAME),
}


@pytest.fixture(scope="module")
def pairs():
    """Calibrators of segments that two columns define."""
    rng = np.random.default_rng(0)
    rows = pd.concat([FRAME] * 50, ignore_index=True)
    rows["p"] = rng.random(len(rows))
    rows["y"] = rng.random(len(rows)) < np.where(rows.land == "NL", rows.p**3, rows.p)
    rows = rows.astype({"y": int})
    by = ["land", "shop"]
    return lwcal.engines.duckdb.fit_segments(rows, by, "p", "y", calibrator=lwcal.Platt())


@pytest.mark.parametrize("form", FORMS)
def test_several_columns_are_taken_in_every_form(pairs, form):
    """As a list of tuples is; the columns of a frame are found by their names."""
    expected = pairs.predict(SCORES, PAIRS)
    assert len(set(np.round(expected / pairs.pooled.predict(SCORES), 6))) > 2
    assert pairs.predict(SCORES, FORMS[form]).tolist() == expected.tolist()


def test_one_column_is_taken_in_every_form():
    """As a list; NaN and NA are None, and text is never missing."""
    expected = ["nan", None, "", "NL"]
    column = pd.Series(expected, name="land")
    for form in (
        expected,
        column,
        column.astype("string"),
        column.astype("category"),
        column.to_frame(),
        column.to_numpy(dtype=object)[:, None],
        pl.Series(expected),
        pa.chunked_array([expected]),
        pa.array(expected),
    ):
        assert names_of_rows(form, ["land"], 1) == expected


WRONG = {
    "other names": (FRAME.rename(columns={"shop": "store"}), "columns land, shop, got land, store"),
    "one column": (FRAME[["land"]], "columns land, shop, got land"),
    "three columns": (np.zeros((len(PAIRS), 3)), "2 columns, got 3 columns"),
    "too few rows": (FRAME[:5], "12 scores but 5 segments"),
    "a name twice": (FRAME.set_axis(["land", "land"], axis=1), "different names, got land, land"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_columns_are_refused(pairs, name):
    """What was expected is said, and what came."""
    given, expected = WRONG[name]
    with pytest.raises(InputError, match=expected):
        pairs.predict(SCORES, given)


def test_names_of_another_type_are_told(pairs):
    """With the pair that is most alike."""
    given = [("XX", "9")] + [(land, f"{shop}.0") for land, shop in PAIRS[1:]]
    with pytest.warns(SegmentWarning) as caught:
        pairs.predict(SCORES, given)
    expected = r"such as ('BE' (text), 2 (number)), got ('BE' (text), '2.0' (text)). Names need"
    assert expected in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs.predict(SCORES, [("XX", shop) for _, shop in PAIRS[1:]] + PAIRS[:1])  # one is found


def test_missing_values_do_not_hide_names_of_another_type():
    """Rows without a value are found whatever the type is; so are names, if only some are wrong."""
    rng = np.random.default_rng(0)
    scores = rng.random(900)
    labels = rng.random(900) < scores
    tables = {
        name: lwcal.ScoreTable.from_arrays(scores[start::3], labels[start::3])
        for start, name in enumerate(["1", "2", None])
    }
    found = lwcal.fit_segments(tables, lwcal.Platt())
    new = [None, *["1.0"] * 11]
    with pytest.warns(SegmentWarning, match=r"None of 11 rows with a value .* got '1\.0'"):
        found.predict(SCORES, new)
    with pytest.warns(SegmentWarning, match=r"11 rows are in .* such as '1' \(text\), got '1\.0'"):
        found.predict(SCORES, ["1", *new[1:]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.predict(SCORES, ["1", "2", None, *["new"] * 9])
