"""Write a finished run of several opinions to the documentation.

``python -m lwcal_study.leaderboard.opinions.documentation RESULTS
docs/benchmarks/several-opinions.md``
"""

import json
import os
import sys
from pathlib import Path

from lwcal_study.files import write_text
from lwcal_study.leaderboard.opinions.output import FIGURES
from lwcal_study.leaderboard.opinions.report import results
from lwcal_study.leaderboard.provenance import ENVIRONMENT
from lwcal_study.leaderboard.scores_file import SCORES, read_scores
from lwcal_study.markdown import replace_between

BEGIN, END = "<!-- results -->", "<!-- end of results -->"
NOT_RUN = "## Results\n\nNo run is recorded yet. `make opinions` writes one here."


def sections(folder: Path, page: Path) -> str:
    """The sections of the run in a folder, with addresses relative to the page."""
    if not (folder / SCORES).exists():
        return NOT_RUN
    run = json.loads((folder / ENVIRONMENT).read_text(encoding="utf-8"))
    figures = Path(os.path.relpath(folder / FIGURES, page.parent)).as_posix()
    return results(read_scores(folder / SCORES), run, figures)


def update_page(folder: Path, page: Path) -> None:
    """Replace what is between the marks. The rest of the page stays as it is."""
    text = page.read_text(encoding="utf-8")
    write_text(replace_between(text, BEGIN, sections(folder, page), END), page)


if __name__ == "__main__":
    update_page(*map(Path, sys.argv[1:]))
