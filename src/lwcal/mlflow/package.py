"""MLflow itself, which is an extra."""

from __future__ import annotations

import warnings
from types import ModuleType

from lwcal.errors import missing_extra


def imported(purpose: str) -> ModuleType:
    """Import MLflow with its models, or say how to install it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of MLflow about its own type hints
            import mlflow.pyfunc  # needs pandas
    except ImportError as error:
        package = (error.name or "mlflow").partition(".")[0]
        raise missing_extra(package, "mlflow", purpose) from error
    return mlflow
