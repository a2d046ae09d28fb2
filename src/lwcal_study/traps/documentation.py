"""The page of the trap suite in the documentation, and what it adds to the README's table."""

from pathlib import Path

import pandas as pd

from lwcal_study.files import write_text
from lwcal_study.traps.judging import RAW
from lwcal_study.traps.output import PAGE, RESULTS
from lwcal_study.traps.report import NOISE_TITLES
from lwcal_study.traps.summary import judged


def copy_page(results: Path, folder: Path) -> None:
    """Copy the page of a finished run to a folder of pages, if there is one."""
    if (results / PAGE).exists():
        write_text((results / PAGE).read_text(encoding="utf-8"), folder / PAGE)


def relative_losses(results: Path) -> pd.DataFrame:
    """Log loss of every method on the judged tasks, divided by that of the raw score.

    One column for each kind of labels; ratios of sums, so that no small loss dominates. Empty if
    the suite was not run.
    """
    if not (results / RESULTS).exists():
        return pd.DataFrame()
    frame = pd.read_csv(results / RESULTS)
    cells = judged(frame[frame["part"] == "judged"])
    methods = cells.columns[cells.columns.get_loc(RAW) :]
    return pd.DataFrame(
        {
            f"trap suite, {title}": of_noise[methods].sum() / of_noise[RAW].sum()
            for noise, title in NOISE_TITLES.items()
            if len(of_noise := cells[cells["noise"] == noise])
        }
    )
