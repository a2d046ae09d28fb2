"""Check the files of a build before they are published: ``python scripts/check_dist.py dist``.

The wheels must contain all files of both packages in the sdist, and nothing else except the
compiled kernels. Their metadata must be valid. The sdist must contain all files to build and test
it.
"""

import sys
import tarfile
import zipfile
from email.parser import BytesParser
from pathlib import Path, PurePosixPath

from packaging.metadata import Metadata
from packaging.utils import parse_sdist_filename, parse_wheel_filename

EXTENSIONS = (".so", ".pyd")
NEEDED_IN_SDIST = {
    *("README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "SECURITY.md"),
    *("pyproject.toml", "CMakeLists.txt", "Makefile", "requirements.lock", "native/module.cpp"),
    *(
        "src/lwcal/py.typed",
        "src/lwcal_study/py.typed",
        "tests/conftest.py",
        "benchmarks/speed.py",
        "docs/releasing.md",
    ),
}
FOLDERS_OF_SDIST = {
    *("benchmarks", "docs", "examples", "native", "results", "scripts", "src", "tests")
}
PACKAGES = ("src/lwcal/", "src/lwcal_study/")
ENTRY_POINTS = (
    b"lwcal = lwcal.cli:main",
    b"reproduce = lwcal_study.commands.reproduce:reproduce",
    b"leaderboard = lwcal_study.commands.leaderboard:leaderboard",
    b"traps = lwcal_study.commands.traps:traps",
)
STRAY = {".git", ".venv", ".github", "__pycache__", "build", "dist", "cells"}


class DistError(Exception):
    """A build that must not be published."""


def main(folder):
    """Check every file of a folder, and list the files."""
    (sdist,) = folder.glob("*.tar.gz")
    wheels = sorted(folder.glob("*.whl"))
    sources = check_sdist(sdist)
    pure = [wheel for wheel in wheels if wheel.name.endswith("-none-any.whl")]
    if len(wheels) - len(pure) != 1 or len(pure) != 1:
        raise DistError(
            f"{len(wheels) - len(pure)} wheels with kernels and {len(pure)} without; "
            "expected one of each"
        )
    for wheel in wheels:
        check_wheel(wheel, sources, compiled=wheel not in pure)
    for file in (sdist, *wheels):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, checked")


def check_sdist(path):
    """Check an sdist, and return the files of both packages, relative to ``src``."""
    name, version = parse_sdist_filename(path.name)
    top = f"{name}-{version}/"
    with tarfile.open(path) as archive:
        names = {entry.name.removeprefix(top) for entry in archive if entry.isfile()}
        information = archive.extractfile(f"{top}PKG-INFO").read()
    check_metadata(information, name, version)
    missing = sorted(NEEDED_IN_SDIST - names)
    if missing:
        raise DistError(f"{path.name} lacks {missing[0]}")
    folders = {PurePosixPath(file).parts[0] for file in names if "/" in file}
    refuse_stray(names, path)
    if folders != FOLDERS_OF_SDIST:
        odd = ", ".join(sorted(folders ^ FOLDERS_OF_SDIST))
        raise DistError(f"{path.name} has missing or unexpected folders: {odd}")
    return {file.removeprefix("src/") for file in names if file.startswith(PACKAGES)}


def check_wheel(path, sources, *, compiled):
    """Compare a wheel with the sources, and check its metadata."""
    name, version, _, _ = parse_wheel_filename(path.name)
    about = f"{name}-{version}.dist-info/"
    with zipfile.ZipFile(path) as archive:
        names = {entry for entry in archive.namelist() if not entry.endswith("/")}
        check_metadata(archive.read(f"{about}METADATA"), name, version)
        check_entry_points(archive.read(f"{about}entry_points.txt"), path)
    refuse_stray(names, path)
    package = {file for file in names if not file.startswith(about)}
    kernels = {file for file in package if file.endswith(EXTENSIONS)}
    if [PurePosixPath(file).parent.as_posix() for file in kernels] != ["lwcal/kernels"] * compiled:
        raise DistError(
            f"{path.name} has the extensions {sorted(kernels)}; expected {int(compiled)} in "
            "lwcal/kernels"
        )
    odd = sorted((package - kernels) ^ sources)
    if odd:
        raise DistError(f"{path.name} has missing or unexpected files: {odd}")
    if f"{about}licenses/LICENSE" not in names:
        raise DistError(f"{path.name} lacks its licence")


def check_entry_points(content, path):
    """Check that a wheel installs the command and its plugins."""
    lacking = [point.decode() for point in ENTRY_POINTS if point not in content]
    if lacking:
        raise DistError(f"{path.name} lacks the entry point {lacking[0]}")


def check_metadata(content, name, version):
    """Parse metadata as a package index does, and check the fields that it shows."""
    metadata = Metadata.from_email(content, validate=True)
    if (metadata.name, metadata.version) != (name, version):
        raise DistError(
            f"the metadata of {name} {version} are of {metadata.name} {metadata.version}"
        )
    wanted = ("summary", "license_expression", "license_files", "requires_python", "description")
    lacking = [field for field in wanted if not getattr(metadata, field)]
    if lacking or metadata.description_content_type != "text/markdown":
        raise DistError(f"the metadata lack {lacking or 'a description in Markdown'}")
    if BytesParser().parsebytes(content).defects:
        raise DistError("the metadata have syntax errors")


def refuse_stray(names, path):
    """Refuse files that do not belong into a release."""
    stray = [name for name in names if STRAY & set(PurePosixPath(name).parts)]
    if stray:
        raise DistError(f"{path.name} must not contain {stray[0]}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except DistError as error:
        sys.exit(f"check_dist: {error}")
