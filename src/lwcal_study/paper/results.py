"""Collect stored cells into tidy tables, and read and write them as CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from lwcal_study.cell_store import CellStore
from lwcal_study.files import replacing, write_csv
from lwcal_study.paper.appendix.methods import FAMILY
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.grid import main_cells, robustness_cells

COORDINATES = ["dataset", "learner", "kind", "rate", "seed"]


class Results(NamedTuple):
    """Input of the analysis. Each field is a CSV file of the same name."""

    main_results: pd.DataFrame
    oracle_results: pd.DataFrame
    gate_results: pd.DataFrame
    trimming_results: pd.DataFrame
    robustness_results: pd.DataFrame
    scalars: pd.DataFrame
    reliability: pd.DataFrame


class BaselineResults(NamedTuple):
    """Input of the appendix, in CSV files as well. ``suspicion`` has counts of suspected labels."""

    baseline_results: pd.DataFrame
    baseline_robustness: pd.DataFrame
    suspicion: pd.DataFrame


Tables = TypeVar("Tables", Results, BaselineResults)


def collect(store: CellStore, *, quick: bool) -> Results:
    """Read the stored cells of both studies, in the order of their grids."""
    main = [store.load(cell) for cell in main_cells(quick=quick)]
    robustness = [store.load(cell) for cell in robustness_cells(quick=quick)]
    return Results(
        main_results=_metrics(main, "main"),
        oracle_results=_metrics(main, "oracle"),
        gate_results=_metrics(main, "gate"),
        trimming_results=_metrics(main, "trim"),
        robustness_results=_metrics(robustness, "main"),
        scalars=pd.DataFrame([_scalars(cell) for cell in main]),
        reliability=_reliability(main),
    )


def collect_baselines(store: CellStore, *, quick: bool) -> BaselineResults:
    """Read what the stored cells hold for the appendix."""
    main = [store.load(cell) for cell in main_cells(quick=quick)]
    robustness = [store.load(cell) for cell in robustness_cells(quick=quick)]
    return BaselineResults(
        baseline_results=_metrics(main, FAMILY),
        baseline_robustness=_metrics(robustness, FAMILY),
        suspicion=pd.DataFrame([{**_coordinates(cell), **cell["suspicion"]} for cell in main]),
    )


def collect_weights(store: CellStore, cells: list[Cell]) -> pd.DataFrame:
    """Every calibration row of every cell, with the weight of its label."""
    frames = []
    for cell in cells:
        stored = store.load(cell)
        frame = pd.DataFrame(stored["calibration"])
        for position, (name, value) in enumerate(_coordinates(stored).items()):
            frame.insert(position, name, value)
        frames.append(frame)
    weights = pd.concat(frames, ignore_index=True)
    names = ["dataset", "learner", "kind"]
    return weights.astype(
        {**dict.fromkeys(names, "category"), "y_clean": "int8", "y_noisy": "int8"}
    )


def _coordinates(stored: dict[str, Any]) -> dict[str, Any]:
    return {name: stored["cell"][name] for name in COORDINATES}


def _scalars(stored: dict[str, Any]) -> dict[str, Any]:
    """Scalars of a cell, and the share of its calibration labels that were flipped."""
    rows = stored["calibration"]
    flipped = [a != b for a, b in zip(rows["y_clean"], rows["y_noisy"], strict=True)]
    return {**_coordinates(stored), **stored["scalars"], "flipped": sum(flipped) / len(flipped)}


def _metrics(stored: list[dict[str, Any]], family: str) -> pd.DataFrame:
    rows = [
        {**_coordinates(cell), **{k: v for k, v in result.items() if k != "family"}}
        for cell in stored
        for result in cell["results"]
        if result["family"] == family
    ]
    return pd.DataFrame(rows)


def _reliability(stored: list[dict[str, Any]]) -> pd.DataFrame:
    rows = [
        (*_coordinates(cell).values(), method, *values)
        for cell in stored
        for method, bins in cell["reliability"].items()
        for values in bins
    ]
    columns = [*COORDINATES, "method", "bin", "rows", "positives", "probability"]
    return pd.DataFrame(rows, columns=columns)


def write_results(results: Results | BaselineResults, folder: Path) -> None:
    """Write every table."""
    for name, frame in results._asdict().items():
        write_csv(frame, folder / f"{name}.csv")


def read_results(folder: Path) -> Results:
    """Read the tables of the paper's study that :func:`write_results` wrote."""
    return _read(Results, folder)


def read_baselines(folder: Path) -> BaselineResults:
    """Read the tables of the appendix that :func:`write_results` wrote."""
    return _read(BaselineResults, folder)


def _read(kind: type[Tables], folder: Path) -> Tables:
    # without the type, the method name 0.50 would become a number
    return kind(
        *(pd.read_csv(folder / f"{name}.csv", dtype={"method": str}) for name in kind._fields)
    )


def write_weights(weights: pd.DataFrame, path: Path) -> None:
    """Write the calibration rows as Parquet, because there are 250,000 of them."""
    with replacing(path) as temporary:
        weights.to_parquet(temporary, index=False, compression="zstd")
