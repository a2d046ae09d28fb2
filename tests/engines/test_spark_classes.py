"""Several classes on Spark: the same rows and the same bits as on the other engine."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

import lwcal
from lwcal.engines import duckdb
from lwcal.engines.spark import apply, reduce_classes
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError
from tests.class_frames import NAMES, class_frame, scores_of
from tests.engines.test_duckdb_classes import same

pytestmark = pytest.mark.usefixtures("spark")
COLUMNS = [f"p_{name}" for name in NAMES]


@pytest.fixture
def rows():
    """Few digits, so that rows repeat."""
    return class_frame(digits=1)


@pytest.fixture
def frame(spark, rows):
    """The same rows, divided among the workers."""
    return spark.createDataFrame(pa.Table.from_pandas(rows))


def test_rows_are_those_of_the_other_engine(frame, rows):
    """All of them or a sample, with and without weights, from a pattern or a list."""
    for limit, weight, scores in ((None, "w", COLUMNS), (2**20, None, "p_*"), (50, "w", "p_*")):
        found = reduce_classes(frame, scores, "label", weight, limit=limit)
        expected = duckdb.reduce_classes(rows, scores, "label", weight, limit=limit, classes=NAMES)
        assert same(found, expected), (limit, weight)
        assert found.sampled_from == expected.sampled_from


def test_labels_and_scores_come_in_many_types(spark, rows):
    """Text of numbers, and labels that are numbers."""
    codes = rows["label"].map(dict(zip(NAMES, range(3), strict=True)))
    plain = pd.DataFrame({f"x{k}": rows[name] for k, name in enumerate(COLUMNS)})
    plain = plain.assign(x0=plain["x0"].astype(str), y=codes)
    found = reduce_classes(spark.createDataFrame(pa.Table.from_pandas(plain)), "x*", "y")
    assert found.classes == (0, 1, 2)
    assert same(found, lwcal.ClassRows.from_arrays(scores_of(rows), codes))


def test_probabilities_of_two_digits(spark):
    """They miss 1 by a hundredth, and adding up makes an error."""
    table = [(0.33, 0.33, 0.33, "a"), (0.34, 0.33, 0.34, "b"), (0.2, 0.2, 0.59, "c")]
    frame = spark.createDataFrame(table, ["p_a", "p_b", "p_c", "y"])
    rows = reduce_classes(frame, "p_*", "y")
    assert rows.n == 3.0
    assert apply(frame, lwcal.Temperature().fit_rows(rows), "p_*").count() == 3


def test_invalid_rows_are_counted_with_an_example(spark, rows):
    """By fault, each row once; refused, or dropped and told."""
    nan = float("nan")
    bad = pd.DataFrame(
        [
            ("a", nan, 0.5, 0.5, "cat", 1.0),
            ("b", 1.5, -0.5, 0.0, "cat", 1.0),
            ("c", 0.9, 0.9, 0.9, None, 1.0),
            ("d", 0.0, 0.0, 0.0, "cat", 1.0),
            ("e", 0.2, 0.3, 0.5, None, 1.0),
            ("f", 0.2, 0.3, 0.5, "NA", 1.0),
            ("g", 0.2, 0.3, 0.5, "wolf", -1.0),
            ("h", 0.2, 0.3, 0.5, "cat", -1.0),
        ],
        columns=rows.columns,
    )
    both = pa.Table.from_pandas(pd.concat([rows, bad], ignore_index=True))
    frame = spark.createDataFrame(both).repartition(2)
    with pytest.raises(InputError) as told:
        reduce_classes(frame, "p_*", "label", "w")
    for part in (
        "column 'p_cat': 1 of 408 values is missing, such as None where id=a",
        "column 'p_cat': 1 is outside [0, 1], such as 1.5 where id=b",
        "zero in every class, such as 0.0 where id=d",
        "not near 1, by more than rounding explains, such as 2.7",
        "column 'label': 2 are missing",
        "column 'label': 1 is not among the classes of the score columns ('cat', 'dog', 'bird')",
        "such as 'wolf' where id=g",
        "column 'w': 1 is invalid, such as -1.0 where id=h",
    ):
        assert part in str(told.value)
    with pytest.warns(DroppedRowsWarning, match="dropped 8 of 408 rows"):
        found = reduce_classes(frame, "p_*", "label", "w", drop_invalid=True)
    assert same(found, duckdb.reduce_classes(rows, "p_*", "label", "w"))


def test_columns_that_do_not_fit(frame):
    """Refused as on the other engine."""
    many = frame.selectExpr("*", "explode(array(0, 1000, 2000)) AS k").selectExpr(
        "*", "k + id AS n"
    )
    with pytest.raises(InputError, match="more than 1,000 distinct values"):
        reduce_classes(many, "p_*", "n")
    with pytest.raises(InputError, match="no rows"):
        reduce_classes(frame.limit(0), "p_*", "label")
    with pytest.raises(InputError, match="every weight is zero"):
        reduce_classes(frame.selectExpr("* EXCEPT (w)", "0 AS w"), "p_*", "label", "w")


@pytest.mark.parametrize("made", [lwcal.MatrixScaling, lwcal.Temperature, lwcal.Identity])
def test_workers_map_to_the_same_bits(frame, rows, made):
    """A column for each class, and no others."""
    fitted = made().fit(scores_of(rows), rows["label"], classes=NAMES)
    done = apply(frame, fitted, "p_bird,p_cat,p_dog", column="q").toArrow().sort_by("id")
    assert done.column_names == [*rows.columns, *(f"q_{name}" for name in NAMES)]
    found = np.column_stack([done.column(f"q_{name}").to_numpy() for name in NAMES])
    np.testing.assert_array_equal(found, fitted.predict(scores_of(rows)))


def test_two_classes_have_two_columns(spark, rows):
    """As in memory; a column that is called like one of ours stays as it is."""
    pair = pd.DataFrame({"p_no": 1 - rows["p_cat"], "p_yes": rows["p_cat"]})
    given = pa.Table.from_pandas(pair.assign(LWCAL_scores="theirs"))
    y = np.where(rows["label"] == "cat", "yes", "no")
    fitted = lwcal.VectorScaling().fit(pair.to_numpy(), y, classes=["no", "yes"])
    done = apply(spark.createDataFrame(given).coalesce(1), fitted, "p_*")
    assert [row[0] for row in done.select("LWCAL_scores").distinct().collect()] == ["theirs"]
    found = done.select("p_calibrated_no", "p_calibrated_yes").toArrow()
    expected = fitted.predict(pair.to_numpy())
    np.testing.assert_array_equal(np.column_stack([c.to_numpy() for c in found]), expected)


def test_rows_that_cannot_be_calibrated(spark, frame, rows):
    """They stop the job, unless they are dropped."""
    fitted = lwcal.Temperature().fit(scores_of(rows), rows["label"], classes=NAMES)
    bad = frame.union(frame.limit(1).selectExpr("id", "0.9", "0.9", "p_bird", "label", "w"))
    with pytest.raises(PySparkException, match="that sum to 1 in the columns 'p_cat'"):
        apply(bad, fitted, "p_*").toArrow()
    assert apply(bad, fitted, "p_*", drop_invalid=True).count() == len(rows)
    with pytest.raises(ParameterError, match="already has a column 'p_cat'"):
        apply(frame, fitted, "p_*", column="p")
    replaced = apply(frame, fitted, "p_*", column="p", replace_column=True)
    assert replaced.columns == list(rows.columns)
    again = replaced.toArrow().sort_by("id")
    np.testing.assert_array_equal(
        np.column_stack([again.column(name).to_numpy() for name in COLUMNS]),
        fitted.predict(scores_of(rows)),
    )
