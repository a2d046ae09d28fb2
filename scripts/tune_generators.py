"""Choose the synthetic tasks of the study: ``python scripts/tune_generators.py``.

The paper states only their size and positive rate. The script runs the random forest of every
candidate on the noisy cells of two seeds that the study does not use. It prints the distance of
the mean ECE and log loss from the paper's table of data sets, the closest candidate last. Only
the raw score is used, no calibrator.
"""

from itertools import product

import numpy as np
from joblib import Parallel, delayed

from lwcal_study.evaluation import evaluate
from lwcal_study.paper import cells, reported
from lwcal_study.paper.grid import KINDS, RATES
from lwcal_study.paper.tasks import Generator, Task, check_description, draw

SEEDS = (100, 101)
CANDIDATES = {
    "Synthetic Overlap": [
        Generator(k, sep, flip, 2, 11)
        for k, sep, flip in product((6, 12), (0.8, 1.0, 1.3), (0.0, 0.1))
    ],
    "Synthetic Sparse": [
        Generator(k, sep, flip, 2, 12)
        for k, sep, flip in product((4, 8, 12), (0.5, 0.7, 0.9, 1.1), (0.0,))
    ],
    "Synthetic Imbalance": [
        Generator(k, sep, flip, 2, 13)
        for k, sep, flip in product((6, 12), (0.8, 1.0, 1.3), (0.0, 0.1))
    ],
}


def raw_means(name, generator):
    """Mean ECE and log loss of the raw score on a candidate."""
    X, y = draw(name, generator)
    task = Task(name, X, y)
    check_description(task)
    cells.load_task = lambda *_: task  # use the candidate as the task
    found = []
    for seed, kind, rate in product(SEEDS, KINDS, RATES[1:]):
        rows = cells.fit_and_score(cells.Cell(name, "Random Forest", kind, rate, seed))
        measured = evaluate(rows.y_test, rows.test)
        found.append((measured["ece"], measured["nll"]))
    return np.mean(found, axis=0)


def main():
    """Print every candidate with its distance."""
    for name, candidates in CANDIDATES.items():
        row = reported.PER_DATASET[name]
        target = np.array([row["ece Raw"], row["nll Raw"]])
        print(f"{name}: paper ECE {target[0]:.3f}, log loss {target[1]:.3f}")
        found = Parallel(n_jobs=-1)(delayed(raw_means)(name, g) for g in candidates)
        order = np.argsort([-np.abs(values - target).sum() for values in found])
        for k in order:
            distance, (ece, nll) = np.abs(found[k] - target).sum(), found[k]
            print(f"  ECE {ece:.3f}, log loss {nll:.3f}, distance {distance:.3f}: {candidates[k]}")


if __name__ == "__main__":
    main()
