"""The package as a user meets it: its names, its import, its README."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lwcal

ROOT = Path(__file__).parent.parent


def python(code):
    """Run code in a fresh interpreter."""
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_every_public_name_is_there_and_listed():
    """Lazy names too; dir() shows them."""
    assert sorted(lwcal.__all__) == dir(lwcal)
    for name in lwcal.__all__:
        assert getattr(lwcal, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = lwcal.nothing


def test_importing_pulls_in_nothing_beyond_the_core():
    """numpy, scipy and scikit-learn, and of those nothing that sklearn.base did not load.

    And these only when something is asked of it.
    """
    alone = python("import sys, lwcal; print(*sys.modules)").split()
    assert not {"numpy", "scipy", "sklearn"} & set(alone)
    loaded = python(
        "import numpy, scipy.special, sklearn.base, sys; before = set(sys.modules);"
        "import lwcal; lwcal.Auto; print(*sorted(set(sys.modules) - before))"
    ).split()
    assert "lwcal.calibrators.auto" in loaded
    assert [name for name in loaded if not name.startswith("lwcal")] == []


def test_the_pure_kernels_can_be_forced():
    """Without the extension everything still works."""
    code = (
        "import os; os.environ['LWCAL_PURE'] = '1'; import lwcal; from lwcal import kernels;"
        "print(kernels.backend_name, lwcal.LWCal().fit([0.2, 0.8], [0, 1]).predict([0.8])[0])"
    )
    assert python(code).split() == ["pure", "1.0"]


def test_a_build_without_the_extension_works():
    """An installation that could not compile falls back by itself."""
    code = (
        "import sys; sys.modules['lwcal.kernels.compiled'] = None;"
        "from lwcal import kernels; print(kernels.backend_name)"
    )
    assert python(code).strip() == "pure"


def blocks(language, page="README.md"):
    """Code blocks of a page in one language."""
    text = (ROOT / page).read_text()
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/large-data.md"])
def test_the_python_of_a_page_runs(tmp_path, monkeypatch, page, request):
    """Block by block, in one namespace, as a reader would."""
    if "import SparkSession" in (ROOT / page).read_text():
        request.getfixturevalue("spark")  # the session that is there is the one that is found
    monkeypatch.chdir(tmp_path)
    namespace = {}
    assert len(blocks("python", page)) >= 2
    for block in blocks("python", page):
        exec(compile(block, page, "exec"), namespace)
    if page == "README.md":
        assert namespace["p"].shape == namespace["new_scores"].shape
    else:
        assert set(namespace["fitted"].segments) == {"NL", "DE", "LU"}
        assert namespace["table"].n == 3000
        spread = namespace["calibrated"].orderBy("score").toArrow()["p_calibrated"].to_numpy()
        whole = namespace["calibrator"].predict(np.sort(namespace["frame"]["score"]))
        np.testing.assert_array_equal(spread, whole)
        assert namespace["model"].stages[-1].calibrator.n_ == 3000


PAGES = {
    "README.md": {"demo", "diagnose", "fit", "apply", "evaluate", "compare", "monitor", "report"},
    "docs/command-line.md": {
        *("demo", "diagnose", "fit", "apply", "audit", "evaluate", "compare", "monitor", "table"),
    },
    "docs/large-data.md": {"demo", "table", "fit"},
}


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


def test_three_commands_lead_from_a_file_to_a_report(tmp_path, monkeypatch, capsys):
    """Those of the README, the first of which installs what the others need."""
    monkeypatch.chdir(tmp_path)
    write_own_file(tmp_path / "scores.csv")
    install, *commands = [line.removeprefix("$ ") for line in blocks("console")[0].splitlines()]
    assert install == 'pip install ".[cli,report]"'
    assert len(commands) == 2
    for command in commands:
        assert ends_well(command), command
    assert "using column 'fraud_score' as the score" in capsys.readouterr().err
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<h1>Calibration report</h1>" in page
    assert len(page) < 3_000_000


@pytest.mark.parametrize(("page", "expected"), PAGES.items(), ids=PAGES)
def test_the_commands_of_a_page_run(tmp_path, monkeypatch, page, expected):
    """Every lwcal command of the page, in order, in a folder with a file of one's own."""
    monkeypatch.chdir(tmp_path)
    write_own_file(tmp_path / "scores.csv")
    commands = [
        line.removeprefix("$ ")
        for block in blocks("console", page)
        for line in block.splitlines()
        if re.match(r"\$ .*\blwcal ", line)
    ]
    assert {re.search(r"\blwcal (\w+)", command)[1] for command in commands} >= expected
    for command in commands:
        assert ends_well(command), command


def ends_well(command):
    """Run a command in this process, which is quicker, unless it needs a shell."""
    from lwcal.cli.app import run

    if "|" not in command:
        return run(shlex.split(command)[1:]) == 0
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    line = f"set -o pipefail; {command}"
    return subprocess.run(["bash", "-c", line], env=environment, check=False).returncode == 0
