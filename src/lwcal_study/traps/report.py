"""Write the page of the trap suite, in Markdown."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lwcal_study.markdown import bullets, pipe_table
from lwcal_study.traps.cells import SIZES
from lwcal_study.traps.learners import LEARNERS
from lwcal_study.traps.summary import (
    FIGURES,
    LEAST_LOSS,
    by_method,
    gains_by_probability,
    gap_closed,
    judged,
    to_platt,
    verdict_shares,
)

ABOUT = """Label noise bends the calibration curve of a model. So does a model of the wrong shape.
With one label a row, no amount of data tells the two apart. This suite collects models of the wrong
shape: {learners} learners such as linear models on one feature, naive Bayes, stumps, models trained
on undersamples, and scores that somebody cut or rescaled. They are trained and calibrated on clean
labels, on labels of which 20% were flipped at random, and last, trained on clean labels and
calibrated on flipped ones. Every result is judged by true labels of other rows."""
NOTES = """## How to read the figures

- **Gap closed** is the share of the way from Platt on these labels to Platt on clean labels. Known
  rates close most of it with the same model. Labels alone do not tell the rates: some of these
  models bend as much as noise does.
- **Worst cell** is the largest of many ratios. The bound of `Auto` holds for the rows that it is
  fitted on, with one standard error to spare. New rows can differ.
- **The sign of the true gain** is a coin where the gain is close to zero, and many gains are. So a
  second line counts gains within 1% of zero as right. "Check scores" counts as "do not deploy".
- **The probability of a gain** is what `lwcal.diagnose` states after the checks (`likely_gain`).
  Where it is right as often as it says, a wrong verdict is bad luck with the 25 rows, and only more
  checks help.
- Aims were set before the judged tasks were seen, and are not changed where they are missed. The
  models trained on clean labels and calibrated on flipped ones were added later. Their aims are
  those of the others."""
NOISE_TITLES = {
    "clean": "clean labels",
    "flips": "20% of the labels flipped",
    "late": "20% flipped, trained on clean labels",
}


def report(frame: pd.DataFrame, run: dict[str, Any]) -> str:
    """The whole page."""
    cells = judged(frame)
    parts = [part for part in ("judged", "development") if part in set(cells["part"])]
    sections = [_part(cells[cells["part"] == part], part) for part in parts]
    return "\n\n".join([_introduction(frame, cells, run), *sections, NOTES]) + "\n"


def _introduction(frame: pd.DataFrame, cells: pd.DataFrame, run: dict[str, Any]) -> str:
    quick = "**QUICK RUN: few tasks and learners.** " if run["quick"] else ""
    facts = [
        f"Command: `{run['command']}`, {run['date']}, {run['machine']}, Python {run['python']}.",
        f"Calibration rows: {', '.join(f'{n:,}' for n in SIZES)}, as far as the task has rows.",
        f"{len(cells):,} results. {len(frame) - len(cells):,} are left out because the raw score "
        f"loses less than {LEAST_LOSS:g}: a ratio to almost nothing says nothing.",
        "Methods were chosen on development tasks. The judged tasks are others.",
    ]
    return f"# The trap suite\n\n{quick}{ABOUT.format(learners=len(LEARNERS))}\n\n{bullets(facts)}"


def _part(cells: pd.DataFrame, part: str) -> str:
    tasks = cells["task"].nunique()
    blocks = [f"## {part.capitalize()} tasks ({tasks})", _aims(cells)]
    for noise, title in NOISE_TITLES.items():
        table = by_method(cells, noise)
        rows = [[str(name), *(f"{value:.3f}" for value in row)] for name, row in table.iterrows()]
        blocks += [f"### Every method, {title}", pipe_table(["method", *table.columns], rows)]
        shares = verdict_shares(cells[cells["noise"] == noise])
        rows = [[str(name), *(f"{value:.0%}" for value in row)] for name, row in shares.iterrows()]
        blocks += [f"### Verdicts, {title}", pipe_table(["verdict", *shares.columns], rows)]
        blocks += [
            f"### Probability of a gain after 25 checks, {title}",
            _probabilities(cells[cells["noise"] == noise]),
        ]
    return "\n\n".join([*blocks, "### Auto by size", _sizes(cells)])


def _aims(cells: pd.DataFrame) -> str:
    rows = []
    for figure in FIGURES:
        value = figure.measure(cells[cells["noise"] == figure.noise])
        verdict = "met" if figure.met(value) else "**missed**"
        labels = NOISE_TITLES[figure.noise]
        rows.append([labels, f"Auto: {figure.what}", figure.aim, f"{value:.3f}", verdict])
    return pipe_table(["labels", "figure", "aim", "measured", ""], rows)


def _probabilities(cells: pd.DataFrame) -> str:
    rows = [
        [
            f"{one.said:.2f}",
            f"{one.cells:,.0f}",
            *(f"{x:.2f}" for x in (one.gained, one.mean, one.lowest)),
        ]
        for one in gains_by_probability(cells).itertuples()
    ]
    header = ["stated, on average", "results", "true gains", "mean true gain", "lowest"]
    return pipe_table(header, rows)


def _sizes(cells: pd.DataFrame) -> str:
    rows = []
    for size, some in cells.groupby("n"):
        by_noise = {noise: some[some["noise"] == noise] for noise in NOISE_TITLES}
        figures = (to_platt(by_noise["clean"]), gap_closed(by_noise["flips"]))
        rows.append([f"{size:,}", f"{len(some):,}", *(f"{value:.3f}" for value in figures)])
    header = ["calibration rows", "results", "clean: log loss to Platt", "flips: gap closed"]
    return pipe_table(header, rows)
