"""Write the report of a finished run as a page of the documentation.

``python -m lwcal_study.paper.documentation results/paper docs/benchmarks/paper.md``
"""

import os
import sys
from pathlib import Path

from lwcal_study.files import write_text
from lwcal_study.paper import report_markdown
from lwcal_study.paper.output import complete_analysis
from lwcal_study.paper.results import read_results

COMMAND = (
    "`make reproduce` runs `lwcal reproduce` and writes this page. `make sensitivity` adds what "
    "depends on choices that the paper leaves open."
)


def documentation_page(folder: Path, page: Path) -> str:
    """Report of the run in a folder, with addresses of figures relative to the page."""
    figures = Path(os.path.relpath(folder / "figures", page.parent)).as_posix()
    analysis = complete_analysis(read_results(folder / "data"), folder, quick=False)
    title, _, rest = report_markdown.report(analysis, figures).partition("\n\n")
    return f"{title}\n\n{COMMAND}\n\n{rest}"


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    write_text(documentation_page(source, target), target)
