"""The commands as plugins of ``lwcal``: how they are found, and what they say without extras."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from lwcal_study.commands.leaderboard import leaderboard
from lwcal_study.commands.reproduce import reproduce
from lwcal_study.commands.traps import traps

ROOT = Path(__file__).parents[3]
COMMANDS = {"reproduce": reproduce, "leaderboard": leaderboard, "traps": traps}
HEAVY = {"joblib", "matplotlib", "numpy", "pandas", "scipy", "sklearn"}


def python(code):
    """Run code in a new interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


@pytest.mark.source_tree
def test_the_entry_points_name_the_commands():
    """Every entry point can be imported, and no command is forgotten."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["lwcal.commands"]
    found = {}
    for name, target in points.items():
        module, _, attribute = target.partition(":")
        found[name] = getattr(import_module(module), attribute)
    assert found == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_a_missing_extra_is_one_line(name, tmp_path):
    """It names the missing package and the command that installs it."""
    code = (
        "import sys; sys.modules['pandas'] = None; from lwcal.cli.app import run;"
        f"sys.exit(run([{name!r}, '--quick', '--out', {str(tmp_path / 'out')!r}]))"
    )
    finished = python(code)
    assert finished.returncode == 2
    (line,) = finished.stderr.splitlines()
    assert f"lwcal {name} needs pandas" in line
    assert 'pip install "lwcal[study]"' in line
    assert not (tmp_path / "out").exists()


def test_the_commands_import_little():
    """``lwcal`` loads them at every start, so they must not load the libraries of the study."""
    code = (
        "import sys, typer, rich.progress; import lwcal.errors; before = set(sys.modules);"
        "from lwcal_study.commands import leaderboard, reproduce, traps;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    finished = python(code)
    assert finished.returncode == 0, finished.stderr
    assert not HEAVY & set(finished.stdout.split())
