"""Check what a build made, before anybody installs it: ``python scripts/check_dist.py dist``.

The wheels hold the files of the package in the sdist, all of them and nothing else but the
compiled kernels; their metadata is what package indexes accept; the sdist can be built and tested.
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
    *("src/lwcal/py.typed", "tests/conftest.py", "benchmarks/speed.py", "docs/releasing.md"),
}
FOLDERS_OF_SDIST = {
    *("benchmarks", "docs", "examples", "native", "results", "scripts", "src", "tests")
}
STRAY = {".git", ".venv", ".github", "__pycache__", "build", "dist", "cells"}


class DistError(Exception):
    """Something that must not be published."""


def main(folder):
    """Check every file of a folder, and list them."""
    (sdist,) = folder.glob("*.tar.gz")
    wheels = sorted(folder.glob("*.whl"))
    sources = check_sdist(sdist)
    pure = [wheel for wheel in wheels if wheel.name.endswith("-none-any.whl")]
    if len(wheels) - len(pure) != 1 or len(pure) != 1:
        raise DistError(f"expected a wheel with kernels and one without, got {len(wheels)} wheels")
    for wheel in wheels:
        check_wheel(wheel, sources, compiled=wheel not in pure)
    for file in (sdist, *wheels):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, checked")


def check_sdist(path):
    """Return the files of the package in it, by their paths below ``src``."""
    name, version = parse_sdist_filename(path.name)
    top = f"{name}-{version}/"
    with tarfile.open(path) as archive:
        names = {entry.name.removeprefix(top) for entry in archive if entry.isfile()}
        information = archive.extractfile(f"{top}PKG-INFO").read()
    check_metadata(information, name, version)
    missing = sorted(NEEDED_IN_SDIST - names)
    if missing:
        raise DistError(f"expected {path.name} to hold {missing[0]}, got none")
    folders = {PurePosixPath(file).parts[0] for file in names if "/" in file}
    refuse_stray(names, path)
    if folders != FOLDERS_OF_SDIST:
        odd = ", ".join(sorted(folders ^ FOLDERS_OF_SDIST))
        raise DistError(f"expected {path.name} to have known folders, got a difference in {odd}")
    return {file.removeprefix("src/") for file in names if file.startswith("src/lwcal/")}


def check_wheel(path, sources, *, compiled):
    """Compare a wheel with the sources, and read its metadata."""
    name, version, _, _ = parse_wheel_filename(path.name)
    about = f"{name}-{version}.dist-info/"
    with zipfile.ZipFile(path) as archive:
        names = {entry for entry in archive.namelist() if not entry.endswith("/")}
        check_metadata(archive.read(f"{about}METADATA"), name, version)
        if b"lwcal = lwcal.cli:main" not in archive.read(f"{about}entry_points.txt"):
            raise DistError(f"expected {path.name} to install the command lwcal")
    refuse_stray(names, path)
    package = {file for file in names if not file.startswith(about)}
    kernels = {file for file in package if file.endswith(EXTENSIONS)}
    if [PurePosixPath(file).parent.as_posix() for file in kernels] != ["lwcal/kernels"] * compiled:
        raise DistError(
            f"expected {path.name} with {int(compiled)} extension, got {sorted(kernels)}"
        )
    odd = sorted((package - kernels) ^ sources)
    if odd:
        raise DistError(
            f"expected {path.name} to hold the files of src/lwcal, got a difference: {odd}"
        )
    if f"{about}licenses/LICENSE" not in names:
        raise DistError(f"expected {path.name} to hold its licence")


def check_metadata(content, name, version):
    """Parse metadata as an index does, and look for what a page of the package shows."""
    metadata = Metadata.from_email(content, validate=True)
    if (metadata.name, metadata.version) != (name, version):
        raise DistError(f"expected {name} {version}, got {metadata.name} {metadata.version}")
    wanted = ("summary", "license_expression", "license_files", "requires_python", "description")
    lacking = [field for field in wanted if not getattr(metadata, field)]
    if lacking or metadata.description_content_type != "text/markdown":
        raise DistError(f"expected metadata with a description in Markdown, got no {lacking}")
    if BytesParser().parsebytes(content).defects:
        raise DistError("expected metadata that parses, got defects")


def refuse_stray(names, path):
    """Refuse what belongs to a desk, not to a release."""
    stray = [name for name in names if STRAY & set(PurePosixPath(name).parts)]
    if stray:
        raise DistError(f"expected {path.name} without {stray[0]}")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]))
    except DistError as error:
        sys.exit(f"check_dist: {error}")
