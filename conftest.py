"""What the tests share with the examples in docstrings: a cluster of Spark."""

import sys
from pathlib import Path

import pytest
from _pytest.doctest import DoctestItem

sys.path.insert(0, str(Path(__file__).parent))  # however pytest was started, there are tests


@pytest.fixture(scope="session")
def spark_cluster():
    """A real one: a master and two workers, for all tests of a process."""
    from benchmarks import spark_cluster

    if spark_cluster.java() is None:
        pytest.skip(f"no Java: install {spark_cluster.PACKAGE} (make system)")
    with spark_cluster.cluster() as running:
        yield running


@pytest.fixture(scope="session")
def spark(spark_cluster):
    """A session on the cluster, which ``SparkSession.builder.getOrCreate()`` finds too."""
    from benchmarks.spark_cluster import session

    with session(spark_cluster) as started:
        yield started


@pytest.fixture(autouse=True)
def session_of_examples(request):
    """Let ``SparkSession.builder.getOrCreate()`` in an example find the session of the tests."""
    if isinstance(request.node, DoctestItem) and "engines/spark/" in request.path.as_posix():
        request.getfixturevalue("spark")
