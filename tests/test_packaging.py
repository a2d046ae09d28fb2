"""What a build makes, with a compiler and without."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import lwcal

ROOT = Path(__file__).parent.parent


def build_wheel(folder, monkeypatch):
    """Build from the source tree in this environment, and list the files of the wheel."""
    monkeypatch.setenv("SKBUILD_BUILD_DIR", str(folder / "build"))
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    finished = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return wheel.name, archive.namelist()


def test_without_a_compiler_the_wheel_is_pure(tmp_path, monkeypatch):
    """The build goes on, and holds everything but the extension."""
    monkeypatch.setenv("CXX", str(tmp_path / "no-such-compiler"))
    name, files = build_wheel(tmp_path, monkeypatch)
    assert name.startswith(f"lwcal-{lwcal.__version__}-")
    assert "lwcal/kernels/pure.py" in files
    assert "lwcal/py.typed" in files
    assert {f"lwcal/report/templates/{part}" for part in ("style.css", "script.js")} <= set(files)
    static = ("index.html", "style.css", "script.js", "icon.svg")
    assert {f"lwcal/page/static/{part}" for part in static} <= set(files)
    assert not [file for file in files if Path(file).suffix in (".so", ".pyd")]


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"])
def test_documents_a_project_needs_are_there(name):
    """Not empty, either."""
    assert len((ROOT / name).read_text()) > 500
