"""Every code block of every page runs, from the top, in one folder, as a reader would."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import yaml

import lwcal
from lwcal.cli import NEGATIVE
from lwcal.cli.app import run
from tests.docs.pages import ROOT, blocks, pages

WITH_A_PERSON = "docs/guide/audit.md"
"""Its commands need somebody who answers: tests/page/test_walkthrough.py runs them."""
DIRECTIVES = {"{toctree}", "{include}", "{eval-rst}", "mermaid"}
"""What Sphinx or a code host draws."""
IN_ITS_OWN_TEST = "spark-submit "
"""Needs a cluster of the reader's: tests/cli/test_spark.py runs it on one of its own."""
HARMLESS = {"cat", "eval", "lwcal", "printf"}
"""What a line with a pipe may begin with: a page cannot make a test push a tag."""
VERDICTS = {"diagnose", "monitor"}
"""Commands whose exit code is a verdict, which a page may show whatever it is."""
SHOWN = {
    "README.md": {"demo", "diagnose", "fit", "apply", "evaluate", "compare", "monitor", "report"},
    "docs/guide/command-line.md": {
        *("demo", "diagnose", "fit", "apply", "audit", "evaluate", "compare", "monitor", "table"),
        *("report", "export"),
    },
}
"""Commands that a page must show."""


@pytest.fixture
def here(tmp_path, monkeypatch, trained_demo):
    """An empty folder but for a file of one's own, in which MLflow keeps its runs as files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the database needs the whole MLflow
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    monkeypatch.setenv("COLUMNS", "200")
    write_own_file(tmp_path / "scores.csv")
    return tmp_path


def write_own_file(path):
    """What a reader may have: ids, words, scores and labels under names of their own."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.8, 2000)
    fraud = (rng.random(2000) < scores) ^ (rng.random(2000) < 0.1)
    rows = [
        f'{number:06d},"Caf\u00e9, {number % 7}",{score:.4f},{"yes" if label else "no"}'
        for number, (score, label) in enumerate(zip(scores, fraud, strict=True))
    ]
    path.write_text("\n".join(["case,shop,fraud_score,reviewed_label", *rows]), encoding="utf-8")


PAGES = [
    pytest.param(page, marks=[pytest.mark.spark] * ("SparkSession" in str(blocks(page))))
    for page in pages()
    if blocks(page)
]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_runs(here, capsys, page):
    """Python in one namespace, commands in one folder; what is shown as output comes out."""
    namespace = {}
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, page, "exec"), namespace)
        elif language == "console" and page != WITH_A_PERSON:
            for line in text.splitlines():
                follow(line)
        elif language == "text":
            assert " ".join(text.split()) in " ".join(capsys.readouterr().out.split())
        elif language == "sh":
            assert all(line.startswith(IN_ITS_OWN_TEST) for line in text.splitlines())
        elif language == "toml":
            assert tomllib.loads(text)
        elif language == "yaml":
            assert yaml.safe_load(text)
        else:
            assert language in {*DIRECTIVES, "console"}, f"nothing runs {language!r}"
    AFTERWARDS.get(page, lambda *_: None)(here, namespace)


def follow(line):
    """Run a line as far as that can be done here: what installs or takes long is looked up."""
    command = line.removeprefix("$ ")
    assert command != line, f"no prompt before {line!r}"
    words = shlex.split(command, comments=True)
    if words[:2] == ["pip", "install"]:
        assert extras(words[2]) <= set(declared_extras())
    elif words[0] == "make":
        assert re.search(rf"(?m)^{words[1]}:", (ROOT / "Makefile").read_text()), line
    elif words[0] == "lwcal" and not {"|", ">"} & set(words):
        assert run_once(words) in ((0, NEGATIVE) if words[1] in VERDICTS else (0,)), line
    else:
        assert words[0] in HARMLESS, f"nothing runs {line!r}"
        assert in_shell(command) == 0, line


class Done(NamedTuple):
    """What a command printed, and the files that it wrote."""

    code: int
    out: str
    err: str
    written: dict[str, bytes]


DONE = {}
"""Commands that have been run in this process, by their words and the files that these name."""


def run_once(words):
    """Exit code of a command; where its inputs are those of an earlier page, repeat its result.

    Run it again where it would write a file that is there: it may refuse to.
    """
    before = contents(Path())
    named = {path: before[path] for path in before if {path, path.split("/")[0]} & set(words)}
    key = (*words, *sorted(named.items()))
    if key not in DONE or DONE[key].written.keys() & before.keys():
        with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
            code = run(words[1:])
        now = contents(Path())
        written = {path: now[path] for path in now if now[path] != before.get(path)}
        DONE[key] = Done(code, out.getvalue(), err.getvalue(), written)
    done = DONE[key]
    for path, content in done.written.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(content)
    print(done.out)
    print(done.err, file=sys.stderr)
    return done.code


def contents(folder):
    """Contents of all files below a folder, by their path in it."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def extras(requirement):
    """Names in brackets."""
    found = re.search(r"\[(.*)\]", requirement)
    return set(found[1].split(",")) if found else set()


def declared_extras():
    """Extras that the project has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return project["optional-dependencies"]


def in_shell(command):
    """Exit code of a line with pipes."""
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], env=environment, check=False
    ).returncode


def check_readme(here, namespace):
    """Three commands lead from a file of one's own to a report."""
    assert namespace["p"].shape == namespace["new_scores"].shape
    page = (here / "report.html").read_text(encoding="utf-8")
    assert "<h1>Calibration report</h1>" in page
    assert len(page) < 3_000_000


def check_ship(here, namespace):
    """The ONNX file is there."""
    assert (here / "calibrated.onnx").exists()


def check_registry(here, namespace):
    """MLflow has the calibrator and its metrics, and dbt its macro."""
    (logged,) = here.glob("runs/**/calibrator.json")
    expected = namespace["calibrator"].predict([0.1, 0.9])
    assert (lwcal.load(logged).predict([0.1, 0.9]) == expected).all()
    brier = next(here.glob("runs/*/*/metrics/after/brier")).read_text().split()[1]
    assert 0 < float(brier) < 1
    assert (here / "macros" / "calibrate.yml").exists()


def check_large_data(here, namespace):
    """All segments are fitted, and the workers' probabilities have the bits of the calibrator's."""
    assert set(namespace["fitted"].segments) == {"NL", "DE", "LU"}
    assert namespace["table"].n == 3000
    spread = namespace["calibrated"].orderBy("score").toArrow()["p_calibrated"].to_numpy()
    whole = namespace["calibrator"].predict(np.sort(namespace["frame"]["score"]))
    np.testing.assert_array_equal(spread, whole)
    assert namespace["model"].stages[-1].calibrator.n_ == 3000


AFTERWARDS = {
    "README.md": check_readme,
    "docs/guide/ship.md": check_ship,
    "docs/guide/registry.md": check_registry,
    "docs/guide/large-data.md": check_large_data,
}


@pytest.mark.parametrize(("page", "expected"), SHOWN.items(), ids=SHOWN)
def test_a_page_shows_every_command(page, expected):
    """Nobody has to look for them elsewhere."""
    console = "".join(block.text for block in blocks(page) if block.language == "console")
    assert set(re.findall(r"\blwcal (\w+)", console)) >= expected


def test_the_readme_names_the_columns_it_found(here, capsys):
    """Its first block: an installation, and two commands that say which columns they take."""
    first = next(block.text for block in blocks("README.md") if block.language == "console")
    install, *commands = first.splitlines()
    assert install == '$ pip install ".[cli,report]"'
    assert len(commands) == 2
    for command in commands:
        follow(command)
    assert "score column: fraud_score" in capsys.readouterr().err
