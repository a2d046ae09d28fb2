"""Exported Python files: without dependencies, and with their own test."""

import ast
import subprocess
import sys

import numpy as np
import pytest

import lwcal
from lwcal.calibrators import CALIBRATORS
from lwcal.class_maps import ScalingMap
from lwcal.maps import BetaMap
from tests.artifact.export.targets import carrying, carrying_classes
from tests.multiclass.test_joint_fit import rows_of


def run_file(path):
    """As a user would, without the packages of this environment."""
    command = [sys.executable, "-I", "-S", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("method", CALIBRATORS)
def test_the_file_needs_nothing(method, noisy_rows):
    """Two modules that come with Python."""
    text = lwcal.export(CALIBRATORS[method]().fit(*noisy_rows), "python")
    tree = ast.parse(text)
    imported = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert [ast.unparse(node) for node in imported] == [
        "import math",
        "from bisect import bisect_right",
    ]
    assert "Fitted to 800 labels." in ast.get_docstring(tree)


def test_the_file_tests_itself(tmp_path, noisy_rows):
    """It prints OK, and exits with 1 if a number was changed."""
    path = tmp_path / "calibrator.py"
    text = lwcal.export(lwcal.GatedLWCal().fit(*noisy_rows), "python", out=path)
    assert path.read_text() == text
    finished = run_file(path)
    assert (finished.returncode, finished.stdout) == (0, "OK: 21 examples\n")
    rho = text.split(" + ")[-1].split(" * p")[0]
    path.write_text(text.replace(f"{rho} * p", f"{float(rho) + 1e-6} * p"))
    finished = run_file(path)
    assert finished.returncode == 1
    assert finished.stdout.startswith("FAILED: calibrate(")


def test_metadata_cannot_leave_the_docstring():
    """Quotes and backslashes in a parameter stay text."""
    fitted = carrying(BetaMap(1.0, 1.0, 0.0))
    fitted.pos_label = 'x"""\\'
    tree = ast.parse(lwcal.export(fitted, "python"))
    assert repr('x"""\\') in ast.get_docstring(tree)


@pytest.mark.parametrize("cls", [lwcal.Identity, lwcal.Temperature, lwcal.MatrixScaling])
def test_several_classes(cls, tmp_path):
    """One import, and a test of its own."""
    path = tmp_path / "calibrator.py"
    text = lwcal.export(cls().fit(*rows_of(100)), "python", out=path)
    imported = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import)]
    assert [ast.unparse(node) for node in imported] == ["import math"]
    finished = run_file(path)
    assert (finished.returncode, finished.stdout) == (0, "OK: 21 examples\n")


def test_the_file_of_several_classes_finds_a_changed_number(tmp_path):
    """It exits with 1."""
    fitted = carrying_classes(ScalingMap(np.eye(3), np.array([0.25, 0.5, 0.125]), 0.01), "abc")
    path = tmp_path / "calibrator.py"
    path.write_text(lwcal.export(fitted, "python").replace("[0.25, 0.5,", "[0.25, 0.500001,"))
    assert run_file(path).returncode == 1


def test_names_of_classes_cannot_leave_the_docstring():
    """And a row must have a score for every class."""
    fitted = carrying_classes(ScalingMap(np.eye(3), np.zeros(3), 0.01), ["a", 'b"""\\', "c\n"])
    namespace = {"__name__": "exported"}
    exec(lwcal.export(fitted, "python"), namespace)
    assert repr('b"""\\') in namespace["calibrate"].__doc__
    assert "not within 0.015 of 1" in namespace["__doc__"]
    with pytest.raises(ValueError, match="expected 3 scores, got 2"):
        namespace["calibrate"]([0.5, 0.5])
