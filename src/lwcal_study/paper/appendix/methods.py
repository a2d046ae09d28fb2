"""The baselines of the appendix, and their results in one cell. Add a new one with one line."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np

import lwcal
from lwcal_study.evaluation import evaluate
from lwcal_study.paper.appendix import binning, confident_learning, hindsight
from lwcal_study.paper.appendix.binning import BayesianBinning, HistogramBinning
from lwcal_study.paper.appendix.confident_learning import REPAIRS, Cleaned, repaired_rows, suspected
from lwcal_study.paper.appendix.hindsight import best_blend
from lwcal_study.scored_rows import ScoredRows

Make: TypeAlias = Callable[[], Any]
FAMILY = "baseline"
"""Family of their results in a stored cell. The paper's tables read other families."""

CODE = (binning, confident_learning, hindsight)
"""Modules with the rules of the baselines. Cells that other code wrote are not taken up."""

BASELINES: dict[str, Make] = {
    "Histogram binning": HistogramBinning,
    "BBQ": BayesianBinning,
    "Filter + isotonic": lambda: Cleaned(lwcal.Isotonic(), "filter"),
    "Filter + Platt": lambda: Cleaned(lwcal.Platt(), "filter"),
    "Relabel + isotonic": lambda: Cleaned(lwcal.Isotonic(), "flip"),
    "Relabel + Platt": lambda: Cleaned(lwcal.Platt(), "flip"),
}
"""Fitted to noisy calibration labels, as the paper's methods are."""

BLENDED: dict[str, Make] = {
    "Hindsight: raw + isotonic": lwcal.Isotonic,
    "Hindsight: raw + LWCal": lwcal.LWCal,
}
"""Calibrators whose blend with the raw score is chosen with the true test labels."""


def described() -> dict[str, Any]:
    """Everything about the baselines that their results depend on, with the code of the rules."""
    made = {name: make() for name, make in {**BASELINES, **BLENDED}.items()}
    return {
        "methods": {
            name: [type(method).__name__, repr(method.get_params())]
            for name, method in made.items()
        },
        "code": {module.__name__: _digest(module) for module in CODE},
    }


def _digest(module: ModuleType) -> str:
    return hashlib.sha256(Path(str(module.__file__)).read_bytes()).hexdigest()


def baseline_results(rows: ScoredRows) -> list[dict[str, Any]]:
    """Metrics of every baseline in one cell."""
    return [
        {"family": FAMILY, "method": name, **evaluate(rows.y_test, probability)}
        for name, probability in _probabilities(rows).items()
    ]


def _probabilities(rows: ScoredRows) -> dict[str, Any]:
    def fitted(make: Make) -> Any:
        return make().fit(rows.calibration, rows.y_noisy).predict(rows.test)

    plain = {name: fitted(make) for name, make in BASELINES.items()}
    blends = {
        name: best_blend(rows.test, fitted(make), rows.y_test) for name, make in BLENDED.items()
    }
    return {**plain, **blends}


def suspicion(rows: ScoredRows) -> dict[str, int]:
    """Counts of calibration labels: all, wrong, suspected, and wrong and suspected.

    ``unrepaired`` counts the repairs that would leave one class only, so that no label changed.
    """
    wrong = rows.y_noisy != rows.y_clean
    flagged = suspected(rows.calibration, rows.y_noisy)
    repaired = [repaired_rows(rows.calibration, rows.y_noisy, repair)[1] for repair in REPAIRS]
    return {
        "rows": len(wrong),
        "wrong": int(wrong.sum()),
        "suspected": int(flagged.sum()),
        "both": int((wrong & flagged).sum()),
        "unrepaired": sum(len(np.unique(labels)) < 2 for labels in repaired),
    }
