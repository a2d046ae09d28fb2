"""Draw and measure failures of the noise model: ``python -m benchmarks.failure_modes``.

Scores are simulated, so the clean posterior is known. Rewrites a figure and a table of
docs/theory/noise-aware.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from scipy.special import expit, logit

import lwcal

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "images" / "noise_aware.svg"
PAGE = DOCS / "theory" / "noise-aware.md"
GRID = np.linspace(0.005, 0.995, 199)
SEEDS = 20
SHOWN = {
    "raw": lwcal.Identity,
    "Platt": lwcal.Platt,
    "LWCal": lwcal.LWCal,
    "NoiseAware": lwcal.NoiseAware,
    "Auto": lwcal.Auto,
}
DRAWN = {"NoiseAware": ("#0072b2", "-"), "Auto": ("#d55e00", "--")}


@dataclass(frozen=True)
class Situation:
    """Scores, their clean posterior, and the label noise."""

    title: str
    n: int
    draw_scores: Callable[[np.random.Generator, int], np.ndarray]
    clean: Callable[[np.ndarray], np.ndarray]
    flip: Callable[[np.random.Generator, np.ndarray, np.ndarray], np.ndarray]

    def draw(self, seed):
        """Scores, clean probabilities and noisy labels."""
        rng = np.random.default_rng(seed)
        scores = self.draw_scores(rng, self.n)
        probability = self.clean(scores)
        labels = rng.random(self.n) < probability
        wrong = rng.random(self.n) < self.flip(rng, scores, labels)
        return scores, probability, (labels ^ wrong).astype(int)


def steep(scores):
    """A clean posterior that is steeper than the score, as after training on noisy labels."""
    return expit(2.5 * logit(scores))


def certain(rng, n):
    """Scores that come close to 0 and 1."""
    return expit(rng.choice([-1.6, 1.6], n) + 0.8 * rng.normal(size=n))


def uncertain(rng, n):
    """Scores of a hard task, all near 0.5."""
    return expit(0.55 * rng.normal(size=n))


SITUATIONS = (
    Situation(
        "the assumption holds",
        2000,
        certain,
        steep,
        lambda rng, scores, labels: np.where(labels, 0.25, 0.1),
    ),
    Situation(
        "noise where the model is unsure",
        2000,
        certain,
        steep,
        lambda rng, scores, labels: 0.45 * np.exp(-((scores - 0.5) ** 2) / 0.045),
    ),
    Situation(
        "a hard task with clean labels",
        2000,
        uncertain,
        lambda scores: expit(0.5 * logit(scores)),
        lambda rng, scores, labels: np.zeros(len(scores)),
    ),
    Situation(
        "sixty rows",
        60,
        certain,
        steep,
        lambda rng, scores, labels: np.where(labels, 0.25, 0.1),
    ),
)


def expected_nll(truth, probability):
    """Log loss in expectation over the clean posterior, without a test sample."""
    clipped = np.clip(probability, 1e-6, 1 - 1e-6)
    return float(-np.mean(truth * np.log(clipped) + (1 - truth) * np.log1p(-clipped)))


def measure(situation):
    """Mean log loss of every calibrator over the seeds, and the lowest possible one."""
    totals = dict.fromkeys([*SHOWN, "clean posterior"], 0.0)
    for seed in range(SEEDS):
        scores, truth, labels = situation.draw(seed)
        for name, calibrator in SHOWN.items():
            fitted = calibrator().fit(scores, labels)
            totals[name] += expected_nll(truth, fitted.predict(scores)) / SEEDS
        totals["clean posterior"] += expected_nll(truth, truth) / SEEDS
    return totals


def draw(axes, situation):
    """Draw the clean posterior, the shares of positive labels, and the fitted maps."""
    scores, _, labels = situation.draw(0)
    edges = np.quantile(scores, np.linspace(0, 1, 11 if situation.n > 100 else 6))
    bins = np.clip(np.searchsorted(edges, scores, side="right") - 1, 0, len(edges) - 2)
    means = [(scores[bins == k].mean(), labels[bins == k].mean()) for k in np.unique(bins)]
    axes.plot(GRID, GRID, color="0.75", lw=1, label="raw score")
    axes.plot(*zip(*means, strict=True), "o", color="0.45", ms=4, label="share of positive labels")
    axes.plot(GRID, situation.clean(GRID), color="black", lw=2, label="clean posterior")
    for name, (color, style) in DRAWN.items():
        fitted = SHOWN[name]().fit(scores, labels)
        axes.plot(GRID, fitted.predict(GRID), color=color, ls=style, lw=2, label=name)
    axes.set(title=situation.title, xlim=(0, 1), ylim=(0, 1), xlabel="score")
    axes.spines[["top", "right"]].set_visible(False)


def picture():
    """Figure of the four situations."""
    mpl.rcParams["svg.hashsalt"] = "lwcal"  # reproducible file
    figure = Figure(figsize=(13, 3.6), layout="constrained")
    for axes, situation in zip(figure.subplots(1, 4), SITUATIONS, strict=True):
        draw(axes, situation)
    figure.axes[0].set_ylabel("probability")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, frameon=False)
    return figure


def table():
    """Table in Markdown, one row per situation."""
    names = [*SHOWN, "clean posterior"]
    lines = ["| situation | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for situation in SITUATIONS:
        measured = measure(situation)
        lines.append(
            f"| {situation.title} | " + " | ".join(f"{measured[name]:.3f}" for name in names) + " |"
        )
    return "\n".join(lines)


def main():
    """Write the figure, and the table of the page."""
    PICTURE.parent.mkdir(exist_ok=True)
    picture().savefig(PICTURE, metadata={"Date": None})
    page = PAGE.read_text(encoding="utf-8")
    block = f"<!-- failure modes -->\n{table()}\n<!-- end -->"
    found = re.sub(r"<!-- failure modes -->.*?<!-- end -->", lambda _: block, page, flags=re.S)
    PAGE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
