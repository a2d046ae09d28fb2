"""What the tests share with the examples in docstrings: a cluster of Spark."""

import sys
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

sys.path.insert(0, str(Path(__file__).parent))  # however pytest was started, there are tests


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers():
    """One process more than cores for ``-n auto``.

    With one for each core, a sixth of their time was idle: tests wait for Spark, for the browser
    and for other processes that they start.
    """
    return 1 + (yield)


def pytest_collection_modifyitems(items):
    """Put the tests of Spark first, then those of the site: one process runs all of a kind.

    With ``--dist worksteal`` a process starts at the front of its items, and others take from the
    end. So there is one cluster and one site for a run, and its largest parts start first.
    """
    items.sort(key=lambda item: 0 if on_spark(item) else 1 if "site" in item.fixturenames else 2)


def on_spark(item):
    """Whether a test uses the cluster."""
    return "spark_cluster" in item.fixturenames or finds_a_session(item)


def finds_a_session(item):
    """Whether a test runs code for readers that calls ``SparkSession.builder.getOrCreate()``."""
    is_docstring = isinstance(item, DoctestItem) and "engines/spark/" in item.path.as_posix()
    return is_docstring or item.get_closest_marker("spark") is not None


@pytest.fixture(scope="session")
def spark_cluster():
    """A real one, for all tests of a process: a master and a worker; some tests add a second.

    A worker has room for one executor of the session and for one of a second application.
    """
    from benchmarks import spark_cluster

    if spark_cluster.java() is None:
        pytest.skip(f"no Java: install {spark_cluster.PACKAGE} (make system)")
    with spark_cluster.cluster(workers=1, memory="1000m") as running:
        yield running


@pytest.fixture(scope="session")
def spark(spark_cluster):
    """A session on the cluster, which ``SparkSession.builder.getOrCreate()`` finds too.

    Few rows of a test are divided among tasks as many are. By default, the driver would keep them,
    and evaluate much of a plan itself while it makes the plan.
    """
    from benchmarks.spark_cluster import session

    settings = {
        "spark.executor.memory": "520m",
        "spark.default.parallelism": "3",
        "spark.sql.execution.arrow.localRelationThreshold": "0",
    }
    with session(spark_cluster, **settings) as started:
        yield started


@pytest.fixture(autouse=True)
def session_of_examples(request):
    """Let code for readers find the session of the tests."""
    if finds_a_session(request.node):
        request.getfixturevalue("spark")
