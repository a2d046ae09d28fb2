"""Reliability diagrams: predicted probabilities against observed frequencies."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from lwcal.calibrators import Calibrator
from lwcal.errors import ParameterError, message, missing_extra
from lwcal.metrics import (
    ReliabilityCurve,
    corrected_ece,
    corrected_reliability_curve,
    ece,
    reliability_curve,
)
from lwcal.metrics.inputs import as_metric_table
from lwcal.noise.rates import Noise
from lwcal.rows import ArrayLike
from lwcal.table import ScoreTable

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")
"""Of Okabe and Ito, which colour-blind readers can tell apart."""
MARKERS = ("o", "s", "^", "D")
"""Different markers keep the curves apart in greyscale."""
REFERENCE = "Perfectly calibrated"
CURVE = "lwcal-reliability-curve"


class ReliabilityDisplay:
    """Reliability curve of one set of probabilities, in the manner of scikit-learn's displays.

    Create it with :meth:`from_predictions` or :meth:`from_estimator`. To compare several sets of
    probabilities, pass the same ``ax`` each time.

    Parameters
    ----------
    curve : ReliabilityCurve
        The points of the curve with their intervals.
    error : float, optional
        Expected calibration error, shown in the legend.
    name : str, optional
        Name of the curve in the legend.

    Attributes
    ----------
    line_ : matplotlib Line2D
        The curve.
    band_ : matplotlib collection
        The intervals.
    ax_ : matplotlib Axes
        The axes of the curve.
    figure_ : matplotlib Figure
        The figure of the curve.

    Examples
    --------
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.6, 0.9]
    >>> display = ReliabilityDisplay.from_predictions(y, p, name="raw")
    >>> display.line_.get_label()
    'raw (ECE 0.250)'
    """

    def __init__(
        self, curve: ReliabilityCurve, *, error: float | None = None, name: str | None = None
    ) -> None:
        self.curve = curve
        self.error = error
        self.name = name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike | ScoreTable,
        y_prob: ArrayLike | None = None,
        *,
        noise_rates: Noise | None = None,
        n_bins: int = 10,
        strategy: str = "quantile",
        confidence: float = 0.9,
        sample_weight: ArrayLike | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        ref_line: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Plot the reliability curve of labels and probabilities.

        Parameters
        ----------
        y_true : one-dimensional, two classes, or ScoreTable
            Labels. A table also holds the probabilities and weights.
        y_prob : one-dimensional, in [0, 1]
            Probability of the positive class.
        noise_rates : pair (r0, r1), RatePosterior, or object with ``rates_posterior``, optional
            Flip rates of the labels. The curve and the error are then estimates against true
            labels, as in :func:`lwcal.metrics.corrected_reliability_curve`.
        n_bins : int, default 10
            Number of bins.
        strategy : {"quantile", "uniform"}
            Bins of equal weight, or of equal width.
        confidence : float, default 0.9
            Confidence level of the intervals.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        pos_label : optional
            The positive class, if it is not obvious from the labels.
        name : str, optional
            Name of the curve in the legend.
        ax : matplotlib Axes, optional
            Axes to draw on. By default pyplot creates new ones.
        ref_line : bool, default True
            Draw the diagonal of perfect calibration, once for each axes.
        **kwargs
            Options of the line for ``Axes.plot``, such as ``color``.

        Examples
        --------
        >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1] * 25, ([0.2] * 4 + [0.7] * 4) * 25
        >>> display = ReliabilityDisplay.from_predictions(y, p, noise_rates=(0.1, 0.1))
        >>> display.curve.observed
        array([0.1875, 0.8125])
        """
        table = as_metric_table(y_true, y_prob, sample_weight, pos_label)
        bins: dict[str, Any] = {"n_bins": n_bins, "strategy": strategy, "confidence": confidence}
        if noise_rates is None:
            curve, error = reliability_curve(table, **bins), ece(table)
        else:
            curve = corrected_reliability_curve(table, noise_rates=noise_rates, **bins)
            error = corrected_ece(table, noise_rates=noise_rates, n_resamples=1).value
        display = cls(curve, error=error, name=name)
        return display.plot(ax=ax, ref_line=ref_line, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot the reliability curve of a fitted classifier or calibrator on labelled rows.

        Parameters
        ----------
        estimator : classifier of two classes with ``predict_proba``, or Calibrator
            A fitted model.
        X : features, or one column of scores for a calibrator
            Rows that the model was not fitted to.
        y : one-dimensional, two classes
            Labels of these rows.
        pos_label : optional
            The positive class. By default the second class of the classifier, or that of the
            calibrator.
        name : str, optional
            Name of the curve in the legend. By default that of the estimator's class.
        **options
            All other options of :meth:`from_predictions`.

        Examples
        --------
        >>> from lwcal import Beta
        >>> scores, y = [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1]
        >>> display = ReliabilityDisplay.from_estimator(Beta().fit(scores, y), scores, y)
        >>> display.name
        'Beta'
        """
        probabilities, positive = _positive_probabilities(estimator, X, pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, probabilities, pos_label=positive, name=name, **options)

    def plot(
        self, *, ax: Any = None, name: str | None = None, ref_line: bool = True, **kwargs: Any
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax, name, ref_line, **kwargs
            As in :meth:`from_predictions`.

        Returns
        -------
        ReliabilityDisplay
            The display itself.
        """
        self.ax_ = pyplot_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        if ref_line and REFERENCE not in self.ax_.get_legend_handles_labels()[1]:
            self.ax_.plot([0, 1], [0, 1], color="0.6", lw=1, ls="--", label=REFERENCE)
        self._draw(self.name if name is None else name, kwargs)
        self.ax_.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        self.ax_.set(xlabel="predicted probability", ylabel="observed frequency")
        if self.ax_.get_legend_handles_labels()[1]:
            self.ax_.legend(frameon=False, loc="lower right")
        return self

    def _draw(self, name: str | None, kwargs: dict[str, Any]) -> None:
        from matplotlib.cbook import normalize_kwargs
        from matplotlib.lines import Line2D

        earlier = sum(line.get_gid() == CURVE for line in self.ax_.lines)
        style = {
            "color": COLOURS[earlier % len(COLOURS)],
            "marker": MARKERS[earlier % len(MARKERS)],
            "markersize": 5,
            "label": _label(name, self.error),
        } | normalize_kwargs(kwargs, Line2D)
        curve = self.curve
        (self.line_,) = self.ax_.plot(curve.predicted, curve.observed, gid=CURVE, **style)
        self.band_ = self.ax_.fill_between(
            curve.predicted,
            curve.lower,
            curve.upper,
            color=self.line_.get_color(),
            alpha=0.15,
            lw=0,
        )


def new_axes() -> Any:
    """Create axes of a figure without a window, to be saved as a file."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "report", "a plot") from None
    return Figure(figsize=(5, 5)).subplots()


def pyplot_axes() -> Any:
    """Create axes that a notebook shows."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise missing_extra("matplotlib", "report", "a plot") from None
    return pyplot.subplots(figsize=(5, 5))[1]


def _label(name: str | None, error: float | None) -> str | None:
    if error is None:
        return name
    return f"ECE {error:.3f}" if name is None else f"{name} (ECE {error:.3f})"


def _positive_probabilities(estimator: Any, X: ArrayLike, pos_label: Any) -> tuple[ArrayLike, Any]:
    """Return the probabilities of the positive class, and that class."""
    if isinstance(estimator, Calibrator):
        return estimator.predict(X), estimator.pos_label if pos_label is None else pos_label
    if not hasattr(estimator, "predict_proba"):
        expected = "a classifier with predict_proba, or a calibrator"
        raise ParameterError(message(expected, f"{estimator!r}"))
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) != 2:
        hint = "plot one class against the rest with from_predictions"
        raise ParameterError(message("a classifier of two classes", f"{len(classes)}", hint))
    positive = classes[1] if pos_label is None else pos_label
    if positive not in classes:
        raise ParameterError(message(f"pos_label to be one of {classes}", f"{pos_label!r}"))
    return np.asarray(estimator.predict_proba(X))[:, classes.index(positive)], positive
