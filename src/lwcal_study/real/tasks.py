"""Every real task by name. A new one joins with a declaration in the module of its package."""

from __future__ import annotations

from functools import cache, lru_cache

from lwcal_study.real import (
    econometrics,
    machine_learning,
    nhanes,
    teaching,
    wooldridge,
    words,
)
from lwcal_study.real.task import Loaded, Part, RealTask, Sort

_MODULES = (wooldridge, econometrics, machine_learning, teaching, nhanes, words)

REAL_TASKS: dict[str, RealTask] = {task.name: task for m in _MODULES for task in m.TASKS}
"""Clean and natural tasks, of both parts."""


def tasks_of(sort: Sort, part: Part | None = None) -> list[RealTask]:
    """Tasks of a sort, of one part or both.

    >>> {task.package for task in tasks_of("natural", "judged")} <= set(PACKAGES)
    True
    """
    return [task for task in REAL_TASKS.values() if task.sort == sort and part in (None, task.part)]


PACKAGES = tuple(sorted({task.package for task in REAL_TASKS.values()}))
"""The packages that the files come from."""


@lru_cache(maxsize=4)  # cells of a task come one after the other
def load_real_task(name: str) -> Loaded:
    """Load a task."""
    return REAL_TASKS[name].load()


@cache
def task_size(name: str) -> int:
    """Rows of a task; remembered, since it takes loading the task.

    >>> task_size("sk_breast_cancer")
    569
    """
    return len(load_real_task(name).y_trusted)
