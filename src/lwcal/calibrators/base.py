"""What all calibrators share: checked input, one table in, one monotone map out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from lwcal.arrays import FloatArray
from lwcal.inputs import ArrayLike, as_scores
from lwcal.maps import Map
from lwcal.parameters import Rule, check_parameters
from lwcal.reference import Reference, condensed
from lwcal.table import ScoreTable


class Fitted(NamedTuple):
    """The outcome of a fit."""

    map: Map
    diagnostics: dict[str, float]


class Calibrator(ABC, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Base of the calibrators. A subclass states its parameters and fits a table.

    Attributes
    ----------
    map_ : Map
        The fitted map; call it on an array of scores, or write it with ``to_dict``.
    n_ : int or float
        Number of rows, or total weight, that the fit used.
    diagnostics_ : dict of str to float
        What the fit learned besides the map; each calibrator documents its keys.
    reference_ : Reference or None
        Histogram of the rows, by which :func:`lwcal.monitor` notices drift; None in calibrators
        that were saved before there was one.
    grid_ : float or None
        Width of the bins that the scores of the fit were rounded to, as they are of data with very
        many distinct scores; None when they were not.
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {}
    later_diagnostics: ClassVar[frozenset[str]] = frozenset()
    """Those that files of earlier versions may lack."""
    pos_label: Any
    grid_: float | None
    _reference: Reference | ScoreTable | None

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1]
            Scores of a model on rows it was not trained on.
        y : one-dimensional, two classes
            Labels of the same rows, possibly wrong.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        """
        table = ScoreTable.from_arrays(scores, y, sample_weight, pos_label=self.pos_label)
        return self.fit_table(table)

    def fit_table(self, table: ScoreTable) -> Self:
        """Fit to pooled counts, which give the same map as the rows they came from."""
        self.check_parameters()
        table.require_both_classes()
        return self._keep(self._fit(table), table)

    def _keep(self, fitted: Fitted, table: ScoreTable) -> Self:
        """Take over the outcome of a fit to a table."""
        self.map_, self.diagnostics_ = fitted
        self.n_ = table.n
        self.grid_ = table.grid
        self._reference = condensed(table)
        return self

    @property
    def reference_(self) -> Reference | None:
        """Histogram of the rows of the fit, made when it is first asked for."""
        if isinstance(self._reference, ScoreTable):
            self._reference = Reference.of(self._reference)
        return self._reference

    @reference_.setter
    def reference_(self, reference: Reference | None) -> None:
        self._reference = reference

    def predict(self, scores: ArrayLike) -> FloatArray:
        """Calibrated probabilities of new scores, as float64 in [0, 1]."""
        self.check_is_fitted()
        return self.map_.apply_unchecked(as_scores(scores))

    def check_is_fitted(self) -> None:
        """Raise scikit-learn's ``NotFittedError`` before ``fit``."""
        if not hasattr(self, "map_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit first.")

    def check_parameters(self) -> None:
        """Refuse parameters outside their documented range."""
        check_parameters(vars(self), self.parameter_rules)

    @abstractmethod
    def _fit(self, table: ScoreTable) -> Fitted:
        """Fit the map to a table that holds both classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
