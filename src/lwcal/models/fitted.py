"""FittedModel: a model of another library as a classifier."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.models import (
    catboost_model,
    lightgbm_booster,
    onnx_model,
    spark_model,
    xgboost_booster,
)
from lwcal.models.open_model import OpenModel
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows.class_labels import class_array
from lwcal.rows.scales import LOGIT, PROBABILITY

NATIVE = (lightgbm_booster, xgboost_booster, catboost_model, spark_model)
"""Libraries whose models say themselves what their scores are."""
KINDS = "a LightGBM or XGBoost Booster, a CatBoost, Spark ML or ONNX model"


class FittedModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted model of another library, as a classifier with scikit-learn's interface.

    It takes the native boosters of LightGBM, XGBoost and CatBoost, models and pipelines of Spark
    ML, and ONNX models. Like scikit-learn's ``FrozenEstimator``, it cannot be fitted again: ``fit``
    does nothing, and ``clone`` returns the model itself.

    Two classes are scored by the raw margins of a booster. :class:`lwcal.CalibratedClassifier`
    calibrates these, on the scale "logit", so that nothing is lost where a sigmoid in single
    precision is 1.

    Parameters
    ----------
    model : fitted model
        A ``lightgbm.Booster``, ``xgboost.Booster``, ``catboost.CatBoost``, model of Spark ML, or
        ``onnxruntime.InferenceSession``; the path, bytes or ``onnx.ModelProto`` of an ONNX model.
    classes : sequence, optional
        The classes in the order of the model's numbers 0 to K - 1. Default: those that the model
        knows, or else the numbers. LightGBM and XGBoost know numbers only.
    output : str, optional
        Of an ONNX model: the output with the scores, if there are several.
    scale : {"probability", "logit"}, optional
        Of an ONNX model: the scale of this output; default: probability.

    Attributes
    ----------
    classes_ : array
    score_scale_ : {"probability", "logit"}
        What the model's scores are.

    Examples
    --------
    >>> import lightgbm
    >>> import numpy as np
    >>> from lwcal import CalibratedClassifier, FittedModel
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    >>> rows = lightgbm.Dataset(X[:200], y[:200])
    >>> booster = lightgbm.train({"objective": "binary", "verbose": -1}, rows, 5)
    >>> model = FittedModel(booster, classes=["good", "bad"])
    >>> labels = np.where(y[200:], "bad", "good")
    >>> calibrated = CalibratedClassifier(model).fit(X[200:], labels)
    >>> calibrated.predict(X[:2]), calibrated.estimator_ is booster
    (array(['good', 'bad'], dtype='<U4'), True)
    """

    def __init__(
        self,
        model: Any,
        classes: Sequence[Any] | None = None,
        *,
        output: str | None = None,
        scale: str | None = None,
    ) -> None:
        self.model = model
        self.classes = classes
        self.output = output
        self.scale = scale

    def fit(self, X: Any, y: Any = None, **parameters: Any) -> Self:
        """Do nothing: the model is fitted already."""
        return self

    @property
    def classes_(self) -> Any:
        """The classes, in the order of the columns of ``predict_proba``."""
        found = self._look()
        named = self.classes if self.classes is not None else found.classes
        return class_array(tuple(range(found.n_classes) if named is None else named))

    @property
    def score_scale_(self) -> str:
        """Scale of the model's scores: probability or logit."""
        return self._look().scale

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, as the model gives it, before calibration."""
        return self._checked(self._look().probabilities(X))

    def predict(self, X: Any) -> Any:
        """Return the most probable class of each row, before calibration."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    @available_if(lambda self: self.score_scale_ == LOGIT)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> FloatArray:
        """Return the raw margins: log-odds of the second of two classes, or (n, K) of more."""
        return self._checked(self._look().scores(X))

    def _look(self) -> OpenModel:
        """Look at the model once; what was seen is not pickled."""
        if not hasattr(self, "_open"):
            self._open = self._opened()
        return self._open

    def _opened(self) -> OpenModel:
        for library in NATIVE:
            if library.fits(self.model):
                self._refuse_onnx_parameters()
                return self._with_known_classes(library.opened(self.model))
        if not onnx_model.fits(self.model):
            hint = "a model with predict_proba needs no adapter: FrozenEstimator(model)"
            raise ParameterError(message(KINDS, f"{self.model!r}", hint))
        scale = PROBABILITY if self.scale is None else self.scale
        check_parameter("scale", scale, OneOf((PROBABILITY, LOGIT)))
        n_classes = None if self.classes is None else len(self.classes)
        found = onnx_model.opened(self.model, self.output, scale, n_classes)
        return self._with_known_classes(found)

    def _refuse_onnx_parameters(self) -> None:
        for name in ("output", "scale"):
            if getattr(self, name) is not None:
                got, hint = f"{name}={getattr(self, name)!r}", "leave it out: this model tells it"
                raise ParameterError(message(f"{name} with an ONNX model only", got, hint))

    def _with_known_classes(self, found: OpenModel) -> OpenModel:
        named = self.classes
        if named is None:
            return found
        if len(set(named)) != len(named) or len(named) != found.n_classes:
            expected = f"{found.n_classes} different classes, in the order of the model's numbers"
            raise ParameterError(message(expected, f"classes={list(named)!r}"))
        return found

    def _checked(self, scores: FloatArray) -> FloatArray:
        """Refuse another number of columns than there are classes."""
        if scores.ndim == 2 and scores.shape[1] != len(self.classes_):
            expected = f"a column of scores for each of {len(self.classes_)} classes"
            raise InputError(message(expected, f"an array of shape {scores.shape}"))
        return scores

    def __sklearn_clone__(self) -> Self:
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        """State to be pickled: the parameters. The model is looked at again."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_open"}


def needs_adapter(model: Any) -> bool:
    """Tell whether a model is one of another library that is no classifier yet.

    >>> from sklearn.linear_model import LogisticRegression
    >>> needs_adapter(LogisticRegression())
    False
    """
    if hasattr(model, "predict_proba"):
        return False
    return any(library.fits(model) for library in NATIVE)
