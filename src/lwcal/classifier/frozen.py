"""Models that are fitted already, and stay as they are."""

from __future__ import annotations

from typing import Any

from sklearn.frozen import FrozenEstimator

from lwcal.models import FittedModel, needs_adapter


def is_frozen(estimator: Any) -> bool:
    """Tell whether a model is not to be fitted.

    >>> is_frozen(FrozenEstimator(None)), is_frozen(None)
    (True, False)
    """
    return isinstance(estimator, (FrozenEstimator, FittedModel))


def inside(estimator: Any) -> Any:
    """Return the model itself, without what freezes or adapts it.

    >>> inside(FrozenEstimator(FittedModel("model.onnx")))
    'model.onnx'
    """
    while is_frozen(estimator):
        is_adapter = isinstance(estimator, FittedModel)
        estimator = estimator.model if is_adapter else estimator.estimator
    return estimator


def ready_to_score(estimator: Any) -> Any:
    """Return a model that scores rows: a frozen booster of another library gets its adapter."""
    frozen = is_frozen(estimator) and not isinstance(estimator, FittedModel)
    if frozen and needs_adapter(estimator.estimator):
        return FittedModel(estimator.estimator)
    return estimator
