"""The published artefact: versions, hashes and one archive of the results."""

from __future__ import annotations

import gzip
import hashlib
import io
import platform
import tarfile
from pathlib import Path

from lwcal_study.environment import installed_versions
from lwcal_study.files import replacing, write_json, write_text
from lwcal_study.paper.cells import TREES
from lwcal_study.paper.fingerprint import fingerprint
from lwcal_study.paper.grid import KINDS, RATES, SEEDS
from lwcal_study.paper.rerun import rerun_files

PACKAGES = (
    "lwcal",
    "numpy",
    "scipy",
    "scikit-learn",
    "joblib",
    "pandas",
    "pyarrow",
    "matplotlib",
    "jinja2",
)
MANIFEST = "artifact_manifest.json"
CELLS = "cells"
"""Folder of the stored cells. It is not part of the artefact."""


def write_environment(out: Path) -> None:
    """Write ``requirements.txt`` and ``environment.json``."""
    versions = installed_versions(PACKAGES)
    lines = (f"{name}=={number}\n" for name, number in versions.items())
    write_text("".join(lines), out / "requirements.txt")
    write_json(
        {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "system": platform.system(),
            "machine": platform.machine(),
            "packages": versions,
        },
        out / "environment.json",
    )


def artefact_files(out: Path) -> list[Path]:
    """Every file of the artefact except manifest and archives, in a fixed order."""
    kept = (
        path
        for path in sorted(out.rglob("*"))
        if path.is_file()
        and path.relative_to(out).parts[0] != CELLS
        and path.name != MANIFEST
        and not path.name.endswith(".tar.gz")
        and not path.name.startswith(".")
    )
    return list(kept)


def write_manifest(out: Path, command: str) -> None:
    """Write the command, seeds, versions, and a hash of every file."""
    write_json(
        {
            "command": command,
            "settings": fingerprint(),
            "seeds": list(SEEDS),
            "noise_kinds": list(KINDS),
            "noise_rates": list(RATES),
            "trees": TREES,
            "versions": installed_versions(PACKAGES),
            "sha256": {
                path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in artefact_files(out)
            },
        },
        out / MANIFEST,
    )


def write_archive(out: Path) -> Path:
    """Write the archive: results, and the scripts and packages that rerun them.

    The same files give the same bytes.
    """
    target = out / "lwcal-artifact.tar.gz"
    files = [*artefact_files(out), out / MANIFEST]  # before the temporary file is among them
    with (
        replacing(target) as temporary,
        temporary.open("wb") as handle,
        # without these arguments, gzip would store the time and the file name
        gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for path in files:
            archive.add(path, f"lwcal-artifact/{path.relative_to(out)}", filter=_anonymous)
        for name, content in rerun_files().items():
            entry = tarfile.TarInfo(f"lwcal-artifact/{name}")
            entry.size = len(content)
            archive.addfile(_anonymous(entry), io.BytesIO(content))
    return target


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    return entry
