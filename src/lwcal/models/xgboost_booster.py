"""The native booster of XGBoost."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.models.open_model import OWN_SCORES, OpenModel, is_from, refuse_objective

TWO_CLASSES = {"binary:logistic", "binary:logitraw", "reg:logistic"}
SEVERAL_CLASSES = {"multi:softprob", "multi:softmax"}


def fits(model: Any) -> bool:
    """Tell whether it is an ``xgboost.Booster``."""
    return is_from(model, "xgboost", "Booster")


def opened(model: Any) -> OpenModel:
    """Look at the objective, which a booster keeps in its files too."""
    learner = json.loads(model.save_config())["learner"]
    objective = learner["objective"]["name"]
    if objective not in TWO_CLASSES | SEVERAL_CLASSES:
        raise refuse_objective("XGBoost", objective)
    numbers = learner["learner_model_param"]
    if int(numbers.get("num_target", 1)) > 1:
        got = f"one with {numbers['num_target']} targets"
        raise ParameterError(message("an XGBoost model of one target", got, OWN_SCORES))
    n_classes = max(2, int(numbers["num_class"]))

    def scores(X: Any) -> FloatArray:
        # whoever has such a booster has its package; it is no dependency of this one
        matrix = import_module("xgboost").DMatrix
        rows = matrix(X, enable_categorical=True, nthread=_threads(learner))
        margins = np.asarray(model.predict(rows, output_margin=True), dtype=np.float64)
        if margins.ndim == 2 and n_classes == 2:
            return np.asarray(margins[:, 1] - margins[:, 0])
        return margins

    return OpenModel(scores, n_classes)


def _threads(learner: dict[str, Any]) -> int:
    """Threads that the booster was told to use; 0 means all."""
    return int(learner.get("generic_param", {}).get("nthread", 0))
