"""What the trap suite adds to the README's table."""

from pathlib import Path

import pandas as pd

from lwcal_study.traps.judging import RAW
from lwcal_study.traps.output import RESULTS
from lwcal_study.traps.report import NOISE_TITLES
from lwcal_study.traps.summary import judged


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
