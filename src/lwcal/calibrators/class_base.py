"""The base of calibrators that take one score, or one probability for each class."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from lwcal.arrays import FloatArray
from lwcal.calibrators.base import Calibrator, Fitted, check_scores_type
from lwcal.calibrators.decision import Decision
from lwcal.class_maps import ClassMap
from lwcal.errors import InputError
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale
from lwcal.rows import ArrayLike
from lwcal.rows.class_labels import class_array
from lwcal.rows.column_classes import places_by_name
from lwcal.rows.probabilities import ClassScores, as_class_scores, is_matrix
from lwcal.rows.scales import PROBABILITY
from lwcal.score_map import ONE_COLUMN, ClassScoreMap
from lwcal.table import ScoreTable

if TYPE_CHECKING:
    from lwcal.multiclass.class_noise import ClassNoiseEstimate
    from lwcal.multiclass.class_posterior import ClassPosterior

# What is only needed for several classes is imported at their first fit.


class FittedClasses(NamedTuple):
    """What a fit to more than two classes learned; see :class:`lwcal.calibrators.base.Fitted`."""

    map: ClassMap
    diagnostics: dict[str, float]
    noise: ClassNoiseEstimate | None = None
    decision: Decision | None = None
    posterior: ClassPosterior | None = None


class ClassCalibrator(Calibrator):
    """Base of calibrators for any number of classes.

    Scores of shape (n,) are those of the positive class, as for every calibrator. Scores of shape
    (n, K) hold a probability for each class. With two classes, that is the same fit to the second
    column.

    Attributes
    ----------
    classes_ : array
        Class of each column; missing after a fit to scores of one class.
    sampled_from_ : float or None
        Number of rows, or total weight, of which the rows of the fit are a sample; None if all
        rows were fitted.
    """

    __metadata_request__fit: ClassVar[Mapping[str, str]] = {"classes": UNUSED}

    calibrates_classes_apart: ClassVar[bool] = False
    """Whether a calibrator for each class is as good, in a :class:`lwcal.CalibratedClassifier`."""
    classes_: Any
    sampled_from_: float | None
    map_: Any
    """A map of scores, or of class probabilities if there are more than two classes."""

    def fit(
        self,
        scores: ArrayLike | ScoreTable,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        scale: str | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Self:
        """Fit to rows, or to a table of rows of two classes.

        Parameters
        ----------
        scores : of shape (n,) or (n, K), or ScoreTable
            Scores of a model on rows it was not trained on: of the positive class, or of all
            classes, such as the output of ``predict_proba``.
        y : one-dimensional
            Labels of the same rows, possibly wrong; omitted with a ScoreTable.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        scale : {"probability", "percent", "logit", "auto"}, optional
            Scale of the scores of one class; default: probability.
        classes : sequence, optional
            Class of each column of the scores, if the labels do not tell: by default, the names of
            the columns if they are the labels, with or without what all of them begin or end with
            (``p_cat``, ``p_dog``), or else the labels in sorted order.

        Examples
        --------
        >>> from lwcal import Temperature
        >>> scores = [[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]
        >>> Temperature().fit(scores, ["a", "b", "c", "b"]).classes_
        array(['a', 'b', 'c'], dtype='<U1')
        """
        if isinstance(scores, ScoreTable) or not is_matrix(scores):
            refuse_classes(classes)
            return super().fit(scores, y, sample_weight, scale=scale)
        refuse_scale(scale)
        self._check_rows(scores, y)
        return self.fit_rows(ClassRows.from_arrays(scores, y, sample_weight, classes=classes))

    def _keep(self, fitted: Fitted, table: ScoreTable) -> Self:
        self._forget_classes()
        return super()._keep(fitted, table)

    def _forget_classes(self) -> None:
        """Forget those of an earlier fit."""
        if hasattr(self, "classes_"):
            del self.classes_
        self.sampled_from_ = None

    def fit_rows(self, rows: ClassRows) -> Self:
        """Fit to rows of any number of classes, such as an engine reads from files.

        Examples
        --------
        >>> from lwcal import ClassRows, Temperature
        >>> rows = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.2, 0.2, 0.6]], [0, 2])
        >>> Temperature().fit_rows(rows).n_
        2
        """
        self.learn_rows(rows)
        return self

    def learn_rows(self, rows: ClassRows) -> Fitted | FittedClasses:
        """Fit to rows of any number of classes, and return everything that was learned."""
        self.check_parameters()
        fitted: Fitted | FittedClasses
        if rows.n_classes == 2:
            fitted = self.learn(rows.two_class_table())
        else:
            fitted = self._fit_classes(rows)
            self._keep_classes(fitted, rows)
        self.classes_ = class_array(rows.classes)
        self.sampled_from_ = rows.sampled_from
        return fitted

    def _keep_classes(self, fitted: FittedClasses, rows: ClassRows) -> None:
        from lwcal.multiclass.class_reference import KEPT_NUMBERS

        self.map_, self.diagnostics_ = fitted.map, fitted.diagnostics
        self.noise_ = fitted.noise
        self.grid_ = None
        self.n_ = int(rows.n) if rows.n.is_integer() else rows.n
        self.scale_ = PROBABILITY
        self.adjustments_ = ()
        self._reference = rows if rows.scores.size <= KEPT_NUMBERS else self._summarised(rows)

    def _summarised(self, kept: Any) -> Any:
        if not isinstance(kept, ClassRows):
            return super()._summarised(kept)
        from lwcal.multiclass.class_cells import MOST_CLASSES, ClassCells
        from lwcal.multiclass.class_reference import ClassReference, Judged

        calibrated = self.map_.apply_unchecked(kept.scores)
        judged = Judged.of(calibrated, kept.labels, kept.weights, self.expected_noise_matrix)
        base_rates = tuple((kept.weights @ calibrated / kept.weights.sum()).tolist())
        cells = None
        if kept.n_classes <= MOST_CLASSES:
            cells = ClassCells.of(calibrated, kept.labels, kept.weights, base_rates)
        return ClassReference.of(kept, judged, base_rates, cells)

    @property
    def expected_noise_matrix(self) -> FloatArray:
        """Expected noise matrix of more than two classes: of right labels without a noise model."""
        noise: ClassNoiseEstimate | None = self.noise_
        return np.eye(self.map_.n_classes) if noise is None else noise.expected_matrix

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_) if hasattr(self, "classes_") else 2

    def predict(self, scores: ArrayLike, *, scale: str | None = None) -> FloatArray:
        """Calibrated probabilities of new scores, of the same shape.

        Parameters
        ----------
        scores : of shape (n,) or (n, K), as in the fit
            Columns of a frame are found by the names of the classes, with or without what all
            of them begin or end with (``p_cat``, ``p_dog``). Names that tell some classes and not
            all are refused. Names that tell none are ignored: the order counts.
        scale : {"probability", "percent", "logit"}, optional
            Another scale of the scores of one class.

        Examples
        --------
        >>> from lwcal import Identity
        >>> Identity().fit([[0.2, 0.8], [0.7, 0.3]], [1, 0]).predict([[0.4, 0.6]])
        array([[0.4, 0.6]])
        """
        self.check_is_fitted()
        if not hasattr(self, "classes_"):
            return super().predict(scores, scale=scale)
        refuse_scale(scale)
        check_scores_type(scores)
        found = as_class_scores(scores, n_classes=self.n_classes_)
        values = in_order(found, self.classes_)
        return self.class_score_map().apply_unchecked(values)

    def class_score_map(self) -> ClassScoreMap:
        """What new class probabilities meet: the map, and the class of each column."""
        self.check_is_fitted()
        if not hasattr(self, "classes_"):
            raise InputError(ONE_COLUMN)
        return ClassScoreMap(self.map_, tuple(self.classes_.tolist()))

    def require_two_classes(self) -> None:
        """Refuse to go on before ``fit``, and with a map of more than two classes."""
        super().require_two_classes()
        if self.n_classes_ > 2:
            raise InputError(
                f"This calibrator has {self.n_classes_} classes; one of two classes is needed "
                "here. Its predict takes all of them."
            )

    @abstractmethod
    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        """Fit to rows of more than two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        return tags


def in_order(found: ClassScores, classes: Any) -> FloatArray:
    """Columns in the order of the classes, if their names tell it.

    >>> in_order(ClassScores(np.array([[0.9, 0.1]]), ("p_b", "p_a")), ["a", "b"])
    array([[0.1, 0.9]])
    """
    if found.names is None:
        return found.values
    places = places_by_name(found.names, np.asarray(classes, dtype=object).tolist())
    return found.values if places is None else np.ascontiguousarray(found.values[:, list(places)])
