"""The engines that run exports."""

import psycopg
import pytest

from tests.artifact.export import postgres, targets


@pytest.fixture(scope="session")
def postgres_connection():
    """Connect to a server that runs during the tests."""
    if postgres.programs() is None:
        pytest.skip(f"no PostgreSQL server here: install the system package {postgres.PACKAGE}")
    with (
        postgres.server() as folder,
        psycopg.connect(
            host=str(folder), user="lwcal", dbname="postgres", autocommit=True
        ) as connection,
    ):
        yield connection


@pytest.fixture(scope="session", params=["duckdb", "sqlite", "postgres", "onnx", "python"])
def run(request):
    """For every target, return a function that runs an export on rows of scores."""
    if request.param == "postgres":
        return targets.in_postgres(request.getfixturevalue("postgres_connection"))
    return getattr(targets, f"in_{request.param}")
