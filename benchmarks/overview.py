"""Draw the figure of the README: ``python -m benchmarks.overview``.

It shows the rows of ``lwcal demo``: the calibration by noisy labels on the left, and by true labels
on the right. Rewrites docs/images/overview-light.svg and overview-dark.svg.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

import lwcal
from lwcal.cli.demo_data import CALIBRATION, TEST, score_disputes
from lwcal.metrics import reliability_curve

FOLDER = Path(__file__).parents[1] / "docs" / "images"
THEMES = {"light": ("#1f2328", "#c4ccd4"), "dark": ("#e6edf3", "#4d565f")}
"""Colours of the text and of the lines behind the curves."""
SHOWN = {
    "raw score": (lwcal.Identity, "#8a949e", "D"),
    "isotonic, which trusts the labels": (lwcal.Isotonic, "#d9822b", "s"),
    "lwcal Auto": (lwcal.Auto, "#2f9bd8", "o"),
}


def curves():
    """Reliability of each calibrator on test rows, by noisy and by true labels."""
    demo = score_disputes()
    scores, data = demo.scores, demo.data
    fitted = {
        name: make().fit(scores[CALIBRATION], data.y_noisy[CALIBRATION])
        for name, (make, _, _) in SHOWN.items()
    }
    panels = {"by the noisy labels you have": data.y_noisy, "by the true labels": data.y_true}
    return {
        title: {
            name: reliability_curve(
                labels[TEST], model.predict(scores[TEST]), n_bins=10, strategy="quantile"
            )
            for name, model in fitted.items()
        }
        for title, labels in panels.items()
    }


def draw(found, theme):
    """Two panels in the colours of a theme, without background."""
    text, faint = THEMES[theme]
    figure = Figure(figsize=(9, 4.6), layout="constrained")
    for axes, (title, named) in zip(figure.subplots(1, 2, sharey=True), found.items(), strict=True):
        axes.plot([0, 1], [0, 1], color=faint, lw=1.5, ls="--")
        for name, curve in named.items():
            _, colour, marker = SHOWN[name]
            axes.plot(
                curve.predicted, curve.observed, color=colour, marker=marker, ms=5, lw=2, label=name
            )
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", facecolor="none")
        axes.set_title(title, color=text)
        axes.set_xlabel("predicted probability of fraud", color=text)
        axes.tick_params(colors=text)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(faint)
    figure.axes[0].set_ylabel("share of frauds", color=text)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=3, frameon=False, labelcolor=text
    )
    return figure


def main(folder=FOLDER):
    """Write one figure per theme."""
    found = curves()
    # reproducible files; letters as paths, because readers may not have the font
    with mpl.rc_context({"svg.hashsalt": "lwcal", "svg.fonttype": "path"}):
        for theme in THEMES:
            draw(found, theme).savefig(
                folder / f"overview-{theme}.svg", transparent=True, metadata={"Date": None}
            )


if __name__ == "__main__":
    main()
