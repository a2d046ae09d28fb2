"""The native booster of LightGBM."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.models.open_model import OpenModel, is_from, refuse_objective

TWO_CLASSES = {"binary", "cross_entropy"}
SOFTMAX, ONE_VS_REST = "multiclass", "multiclassova"


def fits(model: Any) -> bool:
    """Tell whether it is a ``lightgbm.Booster``."""
    return is_from(model, "lightgbm", "Booster")


def opened(model: Any) -> OpenModel:
    """Look at the objective, which a booster keeps in its files too."""
    # all other settings stand before the trees, of which one is enough
    text = model.model_to_string(num_iteration=1)
    found = re.search(r"(?m)^objective=(\S+)(.*)$", text)
    objective, options = found.groups() if found else ("custom", "")
    if objective not in {*TWO_CLASSES, SOFTMAX, ONE_VS_REST}:
        raise refuse_objective("LightGBM", objective)
    sigmoid = re.search(r"sigmoid:(\S+)", options)
    steepness = float(sigmoid[1]) if sigmoid else 1.0

    def scores(X: Any) -> FloatArray:
        # LightGBM puts this factor between its margins and the log-odds
        margins = steepness * np.asarray(model.predict(X, raw_score=True), dtype=np.float64)
        # it has margins for two classes too, if it was told so
        return margins if margins.ndim == 1 or margins.shape[1] > 2 else _of_second(margins)

    def _of_second(margins: FloatArray) -> FloatArray:
        if objective == ONE_VS_REST:
            return np.asarray(margins[:, 1])
        return np.asarray(margins[:, 1] - margins[:, 0])

    n_classes = max(2, model.num_model_per_iteration())
    return OpenModel(scores, n_classes, one_vs_rest=objective == ONE_VS_REST)
