"""Sheets as a person hands them in."""

from pathlib import Path

import pandas as pd


def read(path):
    """A sheet as text."""
    return pd.read_csv(path, encoding="utf-8-sig", dtype=str, keep_default_na=False)


def write(frame, path):
    """Write a sheet back."""
    frame.to_csv(path, index=False, encoding="utf-8-sig")


def answered(path="to_check.csv", out=None, rows=None, truth=None):
    """Answer some rows: by the truth, or as they are labelled."""
    frame = read(path)
    for row in frame.index if rows is None else rows:
        told = frame.loc[row, "label"] if truth is None else truth(frame.loc[row])
        frame.loc[row, "audited_label"] = str(told)
    write(frame, out or path)
    return Path(out or path)
