"""Log a calibrator to MLflow: its file, what it takes and returns, its metrics and its report."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np

from lwcal._version import __version__
from lwcal.artifact import save
from lwcal.calibrators import Calibrator
from lwcal.calibrators.passed import not_a_calibrator
from lwcal.errors import ParameterError, message
from lwcal.metrics import class_evaluate, evaluate
from lwcal.mlflow.package import imported
from lwcal.mlflow.pyfunc import FILE, names_of
from lwcal.report import write_report
from lwcal.rows import ArrayLike
from lwcal.rows.scales import LOGIT, PERCENT
from lwcal.table import as_table

REPORT = "report.html"
BEFORE, AFTER = "before", "after"
EXAMPLES = {LOGIT: (-2.0, 0.0, 2.0), PERCENT: (10.0, 50.0, 90.0)}
"""Scores on scales other than that of probabilities."""


def log_calibrator(
    calibrator: Calibrator,
    scores: ArrayLike | None = None,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    name: str = "calibrator",
    registered_model_name: str | None = None,
    report: bool = True,
) -> Any:
    """Log a fitted calibrator to the active run of MLflow, or to a new one.

    The run gets a model of MLflow, with the JSON file of :func:`lwcal.save`, a signature and an
    input example. There is no pickle in it. ``mlflow.pyfunc.load_model`` loads it, and its
    ``predict`` returns probabilities. Parameters of the calibrator become parameters of the run.

    With rows, the run also gets their metrics, as labelled, before and after calibration
    (``before/nll``, ``after/nll`` and so on), and the report. Everything is computed first, so a
    run gets all of it or nothing.

    Parameters
    ----------
    calibrator : fitted calibrator
    scores, y : optional
        Rows to judge it by, best those that it was not fitted to: scores on the scale of the fit,
        and labels.
    sample_weight : one-dimensional, optional
        Frequencies of these rows.
    name : str, default "calibrator"
        Name of the model in the run.
    registered_model_name : str, optional
        Also register it under this name, as a new version.
    report : bool, default True
        Whether to log ``report.html``, if there are rows. Needs ``pip install "lwcal[report]"``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        With ``model_uri``, which :func:`load_calibrator` takes.

    Examples
    --------
    >>> import lwcal.mlflow
    >>> lwcal.mlflow.log_calibrator(lwcal.Platt())
    Traceback (most recent call last):
    sklearn.exceptions.NotFittedError: This Platt is not fitted yet; call fit first.
    """
    mlflow = imported("lwcal.mlflow.log_calibrator")
    _check_call(calibrator, scores, y, sample_weight)
    with TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        save(calibrator, file)
        metrics = {} if y is None else _metrics(calibrator, scores, y, sample_weight)
        page = None if y is None or not report else Path(folder) / REPORT
        if page is not None:
            write_report(calibrator, scores, y, path=page, sample_weight=sample_weight)
        with nullcontext() if mlflow.active_run() else mlflow.start_run():
            info = _log_model(mlflow, calibrator, file, name, registered_model_name)
            mlflow.log_params(_parameters(calibrator))
            mlflow.log_metrics(metrics)
            if page is not None:
                mlflow.log_artifact(str(page))
    return info


def _log_model(
    mlflow: ModuleType, calibrator: Calibrator, file: Path, name: str, registered: str | None
) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pandas, about MLflow's own code
        return mlflow.pyfunc.log_model(
            name=name,
            loader_module="lwcal.mlflow",
            data_path=str(file),
            signature=_signature(calibrator),
            input_example=_example(calibrator),
            pip_requirements=[f"lwcal[mlflow]=={__version__}"],
            registered_model_name=registered,
        )


def _check_call(calibrator: Any, scores: Any, y: Any, sample_weight: Any) -> None:
    if not isinstance(calibrator, Calibrator):
        raise ParameterError(not_a_calibrator(calibrator))
    calibrator.check_is_fitted()
    if (scores is None) != (y is None):
        missing = "y" if y is None else "scores"
        hint = "pass both to log metrics and the report, or none of them"
        raise ParameterError(message("scores and y", f"no {missing}", hint))
    if sample_weight is not None and y is None:
        got, hint = "sample_weight alone", "pass the rows that it belongs to"
        raise ParameterError(message("scores and y", got, hint))


def _metrics(calibrator: Calibrator, scores: Any, y: Any, weights: Any) -> dict[str, float]:
    """Metrics of the same rows before and after, under names that MLflow groups."""
    calibrated = calibrator.predict(scores)
    if calibrated.ndim == 2:
        classes = calibrator.classes_.tolist()
        found = {
            when: class_evaluate(y, values, sample_weight=weights, classes=classes)
            for when, values in ((BEFORE, scores), (AFTER, calibrated))
        }
    else:
        table = as_table(
            scores, y, weights, pos_label=calibrator.pos_label, scale=calibrator.scale_of()
        )
        after = evaluate(y, calibrated, sample_weight=weights, pos_label=calibrator.pos_label)
        found = {BEFORE: evaluate(table), AFTER: after}
    return {
        f"{when}/{name}": float(value)
        for when, values in found.items()
        for name, value in values.items()
        if np.isfinite(value)
    }


def _parameters(calibrator: Calibrator) -> dict[str, str]:
    """What the calibrator is, as MLflow shows parameters."""
    about = {
        "calibrator": type(calibrator).__name__,
        "rows_of_the_fit": calibrator.n_,
        "score_scale": calibrator.scale_of(),
        "lwcal_version": __version__,
    }
    given = {f"calibrator.{name}": value for name, value in calibrator.get_params().items()}
    return {key: str(value) for key, value in {**about, **given}.items()}


def _signature(calibrator: Calibrator) -> Any:
    from mlflow.models import ModelSignature
    from mlflow.types import ColSpec, DataType, Schema

    names = names_of(calibrator)
    inputs, outputs = (Schema([ColSpec(DataType.double, name) for name in side]) for side in names)
    return ModelSignature(inputs=inputs, outputs=outputs)


def _example(calibrator: Calibrator) -> Any:
    import pandas as pd

    inputs = names_of(calibrator).inputs
    if len(inputs) > 1:
        return pd.DataFrame(np.full((1, len(inputs)), 1.0 / len(inputs)), columns=inputs)
    return pd.DataFrame({inputs[0]: EXAMPLES.get(calibrator.scale_of(), (0.1, 0.5, 0.9))})
