"""The report of a finished run as a page of the documentation.

``python -m lwcal_study.documentation results/paper docs/benchmarks/paper.md``
"""

import os
import sys
from pathlib import Path

from lwcal.files import replacing
from lwcal_study import markdown
from lwcal_study.analysis import analysed
from lwcal_study.results import read_results

COMMAND = "Made by `make reproduce`, which runs `lwcal reproduce` and writes this page."


def documentation_page(artefact: Path, page: Path) -> str:
    """Write the report of a finished artefact as a page that stands elsewhere."""
    figures = Path(os.path.relpath(artefact / "figures", page.parent)).as_posix()
    results = read_results(artefact / "data")
    title, _, rest = markdown.report(*analysed(results, quick=False), figures).partition("\n\n")
    return f"{title}\n\n{COMMAND}\n\n{rest}"


if __name__ == "__main__":
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    with replacing(target, overwrite=True) as temporary:
        temporary.write_text(documentation_page(source, target), encoding="utf-8")
