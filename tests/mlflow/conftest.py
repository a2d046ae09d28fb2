"""One tracking server for all tests of a process."""

import pytest

from tests.mlflow.tracking_server import tracking_server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of a tracking server."""
    with tracking_server(tmp_path_factory.mktemp("mlflow")) as address:
        yield address


@pytest.fixture
def mlflow(server, monkeypatch):
    """MLflow, told to use the server."""
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR", "false")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
    # the variable, because an address that was set by the function stays set for other tests
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    import mlflow

    return mlflow
