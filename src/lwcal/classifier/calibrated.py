"""CalibratedClassifier: any model with any calibrator."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from lwcal.arrays import FloatArray
from lwcal.calibrators import Auto, Calibrator
from lwcal.classifier.frozen import inside, is_frozen, ready_to_score
from lwcal.classifier.held_out import (
    Fold,
    HeldOut,
    Task,
    fit_and_score,
    refitted,
    scored_as_it_is,
    split,
    takes_only_codes,
)
from lwcal.classifier.routing import routed
from lwcal.classifier.scores import CalibratedModel, is_joint, joint_scores, score_scale
from lwcal.classifier.target import (
    Array,
    check_rates,
    checked_labels,
    classes_of_model,
    classes_to_learn,
    require_classes,
)
from lwcal.errors import ParameterError, message
from lwcal.models import needs_adapter
from lwcal.parameters import OneOf, check_parameter
from lwcal.rows import ArrayLike, as_weights
from lwcal.table import ScoreTable

JOINT, ONE_VS_REST = "joint", "one_vs_rest"
FREEZE = "to calibrate a fitted model, pass CalibratedClassifier(FrozenEstimator(model))"


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with calibrated probabilities, fitted to labels that may be wrong.

    The interface is that of scikit-learn's ``CalibratedClassifierCV``. Copies of the model are
    fitted on the training part of each fold and calibrated on the held-out part. A fitted model
    is calibrated as it is if it comes in a ``sklearn.frozen.FrozenEstimator``.

    The score is the model's ``predict_proba``. A model without it is scored by
    ``scipy.special.expit`` of its ``decision_function``. Native boosters and other models of
    :class:`lwcal.FittedModel` are frozen too; two classes are then scored by raw margins, and
    ``scale_`` of the calibrator is "logit". Two classes need one calibrator, for
    the score of ``classes_[1]``. With more classes, calibrators that can take the scores of all
    classes do so: :class:`lwcal.Auto`, :class:`lwcal.NoiseAware`, :class:`lwcal.Temperature`,
    :class:`lwcal.VectorScaling` and :class:`lwcal.MatrixScaling`. With any other calibrator, or on
    demand, each class has its own, for that class against the rest, and every row is divided by
    its sum. If a row holds only zeros, the scores of the model replace it. If they are zeros too,
    all classes are equally probable.

    Parameters
    ----------
    estimator : classifier
        A model with scikit-learn's interface. It is cloned, so an earlier fit has no effect. Wrap
        a fitted model in a ``FrozenEstimator``, and call ``fit`` with rows it has not seen. So
        wrapped, it may be a ``lightgbm.Booster``, an ``xgboost.Booster``, a ``catboost.CatBoost``
        or a model of Spark ML. A :class:`lwcal.FittedModel` also names its classes, or is one of
        ONNX.
    calibrator : Calibrator, optional
        By default :class:`lwcal.Auto`. Copies of it are fitted. The positive class is
        ``classes_[1]``, whatever its ``pos_label`` is. Unequal flip rates of two classes are
        refused unless ``pos_label``, or names such as 0 and 1, say that they are about it.
    cv : int, splitter or iterable of (train, test) rows, optional
        The folds. None means 5. A number means stratified folds.
    ensemble : bool or "auto", default "auto"
        True averages the calibrated models of the folds. False pools their held-out scores, fits
        one set of calibrators to them, and fits one model to all rows. "auto" is True unless the
        model is frozen. A frozen model with False is calibrated on all rows, without folds.
    encode_labels : bool or "auto", default "auto"
        True fits the model to the class numbers 0 to K - 1 instead of the labels. ``classes_`` and
        ``predict`` keep the labels. "auto" is True for the classifiers of XGBoost, which refuse
        other labels, also as the last step of a pipeline.
    multiclass : {"joint", "one_vs_rest"}, default "joint"
        With more than two classes: one calibrator for all classes where it takes them, or one for
        each class.
    n_jobs : int, optional
        Number of folds to fit at the same time.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of ``predict_proba``.
    calibrated_classifiers_ : list of CalibratedModel
        The fitted members, each with ``estimator`` and ``calibrators``: one for each fold, or one.
    estimator_ : fitted model
        The model inside, for SHAP and other tools that explain it: what the ``FrozenEstimator`` or
        :class:`lwcal.FittedModel` holds, or the model that ``ensemble=False`` fitted. Missing if
        there is a model for each fold.
    n_features_in_, feature_names_in_
        Those of the model, if it has them.

    Notes
    -----
    Cross-validation does not refit a frozen model. Its result is honest only if the model was
    fitted to other rows.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(n_samples=600, flip_y=0.2, random_state=0)
    >>> calibrated = CalibratedClassifier(LogisticRegression()).fit(X, y)
    >>> len(calibrated.calibrated_classifiers_)
    5

    A fitted model needs other rows for its calibration:

    >>> from sklearn.frozen import FrozenEstimator
    >>> model = LogisticRegression().fit(X[:300], y[:300])
    >>> calibrated = CalibratedClassifier(FrozenEstimator(model)).fit(X[300:], y[300:])
    >>> calibrated.predict_proba(X[:1]).round(2)
    array([[0.15, 0.85]])
    """

    def __init__(
        self,
        estimator: Any,
        calibrator: Calibrator | None = None,
        *,
        cv: Any = None,
        ensemble: bool | Literal["auto"] = "auto",
        encode_labels: bool | Literal["auto"] = "auto",
        multiclass: Literal["joint", "one_vs_rest"] = "joint",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.encode_labels = encode_labels
        self.multiclass = multiclass
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **fit_params: Any
    ) -> Self:
        """Fit the model and its calibrators.

        Parameters
        ----------
        X : features, as the model takes them
            A DataFrame keeps its column names.
        y : one-dimensional
            Labels of the same rows, possibly wrong.
        sample_weight : one-dimensional, optional
            Frequencies, for the calibrators and for the model, whose ``fit`` must take them.
            With metadata routing, the model gets them if it requests them.
        **fit_params
            Other parameters for ``fit`` of the model. With metadata routing, the model and the
            splitter get those they request, such as ``groups``.
        """
        self._check_parameters()
        X, labels = indexable(X, checked_labels(y))
        given = dict(fit_params)
        if sample_weight is not None:
            given["sample_weight"] = as_weights(sample_weight, len(labels))
        members = self._fit_members(X, labels, given)
        self.classes_, self.calibrated_classifiers_ = members[0].classes, members
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the calibrated probability of each class, as float64. Every row sums to 1."""
        check_is_fitted(self)
        of_members = [member.predict_proba(X) for member in self.calibrated_classifiers_]
        return np.asarray(np.mean(of_members, axis=0))

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each row, or the first of several such classes."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    @property
    def estimator_(self) -> Any:
        """The fitted model, without what is around it."""
        check_is_fitted(self)
        members = self.calibrated_classifiers_
        if len(members) > 1:
            raise AttributeError(
                f"This classifier has {len(members)} models, one for each fold, and no single "
                "estimator_. Fit it with ensemble=False, or use calibrated_classifiers_[i]."
            )
        return inside(members[0].estimator)

    @property
    def n_features_in_(self) -> Any:
        """Number of features of the model, if it has one."""
        return self.calibrated_classifiers_[0].estimator.n_features_in_

    @property
    def feature_names_in_(self) -> Any:
        """Names of the model's features, if it has them."""
        return self.calibrated_classifiers_[0].estimator.feature_names_in_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the metadata routing: ``fit`` feeds the model and the splitter."""
        return (
            MetadataRouter(owner=self)
            .add_self_request(self)
            .add(
                estimator=self.estimator,
                method_mapping=MethodMapping().add(caller="fit", callee="fit"),
            )
            .add(
                splitter=self.cv,
                method_mapping=MethodMapping().add(caller="fit", callee="split"),
            )
        )

    @property
    def _frozen(self) -> bool:
        return is_frozen(self.estimator)

    @property
    def _averages(self) -> bool:
        return not self._frozen if self.ensemble == "auto" else bool(self.ensemble)

    def _check_parameters(self) -> None:
        if isinstance(self.cv, str):
            expected = "cv to be a number of folds, a splitter or None"
            raise ParameterError(message(expected, f"{self.cv!r}", FREEZE))
        if not hasattr(self.estimator, "get_params") or needs_adapter(self.estimator):
            expected = "a model with scikit-learn's interface"
            raise ParameterError(message(expected, f"{self.estimator!r}", FREEZE))
        if not (self.calibrator is None or isinstance(self.calibrator, Calibrator)):
            expected = "a calibrator of lwcal, such as lwcal.LWCal()"
            raise ParameterError(message(expected, f"{self.calibrator!r}"))
        check_parameter("multiclass", self.multiclass, OneOf((JOINT, ONE_VS_REST)))
        for name in ("ensemble", "encode_labels"):
            value = getattr(self, name)
            if not (value == "auto" or isinstance(value, (bool, np.bool_))):
                raise ParameterError(message(f'{name} to be True, False or "auto"', f"{value!r}"))

    def _fit_members(self, X: Any, labels: Array, given: dict[str, Any]) -> list[CalibratedModel]:
        parameters = routed(self, given)
        model = ready_to_score(self.estimator)
        classes = classes_of_model(model, labels) if self._frozen else classes_to_learn(labels)
        if self.calibrator is not None:
            check_rates(self.calibrator, classes)
        task = Task(X, self._for_model(labels, classes), classes, parameters.estimator)
        if self._frozen and not self._averages:
            require_classes(classes, labels, "the calibration rows", "add rows of that class")
            scored = [scored_as_it_is(model, task)]
        else:
            folds = split(self.cv, X, labels, parameters.splitter)
            self._check_folds(folds, labels, classes)
            scored = self._fit_folds(model, task, folds)
        weights = given.get("sample_weight")
        return [self._calibrated(found, labels, weights, classes) for found in scored]

    def _for_model(self, labels: Array, classes: Array) -> Array:
        encode = self.encode_labels
        encode = takes_only_codes(self.estimator) if encode == "auto" else encode
        return np.searchsorted(classes, labels) if encode else labels

    def _check_folds(self, folds: list[Fold], labels: Array, classes: Array) -> None:
        for number, fold in enumerate(folds, start=1):
            parts = {} if self._frozen else {"training": fold.train}
            parts |= {"held-out": fold.test} if self._averages else {}
            for part, rows in parts.items():
                where = f"the {part} part of fold {number} of {len(folds)}"
                require_classes(classes, labels[rows], where, "use fewer folds")

    def _fit_folds(self, model: Any, task: Task, folds: list[Fold]) -> list[HeldOut]:
        scored: list[HeldOut] = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_and_score)(clone(model), task, fold) for fold in folds
        )
        return scored if self._averages else [refitted(clone(model), task, scored)]

    def _calibrated(
        self, found: HeldOut, labels: Array, weights: FloatArray | None, classes: Array
    ) -> CalibratedModel:
        template = Auto() if self.calibrator is None else self.calibrator
        weights = None if weights is None else weights[found.rows]
        if self.multiclass == JOINT and is_joint(template, len(classes)):
            y = (labels[found.rows][:, None] == classes).argmax(axis=1)
            scores = joint_scores(found.scores)
            joint = clone(template).fit(scores, y, weights, classes=range(len(classes)))
            return CalibratedModel(found.estimator, [joint], classes)
        calibrators, scale = [], score_scale(found.estimator, classes)
        for column, positive in zip(found.scores.T, classes[-found.scores.shape[1] :], strict=True):
            right = labels[found.rows] == positive
            table = ScoreTable.from_arrays(column, right, weights, scale=scale)
            calibrators.append(clone(template).fit_table(table))
        return CalibratedModel(found.estimator, calibrators, classes)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        model = getattr(self.estimator, "estimator", None) if self._frozen else self.estimator
        if hasattr(model, "__sklearn_tags__"):
            of_model = get_tags(model)
            tags.input_tags = of_model.input_tags
            tags.classifier_tags = of_model.classifier_tags or tags.classifier_tags
        return tags
