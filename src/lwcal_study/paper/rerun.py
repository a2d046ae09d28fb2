"""What the archive needs to rerun the study: script, packages, lock file and instructions."""

from __future__ import annotations

from importlib.metadata import distributions
from pathlib import Path

import lwcal
import lwcal_study

COMPILED = {".so", ".pyd"}
"""Kernels of one platform stay out. Without them, those in numpy do the work."""
SCRIPT = '''"""Rerun the paper's study with the packages of this archive: see RERUN.md."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import typer

from lwcal_study.commands.reproduce import reproduce

if __name__ == "__main__":
    typer.run(reproduce)
'''
INSTRUCTIONS = """# Rerun the study

In a new environment with Python 3.11 or newer, in the folder of this file:

    python -m pip install -r requirements.lock
    python scripts/trimcal_eval.py --package --out again

`--quick --skip-compile` takes about a minute. `--analyse-only --out .` rebuilds tables, figures and
reports from `data/` without fitting anything. `artifact_manifest.json` has a hash of every result.
`PYTHONPATH=src python -m lwcal_study.paper.compare_runs . again` says how far both runs are apart.
The archive has no compiled kernels; those in numpy differ in the last bit, which moves a few rows
to another bin.
"""


def rerun_files() -> dict[str, bytes]:
    """Contents by name in the archive.

    >>> sorted(name for name in rerun_files() if "/" not in name)
    ['RERUN.md', 'requirements.lock']
    """
    texts = {
        "RERUN.md": INSTRUCTIONS,
        "requirements.lock": lock_file(),
        "scripts/trimcal_eval.py": SCRIPT,
    }
    return {name: text.encode() for name, text in texts.items()} | _packages()


def _packages() -> dict[str, bytes]:
    found = {}
    for package in (lwcal, lwcal_study):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*")):
            if path.is_file() and path.suffix not in COMPILED and "__pycache__" not in path.parts:
                found[f"src/{path.relative_to(root.parent).as_posix()}"] = path.read_bytes()
    return found


def lock_file() -> str:
    """The lock file of the checkout. Elsewhere, the version of everything installed."""
    locked = Path(str(lwcal.__file__)).parents[2] / "requirements.lock"
    if locked.exists():
        return locked.read_text(encoding="utf-8")
    names = {f"{found.name}=={found.version}\n" for found in distributions()}
    return "".join(sorted(line for line in names if not line.startswith("lwcal==")))
