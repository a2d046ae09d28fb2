"""Everything that is written about a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lwcal.files import replacing, write_json
from lwcal_study.leaderboard import figures
from lwcal_study.leaderboard.environment import ENVIRONMENT
from lwcal_study.leaderboard.frames import SCORES, write_scores
from lwcal_study.leaderboard.report import report
from lwcal_study.leaderboard.tables import boards, breakdowns, failures, summary, worst_places
from lwcal_study.results import write_csv

PAGE = "leaderboard.md"


def write_all(frame: pd.DataFrame, run: dict[str, Any], out: Path) -> None:
    """Scores, tables, picture, page and environment."""
    for folder in (out, out / "tables", out / "figures"):
        folder.mkdir(parents=True, exist_ok=True)
    write_scores(frame, out / SCORES)
    summaries = [(board, summary(board.frame)) for board in boards(frame)]
    tables = {f"summary_{board.name}": table for board, table in summaries}
    tables |= {**breakdowns(frame), "worst_places": worst_places(frame)}
    for name, table in tables.items():
        write_csv(table, out / "tables" / f"{name}.csv", index=True)
    write_csv(failures(frame), out / "tables" / "failures.csv")
    figures.draw(summaries, out / "figures")
    write_json(run, out / ENVIRONMENT, overwrite=True)
    with replacing(out / PAGE, overwrite=True) as temporary:
        temporary.write_text(report(frame, run, "figures"), encoding="utf-8")
