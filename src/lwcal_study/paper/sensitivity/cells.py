"""The cells of the sensitivity study: those of the paper's study, with one choice changed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from threadpoolctl import threadpool_limits

import lwcal
from lwcal import metrics
from lwcal_study.evaluation import evaluate, reliability_bins
from lwcal_study.paper.cells import Cell, fit_and_score
from lwcal_study.paper.fingerprint import hashed, settings
from lwcal_study.paper.grid import ROBUSTNESS_SEEDS, all_cells
from lwcal_study.paper.methods import GATES, METHODS, ORACLE, TRIMS, Method
from lwcal_study.paper.sensitivity.choices import (
    CLIPS,
    MODELS,
    REFERENCE,
    described_choices,
    variants_of,
)
from lwcal_study.paper.tables import FOUR
from lwcal_study.scored_rows import ScoredRows

SENSITIVITY_SEEDS = ROBUSTNESS_SEEDS
"""Seeds that are tried: those with all three learners. Each takes about 16 minutes of processor
time."""
QUICK_TASKS = ("Iris Versicolor", "Synthetic Overlap")
FAMILIES = {"main": METHODS, "oracle": ORACLE, "gate": GATES, "trim": TRIMS}


@dataclass(frozen=True)
class VariedCell:
    """A cell of the paper's study under one choice of models."""

    cell: Cell
    model: str

    @property
    def name(self) -> str:
        """File name: that of the cell, and the choice."""
        return f"{self.cell.name}_{self.model.replace(' ', '-').replace('/', '-')}"


def shared_cells(*, quick: bool = False) -> list[Cell]:
    """Noisy cells of both studies, of the seeds that are tried. A quick run has two tasks only.

    >>> len(shared_cells())
    432
    """
    return [
        cell
        for cell in all_cells(quick=quick)
        if cell.rate > 0
        and cell.seed in SENSITIVITY_SEEDS
        and (cell.dataset in QUICK_TASKS or not quick)
    ]


def varied_cells(*, quick: bool = False) -> list[VariedCell]:
    """Every cell under every choice of models that changes its scores, seed by seed.

    >>> len(varied_cells())
    2808
    """
    shared = shared_cells(quick=quick)
    return [
        VariedCell(cell, name)
        for seed in sorted({cell.seed for cell in shared})
        for name, choice in MODELS.items()
        for cell in shared
        if cell.seed == seed and choice.changes(cell)
    ]


def sensitivity_fingerprint() -> str:
    """Hash of everything that a stored cell of this study depends on."""
    return hashed({**settings(), "sensitivity": described_choices()})


def run_varied(varied: VariedCell) -> dict[str, Any]:
    """Run one cell and return its result in JSON types."""
    start = time.process_time()
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        rows = fit_and_score(varied.cell, MODELS[varied.model].choices)
        result = evaluate_varied(varied, rows)
    return {**result, "cpu_seconds": time.process_time() - start}


def evaluate_varied(varied: VariedCell, rows: ScoredRows) -> dict[str, Any]:
    """Fit and evaluate every calibrator, those of the study and those of other choices."""
    noisy = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)
    clean = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_clean)
    results, reliability = [], {}
    for variant, family, name, method in _methods(varied.model):
        fitted = method().fit_table(clean if family == "oracle" else noisy)
        probability = fitted.predict(rows.test)
        results.append(
            {
                "variant": variant,
                "family": family,
                "method": name,
                **evaluate(rows.y_test, probability),
                "nll_by_clip": [metrics.nll(rows.y_test, probability, clip=c) for c in CLIPS],
            }
        )
        if variant == REFERENCE and name in FOUR:
            reliability[name] = reliability_bins(rows.y_test, probability)
    gated = lwcal.GatedLWCal().fit_table(noisy)
    return {
        "cell": asdict(varied.cell),
        "model": varied.model,
        "results": results,
        "reliability": reliability,
        "scalars": {
            "flipped": float((rows.y_noisy != rows.y_clean).mean()),
            **gated.diagnostics_,
        },
    }


def _methods(model: str) -> Iterator[tuple[str, str, str, Method]]:
    """Variant, family, name and maker of every calibrator to try on these models."""
    for family, methods in FAMILIES.items():
        for name, method in methods.items():
            yield REFERENCE, family, name, method
    for variant, replaced in variants_of(model).items():
        for name, method in replaced.items():
            yield variant, "gate" if name in GATES else "main", name, method
