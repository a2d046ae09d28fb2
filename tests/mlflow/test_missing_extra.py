"""Without MLflow, one line says how to install it."""

import sys

import pytest

import lwcal
import lwcal.mlflow
from lwcal.errors import MissingExtraError


def test_the_message_names_the_command(monkeypatch):
    """The import of lwcal.mlflow works; a call says what is missing."""
    monkeypatch.setitem(sys.modules, "mlflow", None)
    fitted = lwcal.Platt().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    expected = r'needs mlflow, which is not installed: pip install "lwcal\[mlflow\]"$'
    with pytest.raises(MissingExtraError, match=f"log_calibrator {expected}"):
        lwcal.mlflow.log_calibrator(fitted)
    with pytest.raises(MissingExtraError, match=f"load_calibrator {expected}"):
        lwcal.mlflow.load_calibrator("models:/disputes/1")
