"""One cell of the paper's study: a task, a model, a kind and rate of noise, a seed."""

from __future__ import annotations

import zlib
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

import lwcal
from lwcal_study.evaluation import evaluate, reliability_bins
from lwcal_study.paper.appendix.methods import baseline_results, suspicion
from lwcal_study.paper.methods import GATES, METHODS, ORACLE, TRIMS
from lwcal_study.paper.open_choices import REFERENCE, FitChoices
from lwcal_study.paper.tasks import load_task
from lwcal_study.scored_rows import TEST_SHARE_OF_REST, ScoredRows

LEARNERS = ("Random Forest", "Extra Trees", "Gradient Boosting")
FOREST_LEAF = 2
TREES = 160
"""Leaf size and trees of the paper's forests."""


@dataclass(frozen=True, order=True)
class Cell:
    """The coordinates of one cell."""

    dataset: str
    learner: str
    kind: str
    rate: float
    seed: int
    trees: int = TREES

    @property
    def name(self) -> str:
        """File name: the coordinates in lower case, without spaces."""
        parts = [self.dataset, self.learner, self.kind, f"{self.rate:.2f}", f"seed{self.seed}"]
        return "_".join(part.lower().replace(" ", "-") for part in [*parts, f"t{self.trees}"])


def make_learner(cell: Cell, choices: FitChoices = REFERENCE) -> Any:
    """Create the unfitted model of a cell."""
    if cell.learner == "Gradient Boosting":
        rounds = max(cell.trees * choices.boosting_rounds // TREES, 1)
        return GradientBoostingClassifier(n_estimators=rounds, random_state=cell.seed)
    extra = cell.learner == "Extra Trees"
    forest = ExtraTreesClassifier if extra else RandomForestClassifier
    return forest(
        n_estimators=cell.trees,
        min_samples_leaf=choices.extra_trees_leaf if extra else FOREST_LEAF,
        max_features="sqrt",
        random_state=cell.seed,
        n_jobs=1,  # with threads, the order of summation would vary
    )


def corrupt(y: Any, cell: Cell, part: str, choices: FitChoices = REFERENCE) -> Any:
    """Flip labels at the rates of the cell, independently for each part of the data."""
    seed = np.random.default_rng(zlib.crc32(f"{cell.name} {part}".encode()))
    if cell.kind == "symmetric":
        return lwcal.noise.flip_labels(y, rate=cell.rate, random_state=seed).labels
    return lwcal.noise.flip_labels(
        y,
        kind="asymmetric",
        positive_rate=choices.positive_factor * cell.rate,
        negative_rate=choices.negative_factor * cell.rate,
        random_state=seed,
    ).labels


def fit_and_score(cell: Cell, choices: FitChoices = REFERENCE) -> ScoredRows:
    """Split the task, corrupt its labels, train the model and score. Test labels stay clean."""
    task = load_task(cell.dataset, choices.generator_seed)
    split = {"random_state": cell.seed}
    X_train, X_rest, y_train, y_rest = train_test_split(
        task.X, task.y, train_size=choices.train_share, stratify=task.y, **split
    )
    calibration, test = train_test_split(
        np.arange(len(y_rest)), test_size=TEST_SHARE_OF_REST, stratify=y_rest, **split
    )
    model = make_learner(cell, choices).fit(X_train, corrupt(y_train, cell, "train", choices))
    # one call, because most of a forest's cost is per call
    scores = model.predict_proba(X_rest)[:, 1]
    return ScoredRows(
        calibration=scores[calibration],
        y_clean=y_rest[calibration],
        y_noisy=corrupt(y_rest[calibration], cell, "calibration", choices),
        test=scores[test],
        y_test=y_rest[test],
    )


def run_cell(cell: Cell) -> dict[str, Any]:
    """Run one cell and return its result in JSON types."""
    with threadpool_limits(1):  # threads change the last bit of a matrix product
        return evaluate_cell(cell, fit_and_score(cell))


def evaluate_cell(cell: Cell, rows: ScoredRows) -> dict[str, Any]:
    """Fit and evaluate every calibrator on the scores of one cell."""
    table = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)
    clean = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_clean)
    results, reliability = [], {}
    families = {"main": METHODS, "oracle": ORACLE, "gate": GATES, "trim": TRIMS}
    for family, methods in families.items():
        for name, method in methods.items():
            fitted = method().fit_table(clean if family == "oracle" else table)
            probability = fitted.predict(rows.test)
            results.append({"family": family, "method": name, **evaluate(rows.y_test, probability)})
            if family in ("main", "oracle"):
                reliability[name] = reliability_bins(rows.y_test, probability)
    gated = lwcal.GatedLWCal().fit_table(table)
    weights = lwcal.label_weights(gated, rows.calibration, rows.y_noisy)
    return {
        "cell": asdict(cell),
        "results": [*results, *baseline_results(rows)],
        "suspicion": suspicion(rows),
        "scalars": {
            "n_calibration": len(weights),
            "n_test": len(rows.y_test),
            **gated.diagnostics_,
        },
        "reliability": reliability,
        "calibration": {
            "score": weights.score.tolist(),
            "y_clean": rows.y_clean.tolist(),
            "y_noisy": weights.y.tolist(),
            "weight": weights.weight.tolist(),
        },
    }
