"""Calibrators in MLflow: log one to a run, and load it. Needs ``pip install "lwcal[mlflow]"``."""

from lwcal.mlflow.loading import load_calibrator
from lwcal.mlflow.logging import log_calibrator
from lwcal.mlflow.pyfunc import _load_pyfunc

__all__ = ["_load_pyfunc", "load_calibrator", "log_calibrator"]
