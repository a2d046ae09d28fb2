"""Write finished runs of the leaderboard and of the trap suite to the documentation and README.

``python -m lwcal_study.leaderboard.documentation LEADERBOARD TRAPS docs/benchmarks README.md``

What belongs to the trap suite is left out if it was not run.
"""

import json
import os
import sys
from math import isnan
from pathlib import Path

import pandas as pd

from lwcal_study.files import write_text
from lwcal_study.leaderboard.grid import SUITES
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.rankings import boards, summary
from lwcal_study.leaderboard.report import report
from lwcal_study.leaderboard.scores_file import SCORES, read_scores
from lwcal_study.markdown import pipe_table, replace_between
from lwcal_study.traps.documentation import copy_page, relative_losses

BEGIN, END = "<!-- leaderboard -->", "<!-- end of leaderboard -->"


def documentation_page(results: Path, page: Path) -> str:
    """Page of the run in a folder, with addresses of figures relative to the page."""
    figures = Path(os.path.relpath(results / "figures", page.parent)).as_posix()
    run = json.loads((results / ENVIRONMENT).read_text(encoding="utf-8"))
    return report(read_scores(results / SCORES), run, figures)


def write_page(results: Path, page: Path) -> None:
    """Write the page."""
    write_text(documentation_page(results, page), page)


def readme_table(results: Path, traps: Path) -> str:
    """Relative log loss of every method on the judged tasks of each suite and of the traps."""
    summaries = {
        board.suite: summary(board.frame)
        for board in boards(read_scores(results / SCORES))
        if board.part == "judged"
    }
    ratios = pd.DataFrame({suite: table["nll_ratio"] for suite, table in summaries.items()})
    worst = pd.concat([table["worst_ratio"] for table in summaries.values()], axis=1).max(axis=1)
    oracle = next(iter(summaries.values()))["oracle"]
    trapped = relative_losses(traps)
    ratios = ratios.assign(worst=worst, **trapped)
    ordered = ratios.assign(oracle=oracle, mean=ratios[list(summaries)].mean(axis=1)).sort_values(
        ["oracle", "mean"]
    )
    rows = [
        [f"*{name}*" if row["oracle"] else str(name), *(_ratio(row[c]) for c in ratios)]
        for name, row in ordered.iterrows()
    ]
    titles = [SUITES[suite].title.lower() for suite in summaries]
    columns = ["relative log loss", *titles, "worst task of all", *trapped]
    return pipe_table(columns, rows)


def _ratio(value: float) -> str:
    """Two decimals; empty for a method that a suite does not run."""
    return "" if isnan(value) else f"{value:.2f}"


def update_readme(results: Path, traps: Path, readme: Path) -> None:
    """Replace the table between the two marks."""
    text = readme.read_text(encoding="utf-8")
    write_text(replace_between(text, BEGIN, readme_table(results, traps), END), readme)


if __name__ == "__main__":
    leaderboard, traps, pages, readme = map(Path, sys.argv[1:])
    write_page(leaderboard, pages / "leaderboard.md")
    copy_page(traps, pages)
    update_readme(leaderboard, traps, readme)
