"""The native model of CatBoost."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import ParameterError, message
from lwcal.models.open_model import OpenModel, is_from, refuse_objective

TWO_CLASSES = {"Logloss", "CrossEntropy"}
SOFTMAX, ONE_VS_REST = "MultiClass", "MultiClassOneVsAll"


def fits(model: Any) -> bool:
    """Tell whether it is a ``catboost.CatBoost``, which is a base of CatBoost's estimators too."""
    return is_from(model, "catboost", "CatBoost")


def opened(model: Any) -> OpenModel:
    """Look at the loss function, which a model keeps in its files too."""
    if not model.is_fitted():
        raise ParameterError(message("a fitted model", f"{model!r}", "fit or load it first"))
    objective = str(model.get_all_params().get("loss_function", "custom"))
    if objective.partition(":")[0] not in {*TWO_CLASSES, SOFTMAX, ONE_VS_REST}:
        raise refuse_objective("CatBoost", objective)
    classes = np.asarray(model.classes_).tolist()

    def scores(X: Any) -> FloatArray:
        margins = model.predict(X, prediction_type="RawFormulaVal")
        return np.asarray(margins, dtype=np.float64)

    return OpenModel(scores, len(classes), classes, one_vs_rest=objective == ONE_VS_REST)
