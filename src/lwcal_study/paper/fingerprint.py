"""Fingerprint of the study's settings. Stored cells with another fingerprint are not used."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

import lwcal
from lwcal_study import evaluation
from lwcal_study.paper import cells, methods, open_choices, tasks
from lwcal_study.paper.appendix import methods as appendix
from lwcal_study.paper.cells import LEARNERS, Cell
from lwcal_study.paper.methods import Method
from lwcal_study.scored_rows import TEST_SHARE_OF_REST

PACKAGES = ("numpy", "scipy", "scikit-learn")


def settings() -> dict[str, Any]:
    """What a result of the paper's methods depends on besides the coordinates of its cell."""
    families = (methods.METHODS, methods.ORACLE, methods.GATES, methods.TRIMS)
    return {
        # lwcal itself may run from an archive, where it is not installed
        "versions": {"lwcal": lwcal.__version__, **{name: version(name) for name in PACKAGES}},
        "generators": {name: tuple(values) for name, values in tasks.GENERATORS.items()},
        "methods": [_all_described(family) for family in families],
        "choices": asdict(open_choices.REFERENCE),
        "test_share_of_rest": TEST_SHARE_OF_REST,
        "learners": [_learner(name) for name in LEARNERS],
        "metrics": list(evaluation.METRICS),
        "clip": evaluation.PAPER_CLIP,
        "reliability_bins": evaluation.RELIABILITY_BINS,
    }


def _learner(name: str) -> dict[str, str]:
    """A learner. Its seed and its trees are coordinates of a cell."""
    return _described(cells.make_learner(Cell("any", name, "symmetric", 0.0, seed=0)))


def _described(estimator: Any) -> dict[str, str]:
    parameters = {name: repr(value) for name, value in estimator.get_params().items()}
    return {"type": type(estimator).__name__, **parameters}


def _all_described(family: dict[str, Method]) -> dict[str, dict[str, str]]:
    return {name: _described(method()) for name, method in family.items()}


def fingerprint() -> str:
    """Hash of everything that a stored cell depends on."""
    return hashed({**settings(), "appendix": appendix.described()})


def hashed(described: dict[str, Any]) -> str:
    """Short hash of settings."""
    return hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:12]
