"""The files of a build, and the checks before it is published."""

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import lwcal
from tests import untraced
from tests.once import built_once

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.source_tree


def script(name):
    """Import a file of scripts/."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_dist = script("check_dist")
check_release = script("check_release")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """An sdist, and the wheel built from it without a compiler."""

    def build(folder):
        environment = untraced.environment(
            SKBUILD_BUILD_DIR=str(folder / "build"), CXX=str(folder / "no-such-compiler")
        )
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
        finished = subprocess.run(
            [*command, str(ROOT)], env=environment, capture_output=True, text=True
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr

    return built_once(tmp_path_factory, "dist", build)


@pytest.fixture(scope="session")
def wheel(built):
    """The wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def sources(built):
    """Files of both packages in the sdist."""
    (sdist,) = built.glob("*.tar.gz")
    return check_dist.check_sdist(sdist)


def test_without_a_compiler_the_wheel_is_pure(wheel, sources):
    """It has every file of both packages, except the extension."""
    assert wheel.name == f"lwcal-{lwcal.__version__}-py3-none-any.whl"
    check_dist.check_wheel(wheel, sources, compiled=False)
    assert {"lwcal/py.typed", "lwcal/kernels/pure.py", "lwcal/page/static/script.js"} <= sources
    assert {"lwcal/report/templates/report.html.j2", "lwcal_study/py.typed"} <= sources
    assert {"lwcal_study/paper/templates/report.html", "lwcal_study/real/nhanes.py"} <= sources


def test_a_release_needs_the_compiled_kernels_too(built, wheel, sources):
    """A wheel without them is refused."""
    with pytest.raises(check_dist.DistError, match="expected 1 in"):
        check_dist.check_wheel(wheel, sources, compiled=True)
    with pytest.raises(check_dist.DistError, match="0 wheels with kernels and 1 without"):
        check_dist.main(built)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tests/test_maps.py", "files: .*test_maps"),
        ("lwcal/notes.txt", "files: .*notes"),
        ("lwcal_study/notes.txt", "files: .*notes"),
        ("lwcal/__pycache__/maps.pyc", "must not contain lwcal/__pycache__"),
        ("lwcal/kernels/compiled.so", "expected 0 in"),
    ],
)
def test_stray_files_in_a_wheel_are_refused(wheel, sources, tmp_path, name, says):
    """Tests, notes, bytecode, and an extension in a pure wheel."""
    copy = tmp_path / wheel.name
    copy.write_bytes(wheel.read_bytes())
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr(name, "")
    with pytest.raises(check_dist.DistError, match=says):
        check_dist.check_wheel(copy, sources, compiled=False)


@pytest.mark.parametrize("name", ["lwcal/new.html", "lwcal_study/new.html"])
def test_a_file_that_the_wheel_lacks_is_noticed(wheel, sources, name):
    """For example a template that the build does not include."""
    with pytest.raises(check_dist.DistError, match=rf"files: \['{name}'\]"):
        check_dist.check_wheel(wheel, sources | {name}, compiled=False)


@pytest.mark.parametrize("point", check_dist.ENTRY_POINTS)
def test_a_missing_entry_point_is_noticed(point):
    """The command ``lwcal`` and the two commands of the study."""
    others = b"\n".join(other for other in check_dist.ENTRY_POINTS if other != point)
    with pytest.raises(check_dist.DistError, match="lacks the entry point"):
        check_dist.check_entry_points(others, ROOT / "some.whl")


def test_the_release_is_checked_against_its_tag(tmp_path):
    """Version, citation and changelog must agree; each difference is named."""
    (tmp_path / "src/lwcal").mkdir(parents=True)
    (tmp_path / "src/lwcal/_version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("title: lwcal\nversion: 1.2.3\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2027-01-31\n")
    assert check_release.faults("v1.2.3", tmp_path) == []
    assert len(check_release.faults("v1.2.4", tmp_path)) == 3
    assert len(check_release.faults("1.2.3", tmp_path)) == 1


def test_the_citation_has_the_version_of_the_package():
    """A release must change both."""
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    assert cited == lwcal.__version__
