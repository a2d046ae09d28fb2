"""A model in the ONNX format, run by onnxruntime."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message, missing_extra
from lwcal.models.onnx_inputs import NAME_CLASSES, feed, one_row
from lwcal.models.open_model import OpenModel, is_from
from lwcal.rows.scales import PROBABILITY

MAPS = "seq(map("
"""What a ZipMap returns: one dictionary for each row, from class to probability."""
NUMBERS = {"tensor(float)", "tensor(double)"}


def fits(model: Any) -> bool:
    """Tell whether it is a path, the bytes of a file, a model or a session."""
    if isinstance(model, (str, os.PathLike, bytes)):
        return True
    return is_from(model, "onnx") or is_from(model, "onnxruntime")


def opened(model: Any, output: str | None, scale: str, n_classes: int | None) -> OpenModel:
    """Start a session, and find the output that has a score for each class.

    Parameters
    ----------
    model : path, bytes, onnx.ModelProto or onnxruntime.InferenceSession
    output : str, optional
        Name of the output of scores, if there are several.
    scale : {"probability", "logit"}
    n_classes : int, optional
        Number of classes, if it is known; else the model scores one row to find out.
    """
    session = _session(model)
    chosen = _chosen_output(session.get_outputs(), output)
    inputs = session.get_inputs()

    def values(fed: dict[str, Any]) -> Any:
        return session.run([chosen.name], fed)[0]

    classes = None
    if n_classes is None:
        n_columns = _fixed_columns(chosen)
        if n_columns is None:
            first = _tried(values, inputs)
            classes = list(first[0]) if chosen.type.startswith(MAPS) else None
            n_columns = len(classes) if classes else np.size(first)
        n_classes = max(2, n_columns)
        _require_known_names(session, classes)
    both = n_classes == 2

    def scores(X: Any) -> FloatArray:
        found = values(feed(inputs, X))
        if chosen.type.startswith(MAPS):
            found = [list(row.values()) for row in found]
        numbers = np.asarray(found, dtype=np.float64)
        return _of_second(numbers, scale) if both else numbers

    return OpenModel(scores, n_classes, classes, scale)


def _fixed_columns(chosen: Any) -> int | None:
    """Return the number of columns of an output, if the model states it."""
    if chosen.type in NUMBERS and isinstance(chosen.shape[-1], int):
        return int(chosen.shape[-1])
    return None


def _tried(values: Callable[[dict[str, Any]], Any], inputs: list[Any]) -> Any:
    """Score one row of zeros, to see what comes out."""
    row = one_row(inputs)
    try:
        return values(row)
    except Exception as error:  # onnxruntime has no common base of its own
        got = f"an error for a row of zeros: {error}"
        raise ParameterError(message("scores of any row", got, NAME_CLASSES)) from error


def _of_second(numbers: FloatArray, scale: str) -> FloatArray:
    """Scores of the second of two classes."""
    columns = numbers.reshape(len(numbers), -1)
    if columns.shape[1] == 1 or scale == PROBABILITY:
        return np.asarray(columns[:, -1])
    return np.asarray(columns[:, 1] - columns[:, 0])


def _session(model: Any) -> Any:
    try:
        import onnxruntime
    except ImportError:
        raise missing_extra("onnxruntime", "onnx", "An ONNX model") from None
    if isinstance(model, onnxruntime.InferenceSession):
        return model
    if isinstance(model, (str, os.PathLike)) and not Path(model).is_file():
        raise InputError(message("the file of an ONNX model", f"no file {os.fspath(model)!r}"))
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    try:
        return onnxruntime.InferenceSession(
            os.fspath(model) if isinstance(model, os.PathLike) else model,
            providers=["CPUExecutionProvider"],
        )
    except Exception as error:  # onnxruntime has no common base of its own
        raise InputError(message("an ONNX model", str(error).strip())) from error


def _chosen_output(outputs: list[Any], name: str | None) -> Any:
    if name is not None:
        for found in outputs:
            if found.name == name:
                return found
        got = f"{[found.name for found in outputs]}"
        raise ParameterError(message(f"an output named {name!r}", got, "choose one of these"))
    able = [found for found in outputs if found.type in NUMBERS or found.type.startswith(MAPS)]
    shown = [f"{found.name} {found.type} {found.shape}" for found in able]
    if len(able) != 1:
        hint = "name the one with the scores: output=..."
        raise ParameterError(message("one output of scores", f"{shown}", hint))
    if able[0].type in NUMBERS and (len(able[0].shape) != 2 or able[0].shape[1] == 1):
        hint = (
            "a regressor cannot be calibrated; if these are scores of the second class, name "
            f"them: output={able[0].name!r}"
        )
        raise ParameterError(message("a column of scores for each class", f"{shown}", hint))
    return able[0]


def _require_known_names(session: Any, classes: list[Any] | None) -> None:
    texts = [found.name for found in session.get_outputs() if found.type == "tensor(string)"]
    if classes is None and texts:
        got = f"a model that names them in {texts[0]!r}, without their order"
        raise ParameterError(message("known classes", got, NAME_CLASSES))
