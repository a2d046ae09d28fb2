"""Write scores, tables, figures and the page of a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lwcal_study.files import write_csv, write_json, write_text
from lwcal_study.leaderboard import figures
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.rankings import boards, breakdowns, failures, summary, worst_places
from lwcal_study.leaderboard.report import report
from lwcal_study.leaderboard.scores_file import SCORES, write_scores

PAGE = "leaderboard.md"


def write_all(frame: pd.DataFrame, run: dict[str, Any], out: Path) -> None:
    """Write every file of the results."""
    write_scores(frame, out / SCORES)
    summaries = [(board, summary(board.frame)) for board in boards(frame)]
    tables = {f"summary_{board.name}": table for board, table in summaries}
    tables |= {**breakdowns(frame), "worst_places": worst_places(frame)}
    for name, table in tables.items():
        write_csv(table, out / "tables" / f"{name}.csv", index=True)
    write_csv(failures(frame), out / "tables" / "failures.csv")
    figures.draw(summaries, out / "figures")
    write_json(run, out / ENVIRONMENT)
    write_text(report(frame, run, "figures"), out / PAGE)
