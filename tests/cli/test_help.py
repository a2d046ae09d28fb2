"""Help that works: every example runs, completion prints a script, long work shows a bar."""

import json
import re
import shlex
import socket
import subprocess
import sys
from contextlib import contextmanager
from time import sleep

import pandas as pd
import pytest

import lwcal
from lwcal.artifact.export import TARGETS
from lwcal.artifact.export.dialects import DIALECTS
from lwcal.calibrators import CALIBRATORS
from lwcal.cli import NEGATIVE, options, progress
from lwcal.cli.app import COMMANDS, load_command, run
from lwcal.cli.bar import Bar
from lwcal.report.building import TITLE
from lwcal.reviews.exports.formats import FORMATS
from lwcal.rows.periods import PERIODS
from lwcal.rows.scales import CHOICES
from tests.cli.audit.helpers import answered
from tests.cli.helpers import call, shell
from tests.reviews.exports.layouts import annotation, choice, saved, task

GROUPS = {"table", "audit", "opinions"}
"""Commands that have commands of their own."""


def functions():
    """The function of every command, by what a user types."""
    found = {}
    for name in COMMANDS:
        loaded = load_command(name)
        if name in GROUPS:
            inner = {c.callback.__name__: c.callback for c in loaded.registered_commands}
            found |= {f"{name} {one}": function for one, function in inner.items()}
        else:
            found[name] = loaded
    return found


def example(name):
    """The line that a command's help shows."""
    found = re.findall(r"Example: (lwcal .+)", functions()[name].__doc__)
    assert len(found) == 1, name
    return shlex.split(found[0])[1:]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_shows_the_first_line_of_their_help(name):
    """It is written down a second time so that the list needs no imports."""
    loaded = load_command(name)
    text = loaded.info.help if name in GROUPS else loaded.__doc__
    assert text.splitlines()[0] == COMMANDS[name]


def loaded_by(*lines):
    """Modules that some commands load in a process, one after the other."""
    code = (
        "import json, sys; from lwcal.cli.app import run\n"
        "for line in json.loads(sys.argv[1]): run(line)\n"
        "print(*sys.modules)"
    )
    program = [sys.executable, "-c", code, json.dumps([list(map(str, line)) for line in lines])]
    finished = subprocess.run(program, capture_output=True, text=True)
    loaded = set(finished.stdout.rstrip().rpartition("\n")[2].split())
    assert "lwcal.cli.app" in loaded
    return loaded


ESTIMATORS = {"sklearn", "scipy", "lwcal.calibrators.base"}
HEAVY = {"sklearn", "scipy", "pandas", "pyspark", "lwcal.calibrators"}
ENGINES = {"numpy", "pyarrow", "duckdb"}
COUNTERS = {"lwcal.table", "lwcal.rows.class_reducer", "lwcal.rows.spans", "lwcal.segments"}
TYPERS = {"pydantic", "rich.markdown", "rich.traceback", "markdown_it", "pygments"}
"""What typer would load."""


def test_all_help_is_quick():
    """It loads no engine, no array, and little of what typer would load."""
    loaded = loaded_by([], ["--help"], *([*name.split(), "--help"] for name in functions()))
    assert "typer.rich_utils" in loaded
    assert loaded & (HEAVY | ENGINES | TYPERS) == set()


@pytest.mark.parametrize("shell_name", ["bash", "zsh"])
def test_completion_is_quick(monkeypatch, shell_name):
    """All the more, because it runs at every press of a key; bash shows no help texts."""
    monkeypatch.setenv("_LWCAL_COMPLETE", f"complete_{shell_name}")
    monkeypatch.setenv("COMP_WORDS", "lwcal export --")
    monkeypatch.setenv("COMP_CWORD", "2")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "lwcal export --")
    loaded = loaded_by([])
    assert "lwcal.cli.calls.export" in loaded
    assert loaded & (HEAVY | ENGINES | TYPERS | {"importlib.metadata"}) == set()
    assert ("typer.rich_utils" in loaded) == (shell_name == "zsh")


@pytest.mark.parametrize("scores", ["0.25\n0.5", "0.25\nNA"], ids=["all", "dropped"])
def test_applying_a_map_is_quick(tmp_path, scores):
    """It needs no calibrator, none of the libraries that they are made with, and no counts."""
    fitted, rows, out = tmp_path / "c.json", tmp_path / "rows.csv", tmp_path / "out.csv"
    lwcal.save(lwcal.Isotonic().fit([0.2, 0.4, 0.6, 0.9], [0, 1, 0, 1]), fitted)
    rows.write_text(f"score\n{scores}\n")
    loaded = loaded_by(["apply", fitted, rows, "--out", out, "--drop-invalid", "--score", "score"])
    assert out.read_text().splitlines()[1].startswith("0.25,0.")
    unneeded = HEAVY | COUNTERS | TYPERS | {"rich.console", "typer.rich_utils", "pyarrow.compute"}
    dropping = {"pandas", "pyarrow.compute"}  # Arrow's filter loads both
    assert loaded & (unneeded - (dropping if "NA" in scores else set())) == set()


def test_planning_and_serving_an_audit_are_quick(tmp_path):
    """They fit nothing, so they load no estimator; the page does so for its first estimate."""
    rows, out = tmp_path / "rows.csv", tmp_path / "plan.csv"
    rows.write_text("id,score,label\n" + "".join(f"{k},0.{k},{k % 2}\n" for k in range(1, 10)))
    with socket.create_server(("127.0.0.1", 0)) as taken:  # so that the page ends by itself
        serve = ["audit", "serve", rows, "--budget", 3, "--port", taken.getsockname()[1]]
        loaded = loaded_by(["audit", "plan", rows, "--budget", 3, "--out", out], serve)
    assert out.exists()
    assert "lwcal.page.app" in loaded
    assert loaded & ESTIMATORS == set()


@pytest.mark.parametrize(
    ("written", "real"),
    [
        ({*options.METHODS, "audited"}, set(CALIBRATORS)),
        (options.SCALES, CHOICES),
        (options.TARGETS, TARGETS),
        (options.PERIODS, PERIODS),
        (options.DIALECTS, tuple(DIALECTS)),
        (options.EXPORTS, tuple(FORMATS)),
        (options.TITLE, TITLE),
    ],
    ids=["METHODS", "SCALES", "TARGETS", "PERIODS", "DIALECTS", "EXPORTS", "TITLE"],
)
def test_what_options_repeat_is_what_they_stand_for(written, real):
    """It is written down a second time so that help and completion need no imports."""
    assert written == real, "change it in cli/options.py too"


@pytest.mark.usefixtures("trained_demo")
def test_every_example_runs(tmp_path, monkeypatch):
    """After the demo, which writes the files that they use."""
    monkeypatch.chdir(tmp_path)
    names = [name for name in functions() if name.split()[0] not in GROUPS]
    verdicts = {"diagnose": NEGATIVE}  # the labels of the demo must be checked first
    for name in ("demo", *(name for name in names if name != "demo")):
        assert run(example(name)) == verdicts.get(name, 0), name


@pytest.mark.usefixtures("trained_demo")
def test_every_example_of_an_audit_runs(tmp_path, monkeypatch):
    """After somebody has answered; the page runs until it is interrupted, in tests of its own."""
    monkeypatch.chdir(tmp_path)
    plan, merge, serve = (example(f"audit {name}") for name in ("plan", "merge", "serve"))
    assert run(["demo", "--out", plan[2].partition("/")[0]]) == 0
    assert run(plan) == 0
    answered(source=plan[2])
    assert run(merge) == 0
    assert serve[2] == plan[2]


def test_every_example_about_opinions_runs(tmp_path, monkeypatch):
    """On the file of an annotation tool."""
    monkeypatch.chdir(tmp_path)
    saved(tmp_path / "export.json", [task(1, annotation(1, 10, choice("good")))])
    assert run(example("opinions read")) == 0


@pytest.mark.usefixtures("trained_demo")
def test_every_example_about_second_opinions_runs(tmp_path, monkeypatch):
    """After somebody has answered the sheet."""
    monkeypatch.chdir(tmp_path)
    plan, merge, report = (example(f"opinions {name}") for name in ("plan", "merge", "report"))
    assert run(["demo", "--out", plan[2].partition("/")[0]]) == 0
    assert run(plan) == 0
    path = tmp_path / plan[-1]
    sheet = pd.read_csv(path, dtype=str, encoding="utf-8-sig")
    sheet.assign(opinion=["0", "1"] * (len(sheet) // 2)).to_csv(path, index=False)
    assert run(merge) == 0
    assert run(report) == 0


@pytest.mark.parametrize("name", functions())
def test_every_help_shows_its_example_and_json_where_there_is_a_result(name, capsys):
    """The same options by the same names."""
    assert run([*name.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    assert "Example: lwcal" in shown
    assert ("--json" in shown) == (name not in {"demo", "audit serve"})


ROWS = {"--score", "--id", "--format", "--table", "--drop-invalid", "--engine", "--master"} | {
    "--score-scale",
    "--allow-drop-share",
}
LABELLED = {"--label", "--pos-label", "--weight"}
AUDITED = {"--weight", "--drop-invalid", "--allow-drop-share", "--engine", "--master"}


@pytest.mark.parametrize("name", functions())
def test_every_command_that_reads_rows_has_the_same_options(name, capsys):
    """Audits need every row, once; apply needs no labels."""
    expected = ROWS | LABELLED
    if name in {"export", "demo", "table merge"}:
        expected = set()
    elif name == "apply":
        expected = ROWS
    elif name.startswith("audit"):
        expected = expected - AUDITED
    elif name == "opinions read":
        expected = {"--format"}  # of the tool
    elif name in {"opinions plan", "opinions merge"}:
        expected = expected - AUDITED
    run([*name.split(), "--help"])
    shown = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert shown & (ROWS | LABELLED) == expected


def complete(monkeypatch, capsys, instruction, typed=""):
    """What the command prints when a shell asks it to complete."""
    monkeypatch.setattr("sys.argv", ["lwcal"])
    monkeypatch.setenv("_LWCAL_COMPLETE", instruction)
    monkeypatch.setenv("COMP_WORDS", typed)
    monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
    assert run([]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(monkeypatch, capsys, name):
    """As the documentation says."""
    assert f"complete_{name}" in complete(monkeypatch, capsys, f"source_{name}")


COMPLETED = {
    "lwcal mo": "monitor",
    "lwcal fit --score-": "--score-scale",
    "lwcal fit --score-scale log": "logit",
    "lwcal fit --method no": "noise-aware",
    "lwcal compare s.csv --method platt,is": "platt,isotonic",
    "lwcal export --to sq": "sql",
    "lwcal export --dialect b": "bigquery",
    "lwcal monitor --format p": "parquet",
    "lwcal opinions read --format p": "prodigy",
    "lwcal opinions pl": "plan",
    "lwcal opinions plan --most": "--most-opinions",
    "lwcal fit --method rev": "reviewed",
    "lwcal fit --it": "--item",
}
"""What is made of what was typed."""


@pytest.mark.parametrize("typed", COMPLETED)
def test_commands_options_and_the_names_that_they_take_are_completed(monkeypatch, capsys, typed):
    """What the script of a shell gets for its question."""
    assert complete(monkeypatch, capsys, "complete_bash", typed).split() == [COMPLETED[typed]]


def test_bash_completes(here):
    """Names and files: with the script, in a real shell."""
    wanted = {
        "lwcal compare s.csv --method platt,is": "platt,isotonic",
        "lwcal fit sco": "scores.csv scores.parquet",
    }
    script = """
        eval "$(_LWCAL_COMPLETE=source_bash lwcal)"
        offered() {
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _lwcal_completion lwcal
            [ ${#COMPREPLY[@]} = 0 ] && complete -p lwcal | grep -q -- "-o default" &&
                COMPREPLY=($(compgen -f "${COMP_WORDS[COMP_CWORD]}" | sort))
            echo "${COMPREPLY[@]}"
        }
    """ + "\n".join(f"offered {typed}" for typed in wanted)
    code, shown, _ = shell(script)
    assert code == 0
    assert dict(zip(wanted, shown.splitlines(), strict=True)) == wanted


def test_a_bar_appears_only_on_a_terminal_and_only_late(monkeypatch, capsys):
    """Whoever waits sees why; logs stay clean."""
    monkeypatch.setattr(progress, "PATIENCE", 60.0)
    for terminal in ("", "1"):
        monkeypatch.setenv("FORCE_COLOR", terminal)
        with progress.late_progress("steps", 2) as advance:
            advance()
        assert capsys.readouterr().err == ""


def test_a_bar_needs_a_terminal_that_understands_it(monkeypatch, capsys):
    """rich decides in the end."""
    monkeypatch.setenv("TTY_COMPATIBLE", "0")
    bar = Bar("steps", total=2, done=1)
    bar.advance()
    bar.stop()
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
    for place in ["request", *makes]:
        monkeypatch.setattr(f"lwcal.cli.{place}.late_progress", noted)
    assert call(line) == (NEGATIVE if name == "diagnose" else 0)
    assert asked[0] == "reading scores.csv"
    assert len(asked) == 1 + len(makes)
