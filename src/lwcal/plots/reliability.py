"""Reliability diagrams: what was predicted against what happened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lwcal.errors import missing_extra
from lwcal.files import PathLike, replacing
from lwcal.metrics import ReliabilityCurve, ece, reliability_curve
from lwcal.rows import ArrayLike

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7")  # Okabe and Ito: safe for colour blindness
MARKERS = ("o", "s", "^", "D")  # so that the picture also reads in greyscale


@dataclass(frozen=True)
class ReliabilityDisplay:
    """Reliability curves of one or several sets of probabilities, to be drawn on any axes.

    Attributes
    ----------
    curves : dict of str to ReliabilityCurve
        The numbers behind each line.
    errors : dict of str to float
        Expected calibration error of each.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 0, 1, 1], {"raw": [0.1, 0.4, 0.6, 0.9]})
    >>> round(display.errors["raw"], 3)
    0.25
    """

    curves: Mapping[str, ReliabilityCurve]
    errors: Mapping[str, float]

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        probabilities: Mapping[str, ArrayLike],
        *,
        n_bins: int = 10,
        sample_weight: ArrayLike | None = None,
    ) -> ReliabilityDisplay:
        """Compute the curves of named sets of probabilities on the same labels."""
        curves = {
            # equal-mass bins: no point of the picture rests on a handful of rows
            name: reliability_curve(
                y_true, p, n_bins=n_bins, strategy="quantile", sample_weight=sample_weight
            )
            for name, p in probabilities.items()
        }
        errors = {
            name: ece(y_true, p, sample_weight=sample_weight) for name, p in probabilities.items()
        }
        return cls(curves, errors)

    def plot(self, ax: Any = None) -> Any:
        """Draw on matplotlib axes, new ones when none are given, and return them."""
        if ax is None:
            ax = new_axes()
        ax.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="perfect")
        for position, (name, curve) in enumerate(self.curves.items()):
            _draw_curve(ax, curve, f"{name} (ECE {self.errors[name]:.3f})", position)
        ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        ax.set(xlabel="predicted probability", ylabel="observed frequency")
        ax.legend(frameon=False, loc="lower right")
        return ax

    def save(self, path: PathLike, *, title: str = "", overwrite: bool = True) -> None:
        """Draw to a file; the ending of the name chooses the format."""
        ax = self.plot()
        ax.set_title(title)
        with replacing(path, overwrite=overwrite) as temporary:
            ax.figure.savefig(temporary, dpi=150, bbox_inches="tight")


def new_axes() -> Any:
    """Make empty axes, or say how to install what draws them."""
    try:
        from matplotlib.figure import Figure  # not pyplot: no window, no global state
    except ImportError:
        raise missing_extra("matplotlib", "report", "a plot") from None
    return Figure(figsize=(5, 5)).subplots()


def _draw_curve(ax: Any, curve: ReliabilityCurve, label: str, position: int) -> None:
    colour = COLOURS[position % len(COLOURS)]
    marker = MARKERS[position % len(MARKERS)]
    ax.fill_between(curve.predicted, curve.lower, curve.upper, color=colour, alpha=0.15, lw=0)
    ax.plot(curve.predicted, curve.observed, color=colour, marker=marker, ms=5, label=label)
