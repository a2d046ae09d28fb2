"""Write the page of a finished run of the trap suite into the documentation.

``python -m lwcal_study.traps.documentation RESULTS docs/benchmarks/traps.md``
"""

import json
import sys
from pathlib import Path

import pandas as pd

from lwcal_study.files import write_text
from lwcal_study.traps.judging import RAW
from lwcal_study.traps.output import ENVIRONMENT, RESULTS
from lwcal_study.traps.report import NOISE_TITLES, report
from lwcal_study.traps.summary import judged


def documentation_page(results: Path) -> str:
    """Page of the run in a folder."""
    run = json.loads((results / ENVIRONMENT).read_text(encoding="utf-8"))
    return report(read_results(results), run)


def read_results(results: Path) -> pd.DataFrame:
    """One row per cell and size."""
    return pd.read_csv(results / RESULTS)


def relative_losses(frame: pd.DataFrame) -> pd.DataFrame:
    """Log loss of every method on the judged tasks, divided by that of the raw score.

    One column for each kind of labels; ratios of sums, so that no small loss dominates.
    """
    cells = judged(frame[frame["part"] == "judged"])
    methods = cells.columns[cells.columns.get_loc(RAW) :]
    return pd.DataFrame(
        {
            f"trap suite, {title}": of_noise[methods].sum() / of_noise[RAW].sum()
            for noise, title in NOISE_TITLES.items()
            if len(of_noise := cells[cells["noise"] == noise])
        }
    )


if __name__ == "__main__":
    write_text(documentation_page(Path(sys.argv[1])), Path(sys.argv[2]))
