"""A real tracking server of MLflow on the loopback device, with a database of its own."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

SERVE = (
    "import sys; from werkzeug.serving import run_simple; from mlflow.server import app; "
    "run_simple('127.0.0.1', int(sys.argv[1]), app, threaded=True)"
)
"""What ``mlflow server`` starts, without its workers and its page, which mlflow-skinny lacks."""
PATIENCE = 120.0


def free_port():
    """A port that nobody uses."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


@contextmanager
def tracking_server(folder):
    """Start a server that keeps runs in sqlite and files in a folder; yield its address."""
    port = free_port()
    environment = {
        **os.environ,
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
        "_MLFLOW_SERVER_FILE_STORE": f"sqlite:///{folder}/runs.db",
        "_MLFLOW_SERVER_ARTIFACT_ROOT": "mlflow-artifacts:/",
        "_MLFLOW_SERVER_ARTIFACT_DESTINATION": str(folder / "files"),
        "_MLFLOW_SERVER_SERVE_ARTIFACTS": "true",
    }
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", SERVE, str(port)], env=environment, stdout=log, stderr=log
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server, folder / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def wait_for(address, server, log):
    """Wait until the server answers, or show its log."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the tracking server does not answer:\n{log.read_text()}")
