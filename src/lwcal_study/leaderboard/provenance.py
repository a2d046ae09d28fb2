"""Versions, code and machine of a run."""

from __future__ import annotations

import datetime
import hashlib
import json
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lwcal
import lwcal_study
from lwcal_study.classes.tasks import CLASS_TASKS
from lwcal_study.environment import installed_versions, machine
from lwcal_study.leaderboard.classes.methods import class_methods
from lwcal_study.leaderboard.methods import all_methods
from lwcal_study.leaderboard.opinions.methods import CROWD_KIT, opinion_methods
from lwcal_study.opinions.cells import RATED_TASKS
from lwcal_study.real.tasks import PACKAGES as DATA

ENVIRONMENT = "environment.json"
PACKAGES = (
    *("lwcal", "numpy", "scipy", "scikit-learn", "pandas", "betacal", "venn-abers", *DATA),
    *sorted({task.package for task in CLASS_TASKS.values()}),
    *(CROWD_KIT, *sorted({task.package for task in RATED_TASKS.values()})),
)
"""Packages that results depend on."""
CLIENTS = {"cli", "engines", "page", "plots", "report"}
"""Subpackages of lwcal that do not change results."""
STUDY = (
    "classes/*.py",
    "evaluation.py",
    "leaderboard/classes/adapters.py",
    "leaderboard/classes/methods.py",
    "leaderboard/classes/run.py",
    "leaderboard/methods.py",
    "leaderboard/opinions/methods.py",
    "leaderboard/opinions/run.py",
    "leaderboard/opinions/ways.py",
    "leaderboard/other_libraries.py",
    "opinions/*.py",
    "paper/cells.py",
    "paper/open_choices.py",
    "paper/tasks.py",
    "real/*.py",
    "scored_rows.py",
    "traps/cells.py",
    "traps/judging.py",
    "traps/learners.py",
)
"""Modules of the study that change results."""


def describe_run(command: str, *, quick: bool, cells: int) -> dict[str, Any]:
    """Date, command, machine and versions."""
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "command": command,
        "quick": quick,
        "cells": cells,
        "machine": machine(),
        "python": platform.python_version(),
        "packages": installed_versions(PACKAGES),
    }


def fingerprint() -> str:
    """Hash the versions, the names of the methods, and our code."""
    settings = {
        "versions": installed_versions(PACKAGES),
        "contenders": sorted({*all_methods(), *class_methods(), *opinion_methods()}),
        "code": _code_digest(),
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


def _code_digest() -> str:
    """Hash our code: a changed calibrator may keep its version number."""
    digest = hashlib.sha256()
    for path in _modules():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _modules() -> Iterator[Path]:
    library, study = (Path(str(package.__file__)).parent for package in (lwcal, lwcal_study))
    for path in sorted(library.rglob("*.py")):
        if not CLIENTS & set(path.relative_to(library).parts):
            yield path
    for pattern in STUDY:
        yield from sorted(study.glob(pattern))
