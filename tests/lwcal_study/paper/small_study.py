"""A small version of the paper's main study.

``python -m tests.lwcal_study.paper.small_study --seeds 6``

Nine tasks, two kinds of noise, four rates. Training and calibration labels are corrupted, test
labels are not. Details that the paper does not state are set as in the full study: a 50/25/25
split, and asymmetric noise that flips positives at 1.25 and negatives at 0.35 times the stated
rate.
"""

import argparse
from itertools import product
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import lwcal

KINDS = ("symmetric", "asymmetric")
RATES = (0.1, 0.2, 0.3, 0.4)
CALIBRATORS = {
    "raw": lwcal.Identity(),
    "isotonic": lwcal.Isotonic(),
    "lwcal": lwcal.LWCal(),
    "gated": lwcal.GatedLWCal(),
}


class Cell(NamedTuple):
    """One experiment of the grid."""

    task: str
    seed: int
    kind: str
    rate: float


def synthetic(n, d, positive, informative, class_sep, seed):
    """Draw one of the paper's synthetic tasks: only n, d and the positive rate are known."""
    return make_classification(
        n_samples=n,
        n_features=d,
        n_informative=informative,
        n_redundant=4,
        weights=[1 - positive],
        class_sep=class_sep,
        flip_y=0.01,
        random_state=seed,
    )


def tasks():
    """Features and labels of the nine tasks."""
    wine, digits, iris = load_wine(), load_digits(), load_iris()
    return {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "wine 0": (wine.data, wine.target == 0),
        "wine 2": (wine.data, wine.target == 2),
        "digits high": (digits.data, digits.target >= 5),
        "digits even": (digits.data, digits.target % 2 == 0),
        "iris versicolor": (iris.data, iris.target == 1),
        "overlap": synthetic(1800, 24, 0.496, 8, 0.9, seed=1),
        "sparse": synthetic(1900, 72, 0.503, 6, 0.7, seed=2),
        "imbalance": synthetic(2200, 30, 0.225, 8, 0.9, seed=3),
    }


def corrupt(y, cell, seed):
    """Flip labels as the cell says."""
    if cell.kind == "symmetric":
        return lwcal.noise.flip_labels(y, rate=cell.rate, random_state=seed).labels
    return lwcal.noise.flip_labels(
        y,
        kind="asymmetric",
        positive_rate=1.25 * cell.rate,
        negative_rate=0.35 * cell.rate,
        random_state=seed,
    ).labels


def run_cell(cell, X, y, trees):
    """ECE of every calibrator, and of the isotonic fit that saw clean labels."""
    y = np.asarray(y).astype(int)
    split = {"random_state": cell.seed}
    X_train, X_rest, y_train, y_rest = train_test_split(X, y, test_size=0.5, stratify=y, **split)
    X_cal, X_test, y_cal, y_test = train_test_split(
        X_rest, y_rest, test_size=0.5, stratify=y_rest, **split
    )
    forest = RandomForestClassifier(trees, min_samples_leaf=2, random_state=cell.seed)
    forest.fit(X_train, corrupt(y_train, cell, seed=2 * cell.seed + 1))
    both = forest.predict_proba(np.concatenate([X_cal, X_test]))[:, 1]  # one call is cheaper
    scores, test = np.split(both, [len(X_cal)])
    noisy = corrupt(y_cal, cell, seed=2 * cell.seed + 2)
    fitted = {name: calibrator.fit(scores, noisy) for name, calibrator in CALIBRATORS.items()}
    fitted["oracle"] = lwcal.Isotonic().fit(scores, y_cal)
    return {name: lwcal.metrics.ece(y_test, c.predict(test)) for name, c in fitted.items()}


def grid(names, seeds, *, half=False):
    """All noisy cells, or every second one.

    The half takes two of the four rates for each task and kind, and the other two for the next
    task. So every rate and every kind is in it equally often, but for the ninth task.
    """
    places = product(enumerate(names), seeds, KINDS, enumerate(RATES))
    return [
        Cell(name, seed, kind, rate)
        for (task, name), seed, kind, (place, rate) in places
        if not half or (task + place) % 2 == 0
    ]


def cell_eces(seeds, n_jobs=1, *, half=False, trees=160):
    """ECE in every noisy cell, by method. The paper's forests have 160 trees."""
    data = tasks()
    cells = grid(data, seeds, half=half)
    found = Parallel(n_jobs=n_jobs)(
        delayed(run_cell)(cell, *data[cell.task], trees) for cell in cells
    )
    return {name: np.array([row[name] for row in found]) for name in found[0]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    by_seed = [cell_eces([seed], n_jobs=-1) for seed in range(parser.parse_args().seeds)]
    for name in by_seed[0]:
        means = [found[name].mean() for found in by_seed]
        print(f"{name:10} mean {np.mean(means):.3f}, between seeds {np.std(means, ddof=1):.3f}")
