"""``--engine spark``: the same commands on a cluster, in the test's session and by spark-submit."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from benchmarks.spark_cluster import QUICK

import lwcal
from lwcal.cli import main_on_spark
from lwcal.engines.spark import session
from lwcal.errors import EngineError, InputError
from tests.class_frames import class_frame
from tests.cli.helpers import call, done, files
from tests.cli.opinions.conftest import as_long, make_reviewed

ON = "--engine spark"
ENDS = "--score score --label label"


@pytest.fixture
def here(tmp_path, monkeypatch, noisy_rows):
    """Rows in everything that Spark reads, and a calibrator."""
    monkeypatch.chdir(tmp_path)
    scores, labels = noisy_rows
    frame = pd.DataFrame({"id": [f"{n:05d}" for n in range(800)], "score": scores, "label": labels})
    frame.to_parquet("rows.parquet", index=False)
    frame.to_json("rows.jsonl", orient="records", lines=True, double_precision=15)
    frame["label"] = np.where(labels == 1, "yes", "no")
    frame.to_csv("rows.csv", index=False, sep=";")
    Path("folder").mkdir()
    frame[:400].to_parquet("folder/a.parquet", index=False)
    frame[400:].to_parquet("folder/b.parquet", index=False)
    lwcal.save(lwcal.LWCal().fit(scores, labels), "ok.json")
    return tmp_path


def test_fits_are_those_of_the_other_engine(spark, here, noisy_rows, capsys):
    """From files of all formats and a table of the catalog; columns are found.

    The test of spark-submit reads a folder.
    """
    from pyspark.ml.linalg import Vectors

    spark.read.parquet(str(here / "rows.parquet")).createOrReplaceTempView("scored")
    expected = lwcal.Isotonic().fit(*noisy_rows).predict(np.linspace(0, 1, 101))
    for source in ("rows.parquet", "rows.csv", "scored"):
        assert call(f"fit {here / source if source != 'scored' else source} {ON} "
                    f"--method isotonic --out {source}.json") == 0  # fmt: skip
        found = lwcal.load(f"{source}.json").predict(np.linspace(0, 1, 101))
        np.testing.assert_array_equal(found, expected)
    assert "score column: score" in capsys.readouterr().err
    pairs = [(Vectors.dense(1 - p, p), p > 0.5, bytearray(b"x")) for p in (0.25, 0.5, 0.75)]
    made = spark.createDataFrame(pairs, ["probability", "label", "picture"]).coalesce(1)
    made.write.parquet(str(here / "vectors"))
    assert call(f"fit {here}/vectors {ON} --method isotonic --out vectors.json") == 0
    np.testing.assert_array_equal(lwcal.load("vectors.json").predict([0.25, 0.75]), [0, 1])
    capsys.readouterr()
    assert call(f"table reduce {here}/rows.jsonl {ON} --id id --out t.parquet --json") == 0
    assert json.loads(capsys.readouterr().out)["n"] == 800


def test_everything_but_single_rows_is_there_on_spark(spark, here, capsys):
    """The numbers of the other engine, with and without labels."""
    rows = here / "rows.parquet"
    pd.read_parquet(rows)[["score"]].to_parquet("scores.parquet", index=False)
    for line in (
        f"diagnose {rows}",
        f"evaluate {rows} ok.json --noise-rates estimate",
        f"compare {rows} --method platt",
        f"monitor ok.json {rows}",
        f"monitor ok.json {here}/scores.parquet",
    ):
        found = []
        for engine in ("duckdb", "spark"):
            assert done(f"{line} --engine {engine} --json")
            found.append(json.loads(capsys.readouterr().out))
        assert found[0] == found[1]


def test_opinions_are_counted_on_spark(spark, tmp_path, monkeypatch, few_resamples, capsys):
    """The same calibrator and the same verdict as on the other engine, from wide and long files."""
    monkeypatch.chdir(tmp_path)
    wide = make_reviewed(300)
    wide.to_csv("wide.csv", index=False)
    bad = as_long(wide).assign(t=None)
    bad.loc[5, "who"] = None
    bad.to_parquet("long.parquet", index=False)
    of_wide = f"{tmp_path}/wide.csv --score p --label label_* --pos-label fraud"
    of_long = (
        f"{tmp_path}/long.parquet --score p --item case --reviewer who --label label --trusted t "
        "--pos-label fraud --drop-invalid"
    )
    for line in (
        f"fit {of_long} --out c.json --force",
        f"diagnose {of_wide}",
        f"opinions report {of_wide}",
    ):
        found = []
        for engine in ("duckdb", "spark"):
            assert done(f"{line} --engine {engine} --json")
            shown = capsys.readouterr()
            found.append(json.loads(shown.out))
            assert ("dropped 1 of " in shown.err) == ("long" in line)
        assert found[0] == found[1]


def test_rows_are_written_complete_or_not_at_all(spark, here, noisy_rows, capsys):
    """As folders of files, in which the ids stay as they are written."""
    expected = lwcal.load("ok.json").predict(noisy_rows[0])
    line = f"apply ok.json {here}/rows.csv {ON} --out {here}"
    assert call(f"{line}/new.parquet") == 0
    assert f"wrote {here}/new.parquet: 800 rows" in capsys.readouterr().out
    found = pq.read_table("new.parquet").to_pandas().sort_values("id")
    np.testing.assert_array_equal(found["p_calibrated"], expected)
    assert found["id"].iloc[7] == "00007"
    assert call(f"{line}/new.csv.gz --json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 800
    parts = [pd.read_csv(part, dtype=str) for part in sorted(here.glob("new.csv.gz/*.gz"))]
    found = pd.concat(parts).sort_values("id")
    assert found["id"].iloc[7] == "00007"
    np.testing.assert_array_equal(found["p_calibrated"].astype(float), expected)
    before = files(here)
    assert call(f"{line}/new.parquet") == 2
    assert "pass --force" in capsys.readouterr().err
    Path("bad.csv").write_text("score\n0.5\n0.25\n7\nNA\n")
    bad = line.replace("rows.csv", "bad.csv")
    assert call(f"{bad}/bad.jsonl") == 2
    told = capsys.readouterr().err
    assert "column 'score': 1 of 4 values is missing, such as" in told
    assert "column 'score': 1 is outside [0, 1], such as 7.0 where score=7" in told
    assert files(here) == sorted([*before, "bad.csv"])
    assert call(f"{bad}/new.parquet --force --drop-invalid --json") == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["dropped"] == 2
    assert "dropped 2 of 4 rows" in told.err
    assert pq.read_table("new.parquet").num_rows == 2
    assert not list(here.glob(".*"))
    Path("signed.csv").write_text("score\n50%\n25 %\n")
    for option in ("", "--score-scale percent"):
        signed = line.replace("rows.csv", "signed.csv")
        assert call(f"{signed}/new.parquet --force --json {option}") == 0
        assert json.loads(capsys.readouterr().out)["score_scale"] == (
            "percent" if option else "probability"
        )
        found = sorted(pq.read_table("new.parquet")["p_calibrated"].to_pylist())
        assert found == lwcal.load("ok.json").predict([0.25, 0.5]).tolist()


def test_probabilities_are_not_taken_for_percents(spark, here, noisy_rows, capsys):
    """Nothing is written, unless the scale is named."""
    scores, labels = noisy_rows
    lwcal.save(lwcal.Platt().fit(100.0 * scores, labels, scale="percent"), "percent.json")
    line = f"apply percent.json {here}/rows.parquet {ON} --out {here}/new.parquet"
    assert call(line) == 2
    assert "Are these probabilities?" in capsys.readouterr().err
    assert not Path("new.parquet").exists()
    assert call(f"{line} --score-scale probability") == 0


def test_a_result_is_replaced_only_by_a_whole_one(spark, here, monkeypatch):
    """The old one is put back if the new one cannot be renamed, or if a run was killed between."""
    from lwcal.engines.spark.writing import FORMER, OutputFolder
    from lwcal.files import Format

    rows = spark.range(3)
    out = here / "out.parquet"

    def write(*, keep=True):
        with OutputFolder(spark, str(out), Format("parquet"), overwrite=True) as folder:
            folder.write(rows)
            if keep:
                folder.keep()

    write()
    before = files(out)
    write(keep=False)
    assert files(out) == before
    rename = OutputFolder._rename
    asked = []

    def fail_the_second(self, *paths):
        asked.append(paths)
        return len(asked) != 2 and rename(self, *paths)

    monkeypatch.setattr(OutputFolder, "_rename", fail_the_second)
    with pytest.raises(EngineError, match="could not be renamed"):
        write()
    monkeypatch.undo()
    assert files(out) == before
    assert not list(here.glob(".*"))
    out.rename(here / f".out.parquet-1{FORMER}")
    with OutputFolder(spark, str(out), Format("parquet"), overwrite=True):
        assert files(out) == before
    (here / f".out.parquet-2{FORMER}").mkdir()
    write()
    assert not list(here.glob(".*"))
    assert pq.read_table(out).num_rows == 3


MISTAKES = {
    "standard input": (f"fit - {ON} --out n.json", "Spark cannot read standard input"),
    "engine": ("fit rows.csv --engine dask --out n.json", "--engine to be one of 'duckdb'"),
    "master": ("fit rows.csv --master local --out n.json", "--engine spark with --master"),
    "label weights": (
        f"fit rows.csv {ON} --method lwcal --label-weights a.csv --out n.json",
        "--label-weights needs --engine duckdb",
    ),
    "database": (
        f"fit rows.csv {ON} --table t --out n.json",
        "--table does not work with --engine spark",
    ),
    "print": (f"apply ok.json rows.csv {ON} --out -", "--out - does not work with --engine spark"),
    "arrow out": (
        f"apply ok.json rows.csv {ON} --out n.arrow",
        "csv, parquet or jsonl with --engine spark",
    ),
    "arrow": (f"fit rows.arrow {ON} --out n.json", "csv, parquet or jsonl for Spark, got arrow"),
    "format": (f"fit rows.csv --format xlsx {ON} --out n.json", "--format to be one of 'csv'"),
    "nothing": (
        f"fit none.parquet {ON} --out n.json",
        "none.parquet cannot be read: Path does not",
    ),
    "no table": (f"fit nowhere {ON} --out n.json", "nowhere cannot be read: Path does not exist"),
    "empty": (f"fit empty.csv {ON} --out n.json", "empty.csv cannot be read: Empty CSV file."),
    "no rows": (f"fit header.csv {ON} --out n.json", "header.csv has no rows"),
    "ragged": (f"fit ragged.csv {ON} --out n.json", "ragged.csv cannot be read"),
    "truncated": (f"fit broken.parquet {ON} --out n.json", "broken.parquet cannot be read"),
    "column": (f"fit rows.csv {ON} --score p --out n.json", "a column 'p' in rows.csv"),
    "ids": (
        f"fit twice.csv {ON} --id id --out n.json",
        "repeated in 1 of 3 rows of column 'id'",
    ),
    "no id": (
        f"fit twice.csv {ON} --id gap --out n.json",
        "missing in 1 of 3 rows of column 'gap'",
    ),
    "bad rows": (
        f"fit twice.csv {ON} --score q --out n.json",
        "1 of 3 values is outside [0, 1], such as 7.0",
    ),
    "new column": (
        f"apply ok.json rows.csv {ON} --column id --out n.csv",
        "already has a column 'id'",
    ),
    "none valid": (
        f"apply ok.json seven.csv {ON} --drop-invalid --allow-drop-share 1 --out n.csv",
        "has no row with a valid score",
    ),
    "most invalid": (
        f"apply ok.json percents.csv {ON} --drop-invalid --out n.csv",
        "--score-scale percent",
    ),
    "a mixture": (f"apply ok.json mixed.csv {ON} --out n.csv", "mixes texts with a percent sign"),
    "an unclear scale": (
        f"fit twice.csv {ON} --score q --score-scale auto --out n.json",
        "the scale is not clear",
    ),
}


def test_mistakes_are_one_line(spark, here, capsys):
    """Whoever finds them; nothing is left behind, and the next call works."""
    Path("empty.csv").touch()
    Path("header.csv").write_text("score,label\n")
    Path("ragged.csv").write_text("score,label\n0.5,1\n0.25\n0.75,0,1\n")
    Path("twice.csv").write_text("id,gap,score,q,label\n1,,0.5,7,1\n1,a,0.25,0.5,0\n2,b,0.75,1,1\n")
    Path("seven.csv").write_text("score\n7\n")
    Path("percents.csv").write_text("score\n7\n70\n")
    Path("mixed.csv").write_text("score\n7%\n0.5\n")
    Path("broken.parquet").write_bytes(Path("rows.parquet").read_bytes()[:-100])
    spark.conf.set("spark.sql.files.ignoreCorruptFiles", "false")
    before = files(here)
    for line, said in MISTAKES.values():
        absolute = " ".join(
            str(here / word) if word in before or word.startswith("n.") else word
            for word in line.split()
        )
        assert call(absolute) == 2, line
        told = capsys.readouterr().err.strip().splitlines()
        own = [text for text in told if not text.startswith("{")]  # Spark's own log
        assert len(own) == 1, own
        assert said in own[0].replace(f"{here}/", ""), line
        assert files(here) == before, line


def test_spark_submit_runs_the_commands_on_the_cluster(spark_cluster, here, noisy_rows):
    """As the page on large data says, with the script that is installed beside the command."""
    import pyspark

    page = (Path(__file__).parents[2] / "docs" / "guide" / "large-data.md").read_text(
        encoding="utf-8"
    )
    (fit, *_) = re.findall(r"^spark-submit .+$", page, flags=re.MULTILINE)
    assert '"$(which lwcal-spark.py)" fit hdfs:///scores/2026 ' in fit
    for written, meant in (
        ("spark://head:7077", spark_cluster.url),
        ("hdfs:///scores/2026", f"{here}/folder"),
        ("spark-submit", f"spark-submit {' '.join(f'--conf {option}' for option in SUBMITTED)}"),
    ):
        fit = fit.replace(written, meant)
    places = (Path(pyspark.__file__).parent / "bin", Path(sys.executable).parent)
    path = ":".join([*map(str, places), os.environ["PATH"]])
    finished = subprocess.run(
        ["bash", "-c", fit],
        env={**spark_cluster.environment, "PATH": path},
        cwd=here,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stderr
    assert "wrote calibrator.json" in finished.stdout
    grid = np.linspace(0, 1, 101)
    expected = lwcal.Auto().fit(*noisy_rows).predict(grid)
    np.testing.assert_array_equal(lwcal.load("calibrator.json").predict(grid), expected)


SUBMITTED = (
    "spark.cores.max=1",
    "spark.ui.enabled=false",
    "spark.executor.memory=470m",  # fits beside the executor of the tests' session
    "spark.sql.shuffle.partitions=2",
    f"'spark.driver.extraJavaOptions={QUICK}'",
    f"'spark.executor.extraJavaOptions={QUICK}'",
)


class Builder:
    """Stands where sessions are made, and notes what it is asked for."""

    def __init__(self):
        self.asked = []
        self.stopped = 0

    def __getattr__(self, name):
        return lambda *given: self.asked.append((name, *given)) or self

    def getOrCreate(self):  # noqa: N802
        """Give what passes for a session."""
        return self

    def stop(self):
        """End the session."""
        self.stopped += 1


def test_sessions_are_started_as_they_are_asked_for(monkeypatch):
    """Of a master, of Spark Connect, or as Spark is set up; they end with the command."""
    monkeypatch.setattr(session.SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(session, "check_java", lambda: None)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    for given, variable, expected in (
        ("local[2]", "", ("master", "local[2]")),
        ("sc://here", "", ("remote", "sc://here")),
        (None, "", ("config", "spark.ui.showConsoleProgress", "false")),
        (None, "sc://there", ("appName", "lwcal")),
    ):
        builder = Builder()
        monkeypatch.setattr(session.SparkSession, "builder", builder)
        monkeypatch.setenv("SPARK_REMOTE", variable)
        with pytest.raises(InputError), session.started(given):
            raise InputError("in the block")
        assert builder.asked[0] == expected
        assert builder.stopped == 1


def test_what_spark_cannot_do_is_told(monkeypatch, capsys, here):
    """A failure of the engine has an exit code of its own; Connect cannot rename files."""
    from lwcal.engines.spark.writing import OutputFolder
    from lwcal.files import Format

    def fail(master):
        raise EngineError("Spark failed: lost; run it again.")

    monkeypatch.setattr(session, "started", fail)
    assert call(f"fit rows.csv {ON} --out n.json") == 3
    assert capsys.readouterr().err == "Error: Spark failed: lost; run it again.\n"
    with pytest.raises(lwcal.errors.ParameterError, match="Spark Connect cannot rename files"):
        OutputFolder(object(), "out.csv", Format("csv"), overwrite=False)


def test_the_script_chooses_spark(monkeypatch, capsys):
    """Unless the environment says otherwise."""
    monkeypatch.setenv("LWCAL_ENGINE", "")  # noted, so that it is put back
    monkeypatch.delenv("LWCAL_ENGINE")
    monkeypatch.setattr(sys, "argv", ["lwcal-spark.py", "fit", "-", "--out", "n.json"])
    with pytest.raises(SystemExit, match="2"):
        main_on_spark()
    assert "Spark cannot read standard input" in capsys.readouterr().err


def test_several_classes_are_those_of_the_other_engine(spark, tmp_path, monkeypatch, capsys):
    """The same files, but for the order of rows; bad rows are refused before any is written."""
    monkeypatch.chdir(tmp_path)
    rows = class_frame(300)
    rows.to_csv("rows.csv", index=False)
    source = tmp_path / "rows.csv"
    fit = "--score p_* --label label --method matrix-scaling"
    for engine in ("duckdb", "spark"):
        assert call(f"fit {source} {fit} --engine {engine} --out {engine}.json") == 0
    assert Path("spark.json").read_text() == Path("duckdb.json").read_text()
    for engine in ("duckdb", "spark"):
        line = f"apply spark.json {source} --score p_* --engine {engine} --out {engine}.parquet"
        assert call(line.replace("--out ", f"--out {tmp_path}/")) == 0
    found, expected = (
        pq.read_table(f"{name}.parquet").sort_by("id") for name in ("spark", "duckdb")
    )
    assert found.to_pydict() == expected.to_pydict()
    capsys.readouterr()
    with source.open("a") as file:
        file.write("x,0.9,0.9,0.9,cat,1\n")
    before = files(".")
    line = f"apply spark.json {source} --score p_* {ON} --out {tmp_path}/bad.parquet"
    assert call(line) == 2
    assert "1 of 301 values is not near 1" in capsys.readouterr().err
    assert files(".") == before
    assert call(f"{line} --drop-invalid") == 0
    assert "dropped 1 of 301 rows" in capsys.readouterr().err
