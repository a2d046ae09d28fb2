"""Every task with many classes by name. Add a new one in the module of its package."""

from __future__ import annotations

from functools import lru_cache

from lwcal_study.classes import machine_learning, nhanes, statistics, teaching, word_ratings
from lwcal_study.classes.task import ClassTask
from lwcal_study.real.task import Loaded, Part, Sort

_MODULES = (machine_learning, statistics, teaching, nhanes, word_ratings)

CLASS_TASKS: dict[str, ClassTask] = {task.name: task for m in _MODULES for task in m.TASKS}
"""All clean and natural tasks, judged and for development."""


def class_tasks_of(sort: Sort, part: Part | None = None) -> list[ClassTask]:
    """Clean or natural tasks, of one part or of both.

    >>> {task.sort for task in class_tasks_of("natural")}
    {'natural'}
    """
    return [
        task for task in CLASS_TASKS.values() if task.sort == sort and part in (None, task.part)
    ]


@lru_cache(maxsize=4)  # the cells of a task run one after another
def load_class_task(name: str) -> Loaded:
    """Load a task.

    >>> load_class_task("sk_digits").X.shape
    (1797, 61)
    """
    return CLASS_TASKS[name].load()
