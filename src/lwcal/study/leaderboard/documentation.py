"""The leaderboard of a finished run as a page of the documentation.

``python -m lwcal.study.leaderboard.documentation results/leaderboard docs/leaderboard.md``
"""

import json
import os
import sys
from pathlib import Path

from lwcal.files import replacing
from lwcal.study.leaderboard.environment import ENVIRONMENT
from lwcal.study.leaderboard.frames import SCORES, read_scores
from lwcal.study.leaderboard.report import report


def documentation_page(results: Path, page: Path) -> str:
    """Write the report of a finished run as a page that stands elsewhere."""
    figures = Path(os.path.relpath(results / "figures", page.parent)).as_posix()
    run = json.loads((results / ENVIRONMENT).read_text(encoding="utf-8"))
    return report(read_scores(results / SCORES), run, figures)


def write_page(results: Path, page: Path) -> None:
    """Write the page whole or not at all."""
    with replacing(page) as temporary:
        temporary.write_text(documentation_page(results, page), encoding="utf-8")


if __name__ == "__main__":
    write_page(Path(sys.argv[1]), Path(sys.argv[2]))
