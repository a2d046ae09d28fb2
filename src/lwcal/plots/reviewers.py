"""The share of wrong labels of every reviewer as a picture."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from lwcal.errors import ParameterError, message
from lwcal.plots.reliability import pyplot_axes
from lwcal.reviews.summary import ReviewSummary


class ReviewersDisplay:
    """Share of wrong labels of each reviewer, in the manner of scikit-learn's displays.

    Every line is a reviewer, in the order of the columns of the fit: a dot for the estimate, and a
    bar for its interval. This is not a ranking: the range of ranks of each reviewer says who cannot
    be told apart from whom.

    Parameters
    ----------
    summary : ReviewSummary
        As ``reviews_`` of a fitted :class:`lwcal.Reviewed`.

    Attributes
    ----------
    errorbar_ : matplotlib ErrorbarContainer
        Dots and bars.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 500)
    >>> truth = rng.random(500) < scores
    >>> labels = np.stack([truth ^ (rng.random(500) < rate) for rate in (0.1, 0.3)], axis=1)
    >>> fitted = lwcal.Reviewed().fit(scores, labels, reviewers=["Ann", "Bob"])
    >>> ReviewersDisplay.from_estimator(fitted).ax_.get_xlabel()
    'share of wrong labels, 90% intervals'
    """

    def __init__(self, summary: ReviewSummary) -> None:
        self.summary = summary

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Plot the reviewers of a fitted calibrator.

        Parameters
        ----------
        estimator : calibrator with ``reviews_``
            Fitted to several opinions, or loaded.
        ax : matplotlib Axes, optional
            Axes to draw on. By default pyplot creates new ones.
        **kwargs
            Options for ``Axes.errorbar``, such as ``color``.
        """
        return cls.from_summary(getattr(estimator, "reviews_", estimator), ax=ax, **kwargs)

    @classmethod
    def from_summary(cls, summary: ReviewSummary, *, ax: Any = None, **kwargs: Any) -> Self:
        """Plot what is known of reviewers.

        Parameters
        ----------
        summary : ReviewSummary
        ax, **kwargs
            As in :meth:`from_estimator`.
        """
        if not isinstance(summary, ReviewSummary):
            got = "a fit without them" if summary is None else type(summary).__name__
            expected = "what is known of reviewers, or a calibrator that was fitted to opinions"
            raise ParameterError(message(expected, got, "fit lwcal.Reviewed to several opinions"))
        return cls(summary).plot(ax=ax, **kwargs)

    def plot(self, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the intervals.

        Parameters
        ----------
        ax, **kwargs
            As in :meth:`from_estimator`.

        Returns
        -------
        ReviewersDisplay
            The display itself.
        """
        self.ax_ = pyplot_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        value, low, high = np.array([one.wrong for one in self.summary.reviewers]).T
        places = np.arange(len(value))
        style = {"fmt": "o", "capsize": 3.0} | kwargs
        self.errorbar_ = self.ax_.errorbar(value, places, xerr=[value - low, high - value], **style)
        self.ax_.set_yticks(places, labels=[str(one.name) for one in self.summary.reviewers])
        self.ax_.invert_yaxis()
        self.ax_.set_xlim(left=0.0)
        self.ax_.set_xlabel(f"share of wrong labels, {self.summary.confidence:.0%} intervals")
        return self
