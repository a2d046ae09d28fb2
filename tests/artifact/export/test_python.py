"""Exported Python files: without dependencies, and with their own test."""

import ast
import subprocess
import sys

import pytest

import lwcal
from lwcal.calibrators import CALIBRATORS
from lwcal.maps import BetaMap
from tests.artifact.export.targets import carrying


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
