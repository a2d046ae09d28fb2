"""How far two runs of the study are apart, such as the published one and a rerun.

``python -m lwcal_study.paper.compare_runs results/paper again``

Processors round differently, so a rerun on another machine is close but not the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from lwcal.errors import InputError
from lwcal_study.evaluation import METRICS
from lwcal_study.paper.results import COORDINATES, Results, read_results
from lwcal_study.paper.tested_claims.listed import tested_claims

MEASURED = tuple(name for name in Results._fields if name.endswith("_results"))
"""Tables with one row per cell and method."""


def largest_differences(first: Results, second: Results) -> pd.Series:
    """Largest difference of each metric, over all cells and methods."""
    found = [_differences(getattr(first, name), getattr(second, name), name) for name in MEASURED]
    return pd.DataFrame(found).max()


def _differences(first: pd.DataFrame, second: pd.DataFrame, name: str) -> pd.Series:
    keys = [*COORDINATES, "method"]
    one, two = (frame.set_index(keys)[list(METRICS)].sort_index() for frame in (first, second))
    if not one.index.equals(two.index):
        apart = one.index.symmetric_difference(two.index)
        raise InputError(
            f"{name}: {len(apart):,} rows are in one run only, the first is {apart[0]}. Compare "
            "runs with the same cells and methods."
        )
    return (one - two).abs().max()


def changed_claims(first: Results, second: Results) -> list[str]:
    """Claims with another outcome."""
    pairs = zip(tested_claims(first), tested_claims(second), strict=True)
    return [
        f"{one.text} ({one.outcome}; {two.outcome})"
        for one, two in pairs
        if one.outcome != two.outcome
    ]


def comparison(first: Path, second: Path) -> str:
    """Sentences about the differences between the runs in two folders."""
    runs = read_results(first / "data"), read_results(second / "data")
    largest, changed = largest_differences(*runs), changed_claims(*runs)
    lines = [
        f"{metric}: largest difference in a cell {value:.1e}" for metric, value in largest.items()
    ]
    lines.append("claims with another outcome: " + ("; ".join(changed) or "none"))
    return "\n".join(lines)


if __name__ == "__main__":
    print(comparison(Path(sys.argv[1]), Path(sys.argv[2])))
