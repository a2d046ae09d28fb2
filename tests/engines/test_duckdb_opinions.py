"""Opinions on DuckDB: the same fit as in memory, to the last bit; what is refused or dropped."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import lwcal
from lwcal.engines.duckdb import reduce_opinions, source
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError
from tests.engines.opinion_frames import (
    ANIMALS,
    as_long,
    in_memory,
    same_fit,
    three_classes,
    two_classes,
)
from tests.reviews.test_opinion_counts import same

LONG = {"labels": "label", "reviewers": "who", "item": "case"}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder for files."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def wide(here):
    """Rows in wide and in long form, as files."""
    frame = two_classes()
    frame.to_csv("wide.csv", index=False)
    frame.to_parquet("wide.parquet", index=False)
    as_long(frame).to_csv("long.csv", index=False)
    as_long(frame).to_parquet("long.parquet", index=False)
    return frame


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_fit_is_that_of_memory(wide, form):
    """Of wide and long tables, with missing opinions, checked labels and weights."""
    options = {"y_audited": wide["t"], "sample_weight": wide["w"]}
    expected = in_memory(wide, **options)
    found = reduce_opinions(f"wide.{form}", "p", "label_*", "w", trusted="t")
    assert same_fit(lwcal.Reviewed().fit_opinions(found), expected)
    assert found.tally.rows == 400
    assert len(found.rows.weights) < 400
    named = in_memory(wide, reviewers=["ann", "bob", "cem"], **options)
    found = reduce_opinions(f"long.{form}", "p", weight="w", trusted="t", **LONG)
    assert same_fit(lwcal.Reviewed().fit_opinions(found), named)
    assert found.rows.names == ("ann", "bob", "cem")
    assert found.tally.rows == 400


def test_words_for_missing_values_are_no_opinions(wide):
    """In text, an empty cell or NA is no label, in either form."""
    for form, options in (("wide", {"labels": "label_*"}), ("long", LONG)):
        frame = pd.read_csv(f"{form}.csv", dtype=str)
        labels = [name for name in frame if name.startswith("label")]
        if form == "long":  # an answer without a label
            frame = pd.concat([frame, frame.assign(who="dee", label=None)])
        frame.to_csv("empty.csv", index=False)
        frame.fillna(dict.fromkeys(labels, "NA")).to_csv("na.csv", index=False)
        empty, words = (reduce_opinions(name, "p", **options) for name in ("empty.csv", "na.csv"))
        assert same(words, empty)
        given = wide.filter(like="label_").notna().to_numpy().sum()
        assert words.rows.weights[words.rows.rows].sum() == given
        assert "dee" not in words.rows.names
        assert words.tally.single == empty.tally.single > 0


def test_several_columns_of_scores(here):
    """Three classes, wide and long, by pattern or list."""
    frame = three_classes()
    columns = [f"p_{name}" for name in ANIMALS]
    expected = in_memory(frame, classes=ANIMALS)
    for scores in ("p_*", columns):
        found = reduce_opinions(frame, scores, "label_*", classes=ANIMALS)
        assert same_fit(lwcal.Reviewed().fit_opinions(found), expected)
    frame.to_csv("wide.csv", index=False)
    assert same(reduce_opinions("wide.csv", columns, "label_*"), found)
    long = reduce_opinions(as_long(frame, columns), "p_*", **LONG)
    named = in_memory(frame, classes=ANIMALS, reviewers=["ann", "bob"])
    assert same_fit(lwcal.Reviewed().fit_opinions(long), named)


@pytest.mark.parametrize("words", [("No", "YES"), (0, 1), (False, True), (-1.0, 1.0)])
def test_labels_of_many_types(here, words):
    """Text, numbers and truth values."""
    frame = two_classes(words=words)
    frame["label_bob"] = frame["label_bob"].map(
        lambda value: None if value is None else str(value) if words == ("No", "YES") else value
    )
    found = reduce_opinions(frame, "p", "label_*")
    fitted, expected = lwcal.Reviewed().fit_opinions(found), in_memory(frame)
    assert same_fit(fitted, expected)
    assert fitted.reviews_.classes == expected.reviews_.classes


def test_scales_and_positive_classes(here, wide):
    """They belong to the counts; a calibrator with another class refuses them."""
    other = wide.replace({"no": "fine", "yes": "odd"}).assign(p=100 * wide["p"])
    found = reduce_opinions(other, "p", "label_*", pos_label="odd", scale="auto")
    assert found.scale == "percent"
    fitted = lwcal.Reviewed(pos_label="odd").fit_opinions(found)
    assert fitted.scale_ == "percent"
    labels = [name for name in wide.columns if name.startswith("label_")]
    expected = lwcal.Reviewed(pos_label="odd").fit(other["p"], other[labels], scale="percent")
    assert same_fit(fitted, expected)
    with pytest.raises(InputError, match="counts with pos_label='fine', got 'odd'"):
        lwcal.Reviewed(pos_label="fine").fit_opinions(found)
    with pytest.raises(InputError, match="High scores go with 'odd'"):
        reduce_opinions(other, "p", "label_*", scale="percent")


@pytest.mark.parametrize("make", [pl.DataFrame, pa.Table.from_pandas, lambda f: pl.LazyFrame(f)])
def test_frames_of_all_kinds(wide, make):
    """Also those that are read once."""
    expected = reduce_opinions(wide, "p", "label_*")
    assert same(reduce_opinions(make(wide), "p", "label_*"), expected)


def test_one_label_a_row_is_as_in_memory(wide):
    """The fit of NoiseAware, or of Audited if some rows are checked."""
    labelled = wide[wide["label_ann"].notna()]
    for trusted in (None, "t"):
        found = reduce_opinions(labelled, "p", "label_ann", trusted=trusted)
        fitted = lwcal.Reviewed().fit_opinions(found)
        expected = lwcal.Reviewed().fit(
            labelled["p"], labelled["label_ann"], y_audited=None if not trusted else labelled["t"]
        )
        assert fitted.reviews_ is None
        assert fitted.diagnostics_ == expected.diagnostics_
        assert fitted.predict([0.3])[0] == expected.predict([0.3])[0]
    few = three_classes()
    few = few[few["label_ann"].notna()].assign(t=lambda f: f["label_ann"].where(f.index % 9 == 0))
    scores = few[[f"p_{name}" for name in ANIMALS]].to_numpy()
    for trusted in (None, "t"):
        counts = reduce_opinions(few, "p_*", "label_ann", trusted=trusted)
        fitted = lwcal.Reviewed().fit_opinions(counts)
        expected = lwcal.Reviewed().fit(
            scores, few["label_ann"], classes=ANIMALS, y_audited=few["t"] if trusted else None
        )
        np.testing.assert_allclose(fitted.predict(scores), expected.predict(scores), rtol=1e-9)


def test_a_sample_is_the_same_for_any_order_and_number_of_threads(wide):
    """Rows with several opinions or a checked label, and others, apart."""
    found = reduce_opinions("wide.parquet", "p", "label_*", trusted="t", limit=40)
    wide.sample(frac=1.0, random_state=1).to_parquet("other.parquet", index=False)
    for threads in (1, 2):
        again = reduce_opinions(
            "other.parquet", "p", "label_*", trusted="t", limit=40, threads=threads
        )
        assert same(again, found)
    assert found.is_sample
    assert np.bincount(found.rows.tells).tolist() == [40, 40]
    fitted = lwcal.Reviewed().fit_opinions(found)
    assert fitted.sampled_from_ == found.total > found.rows.n
    lwcal.save(fitted, "c.json")
    assert lwcal.load("c.json").sampled_from_ == found.total
    parts = [reduce_opinions(part, "p", "label_*", trusted="t", limit=40)
             for part in (wide[:150], wide[150:170], wide[170:])]  # fmt: skip
    assert same(parts[2].merge(*parts[:2]), found)


def test_items_that_go_over_the_end_of_a_batch(wide, monkeypatch):
    """Are still one item."""
    expected = reduce_opinions("long.parquet", "p", weight="w", trusted="t", **LONG)
    monkeypatch.setattr(source, "BATCH_ROWS", 7)
    assert same(reduce_opinions("long.csv", "p", weight="w", trusted="t", **LONG), expected)


def test_a_diagnosis_takes_counts(wide, few_resamples):
    """The same as of rows; nothing beside them."""
    labels = wide[[name for name in wide.columns if name.startswith("label_")]]
    found = lwcal.diagnose(reduce_opinions(wide, "p", "label_*"))
    assert found.to_dict() == lwcal.diagnose(wide["p"], labels).to_dict()
    counts = reduce_opinions(wide[wide["label_ann"].notna()], "p", ["label_ann"])
    with pytest.raises(InputError, match="a row with several opinions, or one label"):
        lwcal.diagnose(counts)
    with pytest.raises(ParameterError, match="no y beside OpinionCounts"):
        lwcal.diagnose(counts, labels)
    with pytest.raises(ParameterError, match="no methods with several opinions"):
        lwcal.diagnose(counts, methods=["platt"])


FAULTS = {
    "score": ({"p": "high"}, "column 'p': 1 of 401 values is not numeric"),
    "outside": ({"p": "1.5"}, r"column 'p': 1 of 401 values is outside \[0, 1\]"),
    "label": ({"label_bob": "odd"}, r"'label_bob': 1 of 401 .* not 'no' or 'yes'.* row 400 \('odd"),
    "truth": ({"t": "odd"}, "column 't': 1 of 401 values is not 'no' or 'yes'"),
    "weight": ({"w": "-1"}, "column 'w': 1 of 401 values is invalid"),
}


@pytest.mark.parametrize(("cells", "match"), FAULTS.values(), ids=FAULTS)
def test_invalid_rows_are_refused_or_dropped(wide, cells, match):
    """Each counts once, whatever else is wrong with it."""
    text = wide.astype(object).where(wide.notna(), None)
    bad = pd.concat([text, text[:1].assign(**cells)])
    bad.to_csv("bad.csv", index=False)
    with pytest.raises(InputError, match=match):
        reduce_opinions("bad.csv", "p", "label_*", "w", trusted="t")
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 401 rows"):
        found = reduce_opinions("bad.csv", "p", "label_*", "w", trusted="t", drop_invalid=True)
    assert same(found, reduce_opinions("wide.csv", "p", "label_*", "w", trusted="t"))


def test_invalid_answers_are_dropped_one_by_one(wide):
    """An item keeps its other answers; the first bad row is told by its number in the file."""
    long = as_long(wide).reset_index(drop=True)
    bad = long.astype(object).where(long.notna(), None)
    answered = bad.index[bad["label"].notna()]
    a, b, c = answered[[3, 30, 60]]
    bad.loc[a, "case"], bad.loc[b, "who"], bad.loc[c, "p"] = None, "NA", "2"
    bad.to_csv("bad.csv", index=False)
    with pytest.raises(InputError, match=f"column 'case', got 1 of {len(bad)} .*row {a}"):
        reduce_opinions("bad.csv", "p", weight="w", trusted="t", **LONG)
    with pytest.warns(DroppedRowsWarning, match=f"dropped 3 of {len(bad):,} rows") as told:
        found = reduce_opinions("bad.csv", "p", weight="w", trusted="t", drop_invalid=True, **LONG)
    for row in (a, b, c):
        assert f"row {row} " in str(told[0].message)
    rest = long.drop(index=[a, b, c])
    assert same(found, reduce_opinions(rest, "p", weight="w", trusted="t", **LONG))


def test_contradictions_are_refused(wide):
    """In the words of other refusals, with the first row; also where rows may be dropped."""
    long = as_long(wide).reset_index(drop=True)
    long = long[long["label"].notna()].reset_index(drop=True)
    second = long.index[long["case"].duplicated()][:2]
    more = long.loc[[second[0]]]

    def refused(frame, match):
        with pytest.raises(InputError, match=match):
            reduce_opinions(frame, "p", weight="w", trusted="t", drop_invalid=True, **LONG)

    for name, value in (("p", 0.123), ("w", 9.0)):
        frame = long.copy()
        frame.loc[second, name] = value
        refused(frame, f"column '{name}' for each item of column 'case', got several for 2 of .*"
                       f"and {value} in row {second[0]}")  # fmt: skip
    other = {"no": "yes", "yes": "no"}
    checked = long.assign(t=long["label"])
    checked["t"] = [other[t] if k in second else t for k, t in enumerate(checked["t"])]
    refused(checked, "column 't' for each item")
    twice = pd.concat([long, more], ignore_index=True)
    refused(twice, f"one label of each reviewer for an item, got 1 more, .*in row {len(long)}")
    slots = wide.assign(a="x", b="x", c="x")
    both = slots.index[slots["label_ann"].notna() & slots["label_bob"].notna()][0]
    with pytest.raises(InputError, match=f"the first of 'x' on item {both}"):
        reduce_opinions(slots, "p", ["label_ann", "label_bob"], reviewers=["a", "b"])
    slots = slots.assign(a="y")
    slots.loc[both, "b"] = None
    with pytest.raises(InputError, match=f"a reviewer for every label, got 1 .*in row {both}"):
        reduce_opinions(slots, "p", ["label_ann", "label_bob"], reviewers=["a", "b"])


def test_columns_that_do_not_fit(wide):
    """Refused before any row is read."""
    for options, match in (
        ({"labels": "label_*", "item": "case"}, "one column of labels and one of reviewers"),
        ({"labels": "label_*", "reviewers": "case"}, "a column of reviewers for each of the 3"),
        ({"labels": ["p", "t"]}, "a different column in each role"),
        ({"labels": "label_*", "classes": ["a", "b"]}, "a column of scores for each class"),
    ):
        with pytest.raises(ParameterError, match=match):
            reduce_opinions("wide.csv", "p", **options)
    with pytest.raises(ParameterError, match="reviewers that differ by more than blanks"):
        reduce_opinions(wide.assign(**{"x": "no", "x ": "yes"}), "p", ["x", "x "])
    found = reduce_opinions(wide.assign(**{"1": "no", "01": "yes"}), "p", ["1", "01"])
    assert found.rows.names == ("1", "01")
    with pytest.raises(ParameterError, match="pos_label needs one column"):
        reduce_opinions(three_classes(), "p_*", "label_*", pos_label="cat")
    with pytest.raises(ParameterError, match="a class for each of the 3 columns"):
        reduce_opinions(three_classes(), "p_*", "label_*", classes=["a"])


def test_rows_that_leave_nothing(wide):
    """No rows, no labels, no weight; and a column for each class instead of each reviewer."""
    wide[:0].to_csv("empty.csv", index=False)
    nothing = wide.assign(label_ann=None, label_bob=None, label_cem=None)
    one_hot = wide.assign(x=(wide.index % 3 == 0).astype(int)).assign(y=lambda f: 1 - f["x"])
    with pytest.raises(InputError, match="0 rows without any"):
        reduce_opinions("empty.csv", "p", "label_*")
    with pytest.raises(InputError, match="400 rows without any"):
        reduce_opinions(nothing, "p", "label_*")
    with pytest.raises(InputError, match="every weight is zero"):
        reduce_opinions(wide.assign(w=0), "p", "label_*", "w")
    with pytest.raises(InputError, match="exactly one 1 in each of 400 rows"):
        reduce_opinions(one_hot, "p", ["x", "y"])


@pytest.mark.parametrize("names", [("007", "7"), ("Ann", "ann")])
def test_names_that_differ_are_different_reviewers(tmp_path, names):
    """Text stays text: two colleagues are not one person, and blanks around a name are nothing."""
    one, other = names
    lines = [f"{k},0.{k % 9 + 1},{who},{k % 2}" for k in range(9) for who in (one, f" {other} ")]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["item,p,who,y", *lines]))
    found = reduce_opinions(path, "p", "y", reviewers="who", item="item")
    assert found.rows.names == names
    assert found.tally.rows == 9
    frame = pd.read_csv(path, dtype={"who": str})
    assert lwcal.opinions(frame["item"], frame["who"], frame["y"]).names == names
    path.write_text("\n".join(["item,p,who,y", *lines, f"0,0.1, {one},1"]))
    with pytest.raises(InputError, match=f"of '{one}' on .*two people share the name"):
        reduce_opinions(path, "p", "y", reviewers="who", item="item")


def test_items_that_differ_as_text_are_different_items(tmp_path):
    """5 and 05 are two, here and in memory."""
    path = tmp_path / "long.csv"
    path.write_text("item,p,who,y\n5,0.2,a,0\n05,0.9,b,1\n5,0.2,b,1\n")
    found = reduce_opinions(path, "p", "y", reviewers="who", item="item")
    assert found.tally.rows == 2
    frame = pd.read_csv(path, dtype={"item": str})
    assert lwcal.opinions(frame["item"], frame["who"], frame["y"]).items.tolist() == ["05", "5"]
