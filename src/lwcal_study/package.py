"""The artefact around the results: versions, hashes, and one archive."""

from __future__ import annotations

import gzip
import hashlib
import platform
import tarfile
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from lwcal.files import replacing, write_json
from lwcal_study.grid import KINDS, RATES, SEEDS, TREES
from lwcal_study.store import fingerprint

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
CELLS = "cells"  # the store of finished cells: work in progress, not part of the artefact


def installed_versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Versions of the packages that a study uses."""
    found = {}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def write_environment(out: Path) -> None:
    """Write ``requirements.txt`` and ``environment.json``."""
    versions = installed_versions()
    with replacing(out / "requirements.txt", overwrite=True) as temporary:
        temporary.write_text("".join(f"{name}=={v}\n" for name, v in versions.items()))
    write_json(
        {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "system": platform.system(),
            "machine": platform.machine(),
            "packages": versions,
        },
        out / "environment.json",
        overwrite=True,
    )


def artefact_files(out: Path) -> list[Path]:
    """Every file of the artefact but the manifest and archives, in a fixed order."""
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
    """Write the hash of every file, the command, the seeds and the versions."""
    write_json(
        {
            "command": command,
            "settings": fingerprint(),
            "seeds": list(SEEDS),
            "noise_kinds": list(KINDS),
            "noise_rates": list(RATES),
            "trees": TREES,
            "versions": installed_versions(),
            "sha256": {
                path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in artefact_files(out)
            },
        },
        out / MANIFEST,
        overwrite=True,
    )


def write_archive(out: Path) -> Path:
    """Pack the artefact so that the same files give the same bytes."""
    target = out / "lwcal-artifact.tar.gz"
    with (
        replacing(target, overwrite=True) as temporary,
        temporary.open("wb") as handle,
        # gzip would write the time and the file's name into its header
        gzip.GzipFile(filename="", mode="wb", fileobj=handle, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for path in [*artefact_files(out), out / MANIFEST]:
            archive.add(path, f"lwcal-artifact/{path.relative_to(out)}", filter=_anonymous)
    return target


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime = entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    return entry
