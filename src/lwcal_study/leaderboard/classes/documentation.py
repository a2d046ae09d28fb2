"""Write a finished run of many classes to the documentation.

``python -m lwcal_study.leaderboard.classes.documentation RESULTS docs/benchmarks/many-classes.md``
"""

import json
import re
import sys
from pathlib import Path

from lwcal_study.files import write_text
from lwcal_study.leaderboard.classes.report import results
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.scores_file import SCORES, read_scores

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
NOT_RUN = "## Results\n\nNo run is recorded yet. `make classes` writes one here."


def results_block(folder: Path) -> str:
    """The sections of the run in a folder, between two marks."""
    shown = NOT_RUN
    if (folder / SCORES).exists():
        run = json.loads((folder / ENVIRONMENT).read_text(encoding="utf-8"))
        shown = results(read_scores(folder / SCORES), run)
    return f"{BEGIN}\n{shown}\n{END}"


def update_page(folder: Path, page: Path) -> None:
    """Replace what is between the marks. The rest of the page stays as it is."""
    block, text = results_block(folder), page.read_text(encoding="utf-8")
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    write_text(re.sub(pattern, lambda _: block, text, flags=re.DOTALL), page)


if __name__ == "__main__":
    update_page(*map(Path, sys.argv[1:]))
