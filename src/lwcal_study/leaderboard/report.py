"""The page of the leaderboard, in Markdown."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lwcal_study.leaderboard import explanations
from lwcal_study.leaderboard.grid import SUITES
from lwcal_study.leaderboard.methods import all_methods
from lwcal_study.leaderboard.rankings import (
    Board,
    boards,
    breakdowns,
    failures,
    summary,
    worst_places,
)
from lwcal_study.leaderboard.targets import target_rows
from lwcal_study.leaderboard.verdicts import HEADER, verdict_rows
from lwcal_study.markdown import bullets, pipe_table
from lwcal_study.real.tasks import REAL_TASKS

BREAKDOWNS = {
    "by_noise": "Relative log loss by kind of noise (judged real tasks)",
    "by_learner": "Relative log loss by learner (judged real tasks with noise)",
    "by_size": "Relative log loss by number of calibration rows (judged real tasks with noise)",
}

SUMMARY_HEADER = [
    *("", "relative log loss", "95% interval", "log loss", "Brier", "ECE", "AUC", "rank"),
    *("worst task", "failures"),
]


def report(frame: pd.DataFrame, run: dict[str, Any], figures: str) -> str:
    """Write the page. ``figures`` is the relative address of the folder with the figure."""
    shown = list(boards(frame))
    tables = [summary(board.frame) for board in shown]
    parts = ["# Leaderboard", explanations.provenance(run)]
    if run["quick"]:
        parts.append(
            "QUICK RUN with few tasks and small forests. It only tests the program: do not cite."
        )
    judged = [b for b in zip(shown, tables, strict=True) if b[0].part == "judged"]
    parts += ["## Summary", bullets(explanations.headline(*pair) for pair in judged)]
    parts += [f"![Relative log loss of every method]({figures}/leaderboard.png)"]
    parts += ["## Targets", explanations.ABOUT_TARGETS, _targets(frame)]
    parts += ["## Verdicts", explanations.ABOUT_VERDICTS, pipe_table(HEADER, verdict_rows(shown))]
    parts += ["## How to read the tables", bullets(explanations.HOW_TO_READ)]
    parts += ["## Limits of this comparison", bullets(explanations.LIMITS)]
    for board, table in zip(shown, tables, strict=True):
        about = f"{SUITES[board.suite].about} {explanations.counted(board)}"
        parts += [f"## {board.title}", about, summary_table(table)]
    return "\n\n".join([*parts, *_worst_cases(frame), *_appendix(frame, shown)]) + "\n"


def _targets(frame: pd.DataFrame) -> str:
    return pipe_table(["suite", "quantity", "target", "measured", ""], target_rows(frame))


def _worst_cases(frame: pd.DataFrame) -> list[str]:
    places = worst_places(frame).sort_values("nll_ratio", kind="stable")
    parts = [
        "## Worst case of each method",
        "The judged task and kind of noise with the highest relative log loss. *Harmed* is the "
        "share of tasks and kinds of noise on which the method is worse than the raw score.",
        _worst_table(places),
    ]
    for name, table in breakdowns(frame).items():
        parts += [f"## {BREAKDOWNS[name]}", ratio_table(table)]
    return parts


def _appendix(frame: pd.DataFrame, shown: list[Board]) -> list[str]:
    failed = failures(frame)
    rows = [[str(value) for value in row] for row in failed.itertuples(index=False)]
    names = list(dict.fromkeys(frame["contender"]))
    tasks = {task for board in shown for task in board.frame["task"]}
    return [
        "## Failures",
        pipe_table(["method", "reason", "cells"], rows) if rows else "None.",
        "## Methods",
        pipe_table(["", "package", ""], explanations.method_notes(all_methods(), names)),
        "## Real tasks",
        f"All tasks, by their labels: {explanations.counted_tasks(REAL_TASKS)}. The table lists "
        "the tasks of this run. For tasks with natural noise, the note gives the noisy label and "
        "the trusted label.",
        pipe_table(
            ["task", "package", "domain", "labels", "part", "note"],
            explanations.task_notes(REAL_TASKS, tasks),
        ),
    ]


def summary_table(table: pd.DataFrame) -> str:
    """The table of one board."""
    rows = [
        [
            f"*{name}*" if row["oracle"] else str(name),
            f"{row['nll_ratio']:.3f}",
            f"{row['lower']:.3f} to {row['upper']:.3f}",
            *(f"{row[metric]:.4f}" for metric in ("nll", "brier", "ece")),
            f"{row['auc_change']:+.4f}",
            "" if row["oracle"] else f"{row['rank']:.2f}",
            f"{row['worst_ratio']:.2f} ({row['worst_task']})",
            f"{row['failures']}",
        ]
        for name, row in table.iterrows()
    ]
    return pipe_table(SUMMARY_HEADER, rows)


def ratio_table(table: pd.DataFrame) -> str:
    """A table of ratios, the lowest mean first."""
    ordered = table.loc[table.mean(axis=1).sort_values(kind="stable").index]
    rows = [[str(name), *(_ratio(value) for value in row)] for name, *row in ordered.itertuples()]
    return pipe_table(["", *map(str, ordered.columns)], rows)


def _worst_table(places: pd.DataFrame) -> str:
    header = [
        *("", "suite", "task", "noise"),
        *("log loss of raw", "log loss", "relative log loss", "harmed"),
    ]
    rows = [
        [
            str(name),
            *(str(row[column]) for column in ("suite", "task", "kind")),
            *(f"{row[column]:.3f}" for column in ("nll_raw", "nll", "nll_ratio")),
            f"{row['harmed']:.0%}",
        ]
        for name, row in places.iterrows()
    ]
    return pipe_table(header, rows)


def _ratio(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.3f}"
