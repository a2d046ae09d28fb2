"""Load a calibrator that was logged to MLflow."""

from __future__ import annotations

from pathlib import Path

from lwcal.artifact import load
from lwcal.calibrators import Calibrator
from lwcal.errors import ArtifactError, message
from lwcal.mlflow.package import imported
from lwcal.mlflow.pyfunc import FILE


def load_calibrator(model_uri: str) -> Calibrator:
    """Load a logged calibrator itself, with its estimate of the noise and its diagnostics.

    Parameters
    ----------
    model_uri : str
        As MLflow writes it: ``models:/disputes/3``, ``models:/disputes@champion``,
        ``runs:/<run>/calibrator``, or the ``model_uri`` that :func:`log_calibrator` returned.

    Returns
    -------
    Calibrator
        It predicts the same bits as the one that was logged.

    Examples
    --------
    >>> import lwcal.mlflow
    >>> lwcal.mlflow.load_calibrator("no such model")
    Traceback (most recent call last):
    lwcal.errors.ArtifactError: expected a calibrator at 'no such model', got ...
    """
    mlflow = imported("lwcal.mlflow.load_calibrator")
    try:
        folder = Path(mlflow.artifacts.download_artifacts(model_uri))
    except (mlflow.MlflowException, OSError) as error:
        raise ArtifactError(message(f"a calibrator at {model_uri!r}", str(error))) from error
    found = sorted(folder.rglob(FILE)) if folder.is_dir() else [folder]
    if not found:
        got = f"no file {FILE} in it"
        hint = "log it with lwcal.mlflow.log_calibrator"
        raise ArtifactError(message(f"a calibrator at {model_uri!r}", got, hint))
    return load(found[0])
