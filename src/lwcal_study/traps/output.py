"""Write the table and the page of a finished run, and read the table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from lwcal_study.files import write_csv, write_json, write_text
from lwcal_study.traps.report import report

RESULTS, ENVIRONMENT, PAGE = "traps.csv", "environment.json", "traps.md"


def write_all(frame: pd.DataFrame, run: dict[str, Any], out: Path) -> None:
    """Write every file of the results."""
    write_csv(frame, out / RESULTS)
    write_json(run, out / ENVIRONMENT)
    write_text(report(frame, run), out / PAGE)
