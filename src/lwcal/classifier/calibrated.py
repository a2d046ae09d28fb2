"""A classifier whose probabilities are calibrated: any model with any calibrator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags, indexable
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from lwcal.arrays import FloatArray
from lwcal.calibrators import Auto, Calibrator
from lwcal.classifier.scores import CalibratedPair, fit_and_score, model_scores, probabilities
from lwcal.classifier.target import (
    Array,
    Target,
    checked_labels,
    classes_of_model,
    classes_to_learn,
    require_classes,
)
from lwcal.errors import ParameterError, message
from lwcal.rows import ArrayLike, as_weights
from lwcal.table import ScoreTable


class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with calibrated probabilities, learned from labels that may be wrong.

    The score is the model's ``predict_proba``; a model without it is scored by
    ``scipy.special.expit`` of its ``decision_function``. Two classes need one calibrator, for
    the score of ``classes_[1]``. More classes get one each, that class against the rest, and
    every row is divided by its sum. A row of zeros is replaced by the model's scores, divided
    by their sum; if those are zeros too, all classes are equally probable.

    Parameters
    ----------
    estimator : classifier
        A model with scikit-learn's interface.
    calibrator : Calibrator, optional
        By default :class:`lwcal.Auto`. Copies of it are fitted; ``pos_label`` is not used.
    cv : "prefit", int, splitter or iterable of (train, test) rows, default "prefit"
        With "prefit" the model is fitted already and stays as it is; ``fit`` needs rows it has
        not seen. Otherwise copies of the model are fitted to the training part of each fold
        and calibrated on the held-out part; a number asks for stratified folds.
    ensemble : bool, default True
        Only with folds. True averages the calibrated models of the folds. False pools their
        held-out scores for one set of calibrators, and fits one model to all rows.
    n_jobs : int, optional
        Number of folds to fit at the same time.

    Attributes
    ----------
    classes_ : array
        The classes, in the order of the columns of ``predict_proba``.
    pairs_ : list of CalibratedPair
        Each fitted model with its calibrators: one pair a fold, or a single one.
    n_features_in_, feature_names_in_
        Those of the model, if it has them.

    Notes
    -----
    With ``cv="prefit"``, clones of this class (cross-validation and grid search make them) keep
    the fitted model. So does everything that clones a ``sklearn.frozen.FrozenEstimator``, which
    is treated as "prefit" whatever ``cv`` says.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(n_samples=600, flip_y=0.2, random_state=0)
    >>> model = LogisticRegression().fit(X[:300], y[:300])
    >>> calibrated = CalibratedClassifier(model).fit(X[300:], y[300:])
    >>> calibrated.predict_proba(X[:1]).round(2)
    array([[0.13, 0.87]])
    >>> len(CalibratedClassifier(LogisticRegression(), cv=3).fit(X, y).pairs_)
    3
    """

    def __init__(
        self,
        estimator: Any,
        calibrator: Calibrator | None = None,
        *,
        cv: Any = "prefit",
        ensemble: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the calibrators and, with folds, the model.

        Parameters
        ----------
        X : features, as the model takes them; a DataFrame keeps its column names
        y : one-dimensional
            Labels of the same rows, possibly wrong.
        sample_weight : one-dimensional, optional
            Frequencies, for the calibrators and, with folds, the model, whose ``fit`` must
            take them (that of a pipeline does not).
        """
        self._check_parameters()
        X, labels = indexable(X, checked_labels(y))
        weights = None if sample_weight is None else as_weights(sample_weight, len(labels))
        target = Target(labels, {} if weights is None else {"sample_weight": weights})
        fit = self._fit_to_model if self._is_prefit() else self._fit_to_folds
        self.classes_, self.pairs_ = fit(X, target)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Calibrated probability of each class: float64 in [0, 1], with rows that sum to 1."""
        check_is_fitted(self)
        of_pairs = [probabilities(pair, X, self.classes_) for pair in self.pairs_]
        return np.asarray(np.mean(of_pairs, axis=0))

    def predict(self, X: Any) -> Array:
        """Most probable class of each row; of equally probable ones the first."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[most_probable])

    @property
    def n_features_in_(self) -> Any:
        """Number of features of the model, if it has one."""
        return self.pairs_[0].estimator.n_features_in_

    @property
    def feature_names_in_(self) -> Any:
        """Names of the model's features, if it has them."""
        return self.pairs_[0].estimator.feature_names_in_

    def _is_prefit(self) -> bool:
        frozen = isinstance(self.estimator, FrozenEstimator)  # its fit does nothing
        return frozen or (isinstance(self.cv, str) and self.cv == "prefit")

    def _check_parameters(self) -> None:
        if isinstance(self.cv, str) and self.cv != "prefit":
            raise ParameterError(message('cv to be "prefit", folds or a splitter', f"{self.cv!r}"))
        if not (self.calibrator is None or isinstance(self.calibrator, Calibrator)):
            expected = "a calibrator of lwcal, such as lwcal.LWCal()"
            raise ParameterError(message(expected, f"{self.calibrator!r}"))

    def _fit_to_model(self, X: Any, target: Target) -> tuple[Array, list[CalibratedPair]]:
        classes = classes_of_model(self.estimator, target.labels)
        require_classes(classes, target.labels, "the calibration rows", "add rows of that class")
        scores = model_scores(self.estimator, X, classes)
        return classes, [CalibratedPair(self.estimator, self._calibrate(scores, target, classes))]

    def _fit_to_folds(self, X: Any, target: Target) -> tuple[Array, list[CalibratedPair]]:
        classes = classes_to_learn(self.estimator, target)
        folds = self._split(X, target.labels, classes)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_and_score)(clone(self.estimator), X, target, *fold, classes)
            for fold in folds
        )
        if not self.ensemble:
            model = clone(self.estimator).fit(X, target.labels, **target.weights)
            fitted = [(model, np.concatenate([scores for _, scores in fitted]))]
            folds = [(np.arange(0), np.concatenate([test for _, test in folds]))]
        return classes, [
            CalibratedPair(model, self._calibrate(scores, target.take(test), classes))
            for (model, scores), (_, test) in zip(fitted, folds, strict=True)
        ]

    def _split(self, X: Any, labels: Array, classes: Array) -> list[tuple[Array, Array]]:
        from sklearn.model_selection import check_cv  # slow to import

        numbers = np.arange(len(labels))  # turns masks and slices into row numbers
        splits = check_cv(self.cv, labels, classifier=True).split(X, labels)
        folds = [(numbers[train], numbers[test]) for train, test in splits]
        for fold, (train, test) in enumerate(folds, start=1):
            parts = {"training": train, "held-out": test} if self.ensemble else {"training": train}
            for part, rows in parts.items():
                where = f"the {part} part of fold {fold} of {len(folds)}"
                require_classes(classes, labels[rows], where, "use fewer folds")
        return folds

    def _calibrate(self, scores: FloatArray, target: Target, classes: Array) -> list[Calibrator]:
        template = Auto() if self.calibrator is None else self.calibrator
        tables = [
            ScoreTable.from_arrays(
                column, target.labels == positive, target.weights.get("sample_weight")
            )
            for column, positive in zip(scores.T, classes[-scores.shape[1] :], strict=True)
        ]
        return [clone(template).fit_table(table) for table in tables]

    def __sklearn_clone__(self) -> Self:
        copy: Self = super().__sklearn_clone__()
        if self._is_prefit():  # an unfitted copy of the model could not be calibrated
            copy.estimator = self.estimator
        return copy

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            model = get_tags(self.estimator)
            tags.input_tags = model.input_tags
            tags.classifier_tags = model.classifier_tags or tags.classifier_tags
        return tags
