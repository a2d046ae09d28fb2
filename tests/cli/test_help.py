"""Help that works: every example runs, completion prints a script, long work shows a bar."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

import lwcal
from lwcal.cli import progress
from lwcal.cli.app import AUDIT_COMMANDS, COMMANDS, run
from tests.cli.audit.helpers import answered
from tests.cli.helpers import call, shell

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
    without = {"demo", "serve", *MINUTES}
    assert ("--json" in shown) == (command.__name__ not in without)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(name):
    """As the documentation says."""
    command = Path(sys.executable).parent / "lwcal"
    environment = {**os.environ, "_LWCAL_COMPLETE": f"source_{name}"}
    finished = subprocess.run([command], env=environment, capture_output=True, text=True)
    assert finished.returncode == 0
    assert f"complete_{name}" in finished.stdout


COMPLETED = {
    "lwcal mo": "monitor",
    "lwcal fit --sc": "--score",
    "lwcal fit --method no": "noise-aware",
    "lwcal compare s.csv --method platt,is": "platt,isotonic",
    "lwcal export --to sq": "sql",
    "lwcal export --dialect b": "bigquery",
    "lwcal monitor --format p": "parquet",
    "lwcal fit sco": "scores.csv scores.parquet",
}
"""What bash makes of what was typed."""


def test_bash_completes(here):
    """Commands, options, the names that they take, and files: with the script, in a real shell."""
    script = """
        eval "$(_LWCAL_COMPLETE=source_bash lwcal)"
        offered() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _lwcal_completion lwcal
            [ ${#COMPREPLY[@]} = 0 ] && complete -p lwcal | grep -q -- "-o default" &&
                COMPREPLY=($(compgen -f "${COMP_WORDS[COMP_CWORD]}" | sort))
            echo "${COMPREPLY[@]}"
        }
    """ + "\n".join(f"offered {typed}" for typed in COMPLETED)
    code, shown, _ = shell(script)
    assert code == 0
    assert dict(zip(COMPLETED, shown.splitlines(), strict=True)) == COMPLETED


def test_a_bar_appears_only_on_a_terminal_and_only_late(monkeypatch, capsys):
    """Whoever waits sees why; logs stay clean."""
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    for terminal in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", terminal)
        with progress.late_progress("steps", 2) as advance:
            advance()
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("total", "counted"), [(2, "1/2"), (None, "0:00:00")])
def test_a_bar_appears_during_a_long_step(monkeypatch, capsys, total, counted):
    """Counted where there are several; where there is one, it shows at least that time passes."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    seen = ""
    with progress.late_progress("a [long] step", total) as advance:
        advance()
        for _ in range(500):  # ten seconds, of which one tenth is enough
            seen += capsys.readouterr().err
            if counted in seen:
                break
            sleep(0.02)
    assert "a [long] step" in seen
    assert counted in seen
    assert "/?" not in seen


@pytest.mark.parametrize(
    "line",
    [
        "fit scores.csv --out c.json --method platt",
        "apply ok.json scores.csv --out o.csv",
        "evaluate scores.csv ok.json",
        "compare scores.csv --method platt",
        "diagnose scores.csv",
        "monitor ok.json scores.csv",
        "report ok.json scores.csv",
    ],
)
def test_every_command_that_can_take_long_has_bars(here, monkeypatch, noisy_rows, line):
    """For what it reads, and for what it makes of it; apply does both in one pass."""
    lwcal.save(lwcal.Platt().fit(*noisy_rows), "ok.json")
    asked = []

    @contextmanager
    def noted(what, total=None):
        asked.append(what)
        yield lambda: None

    name = line.split()[0]
    makes = [] if name == "apply" else [name]
    for place in ["sources", *makes]:
        monkeypatch.setattr(f"lwcal.cli.{place}.late_progress", noted)
    assert call(line) == 0
    assert asked[0] == "reading scores.csv"
    assert len(asked) == 1 + len(makes)
