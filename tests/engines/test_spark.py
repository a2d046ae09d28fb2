"""The Spark engine on a real cluster: the same bits as in memory, whatever happens to workers."""

import functools
import json
import os
import subprocess
import sys
import threading
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.spark_cluster import waited

import lwcal
from lwcal import ScoreTable
from lwcal.engines.spark import apply, counting, reduce, reduce_groups
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError

pytestmark = [
    pytest.mark.usefixtures("spark"),
    # said of functions that tests send to workers, which use none of it
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"),
]
ARRAYS = ("scores", "negatives", "positives")


def same(found, expected):
    """Whether two tables hold the same bits."""
    assert (found.grid, found.limit) == (expected.grid, expected.limit)
    names = ARRAYS if expected.grid is None else (*ARRAYS, "low", "high")
    return all(getattr(found, n).tobytes() == getattr(expected, n).tobytes() for n in names)


@pytest.fixture
def rows(noisy_rows):
    """Ties, ends, two zeros, weights and groups."""
    scores, labels = noisy_rows
    scores = np.concatenate((scores, np.repeat(scores[:50], 3), [0.0, -0.0, 1.0, 1.0, 0.5]))
    n = len(scores)
    return pa.table(
        {
            "id": np.arange(n),
            "p": scores,
            "y": np.resize(labels, n),
            "w": np.arange(n) % 4 / 4,  # sums of these are exact, in any order
            "country": pa.array(np.where(np.arange(n) % 3 == 0, "NL", "DE")),
        }
    )


@pytest.fixture
def frame(spark, rows):
    """The same rows, divided among the workers."""
    return spark.createDataFrame(rows)


def test_tables_are_those_of_the_rows(frame, rows):
    """Exact and on the grid, with and without weights, and merged with those of other engines."""
    # certainly more distinct scores than the limit, perhaps more, and fewer
    cases = [(100, None), (700, "w"), (2**20, "w"), (None, None)]
    for limit, weight in cases:
        found = reduce(frame, "p", "y", weight, limit=limit)
        expected = ScoreTable.from_frame(rows, "p", "y", weight, limit=limit)
        assert same(found, expected), (limit, weight)
        assert same(found + expected, expected + expected), (limit, weight)


def test_columns_come_in_many_types(spark):
    """Numbers of any kind, text, vectors of two probabilities; names with dots."""
    from pyspark.ml.linalg import Vectors

    given = [0.25, 0.5, 0.5, 1.0]
    rows = [
        (float(p), Decimal(str(p)), str(p), Vectors.dense(1 - p, p), Decimal(y), bool(y), "ny"[y])
        for p, y in zip(given, [0, 1, 0, 1], strict=True)
    ]
    schema = ["score.raw", "decimal", "text", "probability", "whole", "bool", "word"]
    frame = spark.createDataFrame(rows, schema)
    frame = frame.withColumn("single", frame["text"].cast("float")).coalesce(1)
    expected = ScoreTable.from_frame({"p": given, "y": [0, 1, 0, 1]}, "p", "y")
    scores = ("score.raw", "decimal", "text", "probability", "single")
    labels = ("whole", "bool", "word", "whole", "bool")
    for score, label in zip(scores, labels, strict=True):
        assert same(reduce(frame, score, label), expected)
    turned = reduce(frame, "score.raw", "word", pos_label="n")
    np.testing.assert_array_equal(turned.positives, expected.negatives)
    with pytest.raises(InputError, match=r"column 'mix' to be numbers or vectors .*, got map<int"):
        reduce(frame.selectExpr("*", "map(1, 2) AS mix"), "mix", "bool")
    with pytest.raises(InputError, match="column 'mix' to hold labels, got array<int>"):
        reduce(frame.selectExpr("*", "array(1) AS mix"), "text", "mix")
    with pytest.raises(InputError, match=r"a column 'q' in the DataFrame, got .* decimal \(decim"):
        reduce(frame, "q", "bool")


def test_rows_that_cannot_be_used_are_counted_with_an_example(spark):
    """By reason, each row once; refused, or dropped and told."""
    nan, inf = float("nan"), float("inf")
    wrong = [("a", nan, "yes", 1.0), ("b", None, "no", 1.0), ("c", inf, None, 1.0)]
    wrong += [("d", 7.0, "no", 1.0), ("e", 8.0, "no", 1.0), ("f", 0.5, None, 1.0)]
    wrong += [("g", 0.5, "maybe", 1.0), ("h", 0.5, "no", -1.0), ("i", 0.5, "no", None)]
    right = [("j", 0.25, "no", 1.0), ("k", 0.75, "yes", 2.0), ("l", 0.75, "yes", 1.0)]
    right += [("m", 0.75, "no", 0.0)] + [("n", 0.25, "no", 1.0)] * 4
    schema = "id string, p double, y string, w double"
    frame = spark.createDataFrame(wrong + right, schema).coalesce(2)
    with pytest.raises(InputError, match=r"2 of 17 values are missing, such as") as told:
        reduce(frame, "p", "y", "w")
    for said in (
        "1 is infinite, such as inf where id=c, p=Infinity, y=?",
        "2 are outside [0, 1], such as 7.0 where id=d, p=7.0, y=no",
        "column 'y': 1 is missing, such as None where id=f, p=0.5, y=?",
        "column 'w': 2 are invalid, such as",
        "drop_invalid=True",
    ):
        assert said in str(told.value)
    dropped = r"dropped 9 of 17 rows: .*column 'y': 1 is not 'no' or 'yes', such as 'maybe'"
    with pytest.warns(DroppedRowsWarning, match=dropped):
        found = reduce(frame, "p", "y", "w", drop_invalid=True, allow_drop_share=0.6)
    with pytest.raises(InputError, match=r"53% of all rows \(9 of 17\)"):
        reduce(frame, "p", "y", "w", drop_invalid=True)
    assert (found.n_negative, found.n_positive) == (5, 3)
    text = frame.selectExpr("CASE WHEN id = 'a' THEN 'high' ELSE 'NA' END AS p", "id", "y")
    with pytest.raises(InputError, match=r"'p': 1 of 17 .*such as 'high' where p"):
        reduce(text, "p", "y")
    with pytest.raises(InputError, match="column 'p' has no rows"):
        reduce(frame.limit(0), "p", "y")
    with pytest.raises(InputError, match="No usable row is left: dropped 4 of 4"):
        reduce(frame.filter("p > 1"), "p", "y", drop_invalid=True, allow_drop_share=1.0)
    with pytest.raises(InputError, match="Every weight is zero"):
        reduce(frame.filter("id = 'm'"), "p", "y", "w")


SCALES = {
    "percent": ([3.0, 40.0, 55.0, 97.5, 0.1], "percent"),
    "percent signs": (["3%", "40 %", "55,0%", "97.5%", "0.1%"], "percent"),
    "logit": ([-3.0, -0.5, 0.25, 4.0, 0.3], "logit"),
    "commas": (["-3,0", "-0.5", "0,25", "4", "0,3"], "logit"),
    "probability": (["3%", "40 %", "55,0%", "97.5%", None], "probability"),
}


@pytest.mark.parametrize(("scores", "scale"), SCALES.values(), ids=SCALES)
def test_scores_on_other_scales_give_the_same_bits(spark, scores, scale):
    """As in memory; a missing one is refused, or dropped."""
    labels = [0, 1, 0, 1, 1]
    frame = spark.createDataFrame(pa.table({"p": scores, "y": labels})).coalesce(1)
    if None in scores:
        with pytest.raises(InputError, match="1 of 5 values is missing"):
            reduce(frame, "p", "y", scale=scale)
        frame, scores, labels = frame.limit(4), scores[:4], labels[:4]
    expected = ScoreTable.from_arrays(scores, labels, scale=scale)
    found = reduce(frame, "p", "y", scale=scale, limit=None)
    assert same(found, expected)
    assert found.scale == scale
    calibrator = lwcal.Platt().fit(expected)
    got = apply(frame, calibrator, "p").toArrow()["p_calibrated"].to_numpy()
    assert got.tobytes() == calibrator.predict(scores).tobytes()
    if scale != "probability":
        assert same(reduce(frame, "p", "y", scale="auto", limit=None), expected)
    if scale == "percent":  # recognized by the same pass for groups
        by_label = reduce_groups(frame, "y", "p", "y", scale="auto")
        assert {table.scale for table in by_label.values()} == {scale}


def test_what_is_unclear_is_refused_in_the_same_words(spark):
    """Scales, mixtures, positive classes, and numbers outside of their scale."""

    def refused(match, scores, labels=(0, 1, 0, 1), **options):
        made = spark.createDataFrame(pa.table({"p": scores, "y": list(labels)})).coalesce(1)
        with pytest.raises(InputError, match=match):
            reduce(made, "p", "y", **options)

    refused("the scale is not clear", [0.1, 0.2, 0.3, 7.0], scale="auto")
    refused("missing", [None, float("nan"), None, None], scale="auto")
    refused("such as '6%'.*such as '0.5'", ["6%", "0.5", "7%", "8%"])
    refused(r"1 of 4 .*outside \[0, 100\]", [5.0, 101.0, 7.0, 8.0], scale="percent")
    refused("1 of 4 .*infinite", [5.0, float("inf"), 7.0, 8.0], scale="logit")
    refused("not numeric, such as '6%'", ["6%", "0.5", "7", "8"], scale="logit")
    refused("--score-scale percent", [5.0, 60.0, 7.0, 8.0])
    refused("High scores go with 'b'", [0.1, 0.2, 0.8, 0.9], list("aabb"))
    with pytest.raises(ParameterError, match="scale"):
        reduce(spark.range(3).selectExpr("0.5D AS p", "1 AS y"), "p", "y", scale="odds")


def test_ids_are_no_labels_and_no_groups(spark):
    """Neither comes to the driver as a whole."""
    frame = spark.range(3000).selectExpr("id", "0.5D AS p", "0 AS y")
    with pytest.raises(InputError, match="more than 998"):
        reduce(frame, "p", "id")
    with pytest.raises(InputError, match="at most 1,000 groups, got more"):
        reduce_groups(frame, "id", "p", "y")


def test_every_group_has_the_table_of_its_rows(frame, rows):
    """Exact where its scores are few enough, also beside groups that have too many."""
    listed = rows.to_pandas()
    listed["odd"] = listed["id"] % 5 == 1
    spread = frame.selectExpr("*", "id % 5 = 1 AS odd")
    for limit in (150, 400, 2**20):
        found = reduce_groups(spread, ["country", "odd"], "p", "y", limit=limit)
        parts = dict(iter(listed.groupby(["country", "odd"])))
        assert set(found) == set(parts)
        for key, part in parts.items():
            assert same(found[key], ScoreTable.from_frame(part, "p", "y", limit=limit))
    one = reduce_groups(spread.selectExpr("*", "nullif(country, 'NL') AS c"), "c", "p", "y")
    sizes = listed["country"].value_counts()
    assert {key: table.n for key, table in one.items()} == {"DE": sizes["DE"], None: sizes["NL"]}
    fitted = lwcal.fit_segments(one, lwcal.Platt())
    assert set(fitted.segments) == {"DE", None}
    number = "CASE country WHEN 'NL' THEN double('NaN') WHEN 'DE' THEN 1.5 END AS c"
    numbered = reduce_groups(spread.selectExpr("*", number), "c", "p", "y")
    assert {key: table.n for key, table in numbered.items()} == {
        1.5: sizes["DE"],
        None: sizes["NL"],
    }
    weightless = spread.selectExpr("*", "IF(country = 'NL', 0, w) AS v")
    with pytest.raises(InputError, match="group 'NL': no row counts"):
        reduce_groups(weightless, "country", "p", "y", "v")


def test_the_driver_receives_no_more_than_the_grid_and_the_limit(spark, monkeypatch):
    """Whatever the rows look like; here on a small grid, with as small a limit."""
    from pyspark.sql.classic.dataframe import DataFrame

    received = []
    whole = DataFrame.toArrow

    def counted(self):
        result = whole(self)
        received.append(result.num_rows)
        return result

    monkeypatch.setattr(DataFrame, "toArrow", counted)
    monkeypatch.setattr(counting, "GRID", 2.0**-8)
    y = "cast(id % 3 = 0 AS int) AS y"
    shapes = {
        "everywhere": ("pmod(hash(id), 100003) / 100003D", True),
        "in few bins": ("pmod(hash(id), 100003) / 100003D / 200", True),
        "few distinct, together": ("pmod(hash(id), 200) / 200D / 20", False),
        "few distinct, apart": ("pmod(hash(id), 100) / 100D", False),
    }
    for shape, is_rounded in shapes.values():
        received.clear()
        rows = spark.range(20_000).selectExpr(f"{shape} AS p", y)
        found = reduce(rows, "p", "y", limit=2**8)
        assert found.n == 20_000
        assert (found.grid is not None) == is_rounded
        assert sum(received) <= 2 * 2**8
    # beside each other: groups of which some have few enough scores, and one has few enough rows
    parts = [
        spark.range(200 if shape == "few" else 5000).selectExpr(
            f"{p} AS p", y, f"'{shape}' AS shape"
        )
        for shape, (p, _) in {**shapes, "few": shapes["in few bins"]}.items()
    ]
    together = functools.reduce(lambda a, b: a.union(b), parts).coalesce(2)
    listed = whole(together).to_pandas()
    received.clear()
    found = reduce_groups(together, "shape", "p", "y", limit=2**8)
    assert sum(received) <= len(parts) * 2 * 2**8
    for shape, rows in listed.groupby("shape"):
        expected = ScoreTable.from_frame(rows, "p", "y", limit=2**8)
        assert (found[shape].grid is None) == (expected.grid is None), shape
        assert found[shape].grid is not None or same(found[shape], expected)
    assert [shape for shape in sorted(found) if found[shape].grid is not None] == [
        "everywhere",
        "in few bins",
    ]


def gate(folder, closed):
    """Make a step of a task that waits, while the gate is closed, until it is opened."""

    def hold(batches):
        import time

        if (folder / closed).exists():
            (folder / f"waits-{os.getpid()}").touch()
            while not (folder / "open").exists():
                time.sleep(0.02)
        yield from batches

    return hold


FEW = 10_000
"""A limit of distinct scores that is quickly passed."""


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """More distinct scores than are to be kept exactly, in several files."""
    folder = tmp_path_factory.mktemp("many")
    rng = np.random.default_rng(5)
    scores = rng.beta(0.5, 2.0, 200_000)
    labels = (rng.random(len(scores)) < scores).astype(np.int8)
    table = pa.table({"p": scores, "y": labels})
    for part in range(4):
        pq.write_table(table.slice(part * 50_000, 50_000), folder / f"{part}.parquet")
    return folder, table


@pytest.mark.parametrize("moment", ["during the map stage", "after the shuffle"])
def test_a_lost_worker_changes_no_bit(spark, spark_cluster, many, tmp_path, monkeypatch, moment):
    """A worker and its executor are killed while all tasks of the counting wait at a gate."""
    from pyspark.sql.classic.dataframe import DataFrame

    folder, table = many
    spark_cluster.add_workers(1)
    executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus
    waited(lambda: executors().size() == 3)  # the driver counts as one
    whole = DataFrame.toArrow
    is_early = moment == "during the map stage"

    def gated(self):
        if "parts" in self.columns:  # the counts on the grid; what went before was a look
            (tmp_path / "closed").touch()
            self = self if is_early else self.mapInArrow(gate(tmp_path, "closed"), self.schema)
        return whole(self)

    monkeypatch.setattr(DataFrame, "toArrow", gated)
    frame = spark.read.parquet(str(folder))
    if is_early:
        frame = frame.mapInArrow(gate(tmp_path, "closed"), frame.schema)
    found = []
    background = threading.Thread(target=lambda: found.append(reduce(frame, "p", "y", limit=FEW)))
    background.start()
    waited(lambda: len(list(tmp_path.glob("waits-*"))) >= 2 or not background.is_alive())
    spark_cluster.kill_worker()
    (tmp_path / "open").touch()
    background.join()
    assert same(found[0], ScoreTable.from_frame(table, "p", "y", limit=FEW))
    assert found[0].grid == 2.0**-20
    counts = np.stack((found[0].negatives, found[0].positives), axis=1).astype(int)
    rounded = np.repeat(found[0].scores, counts.sum(axis=1))
    labels = np.repeat(np.resize([0, 1], counts.size), counts.ravel())
    fitted, expected = lwcal.LWCal().fit_table(found[0]), lwcal.LWCal().fit(rounded, labels)
    grid = np.linspace(0, 1, 10_001)
    assert fitted.predict(grid).tobytes() == expected.predict(grid).tobytes()


CALIBRATORS = (lwcal.Auto, lwcal.GatedLWCal, lwcal.Beta, lwcal.Platt, lwcal.Identity)


def test_apply_gives_the_bits_of_predict_without_us_on_the_workers(frame, rows):
    """They could not import us, nor pandas or scipy, if they tried."""

    def imports(batches):
        import importlib

        for batch in batches:
            missing = []
            for name in ("lwcal", "pandas", "scipy", "sklearn", "duckdb"):
                try:
                    importlib.import_module(name)
                except ImportError:
                    missing.append(name)
            yield type(batch).from_pydict({"missing": [" ".join(missing)]})

    told = frame.select("id").mapInArrow(imports, "missing string").distinct().collect()
    assert [row.missing for row in told] == ["lwcal pandas scipy sklearn duckdb"]
    scores, labels = rows["p"].to_numpy(), rows["y"].to_numpy()
    fitted = [cls().fit(scores, labels) for cls in CALIBRATORS]
    done = frame
    for calibrator in fitted:
        done = apply(done, calibrator, "p", column=type(calibrator).__name__)
    found = done.orderBy("id").toArrow()
    assert found.column_names == [*rows.column_names, *(c.__name__ for c in CALIBRATORS)]
    np.testing.assert_array_equal(found["p"].to_numpy(), scores)
    for calibrator in fitted:
        got = found[type(calibrator).__name__].to_numpy()
        assert got.tobytes() == calibrator.predict(scores).tobytes()


def test_apply_refuses_drops_and_replaces(spark):
    """Names before anything is computed, rows when they are met."""
    from pyspark.errors import PySparkException

    calibrator = lwcal.Platt().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    frame = spark.createDataFrame([(1, 0.5), (2, 1.5), (3, None)], "id int, p double").coalesce(1)
    with pytest.raises(ParameterError, match="The DataFrame already has a column 'id'"):
        apply(frame, calibrator, "p", column="ID")
    with pytest.raises(InputError, match="a column 'q' in the DataFrame"):
        apply(frame, calibrator, "q")
    with pytest.raises(PySparkException, match=r"lwcal: expected column 'p' to be .* got 1\.5;"):
        apply(frame, calibrator, "p").collect()
    done = apply(frame, calibrator.map_, "p", column="P", replace_column=True, drop_invalid=True)
    assert done.columns == ["id", "p"]
    assert [tuple(row) for row in done.collect()] == [(1, calibrator.predict([0.5])[0])]


CONNECT = """
import json, sys, warnings
import numpy as np
import pyarrow.parquet as pq
warnings.filterwarnings("error")
warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas")
from pyspark.sql import SparkSession
import lwcal
from lwcal.engines.spark import ScoreCalibrator, ScoreCalibratorModel, apply, reduce, reduce_groups

spark = SparkSession.builder.getOrCreate()
assert type(spark).__module__ == "pyspark.sql.connect.session"
given = pq.read_table(sys.argv[1])
frame = spark.read.parquet(sys.argv[1]).repartition(2)
table = reduce(frame, "p", "y", limit=100)
table.save(sys.argv[2])
groups = reduce_groups(frame, "country", "p", "y")
calibrator = lwcal.Auto().fit_table(table)
found = apply(frame, calibrator, "p").toArrow()
expected = calibrator.predict(found["p"].to_numpy())
model = ScoreCalibrator(scoreCol="p", labelCol="y", method="platt").fit(frame)
model.save(sys.argv[3])
loaded = ScoreCalibratorModel.load(sys.argv[3])
again = loaded.transform(frame).toArrow()["p_calibrated"].to_numpy()
errors = []
for wrong in (lambda: apply(frame.selectExpr("2 * p AS p"), calibrator, "p").toArrow(),
              lambda: reduce(frame.selectExpr("2 * p AS p", "y"), "p", "y")):
    try:
        wrong()
    except Exception as error:
        errors.append(str(error))
print(json.dumps({
    "same": found["p_calibrated"].to_numpy().tobytes() == expected.tobytes(),
    "again": again.tobytes() == model.calibrator.predict(found["p"].to_numpy()).tobytes(),
    "groups": {key: one.n for key, one in groups.items()},
    "errors": errors,
}))
"""


def test_spark_connect_does_the_same(spark_cluster, rows, tmp_path):
    """In a process that has no Java of its own, with a real server on the cluster."""
    pq.write_table(rows, tmp_path / "rows.parquet")
    script = tmp_path / "connect.py"
    script.write_text(CONNECT)
    arguments = (tmp_path / "rows.parquet", tmp_path / "table.parquet", tmp_path / "model")
    environment = {
        **spark_cluster.environment,
        "SPARK_REMOTE": f"sc://127.0.0.1:{spark_cluster.connect}",
        "JAVA_HOME": "/nowhere",
    }
    finished = subprocess.run(
        [sys.executable, script, *arguments], env=environment, capture_output=True, text=True
    )
    assert finished.returncode == 0, finished.stderr
    told = json.loads(finished.stdout)
    assert told["same"]
    assert told["again"]
    assert told["groups"] == {"NL": 319, "DE": 636}
    assert "got" in told["errors"][0]
    assert "lwcal: expected column 'p' to be probabilities" in told["errors"][0]
    assert "outside [0, 1], such as" in told["errors"][1]
    expected = ScoreTable.from_frame(rows, "p", "y", limit=100)
    assert same(ScoreTable.load(tmp_path / "table.parquet"), expected)


def test_a_pipeline_keeps_its_calibrator(spark, rows, tmp_path):
    """Fitted behind a classifier of Spark, saved and loaded with it; the document is ours."""
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    from lwcal.engines.spark import ScoreCalibrator, ScoreCalibratorModel

    frame = spark.createDataFrame(rows).selectExpr("p", "w", "y AS label").coalesce(2)
    stages = [
        VectorAssembler(inputCols=["p"], outputCol="features"),
        LogisticRegression(maxIter=3),
        ScoreCalibrator(method="lwcal", weightCol="w"),
    ]
    pipeline = Pipeline(stages=stages)
    pipeline.save(str(tmp_path / "pipeline"))
    fitted = Pipeline.load(str(tmp_path / "pipeline")).fit(frame)
    fitted.save(str(tmp_path / "model"))
    loaded = PipelineModel.load(str(tmp_path / "model"))
    found = loaded.transform(frame).select("probability", "w", "label", "p_calibrated").collect()
    scores = np.array([row.probability[1] for row in found])
    weights = [row.w for row in found]
    expected = lwcal.LWCal().fit(scores, [row.label for row in found], sample_weight=weights)
    np.testing.assert_array_equal([r.p_calibrated for r in found], expected.predict(scores))
    stage = loaded.stages[-1]
    assert stage.uid == fitted.stages[-1].uid
    assert (stage.getScoreCol(), stage.getPredictionCol()) == ("probability", "p_calibrated")
    (document,) = Path(tmp_path).glob("model/stages/*ScoreCalibrator*/calibrator/part-*")
    assert lwcal.load(document).predict([0.5]) == expected.predict([0.5])
    document.write_text('{"format": "lwcal-calibrator"}')
    document.with_name(f".{document.name}.crc").unlink()  # the sum by which Hadoop notices changes
    broken = ScoreCalibratorModel.read()
    with pytest.raises(
        lwcal.errors.ArtifactError, match=r"a calibrator in .*, got expected a schem"
    ):
        broken.load(str(document.parents[1]))


def test_stages_have_parameters_as_spark_has_them(spark):
    """Set by keyword or method; wrong ones are refused in our words."""
    from lwcal.engines.spark import ScoreCalibrator, ScoreCalibratorModel

    stage = ScoreCalibrator(labelCol="l").setScoreCol("s").setPredictionCol("c").setMethod("platt")
    stage = stage.setLabelCol("y").setWeightCol("w").setHandleInvalid("skip")
    shown = (stage.getScoreCol(), stage.getLabelCol(), stage.getPredictionCol(), stage.getMethod())
    assert shown == ("s", "y", "c", "platt")
    assert "column of scores" in stage.explainParam("scoreCol")
    rows = [(0.1, 0, 1.0), (0.9, 1, 1.0), (0.4, 1, 2.0), (7.0, 0, 1.0)]
    frame = spark.createDataFrame(rows, ["s", "y", "w"]).coalesce(1)
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 4 rows"):
        model = stage.fit(frame)
    assert isinstance(model, ScoreCalibratorModel)
    assert model.transform(frame).count() == 3
    assert model.copy().calibrator is model.calibrator
    for name, value in (("method", "audited"), ("handleInvalid", "keep")):
        with pytest.raises(ParameterError, match=f"{name} to be one of"):
            stage.copy({stage.getParam(name): value}).fit(frame)
    with pytest.raises(TypeError, match="forces keyword arguments"):
        ScoreCalibrator("s")
