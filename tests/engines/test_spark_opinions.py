"""Opinions on Spark: the same counts and the same bits as on the other engine."""

import pandas as pd
import pyarrow as pa
import pytest

import lwcal
from lwcal.engines import duckdb
from lwcal.engines.spark import reduce_opinions
from lwcal.errors import DroppedRowsWarning, InputError
from tests.engines.opinion_frames import (
    ANIMALS,
    as_long,
    in_memory,
    same_fit,
    three_classes,
    two_classes,
)
from tests.reviews.test_opinion_counts import same

pytestmark = pytest.mark.usefixtures("spark")
LONG = {"labels": "label", "reviewers": "who", "item": "case"}
WIDE = {"labels": "label_*"}
ALL = {"weight": "w", "trusted": "t"}


@pytest.fixture
def on_spark(spark):
    """Rows divided among the workers."""
    return lambda frame: spark.createDataFrame(pa.Table.from_pandas(frame, preserve_index=False))


def test_wide_and_long_rows_are_those_of_the_other_engine(on_spark):
    """All of them or a sample, with weights and checked labels; and the fit is that of memory."""
    wide = two_classes()
    long = as_long(wide)
    # named, though no opinion of this reviewer counts
    idle = long[(long["w"] == 0) & long["label"].notna()][:1].assign(who="dan")
    long = pd.concat([long, idle])
    for frame, options, limits in (
        (wide, WIDE, [2**20]),
        (long, LONG | ALL, [2**20, 40]),
        (wide, WIDE | ALL, [40, 2**20]),
    ):
        rows = on_spark(frame)
        for limit in limits:
            found = reduce_opinions(rows, "p", limit=limit, **options)
            assert same(found, duckdb.reduce_opinions(frame, "p", limit=limit, **options))
            assert found.is_sample == (limit == 40)
    fitted = lwcal.Reviewed().fit_opinions(found)
    assert same_fit(fitted, in_memory(wide, y_audited=wide["t"], sample_weight=wide["w"]))


def test_classes_scales_and_types(on_spark):
    """Three classes; percents as text; labels as truth values; reviewers as numbers."""
    frame = three_classes()
    columns = [f"p_{name}" for name in ANIMALS]
    found = reduce_opinions(on_spark(frame), "p_*", "label_*", limit=30)
    assert same(found, duckdb.reduce_opinions(frame, columns, "label_*", limit=30, classes=ANIMALS))
    wide = two_classes(words=(False, True))
    slots = wide.assign(
        p=[f"{100 * p:.0f}" for p in wide["p"]],
        who_1=wide.index % 12,
        who_2=12,
    )
    options = {
        "labels": ["label_ann", "label_bob"],
        "reviewers": ["who_1", "who_2"],
        "scale": "auto",
    }
    found = reduce_opinions(on_spark(slots), "p", **options)
    assert same(found, duckdb.reduce_opinions(slots, "p", **options))
    assert found.scale == "percent"
    assert found.rows.classes == (False, True)
    assert found.rows.names == tuple(range(13))


def test_invalid_rows_and_answers_are_counted_with_an_example(on_spark):
    """By fault, each once; refused in the same words, or dropped and told."""
    wide = two_classes().astype(object)
    wide = wide.where(wide.notna(), None).assign(p=lambda f: f["p"].astype(str))
    some = wide[wide["label_ann"].notna() & wide["label_bob"].notna()]
    bad = pd.concat(
        [
            some[:1].assign(case="a", p="high"),
            some[:1].assign(case="b", p="1.5"),
            some[:1].assign(case="c", label_bob="odd"),
            some[:1].assign(case="d", t="odd"),
            some[:1].assign(case="e", w=-1.0),
        ]
    )
    both = pd.concat([wide, bad], ignore_index=True).assign(w=lambda f: f["w"].astype(float))
    rows = on_spark(both)
    with pytest.raises(InputError) as told:
        reduce_opinions(rows, "p", **WIDE, **ALL)
    for part in (
        "column 'p': 1 of 405 values is not numeric, such as 'high' where case=a",
        "column 'p': 1 is outside [0, 1], such as 1.5 where case=b",
        "column 'label_bob': 1 is not 'no' or 'yes', such as 'odd' where case=c",
        "column 't': 1 is not 'no' or 'yes', such as 'odd' where case=d",
        "column 'w': 1 is invalid, such as -1.0 where case=e",
        "--drop-invalid",
    ):
        assert part in str(told.value)
    with pytest.warns(DroppedRowsWarning, match="dropped 5 of 405 rows"):
        found = reduce_opinions(rows, "p", drop_invalid=True, **WIDE, **ALL)
    with pytest.warns(DroppedRowsWarning, match="dropped 5 of 405 rows"):
        expected = duckdb.reduce_opinions(both, "p", drop_invalid=True, **WIDE, **ALL)
    assert same(found, expected)
    long = as_long(two_classes()).reset_index(drop=True)
    answered = long.index[long["label"].notna()]
    a, b = answered[[3, 30]]
    spoilt = long.copy()
    spoilt.loc[a, "case"], spoilt.loc[b, "who"] = "NA", None
    rows = on_spark(spoilt)
    with pytest.raises(InputError, match=f"column 'case', got 1 of {len(long)} without, such as"):
        reduce_opinions(rows, "p", **LONG, **ALL)
    with pytest.warns(DroppedRowsWarning, match="column 'who': 1 is missing, such as None where"):
        found = reduce_opinions(rows, "p", drop_invalid=True, **LONG, **ALL)
    rest = long.drop(index=[a, b])
    assert same(found, duckdb.reduce_opinions(rest, "p", **LONG, **ALL))


def test_contradictions_are_refused(on_spark):
    """In the words of the other engine, with an example instead of the first row."""
    long = as_long(two_classes())
    long = long[long["label"].notna()].reset_index(drop=True)
    second = long.index[long["case"].duplicated()][0]
    item = long.loc[second, "case"]

    def refused(frame, match):
        with pytest.raises(InputError, match=match):
            reduce_opinions(on_spark(frame), "p", **LONG, **ALL)

    differing = long.copy()
    differing.loc[second, "p"] = 0.123
    refused(differing, f"column 'p' for each item of column 'case', got several for 1 .*'{item}'")
    checked = long.assign(t=None)
    checked.loc[checked["case"] == item, "t"] = "no"
    checked.loc[second, "t"] = "yes"
    refused(checked, rf"column 't' for each item .* such as '{item}' \('no', and 'yes'\)")
    twice = pd.concat([long, long.loc[[second]]])
    refused(twice, f"an item, got 1 more, such as of '{long.loc[second, 'who']}' on '{item}'")
    both = ["label_ann", "label_bob"]
    slots = on_spark(two_classes().assign(a="x", b=" x "))
    with pytest.raises(InputError, match=r"an item, got .* more, such as of 'x'; if two people"):
        reduce_opinions(slots, "p", both, reviewers=["a", "b"])
    slots = on_spark(two_classes().assign(a="7", b="007"))
    assert reduce_opinions(slots, "p", both, reviewers=["a", "b"]).rows.names == ("007", "7")
