"""What a file keeps of a model, to tell at loading whether another one is passed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.artifact.checks import as_list, as_number, as_object
from lwcal.classifier.frozen import inside
from lwcal.classifier.scores import model_scores
from lwcal.classifier.target import Array
from lwcal.errors import ArtifactError, UncheckedModelWarning, message

PROBES = 16
"""Rows that are made up and scored."""
SMALLEST, LARGEST = -2.0, 5.0
"""Powers of ten between which the rows lie: a model may take shares, or amounts."""
COUNTED = ("num_feature", "num_features")
"""Methods of the boosters of LightGBM and XGBoost that count their features."""
RELATIVE, ABSOLUTE = 1e-4, 1e-6
"""Differences of scores that another machine or library version may cause. A model that was fitted
again differs by more, somewhere."""


def fingerprint(model: Any, classes: Array) -> dict[str, Any]:
    """Describe a fitted model: its type, its features, and its scores of rows that are made up."""
    scores = _probed(model, classes)
    return {
        "type": _type_of(model),
        "n_features": _n_features(model),
        "feature_names": _names(model),
        "scores": None if scores is None else scores.tolist(),
    }


def check_fingerprint(stored: object, model: Any, classes: Array, which: str) -> None:
    """Refuse a model that is not the one that was calibrated.

    Parameters
    ----------
    stored : object
        As :func:`fingerprint` wrote it.
    model : fitted model
    classes : array
    which : str
        The model, as messages call it.
    """
    known = as_object(stored, f"the fingerprint of {which}")
    found = fingerprint(model, classes)
    for name, called in (
        ("type", "of type"),
        ("n_features", "with this number of features:"),
        ("feature_names", "with the features"),
    ):
        if known.get(name) != found[name]:
            raise _other(which, f"one {called} {_shown(known.get(name))}", _shown(found[name]))
    if known.get("scores") is None:
        warnings.warn(
            f"Whether {which} is the one that was calibrated was not checked by its scores: it "
            "takes no rows of made-up numbers. Compare some probabilities with known ones.",
            UncheckedModelWarning,
            stacklevel=5,
        )
        return
    before = _stored_scores(known["scores"], which)
    now = None if found["scores"] is None else np.array(found["scores"])
    if now is None or now.shape != before.shape:
        raise _other(which, f"{before.shape[1]} scores of each made-up row", "others, or none")
    off = ~np.isclose(now, before, rtol=RELATIVE, atol=ABSOLUTE)
    if off.any():
        row, column = np.argwhere(off)[0]
        expected = f"the score {before[row, column]:.6g} of made-up row {row}"
        raise _other(which, expected, f"{now[row, column]:.6g}")


def made_up_rows(n_features: int) -> FloatArray:
    """Rows of numbers of many sizes, the same on every machine.

    >>> made_up_rows(3).shape
    (16, 3)
    """
    row, column = np.arange(1.0, PROBES + 1.0)[:, None], np.arange(1.0, n_features + 1.0)
    # multiples of irrational numbers fill the interval evenly, and need no random generator
    place = (row * np.sqrt(2.0) + row * column * np.sqrt(3.0)) % 1.0
    size = 10.0 ** np.linspace(SMALLEST, LARGEST, PROBES)[:, None]
    return np.asarray(size * (2.0 * place - 1.0))


def _probed(model: Any, classes: Array) -> FloatArray | None:
    """Scores of the rows; None if the model does not take them, or has no fixed answer."""
    n_features = _n_features(model)
    if n_features is None:
        return None
    rows = _with_names(model, made_up_rows(n_features))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores, again = (model_scores(model, rows, classes) for _ in range(2))
    except Exception:  # any model may raise anything about rows it was not made for
        return None
    is_fixed = np.isfinite(scores).all() and np.array_equal(scores, again)
    return scores if is_fixed else None


def _with_names(model: Any, rows: FloatArray) -> Any:
    names = _names(model)
    if names is None:
        return rows
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(rows, columns=names)


def _n_features(model: Any) -> int | None:
    for one in (model, inside(model)):
        found = getattr(one, "n_features_in_", None)
        if found is not None:
            return int(found)
    counted = next(filter(None, (getattr(inside(model), name, None) for name in COUNTED)), None)
    return int(counted()) if callable(counted) else None


def _names(model: Any) -> list[str] | None:
    found = getattr(model, "feature_names_in_", None)
    if found is None:  # a Booster of XGBoost refuses rows without its names
        found = getattr(inside(model), "feature_names", None)
    return [str(name) for name in found] if isinstance(found, (list, np.ndarray)) else None


def _type_of(model: Any) -> str:
    """Package and name of the type: the modules between them change from version to version."""
    kind = type(inside(model))
    return f"{kind.__module__.partition('.')[0]}.{kind.__qualname__}"


def _stored_scores(given: object, which: str) -> FloatArray:
    name = f"scores of {which}"
    rows = [as_list(row, name) for row in as_list(given, name, PROBES)]
    if len({len(row) for row in rows}) != 1:
        raise ArtifactError(message(f"{name} to have rows of one length", "several lengths"))
    return np.array([[as_number(value, name) for value in row] for row in rows])


def _shown(value: object) -> str:
    if isinstance(value, list):
        first = ", ".join(map(str, value[:5]))
        return first + (", ..." if len(value) > 5 else "")
    return "none" if value is None else str(value)


def _other(which: str, expected: str, got: str) -> ArtifactError:
    hint = "pass the model that was calibrated, or calibrate this one"
    return ArtifactError(message(f"{which} to be the calibrated one: {expected}", got, hint))
