"""Help that works: every example runs, completion prints a script, long work shows a bar."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from lwcal.cli import progress
from lwcal.cli.app import AUDIT_COMMANDS, COMMANDS, run
from tests.cli.audit.helpers import answered

MINUTES = {"reproduce", "leaderboard"}
"""Their examples take a minute or more; the study's tests run the same code on small grids."""


def example(command):
    """The line that a command's help shows."""
    found = re.findall(r"Example: (lwcal .+)", command.__doc__)
    assert len(found) == 1, command.__name__
    return found[0]


def test_every_example_runs(tmp_path, monkeypatch):
    """After the demo, which makes the files that they speak of."""
    monkeypatch.chdir(tmp_path)
    quick = {c.__name__: example(c) for c in COMMANDS if c.__name__ not in MINUTES}
    for line in (quick.pop("demo"), *quick.values()):
        assert run(shlex.split(line)[1:]) == 0, line


def test_every_example_of_an_audit_runs(tmp_path, monkeypatch):
    """After somebody has answered; the page runs until it is interrupted, in tests of its own."""
    monkeypatch.chdir(tmp_path)
    examples = {c.__name__: shlex.split(example(c))[1:] for c in AUDIT_COMMANDS}
    assert run(["demo", "--out", examples["plan"][2].partition("/")[0]]) == 0
    assert run(examples["plan"]) == 0
    answered()
    assert run(examples["merge"]) == 0
    assert examples["serve"][2] == examples["plan"][2]


@pytest.mark.parametrize(
    ("path", "command"),
    [([], command) for command in COMMANDS] + [(["audit"], command) for command in AUDIT_COMMANDS],
    ids=[command.__name__ for command in (*COMMANDS, *AUDIT_COMMANDS)],
)
def test_every_help_shows_its_example_and_json_where_there_is_a_result(path, command, capsys):
    """The same options by the same names."""
    assert run([*path, command.__name__, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example: lwcal" in shown
    writes_files = {"demo", "export", "report", "serve", *MINUTES}
    assert ("--json" in shown) == (command.__name__ not in writes_files)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(shell):
    """As the documentation says, and completes the names of commands."""
    lwcal = Path(sys.executable).parent / "lwcal"
    environment = {**os.environ, "_LWCAL_COMPLETE": f"source_{shell}"}
    finished = subprocess.run([lwcal], env=environment, capture_output=True, text=True)
    assert finished.returncode == 0
    assert f"complete_{shell}" in finished.stdout


def test_completion_knows_the_commands():
    """What a shell asks for, it gets."""
    lwcal = Path(sys.executable).parent / "lwcal"
    asked = {"_LWCAL_COMPLETE": "complete_bash", "COMP_WORDS": "lwcal mo", "COMP_CWORD": "1"}
    finished = subprocess.run([lwcal], env={**os.environ, **asked}, capture_output=True, text=True)
    assert finished.stdout.split() == ["monitor"]


def test_a_bar_appears_only_on_a_terminal_and_only_late(monkeypatch, capsys):
    """Whoever waits sees why; logs stay clean."""
    with progress.late_progress("steps", 2) as advance:
        advance()
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    with progress.late_progress("steps", 2) as advance:
        advance()
        advance()
    assert "steps" in capsys.readouterr().err
