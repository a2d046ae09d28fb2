"""The documentation of exports does what it says."""

import re
from pathlib import Path

import pytest

import lwcal
from lwcal.cli.app import run

PAGE = Path(__file__).parent.parent / "docs" / "export.md"


def blocks():
    """Code blocks in their order, each with its language."""
    return re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which MLflow keeps its runs as files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # the database needs the whole MLflow
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "runs").as_uri())
    return tmp_path


def test_every_block_runs(here):
    """From the top, in one namespace and one folder, as a reader would."""
    namespace = {}
    for language, block in blocks():
        if language == "python":
            exec(compile(block, "export.md", "exec"), namespace)
        for line in block.splitlines() if language == "console" else ():
            assert run(line.removeprefix("$ lwcal ").split()) == 0, line
    assert {language for language, _ in blocks()} == {"python", "console"}
    (logged,) = here.glob("runs/*/*/artifacts/calibrator.json")
    expected = namespace["calibrator"].predict([0.1, 0.9])
    assert (lwcal.load(logged).predict([0.1, 0.9]) == expected).all()
    brier = next(here.glob("runs/*/*/metrics/brier")).read_text().split()[1]
    assert 0 < float(brier) < 1
    assert (here / "calibrated.onnx").exists()
