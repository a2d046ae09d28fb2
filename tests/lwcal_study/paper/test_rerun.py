"""The archive reruns the study by itself, where lwcal is not installed."""

import shutil
import subprocess
import sysconfig
import tarfile
import venv
from pathlib import Path

import pandas as pd
import pytest

import lwcal
from lwcal_study.paper import artifact
from lwcal_study.paper.rerun import lock_file, rerun_files
from tests import untraced
from tests.lwcal_study.paper.conftest import RESAMPLES, TREES

SMALL = f"""
import os, runpy, sys
sys.path.insert(0, os.path.abspath("src"))
import lwcal, lwcal_study
from lwcal_study.paper import figures, grid, tables
print(lwcal.__file__, lwcal_study.__file__, sep="\\n")
grid.QUICK_TREES = {TREES}
tables.N_RESAMPLES = {RESAMPLES}
figures.FIGURES.clear()
sys.argv = ["trimcal_eval.py", "--quick", "--skip-compile", "--jobs", "1", "--out", "again"]
runpy.run_path("scripts/trimcal_eval.py", run_name="__main__")
"""
"""The script of the archive, with the small forests and few resamples that all tests share.

It draws one figure, that of the appendix, and finds the others.
"""


BINNED = ("ece", "adaptive_ece", "auc", "macro_f1", "classwise_ece", "minority_ece", "class_gap")
"""Metrics that jump where the last bit moves a row to another bin, or breaks a tie."""


@pytest.fixture
def clean_python(tmp_path):
    """A new environment that has the locked packages, but not lwcal.

    Its path file names the folder of the packages. Path files in that folder are not read, and a
    checkout of lwcal is installed by one. Where lwcal is installed as files, those of the archive
    come first.
    """
    folder = tmp_path / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    paths = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", vars=paths))
    (site / "locked.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


def run(python, *arguments, cwd):
    """Run without the paths of this process."""
    environment = {k: v for k, v in untraced.environment().items() if k != "PYTHONPATH"}
    return subprocess.run(
        [python, *arguments], cwd=cwd, env=environment, capture_output=True, text=True
    )


def test_the_archive_reruns_in_a_clean_environment(artefact, clean_python, tmp_path):
    """Unpack, run its script: the same numbers, from its own packages, without kernels in C++.

    Most cells are copied, so that it fits every fifth one.
    """
    with tarfile.open(artifact.write_archive(artefact)) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "lwcal-artifact"
    (stored,) = (artefact / artifact.CELLS).iterdir()
    copies = folder / "again" / artifact.CELLS / stored.name
    copies.mkdir(parents=True)
    shutil.copytree(folder / "figures", folder / "again" / "figures")
    cells = sorted(stored.glob("*.json"))
    for cell in set(cells) - set(cells[::5]):
        shutil.copy(cell, copies)
    ended = run(clean_python, "-c", SMALL, cwd=folder)
    assert ended.returncode == 0, ended.stderr
    assert {path.name for path in copies.glob("*.json")} == {path.name for path in cells}
    imported = [Path(line) for line in ended.stdout.splitlines() if line.endswith("__init__.py")]
    assert imported == [folder / "src" / name / "__init__.py" for name in ("lwcal", "lwcal_study")]
    for name in ("main_results", "robustness_results", "scalars"):
        there, here = (
            pd.read_csv(root / "data" / f"{name}.csv", dtype={"method": str})
            for root in (artefact, folder / "again")
        )
        smooth = [name for name in there if name not in BINNED]
        pd.testing.assert_frame_equal(there[smooth], here[smooth], rtol=1e-6, atol=1e-6)
        for metric in there.columns.difference(smooth):
            assert (there[metric] - here[metric]).abs().mean() < 1e-3, metric


def test_the_archive_has_scripts_packages_and_lock_file():
    """Every module, no compiled file, nothing of a cache."""
    names = set(rerun_files())
    assert {"RERUN.md", "requirements.lock", "scripts/trimcal_eval.py"} <= names
    assert {"src/lwcal/__init__.py", "src/lwcal_study/paper/templates/report.html"} <= names
    assert not [name for name in names if name.endswith((".so", ".pyc"))]


def test_the_lock_file_names_what_is_needed():
    """With exact versions, and without lwcal itself."""
    lines = lock_file().lower().splitlines()
    for name in ("numpy", "scikit-learn", "pandas", "joblib"):
        assert [line for line in lines if line.startswith(f"{name}==")], name
    assert not [line for line in lines if line.startswith("lwcal==")]


def test_without_a_checkout_the_versions_are_those_installed(monkeypatch, tmp_path):
    """A wheel has no lock file beside it."""
    monkeypatch.setattr(lwcal, "__file__", str(tmp_path / "a" / "b" / "lwcal" / "__init__.py"))
    lines = lock_file().splitlines()
    assert f"pandas=={pd.__version__}" in lines
    assert lines == sorted(lines)
