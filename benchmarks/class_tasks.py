"""List the tasks with many classes: ``python -m benchmarks.class_tasks``.

Measures how much better than the frequencies of the classes a forest predicts clean labels.
Rewrites the table of docs/benchmarks/many-classes.md.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from lwcal_study.classes.task import ClassTask
from lwcal_study.classes.tasks import CLASS_TASKS
from lwcal_study.markdown import pipe_table
from lwcal_study.real.task import Loaded

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks" / "many-classes.md"
HEADER = ["task", "package", "domain", "labels", "part", "classes", "rows", "forest", "note"]
TRAINED, TESTED = 4000, 2000
"""Most rows to train on and to test on."""
TREES = 60
LARGEST_RATIO = 0.94
"""A task is left out if its ratio is larger: its features say too little about its classes."""


def ratio(rows: Loaded, trees: int = TREES, trained: int = TRAINED) -> float:
    """Log loss of a small forest on trusted labels, divided by that of the class frequencies."""
    n, y = len(rows.y_trusted), rows.y_trusted
    tested = min(TESTED, round(0.3 * n))
    train, test = train_test_split(
        np.arange(n),
        train_size=min(trained, n - tested),
        test_size=tested,
        stratify=y,
        random_state=0,
    )
    forest = RandomForestClassifier(trees, min_samples_leaf=5, random_state=0)
    forest.fit(rows.X[train], y[train])
    probabilities = np.clip(forest.predict_proba(rows.X[test]), 1e-4, None)
    frequencies = np.tile(np.bincount(y[train]) / len(train), (len(test), 1))
    losses = [
        log_loss(y[test], found / found.sum(axis=1, keepdims=True), labels=forest.classes_)
        for found in (probabilities, frequencies)
    ]
    return losses[0] / losses[1]


def described(task: ClassTask, rows: Loaded) -> list[str]:
    """What the table says of a task, without the measurement."""
    size = [f"{rows.y_trusted.max() + 1}", f"{len(rows.y_trusted):,}"]
    return [task.name, task.package, task.domain, task.sort, task.part, *size]


def table() -> str:
    """One line for each task."""
    lines = []
    for task in CLASS_TASKS.values():
        rows = task.load()
        lines.append([*described(task, rows), f"{ratio(rows):.2f}", task.note])
    return pipe_table(HEADER, lines)


def main():
    """Write the table of the page."""
    page = PAGE.read_text(encoding="utf-8")
    block = f"<!-- tasks -->\n{table()}\n<!-- end -->"
    found = re.sub(r"<!-- tasks -->.*?<!-- end -->", lambda _: block, page, flags=re.S)
    PAGE.write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
