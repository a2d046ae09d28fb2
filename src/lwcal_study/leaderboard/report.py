"""The leaderboard as Markdown."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lwcal_study.contenders import all_contenders
from lwcal_study.leaderboard import wording
from lwcal_study.leaderboard.aims import aims_rows
from lwcal_study.leaderboard.grid import SUITES
from lwcal_study.leaderboard.tables import (
    Board,
    boards,
    breakdowns,
    failures,
    summary,
    worst_places,
)
from lwcal_study.markdown import pipe_table
from lwcal_study.real.tasks import REAL_TASKS

BREAKDOWNS = {
    "by_noise": "By kind of noise (NLL to raw, judged real tasks)",
    "by_learner": "By learner (NLL to raw, judged real tasks with noise)",
    "by_size": "By number of calibration rows (NLL to raw, judged real tasks with noise)",
}


def report(frame: pd.DataFrame, run: dict[str, Any], figures: str) -> str:
    """Write the page, with its picture at the given relative address."""
    shown = list(boards(frame))
    tables = [summary(board.frame) for board in shown]
    parts = ["# Leaderboard", wording.provenance(run)]
    if run["quick"]:
        parts.append("QUICK RUN: few tasks and small forests, to see that it works. Do not cite.")
    judged = [b for b in zip(shown, tables, strict=True) if b[0].part == "judged"]
    parts += ["## In short", _bullets([wording.headline(*pair) for pair in judged])]
    parts += [f"![NLL to raw of every contender]({figures}/leaderboard.png)"]
    parts += ["## What was aimed at", wording.AIMED, _aims(frame)]
    parts += ["## How to read it", _bullets(wording.HOW)]
    parts += ["## What it cannot say", _bullets(wording.LIMITS)]
    for board, table in zip(shown, tables, strict=True):
        about = f"{SUITES[board.suite].about} {wording.counted(board)}"
        parts += [f"## {board.title}", about, summary_table(table)]
    return "\n\n".join([*parts, *_where_each_fails(frame), *_appendix(frame, shown)]) + "\n"


def _aims(frame: pd.DataFrame) -> str:
    return pipe_table(["suite", "what", "aim", "measured", ""], aims_rows(frame))


def _where_each_fails(frame: pd.DataFrame) -> list[str]:
    places = worst_places(frame).sort_values("nll_ratio")
    parts = [
        "## Where each fails",
        "The task and kind of noise with the highest NLL to raw of each contender, on judged "
        "tasks; *harmed* is the share of all tasks and kinds of noise where it is worse than raw.",
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
        pipe_table(["contender", "reason", "cells"], rows) if rows else "None.",
        "## Contenders",
        pipe_table(["", "from", ""], wording.contender_notes(all_contenders(), names)),
        "## Real tasks",
        f"All there are: {wording.counted_tasks(REAL_TASKS)}. In this run, with the noisy label "
        "of each natural task and what it stands for:",
        pipe_table(
            ["task", "package", "domain", "sort", "part", "note"],
            wording.task_notes(REAL_TASKS, tasks),
        ),
    ]


def summary_table(table: pd.DataFrame) -> str:
    """One board."""
    header = ["", "NLL to raw", "95%", "NLL", "Brier", "ECE", "AUC", "rank", "worst task", "failed"]
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
    return pipe_table(header, rows)


def ratio_table(table: pd.DataFrame) -> str:
    """A table of ratios, the lowest mean first."""
    ordered = table.loc[table.mean(axis=1).sort_values().index]
    rows = [[str(name), *(_ratio(value) for value in row)] for name, *row in ordered.itertuples()]
    return pipe_table(["", *map(str, ordered.columns)], rows)


def _worst_table(places: pd.DataFrame) -> str:
    header = ["", "suite", "task", "noise", "NLL raw", "NLL", "NLL to raw", "harmed"]
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


def _bullets(sentences: Any) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)
