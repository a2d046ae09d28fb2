"""Every real task by name. Add a new one in the module of its package."""

from __future__ import annotations

from functools import cache, lru_cache

from lwcal_study.real import (
    econometrics,
    machine_learning,
    nhanes,
    teaching,
    wooldridge,
    word_ratings,
)
from lwcal_study.real.task import Loaded, Part, RealTask, Sort

_MODULES = (wooldridge, econometrics, machine_learning, teaching, nhanes, word_ratings)

REAL_TASKS: dict[str, RealTask] = {task.name: task for m in _MODULES for task in m.TASKS}
"""All clean and natural tasks, judged and for development."""


def tasks_of(sort: Sort, part: Part | None = None) -> list[RealTask]:
    """Clean or natural tasks, of one part or of both.

    >>> {task.package for task in tasks_of("natural", "judged")} <= set(PACKAGES)
    True
    """
    return [task for task in REAL_TASKS.values() if task.sort == sort and part in (None, task.part)]


PACKAGES = tuple(sorted({task.package for task in REAL_TASKS.values()}))
"""The packages that contain the files."""


@lru_cache(maxsize=4)  # the cells of a task run one after another
def load_real_task(name: str) -> Loaded:
    """Load a task."""
    return REAL_TASKS[name].load()


@cache
def task_size(name: str) -> int:
    """Number of rows of a task, cached because the task must be loaded.

    >>> task_size("sk_breast_cancer")
    569
    """
    return len(load_real_task(name).y_trusted)
