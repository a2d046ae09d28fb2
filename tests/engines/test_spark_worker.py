"""What of the Spark engine needs no Spark: the maps as workers have them, and words for faults."""

import os
import pickle
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PySparkRuntimeError

from lwcal.class_maps import ClassIdentityMap, ScalingMap
from lwcal.engines.spark import session, worker
from lwcal.engines.spark.applying import portable, portable_classes
from lwcal.engines.spark.session import check_version, explained
from lwcal.errors import EngineError, InputError
from lwcal.maps import (
    BetaMap,
    BlendMap,
    IdentityMap,
    OddsMap,
    PiecewiseLinearMap,
    SigmoidMap,
)
from lwcal.numerics.row_keys import sample_keys
from lwcal.reviews.name_keys import reviewer_keys
from lwcal.reviews.opinion_counts import OpinionCounter
from lwcal.rows.probabilities import most_off_by, summing_to_one
from lwcal.score_map import ClassScoreMap
from tests.reviews.simulated import simulated_rows

KNOTS = np.array([0.1, 0.25, np.nextafter(0.25, 1), 0.6, 0.9])
MAPS = {
    "identity": IdentityMap(),
    "steps": PiecewiseLinearMap(KNOTS, np.array([0.0, 0.1, 0.3, 0.3, 1.0])),
    "denormal": PiecewiseLinearMap(np.array([0.0, 5e-324]), np.array([0.25, 0.75])),
    "one knot": PiecewiseLinearMap(np.array([0.5]), np.array([0.2])),
    "beta": BetaMap(0.7, 1.9, -0.3),
    "steep": BetaMap(40.0, 0.0, -2.0),
    "sigmoid": SigmoidMap(7.3, -2.1),
    "overflow": SigmoidMap(5000.0, -2500.0),
    "blend": BlendMap(0.3, PiecewiseLinearMap(KNOTS, np.linspace(0, 1, 5))),
    "blend of curves": BlendMap(0.125, BetaMap(1.5, 0.5, 0.25)),
    "odds": OddsMap(0.03, PiecewiseLinearMap(KNOTS, np.array([0.0, 0.1, 0.3, 0.3, 1.0]))),
    "odds of a blend": OddsMap(70.0, BlendMap(0.5, BetaMap(1.5, 0.5, 0.25))),
}


@pytest.fixture
def scores():
    """All of [0, 1], with its ends, denormals and the knots."""
    rng = np.random.default_rng(3)
    drawn = (rng.random(20_000), rng.beta(0.1, 0.1, 20_000), KNOTS, np.nextafter(KNOTS, 1))
    return np.concatenate(([0.0, 5e-324, 1e-300, 0.5, 1.0 - 2**-53, 1.0], *drawn))


@pytest.mark.parametrize("fitted", MAPS.values(), ids=MAPS)
def test_a_worker_maps_to_the_same_bits(fitted, scores, backend):
    """Without scipy and without our kernels."""
    calibrate = worker.mapper(portable(fitted))
    mapped = calibrate(pa.array(scores))
    assert mapped.type == pa.float64()
    np.testing.assert_array_equal(mapped.to_numpy(), fitted(scores))
    assert len(calibrate(pa.array([], pa.float64()))) == 0


SENT = {
    "mapper": ("worker.mapper({'kind': 'beta', 'a': 0.0, 'b': 0.0, 'c': 0.0})", "[0.25]", "0.5"),
    "class_mapper": (
        "worker.class_mapper({'kind': 'class_scaling', 'matrix': np.zeros((2, 2)),"
        " 'intercepts': np.zeros(2), 'softness': 1.0}, 2)",
        "[[0.25, 0.75]]",
        "[0.5, 0.5]",
    ),
    "coder": ("worker.coder({'ann': 0, 'bob': 1})", "['bob']", "1"),
    "row_summer": ("worker.row_summer(2)", "[[0.25, 0.5]]", "0.75"),
}


@pytest.fixture(scope="module")
def pickled():
    """What a driver sends of each kind, made in a process of its own.

    That process has not imported what the tests have. It has no calibrator, so it needs no
    scikit-learn either.
    """
    made = ", ".join(f"{name!r}: {making}" for name, (making, _, _) in SENT.items())
    code = (
        "import sys, pickle; from pyspark import cloudpickle as cp;"
        "from lwcal.engines.spark import worker;"
        "import lwcal.engines.spark.applying; import numpy as np;"
        f"sent = {{name: cp.dumps(made) for name, made in {{{made}}}.items()}};"
        "assert 'sklearn' not in sys.modules;"
        "sys.stdout.buffer.write(pickle.dumps(sent))"
    )
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    return pickle.loads(sent)


@pytest.mark.parametrize("name", SENT)
def test_a_worker_imports_nothing_that_it_may_lack(pickled, name):
    """What is sent by value may use numpy, pyarrow and Python's own library."""
    _, given, expected = SENT[name]
    receive = (
        "import sys, pickle; sys.modules.update(lwcal=None, scipy=None);"
        "import pyspark.cloudpickle; f = pickle.loads(sys.stdin.buffer.read());"
        f"import pyarrow as pa; print(f(pa.array({given})).to_pylist())"
    )
    command = [sys.executable, "-c", receive]
    received = subprocess.run(command, input=pickled[name], capture_output=True, check=True)
    assert received.stdout.decode().strip() == f"[{expected}]"


SCALINGS = {
    "identity": ClassScoreMap(ClassIdentityMap(3), ("a", "b", "c")),
    "temperature": ClassScoreMap(ScalingMap(1.7 * np.eye(3), np.zeros(3), 1e-6), ("a", "b", "c")),
    "matrix": ClassScoreMap(
        ScalingMap(np.eye(3) + np.arange(9).reshape(3, 3) / 50, np.array([0.1, -0.3, 0]), 1e-9),
        ("a", "b", "c"),
    ),
    "two classes": ClassScoreMap(BetaMap(0.7, 1.9, -0.3), ("a", "b")),
}


@pytest.mark.parametrize("fitted", SCALINGS.values(), ids=SCALINGS)
def test_a_worker_maps_classes_to_the_same_bits(fitted):
    """Also batches without rows, which Spark may send."""
    k = len(fitted.classes)
    rows = np.random.default_rng(0).dirichlet(np.full(k, 0.1), 5000).round(4)
    rows = rows[np.abs(rows.sum(axis=1) - 1.0) <= most_off_by(k)]
    calibrate = worker.class_mapper(portable_classes(fitted), k)
    found = calibrate(pa.array(rows.tolist(), pa.list_(pa.float64())))
    expected = fitted.apply_unchecked(summing_to_one(rows.copy()))
    np.testing.assert_array_equal(np.array(found.to_pylist()), expected)
    assert len(calibrate(pa.array([], pa.list_(pa.float64())))) == 0


def test_a_worker_samples_the_same_rows():
    """Spark has no integers without a sign: the order of the keys is what counts."""
    rng = np.random.default_rng(0)
    scores, labels = rng.random((1000, 4)), rng.integers(0, 4, 1000)
    found = worker.row_sampler(4)(pa.array(scores.tolist()), pa.array(labels)).to_numpy()
    np.testing.assert_array_equal(np.argsort(found), np.argsort(sample_keys(scores, labels)))


def test_a_worker_samples_the_same_opinions():
    """Those that the driver, or another engine, would keep."""
    rows = simulated_rows(1000, 3, 4, seed=0, checked=0.2)
    who, said = (
        pa.array([column[rows.rows == row].tolist() for row in range(1000)], pa.list_(pa.int32()))
        for column in (rows.reviewers, rows.labels)
    )
    keys = worker.opinion_sampler(3, reviewer_keys(rows.names))(
        pa.array(rows.scores.tolist()), who, said, pa.array(rows.truths)
    )
    counter = OpinionCounter(100)
    counter.add(rows, reviewer_keys(rows.names))
    kept = counter.found(rows.classes, rows.names).rows
    for kind in (True, False):
        of_kind = np.flatnonzero(rows.tells == kind)
        lowest = of_kind[np.argsort(keys.to_numpy()[of_kind])][:100]
        np.testing.assert_array_equal(kept.scores[kept.tells == kind], rows.scores[lowest])


@pytest.mark.parametrize("version", ["3.5.9", "4.0.1", "5.0.0", "5.1.0.dev1"])
def test_versions_that_nobody_tried_are_refused(version):
    """In one line, with what to install."""
    with pytest.raises(EngineError, match=r"pyspark 4\.1 or newer, below 5, got .*lwcal\[spark\]"):
        check_version(version)


def test_a_missing_extra_is_one_line_with_the_command():
    """In a fresh interpreter that has no Spark."""
    code = "import sys; sys.modules['pyspark'] = None; import lwcal; lwcal.engines.spark"
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.stderr.strip().endswith(
        'lwcal.engines.spark needs pyspark, which is not installed: pip install "lwcal[spark]"'
    )


class Py4JJavaError(Exception):
    """As Py4J raises it: everything in its text."""

    __module__ = "py4j.protocol"


JAVA = """An error occurred while calling o42.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: ExecutorLostFailure.
\tat org.apache.spark.scheduler.DAGScheduler.failJobAndIndependentStages(DAGScheduler.scala)"""
ERRORS = {
    "a lost worker": (
        Py4JJavaError(JAVA),
        EngineError,
        "Spark failed: Job aborted due to stage failure: ExecutorLostFailure; run it again; "
        "if it fails again, look into the logs of Spark.",
    ),
    "a driver that has gone": (
        ConnectionRefusedError("[Errno 111] Connection refused"),
        EngineError,
        "Spark failed: [Errno 111] Connection refused; run it again",
    ),
    "no words": (Py4JJavaError(""), EngineError, "Spark failed: no message; run it again"),
    "a path": (
        AnalysisException("[PATH_NOT_FOUND] Path does not exist: a.csv. SQLSTATE: 42K03"),
        InputError,
        "rows cannot be read: Path does not exist: a.csv.",
    ),
    "a file": (
        Py4JJavaError(JAVA.replace("Job", "[FAILED_READ_FILE.NO_HINT] Job")),
        InputError,
        "rows cannot be read: Job aborted due to stage failure: ExecutorLostFailure.",
    ),
    "a row": (
        PySparkRuntimeError("[USER_RAISED_EXCEPTION] lwcal: expected p, got 7. SQLSTATE: P0001"),
        InputError,
        "expected p, got 7.",
    ),
}


@pytest.mark.parametrize(("error", "kind", "said"), ERRORS.values(), ids=ERRORS)
def test_errors_of_spark_are_one_line(error, kind, said):
    """About the input, or about the cluster."""
    with pytest.raises(kind) as raised, explained("rows"):
        raise error
    assert str(raised.value).startswith(said)
    assert "\n" not in str(raised.value)


def test_other_errors_are_left_alone():
    """Whoever made them explains them."""
    with pytest.raises(KeyError), explained("rows"):
        raise KeyError("x")


@pytest.fixture
def fake_java(tmp_path, monkeypatch):
    """Put a program in the place of Java."""

    def put(script):
        (tmp_path / "bin").mkdir(exist_ok=True)
        program = tmp_path / "bin" / "java"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return put


def test_java_is_looked_at_before_spark_is_started(fake_java, monkeypatch, tmp_path):
    """None, one that does not run, one that is too old, and two that will do."""
    with pytest.raises(
        EngineError, match=r"there is none in JAVA_HOME=.*; install Java 17 or newer \(apt"
    ):
        session.check_java()
    fake_java("exit 1")
    with pytest.raises(EngineError, match="bin/java does not run"):
        session.check_java()
    for version, shown in (("1.8.0_402", "8"), ("11.0.2", "11")):
        fake_java(f"echo 'openjdk version \"{version}\"' >&2")
        with pytest.raises(EngineError, match=f"expected Java 17 or newer, got Java {shown};"):
            session.check_java()
    for version in ("17.0.15", "21"):
        fake_java(f"echo 'openjdk version \"{version}\" 2025' >&2")
        session.check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="there is none on the path"):
        session.check_java()


def test_a_master_that_does_not_answer_is_one_line():
    """At once, where Spark would ask for a minute; other masters are Spark's to find."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = f"127.0.0.1:{server.getsockname()[1]}"
        session.check_master(f"spark://{here}")
        session.check_master(f"spark://127.0.0.1:1,{here}")  # the first is down, its standby is up
    with pytest.raises(EngineError, match=f"spark://{here}: Connection ref"):
        session.check_master(f"spark://{here}")
    with pytest.raises(EngineError, match=r"127\.0\.0\.1:99999: "):
        session.check_master("spark://127.0.0.1:99999")
    session.check_master("local[2]")


def test_the_command_says_what_is_missing(tmp_path):
    """Exit code 3 and one line: no Java; the same with one that is too old."""
    (tmp_path / "s.csv").write_text("score,label\n0.5,1\n0.25,0\n")
    command = [Path(sys.executable).parent / "lwcal", "fit", "s.csv", "--out", "c.json"]
    environment = {**os.environ, "JAVA_HOME": str(tmp_path / "nowhere")}
    finished = subprocess.run(
        [*command, "--engine", "spark"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 3
    assert finished.stderr.startswith("Error: Spark needs Java, and there is none in JAVA_HOME=")
    assert finished.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["s.csv"]
