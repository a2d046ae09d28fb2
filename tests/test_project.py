"""What a project keeps beside its code says what is true: map, links, forms, workflows."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import lwcal
from tests import import_map

ROOT = Path(__file__).parent.parent
PACKAGE = Path(lwcal.__file__).parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
    ROOT / "docs" / "releasing.md",
    *sorted((ROOT / "docs" / "decisions").glob("*.md")),
]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def test_the_picture_shows_the_layers_and_the_imports():
    """Rooms of the contract, and the arrows that the code has."""
    assert import_map.drawn_map() == import_map.real_map(), "run make map, and look at it"


def test_every_room_has_a_layer_and_every_arrow_points_to_the_right():
    """Nothing of the package is missing on the map; an arrow never goes back."""
    real = import_map.real_map()
    place = {room: number for number, layer in enumerate(import_map.layers()) for room in layer}
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert set(place) == there - {"__init__", "__pycache__"}
    for start, end in real.arrows:
        if import_map.PUBLIC not in (start, end):
            assert place[start] < place[end], (start, end)


def test_arrows_that_follow_from_others_are_left_out():
    """From a to c there is nothing to say when b is between; a ring would keep all arrows."""
    arrows = {("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("a", "d")}
    assert import_map.without_shortcuts(arrows) == {("a", "b"), ("b", "c"), ("c", "d")}


@pytest.mark.source_tree
@every_page
def test_files_and_targets_that_a_page_names_are_there(page):
    """Paths below the project, the package or one of its rooms; targets of the Makefile."""
    text = page.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:[\w.-]+/)*[\w-]+\.(?:pyi?|hpp|lock|toml|cff|sh))`", text):
        inside = any(
            path.as_posix().endswith(f"/{name}") for path in PACKAGE.rglob(Path(name).name)
        )
        assert inside or (ROOT / name).exists(), name
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"`(?:\$ )?make ([a-z-]+)", text)) <= targets


def test_decisions_are_numbered_and_listed():
    """Every record is in the index, under its number, with the same four sections."""
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"^(\d+)\. \[(.+)\]\((.+)\)$", (folder / "index.md").read_text(), re.M)
    assert [name for _, _, name in listed] == sorted(p.name for p in folder.glob("0*.md"))
    for number, title, name in listed:
        text = (folder / name).read_text(encoding="utf-8")
        assert int(name[:4]) == int(number)
        assert text.startswith(f"# {number}. {title}\n")
        sections = ["Context", "Decision", "Measured", "Consequences"]
        assert re.findall(r"^## (.*)$", text, re.MULTILINE) == sections


def test_the_citation_names_the_paper():
    """With the fields that the format requires."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["license"] == "BSD-3-Clause"
    (paper,) = citation["references"]
    assert paper["title"].startswith("LWCal: Loss-Weighted Calibration")
    assert all(author["family-names"] for author in paper["authors"])


@pytest.mark.source_tree
def test_issue_forms_ask_something():
    """Each has a name, a description and a field that must be filled in."""
    forms = [p for p in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if p.stem != "config"]
    assert len(forms) == 3
    for form in forms:
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert content["name"]
        assert content["description"]
        fields = [field for field in content["body"] if field["type"] != "markdown"]
        assert len({field["id"] for field in fields}) == len(fields)
        assert any(field.get("validations", {}).get("required") for field in fields)


@pytest.mark.source_tree
def test_workflows_run_what_a_desk_runs():
    """The commands of the repository, and scripts that are there."""
    folder = ROOT / ".github" / "workflows"
    workflows = {path.stem: yaml.safe_load(path.read_text()) for path in folder.glob("*.yml")}
    commands = {
        name: [step.get("run", "") for job in flow["jobs"].values() for step in job["steps"]]
        for name, flow in workflows.items()
    }
    assert ".ci/run" in commands["ci"]
    for name in ("ci", "release"):
        assert "make dist PYTHON=python" in commands[name]
        for used in re.findall(r"scripts/\S+", " ".join(commands[name])):
            assert (ROOT / used).exists()
    assert workflows["release"]["jobs"]["publish"]["needs"] == ["sources", "wheels"]


def test_wheels_are_tested_by_files_that_are_there_and_need_no_extra():
    """On each platform, with the compiled kernels, by what runs on the core dependencies."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheels = settings["tool"]["cibuildwheel"]
    assert "import lwcal.kernels.compiled" in wheels["test-command"]
    for name in re.findall(r"tests/\S+", wheels["test-command"]):
        files = sorted((ROOT / name).rglob("test_*.py")) or [ROOT / name]
        for file in files:
            assert not re.search(r"^import (pandas|polars|pyarrow)", file.read_text(), re.MULTILINE)
