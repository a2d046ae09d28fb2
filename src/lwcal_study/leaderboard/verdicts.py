"""What the verdict says after an audit, and whom it serves."""

from __future__ import annotations

from collections.abc import Iterable

from lwcal_study.leaderboard.rankings import Board

AUDITED, RAW = "Audited, 25 checked", "Raw"
CELL = ["task", "learner", "kind", "strength", "seed"]
MATTERS = 0.02
"""Change of the log loss on test rows from which on it matters."""
HEADER = [
    *("", "cells", "deployed", "of these over 2% worse", "worst"),
    *("raw score kept", "of these over 2% to gain", "asked for more checks"),
]


def verdict_rows(shown: Iterable[Board]) -> list[list[str]]:
    """One line for each board: how often each action was recommended, and what it cost."""
    return [line for board in shown if (line := _line(board))]


def _line(board: Board) -> list[str]:
    columns = board.frame.set_index(CELL)
    audited = columns[(columns["contender"] == AUDITED) & (columns["verdict"] != "")]
    if audited.empty:
        return []
    raw = columns.loc[columns["contender"] == RAW, "nll"]
    ratio = audited["nll"] / raw.reindex(audited.index)
    deployed, kept = (ratio[audited["verdict"] == action] for action in ("deploy", "keep raw"))
    return [
        board.title,
        str(len(ratio)),
        str(len(deployed)),
        str(int((deployed > 1.0 + MATTERS).sum())),
        f"{deployed.max():.2f}" if len(deployed) else "",
        str(len(kept)),
        str(int((kept < 1.0 - MATTERS).sum())),
        str(len(ratio) - len(deployed) - len(kept)),
    ]
