"""Rows as the inputs of an ONNX model take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.errors import InputError, ParameterError, message

TYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}

NAME_CLASSES = "name the classes in the order of the columns of scores: classes=[...]"


def feed(inputs: list[Any], X: Any) -> dict[str, Any]:
    """Give a model with one input all columns, and one with several each its own, by name."""
    if len(inputs) == 1:
        values = np.asarray(X).astype(_type_of(inputs[0]))
        return {inputs[0].name: values[:, None] if values.ndim == 1 else values}
    columns = getattr(X, "columns", [])
    names = list(getattr(X, "column_names", columns))  # the columns of an Arrow table are arrays
    missing = [given.name for given in inputs if given.name not in names]
    if missing:
        expected = f"a frame with the columns {[given.name for given in inputs]}"
        got = f"none named {missing[0]!r} in {type(X).__name__}"
        raise InputError(message(expected, got, "name the columns like the inputs of the model"))
    return {
        given.name: np.asarray(X[given.name]).astype(_type_of(given))[:, None] for given in inputs
    }


def one_row(inputs: list[Any]) -> dict[str, Any]:
    """Make a row of zeros or empty texts, to see what a model returns."""
    return {given.name: np.zeros(_one_row_shape(given), _type_of(given)) for given in inputs}


def _one_row_shape(given: Any) -> tuple[int, ...]:
    features = given.shape[1:]
    if not all(isinstance(size, int) for size in features):
        got = f"the input {given.name!r} of shape {given.shape}"
        raise ParameterError(message("a fixed number of features", got, NAME_CLASSES))
    return (1, *features)


def _type_of(given: Any) -> Any:
    if given.type not in TYPES:
        got = f"the input {given.name!r} of type {given.type}"
        raise ParameterError(message(f"inputs of the types {', '.join(TYPES)}", got))
    return TYPES[given.type]
