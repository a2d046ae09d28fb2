"""The leaderboard of a finished run as a page of the documentation, and as the README's table.

``python -m lwcal_study.leaderboard.documentation RESULTS docs/benchmarks/leaderboard.md README.md``
"""

import json
import os
import re
import sys
from pathlib import Path

import pandas as pd

from lwcal.files import replacing
from lwcal_study.leaderboard.environment import ENVIRONMENT
from lwcal_study.leaderboard.frames import SCORES, read_scores
from lwcal_study.leaderboard.grid import SUITES
from lwcal_study.leaderboard.report import report
from lwcal_study.leaderboard.tables import boards, summary
from lwcal_study.markdown import pipe_table

BEGIN, END = "<!-- leaderboard -->", "<!-- end of leaderboard -->"


def documentation_page(results: Path, page: Path) -> str:
    """Write the report of a finished run as a page that stands elsewhere."""
    figures = Path(os.path.relpath(results / "figures", page.parent)).as_posix()
    run = json.loads((results / ENVIRONMENT).read_text(encoding="utf-8"))
    return report(read_scores(results / SCORES), run, figures)


def write_page(results: Path, page: Path) -> None:
    """Write the page whole or not at all."""
    with replacing(page, overwrite=True) as temporary:
        temporary.write_text(documentation_page(results, page), encoding="utf-8")


def readme_table(results: Path) -> str:
    """NLL to raw of every contender on each suite, judged tasks only, as one small table."""
    summaries = {
        board.suite: summary(board.frame)
        for board in boards(read_scores(results / SCORES))
        if board.part == "judged"
    }
    ratios = pd.DataFrame({suite: table["nll_ratio"] for suite, table in summaries.items()})
    worst = pd.concat([table["worst_ratio"] for table in summaries.values()], axis=1).max(axis=1)
    oracle = next(iter(summaries.values()))["oracle"]
    ratios["worst"] = worst
    ordered = ratios.assign(oracle=oracle, mean=ratios[list(summaries)].mean(axis=1)).sort_values(
        ["oracle", "mean"]
    )
    rows = [
        [f"*{name}*" if row["oracle"] else str(name), *(f"{row[c]:.2f}" for c in ratios)]
        for name, row in ordered.iterrows()
    ]
    titles = [SUITES[suite].title.lower() for suite in summaries]
    return pipe_table(["NLL to raw", *titles, "worst task of all"], rows)


def update_readme(results: Path, readme: Path) -> None:
    """Put the table between its marks."""
    text = readme.read_text(encoding="utf-8")
    block = f"{BEGIN}\n{readme_table(results)}\n{END}"
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    with replacing(readme, overwrite=True) as temporary:
        new = re.sub(pattern, lambda _: block, text, flags=re.DOTALL)
        temporary.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    write_page(Path(sys.argv[1]), Path(sys.argv[2]))
    update_readme(Path(sys.argv[1]), Path(sys.argv[3]))
