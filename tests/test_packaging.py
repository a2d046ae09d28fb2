"""What a build makes, and what would keep it from being published."""

import importlib.util
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import lwcal

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
    """An sdist, and the wheel that is built from it where no compiler works."""
    folder = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKBUILD_BUILD_DIR", str(folder / "build"))
        patch.setenv("CXX", str(folder / "no-such-compiler"))
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder)]
        finished = subprocess.run([*command, str(ROOT)], capture_output=True, text=True)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return folder


@pytest.fixture
def wheel(built):
    """The wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture
def sources(built):
    """Files of the package in the sdist."""
    (sdist,) = built.glob("*.tar.gz")
    return check_dist.check_sdist(sdist)


def test_without_a_compiler_the_wheel_is_pure(wheel, sources):
    """The build goes on, and holds every file of the package but the extension."""
    assert wheel.name == f"lwcal-{lwcal.__version__}-py3-none-any.whl"
    check_dist.check_wheel(wheel, sources, compiled=False)
    assert {"lwcal/py.typed", "lwcal/kernels/pure.py", "lwcal/page/static/script.js"} <= sources
    assert "lwcal/report/templates/report.html.j2" in sources


def test_a_release_needs_the_compiled_kernels_too(built, wheel, sources):
    """A wheel that should have them is refused without."""
    with pytest.raises(check_dist.DistError, match="with 1 extension, got"):
        check_dist.check_wheel(wheel, sources, compiled=True)
    with pytest.raises(check_dist.DistError, match="a wheel with kernels and one without"):
        check_dist.main(built)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("tests/test_maps.py", "got a difference: .*test_maps"),
        ("lwcal/notes.txt", "got a difference: .*notes"),
        ("lwcal/__pycache__/maps.pyc", "without lwcal/__pycache__"),
        ("lwcal/kernels/compiled.so", "with 0 extension"),
    ],
)
def test_stray_files_in_a_wheel_are_refused(wheel, sources, tmp_path, name, says):
    """Tests, notes, bytecode, an extension where there should be none."""
    copy = tmp_path / wheel.name
    copy.write_bytes(wheel.read_bytes())
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr(name, "")
    with pytest.raises(check_dist.DistError, match=says):
        check_dist.check_wheel(copy, sources, compiled=False)


def test_a_file_that_the_wheel_lacks_is_noticed(wheel, sources):
    """As a template that the build was not told of would be."""
    with pytest.raises(check_dist.DistError, match=r"got a difference: \['lwcal/new\.html'\]"):
        check_dist.check_wheel(wheel, sources | {"lwcal/new.html"}, compiled=False)


def test_the_release_is_checked_against_its_tag(tmp_path):
    """Version, citation and changelog say the same; each is named when it does not."""
    (tmp_path / "src/lwcal").mkdir(parents=True)
    (tmp_path / "src/lwcal/_version.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CITATION.cff").write_text("title: lwcal\nversion: 1.2.3\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2027-01-31\n")
    assert check_release.faults("v1.2.3", tmp_path) == []
    assert len(check_release.faults("v1.2.4", tmp_path)) == 3
    assert check_release.faults("1.2.3", tmp_path) == ["expected a tag like v1.2.3, got 1.2.3"]


def test_the_citation_has_the_version_of_the_package():
    """So that a release has to change two places, and this test says so."""
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
    assert cited == lwcal.__version__
