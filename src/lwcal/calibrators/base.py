"""The base of all calibrators: validated input, one table in, one monotone map out."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.metadata_routing import UNUSED

from lwcal.adjustments import Adjustment
from lwcal.arrays import FloatArray
from lwcal.calibrators.decision import Decision
from lwcal.calibrators.gate import GATE_CENTER, GATE_WIDTH, gate
from lwcal.errors import InputError, InputTypeError, ScaleWarning
from lwcal.maps import Map
from lwcal.noise.estimate import NoiseEstimate
from lwcal.noise.forward import Hypothesis
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.posterior import Posterior
from lwcal.noise.rates import RatePosterior
from lwcal.parameters import Rule, check_parameters
from lwcal.reference import Reference, condensed
from lwcal.rows import ArrayLike, as_scores, is_missing
from lwcal.rows.scales import PERCENT, PROBABILITY
from lwcal.score_map import ScoreMap, chosen_scale
from lwcal.table import ScoreTable, as_table

MANY_SCORES = 10
"""So many new scores are rarely all below the median of the earlier ones: once in 1,000 times."""
ONE_CLASS = "With one class there is nothing to calibrate; check the labels, or take more rows"


class Fitted(NamedTuple):
    """Everything that a fit learned.

    Attributes
    ----------
    map : Map
    diagnostics : dict of str to float
    noise : NoiseEstimate or None
        From calibrators with a noise model, with few enough draws to be saved.
    decision : Decision or None
        From :class:`lwcal.Auto`.
    posterior : Posterior or None
        From calibrators whose map follows from labels alone and a noise model. It is large, so
        the calibrator does not keep it: hand it on to whoever judges the same rows.
    """

    map: Map
    diagnostics: dict[str, float]
    noise: NoiseEstimate | None = None
    decision: Decision | None = None
    posterior: Posterior | None = None


class Calibrator(ABC, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Base of the calibrators. A subclass declares its parameters and fits a table.

    Attributes
    ----------
    map_ : Map
        The fitted map. Call it on an array of scores, or write it with ``to_dict``.
    n_ : int or float
        Number of rows, or total weight, of the fit.
    diagnostics_ : dict of str to float
        Numbers that the fit learned besides the map; each calibrator documents its keys.
    noise_ : NoiseEstimate, ClassNoiseEstimate or None
        Estimate of the label noise; None for calibrators without a noise model, and for files
        saved before it was stored. Corrected metrics accept the calibrator in its place.
    reference_ : Reference, ClassReference or None
        Histogram of the rows, which :func:`lwcal.monitor` compares with new rows; None for files
        saved before it was stored.
    grid_ : float or None
        Width of the bins to which the scores of the fit were rounded, as with very many
        distinct scores; None if they were not rounded.
    adjustments_ : tuple of Adjustment
        Changes of the base rate that ``lwcal.shift`` applied after the fit; empty without any.
    scale_ : {"probability", "percent", "logit"}
        Scale of the scores of the fit, on which ``predict`` reads new scores. The map itself is
        one of probabilities.
    """

    # scikit-learn takes every parameter except X and y for metadata
    __metadata_request__fit: ClassVar[Mapping[str, str]] = {"scores": UNUSED, "scale": UNUSED}
    __metadata_request__predict: ClassVar[Mapping[str, str]] = {"scores": UNUSED, "scale": UNUSED}

    parameter_rules: ClassVar[Mapping[str, Rule]] = {}
    diagnostic_meanings: ClassVar[Mapping[str, str]] = {}
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset()
    """Diagnostics that a fit may lack, and those that files of earlier versions may lack."""
    threshold: float = 0.5
    """Score from which on the model decides for the positive class."""
    gate_center: float = GATE_CENTER
    gate_width: float = GATE_WIDTH
    pos_label: Any
    noise_: Any
    grid_: float | None
    scale_: str
    adjustments_: tuple[Adjustment, ...] = ()
    _reference: Any
    """The histogram, or rows that it is made of when somebody asks for it."""

    def fit(
        self,
        scores: ArrayLike | ScoreTable,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        scale: str | None = None,
    ) -> Self:
        """Fit to rows, or to a table of them.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1] or on the given scale, or ScoreTable
            Scores of a model on rows it was not trained on; or these rows, pooled.
        y : one-dimensional, two classes
            Labels of the same rows, possibly wrong; omitted with a ScoreTable.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        scale : {"probability", "percent", "logit", "auto"}, optional
            Scale of the scores; default: probability. ``predict`` reads new scores on the same
            scale. Omitted with a ScoreTable, which knows its scale.
        """
        if isinstance(scores, ScoreTable):
            return self.fit_table(as_table(scores, y, sample_weight, scale=scale))
        self._check_rows(scores, y)
        pos_label = self.pos_label
        return self.fit_table(as_table(scores, y, sample_weight, pos_label=pos_label, scale=scale))

    def _check_rows(self, scores: ArrayLike, y: ArrayLike | None) -> None:
        check_scores_type(scores)
        shape: tuple[int, ...] = getattr(scores, "shape", ())
        if len(shape) == 2 and shape[1] > 2 and not self.__sklearn_tags__().input_tags.two_d_array:
            raise InputError(
                f"{type(self).__name__} takes one column of scores, got {shape[1]:,}. For several "
                "classes use Auto, NoiseAware or MatrixScaling, or "
                "CalibratedClassifier, which calibrates each class against the rest."
            )
        if y is None:
            name = type(self).__name__
            raise InputError(f"{name} requires y to be passed, but the target y is None.")

    def fit_table(self, table: ScoreTable) -> Self:
        """Fit to pooled counts. The map equals that of the rows behind the counts."""
        self.learn(table)
        return self

    def fit_each(self, tables: Sequence[ScoreTable]) -> list[Self]:
        """Fit a copy to each of several tables.

        >>> from lwcal import Isotonic, ScoreTable
        >>> tables = [ScoreTable.from_arrays([0.2, p], [0, 1]) for p in (0.6, 0.7, 0.8)]
        >>> [one.predict([0.7]).item() for one in Isotonic().fit_each(tables)]
        [1.0, 1.0, 0.833...]
        """
        return [copy(self).fit_table(table) for table in tables]

    def learn(self, table: ScoreTable) -> Fitted:
        """Fit to pooled counts, and return everything that was learned."""
        self.check_parameters()
        table.require_both_classes(ONE_CLASS)
        fitted = self._fit(table)
        self._keep(fitted, table)
        return fitted

    def _keep(self, fitted: Fitted, table: ScoreTable) -> Self:
        """Take over what was learned from a table."""
        self.map_ = fitted.map
        self.diagnostics_ = fitted.diagnostics
        self.noise_ = fitted.noise
        self.n_ = table.n
        self.grid_ = table.grid
        self.scale_ = table.scale
        self.adjustments_ = ()
        self._reference = condensed(table)
        return self

    @property
    def reference_(self) -> Any:
        """Histogram of the rows of the fit, computed on first access."""
        self._reference = self._summarised(self._reference)
        return self._reference

    @reference_.setter
    def reference_(self, reference: Any) -> None:
        self._reference = reference

    def _summarised(self, kept: Any) -> Any:
        return Reference.of(kept) if isinstance(kept, ScoreTable) else kept

    def __getstate__(self) -> dict[str, Any]:
        """State to be pickled: with the histogram, which is small, in place of a table."""
        if hasattr(self, "_reference"):
            self._reference = self.reference_
        state: dict[str, Any] = super().__getstate__()
        return state

    def __copy__(self) -> Self:
        """A calibrator with the same attributes; no histogram is made, as it is for a pickle."""
        copied = object.__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied

    @property
    def rates_posterior(self) -> RatePosterior | None:
        """Posterior of the flip rates; None before the fit, and without a noise model."""
        noise: NoiseEstimate | None = getattr(self, "noise_", None)
        return None if noise is None else noise.rates_posterior

    def hypotheses(self) -> list[Hypothesis]:
        """Prior of the label noise: the default, or what the parameters say."""
        return hypotheses()

    def gate(self, d: float) -> float:
        """Share of the raw score to keep at disagreement d (paper, equation 3)."""
        return gate(d, self.gate_center, self.gate_width)

    @property
    def gate_range(self) -> tuple[float, float]:
        """Disagreement at which the gate starts to open, and at which it is fully open."""
        return self.gate_center, self.gate_center + self.gate_width

    def predict(self, scores: ArrayLike, *, scale: str | None = None) -> FloatArray:
        """Calibrated probabilities of new scores, as float64 in [0, 1].

        Parameters
        ----------
        scores : one-dimensional
            Scores on the scale of the fit.
        scale : {"probability", "percent", "logit"}, optional
            Another scale of these scores.

        Warns
        -----
        ScaleWarning
            If all of many scores are at most 1, where most percents of the fit were above. They
            are probably probabilities. A given ``scale`` ends the doubt.

        Examples
        --------
        >>> from lwcal import Isotonic
        >>> calibrator = Isotonic().fit([6, 20, 90], [0, 1, 1], scale="percent")
        >>> calibrator.predict([13, 90]), calibrator.predict([0.13], scale="probability")
        (array([0.5, 1. ]), array([0.5]))
        """
        self.check_is_fitted()
        check_scores_type(scores)
        read = as_scores(scores, scale=self.scale_of(scale))
        if scale is None and len(read) >= MANY_SCORES and self.scale_of() == PERCENT:
            doubt = self.score_map().doubtful_percents(float(read.max()), "scores")
            if doubt:
                warnings.warn(doubt, ScaleWarning, stacklevel=2)
        return self.map_.apply_unchecked(read)

    def scale_of(self, scale: str | None = None, option: str = "scale") -> str:
        """Scale on which new scores are read: the given one, or else that of the fit."""
        known = getattr(self, "scale_", PROBABILITY)  # earlier pickles lack it
        return chosen_scale(scale, known, option)

    def score_map(self) -> ScoreMap:
        """What new scores meet: the map, and the scale on which it expects them."""
        self.require_two_classes()
        scale = self.scale_of()
        return ScoreMap(self.map_, scale, self.reference_ if scale == PERCENT else None)

    def check_is_fitted(self) -> None:
        """Raise scikit-learn's ``NotFittedError`` before ``fit``."""
        if not hasattr(self, "map_"):
            raise NotFittedError(f"This {type(self).__name__} is not fitted yet; call fit first.")

    def require_two_classes(self) -> None:
        """Refuse to go on before ``fit``, and with a map of more than two classes."""
        self.check_is_fitted()

    def check_parameters(self) -> None:
        """Refuse parameters outside their documented range."""
        check_parameters(vars(self), self.parameter_rules)

    @abstractmethod
    def _fit(self, table: ScoreTable) -> Fitted:
        """Fit to a table that holds both classes, and return everything learned."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def reference_of(calibrator: Calibrator) -> Any:
    """Return the histograms of the rows of the fit. A calibrator without one is refused."""
    calibrator.check_is_fitted()
    reference = getattr(calibrator, "reference_", None)
    if reference is None:
        raise InputError(
            "The calibrator holds no reference, the histogram of the rows of its fit. A version of "
            "lwcal that stored none saved it, or the base rates of its several classes were "
            "adjusted. Use the calibrator before the adjustment, or fit it again."
        )
    return reference


def check_scores_type(scores: ArrayLike) -> None:
    """Refuse scores whose type holds no real numbers, with scikit-learn's wording.

    >>> check_scores_type(np.array([1j]))
    Traceback (most recent call last):
    lwcal.errors.InputTypeError: Complex data not supported: scores have the type complex128...
    """
    shape: tuple[int, ...] = getattr(scores, "shape", ())
    kind = getattr(getattr(scores, "dtype", None), "kind", "")
    if issparse(scores):
        hint = "pass one dense column, for example scores.toarray()[:, 0]"
        raise InputTypeError(f"scores are a sparse {type(scores).__name__}; {hint}.")
    if kind == "c":
        hint = "pass their real part, or check the column"
        raise InputTypeError(
            f"Complex data not supported: scores have the type {scores.dtype}; {hint}."
        )
    if len(shape) == 2 and shape[1] == 0:
        raise InputError(
            f"scores have 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
    if kind == "O":
        _check_objects(np.asarray(scores).ravel())


def _check_objects(values: Any) -> None:
    """Refuse objects such as dictionaries; texts are checked with the values."""
    for row in np.flatnonzero(~is_missing(values)):
        try:
            float(values[row])
        except TypeError as error:
            raise InputTypeError(f"row {row} of scores holds {values[row]!r}: {error}.") from None
        except ValueError:
            pass
