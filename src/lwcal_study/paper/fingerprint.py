"""Fingerprint of the study's settings. Stored cells with another fingerprint are not used."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version

from lwcal_study.paper import cells
from lwcal_study.paper.methods import GATES, METHODS, ORACLE, TRIMS
from lwcal_study.paper.tasks import GENERATORS
from lwcal_study.scored_rows import TEST_SHARE_OF_REST, TRAIN_SHARE

PACKAGES = ("lwcal", "numpy", "scipy", "scikit-learn")


def fingerprint() -> str:
    """Hash everything that a result depends on besides the coordinates of its cell."""
    settings = {
        "versions": {name: version(name) for name in PACKAGES},
        "generators": {name: tuple(values) for name, values in GENERATORS.items()},
        "methods": {name: repr(m()) for name, m in {**METHODS, **ORACLE, **GATES, **TRIMS}.items()},
        "split": (TRAIN_SHARE, TEST_SHARE_OF_REST),
        "asymmetric": (cells.POSITIVE_FACTOR, cells.NEGATIVE_FACTOR),
    }
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]
