"""The package as a user meets it: its names and its import."""

import subprocess
import sys
from pathlib import Path

import pytest

import lwcal
from lwcal.metrics.evaluation import METRICS


def python(code):
    """Run code in a fresh interpreter."""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_every_public_name_is_there_and_listed():
    """Lazy names too; dir() shows them."""
    assert sorted(lwcal.__all__) == dir(lwcal)
    for name in lwcal.__all__:
        assert getattr(lwcal, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lwcal.nothing


def test_every_calibrator_and_metric_is_public():
    """A new one is listed where people and type checkers look for it."""
    calibrators = {kind.__name__ for kind in lwcal.calibrators.CALIBRATORS.values()}
    assert calibrators <= set(lwcal.__all__), "list it in lwcal/__init__.py"
    assert calibrators <= set(lwcal.calibrators.__all__), "list it in calibrators/__init__.py"
    assert set(METRICS) <= set(lwcal.metrics.__all__), "list it in metrics/__init__.py"
    files = {path.stem for path in Path(lwcal.calibrators.__file__).parent.glob("*.py")}
    used = {kind.__module__.rpartition(".")[2] for kind in lwcal.calibrators.CALIBRATORS.values()}
    helpers = {"__init__", "base", "class_base", "class_crossfit", "class_decision", "crossfit"}
    helpers |= {"decision", "from_posterior", "gate", "lwcal_weights", "posterior_map", "registry"}
    helpers |= {"passed", "reviewed_fit"}
    assert files - used == helpers, "add it to CALIBRATORS"


def test_importing_pulls_in_nothing_beyond_the_core():
    """numpy, scipy and scikit-learn, and of those nothing that sklearn.base did not load.

    And these only when something is asked of it.
    """
    alone = python("import sys, lwcal; print(*sys.modules)").split()
    assert not {"numpy", "scipy", "sklearn"} & set(alone)
    loaded = python(
        "import numpy, scipy.special, sklearn.base, sys; before = set(sys.modules);"
        "import lwcal; lwcal.Auto; print(*sorted(set(sys.modules) - before))"
    ).split()
    assert "lwcal.calibrators.auto" in loaded
    assert [name for name in loaded if not name.startswith("lwcal")] == []
    # the model of opinions waits for the first fit to some
    assert [name for name in loaded if name.startswith("lwcal.reviews")] == []
    # and that of several classes for theirs; what remains says which rows are theirs
    several = [name for name in loaded if name.startswith("lwcal.multiclass")]
    assert several == ["lwcal.multiclass", "lwcal.multiclass.class_rows"]


def test_the_pure_kernels_can_be_forced():
    """Without the extension everything still works."""
    code = (
        "import os; os.environ['LWCAL_PURE'] = '1'; import lwcal; from lwcal import kernels;"
        "print(kernels.backend_name, lwcal.LWCal().fit([0.2, 0.8], [0, 1]).predict([0.8])[0])"
    )
    assert python(code).split() == ["pure", "1.0"]


def test_a_build_without_the_extension_works():
    """An installation that could not compile falls back by itself."""
    code = (
        "import sys; sys.modules['lwcal.kernels.compiled'] = None;"
        "from lwcal import kernels; print(kernels.backend_name)"
    )
    assert python(code).strip() == "pure"
