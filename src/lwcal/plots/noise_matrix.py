"""The noise matrix of several classes as a picture."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from lwcal.arrays import BoolArray
from lwcal.errors import ParameterError, message
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.plots.reliability import pyplot_axes

MOST_NUMBERS = 20
"""Matrices with more classes have no numbers in their cells."""
LEAST_SHOWN = 0.005
DARK = 0.6
"""Share from which on the number in a cell is white."""


class NoiseMatrixDisplay:
    """Expected labels of each true class, in the manner of scikit-learn's displays.

    Every row is a true class, and every column a label. The numbers are percents of the true
    class, given that some labels are wrong. The row of a class with too few clear cases to
    estimate its rate is empty, and a question mark stands before its name.

    Parameters
    ----------
    noise : ClassNoiseEstimate
        As :func:`lwcal.estimate_noise` returns it for more than two classes.

    Attributes
    ----------
    im_ : matplotlib AxesImage
        The cells.
    text_ : list of matplotlib Text
        The numbers in them; empty with more than 20 classes.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import lwcal
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.dirichlet([0.1] * 3, 300)
    >>> calibrator = lwcal.Auto().fit(scores, scores.argmax(axis=1))
    >>> NoiseMatrixDisplay.from_estimate(calibrator).ax_.get_ylabel()
    'true class'
    """

    def __init__(self, noise: ClassNoiseEstimate) -> None:
        self.noise = noise

    @classmethod
    def from_estimate(cls, estimate: Any, *, ax: Any = None, **kwargs: Any) -> Self:
        """Plot an estimate, or that of a fitted calibrator.

        Parameters
        ----------
        estimate : ClassNoiseEstimate, or calibrator with ``noise_``
            Of more than two classes.
        ax : matplotlib Axes, optional
            Axes to draw on. By default pyplot creates new ones.
        **kwargs
            Options for ``Axes.imshow``, such as ``cmap``.
        """
        noise = getattr(estimate, "noise_", estimate)
        if not isinstance(noise, ClassNoiseEstimate):
            expected = "a noise estimate of more than two classes, or a calibrator that has one"
            raise ParameterError(message(expected, type(estimate).__name__))
        return cls(noise).plot(ax=ax, **kwargs)

    def plot(self, *, ax: Any = None, **kwargs: Any) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax, **kwargs
            As in :meth:`from_estimate`.

        Returns
        -------
        NoiseMatrixDisplay
            The display itself.
        """
        self.ax_ = pyplot_axes() if ax is None else ax
        self.figure_ = self.ax_.figure
        places = np.arange(len(self.noise.classes))
        style = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.0} | kwargs
        self.im_ = self.ax_.imshow(
            np.where(self._known[:, None], self.noise.matrix, np.nan), **style
        )
        names = [str(label) for label in self.noise.classes]
        self.ax_.set_xticks(places, labels=names, rotation=45, ha="right")
        self.ax_.set_yticks(places, labels=self._marked(names))
        self.ax_.set(xlabel="label", ylabel="true class")
        self.text_ = self._numbers() if len(places) <= MOST_NUMBERS else []
        return self

    def _marked(self, names: list[str]) -> list[str]:
        """Mark the classes whose rate is not identified."""
        pairs = zip(names, self._known.tolist(), strict=True)
        return [name if is_known else f"? {name}" for name, is_known in pairs]

    @property
    def _known(self) -> BoolArray:
        return np.array([rate.value is not None for rate in self.noise.rates])

    def _numbers(self) -> list[Any]:
        shown = np.argwhere((self.noise.matrix >= LEAST_SHOWN) & self._known[:, None])
        return [
            self.ax_.text(
                label,
                true,
                f"{100 * self.noise.matrix[true, label]:.0f}",
                ha="center",
                va="center",
                color="white" if self.noise.matrix[true, label] > DARK else "black",
            )
            for true, label in shown.tolist()
        ]
