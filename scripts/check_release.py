"""Compare a tag with version, citation and changelog: ``scripts/check_release.py v1.2.3``."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(tag, root=ROOT):
    """List the differences from the tag."""
    version = tag.removeprefix("v")
    found = []
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        found.append(f"the tag {tag} does not have the form v1.2.3")
    if f'__version__ = "{version}"' not in _read(root, "src/lwcal/_version.py"):
        found.append(f"the version in src/lwcal/_version.py is not {version}")
    if f"\nversion: {version}\n" not in _read(root, "CITATION.cff"):
        found.append(f"the version in CITATION.cff is not {version}")
    if not re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", _read(root, "CHANGELOG.md"), re.MULTILINE
    ):
        found.append(f"CHANGELOG.md has no section '## {version} - ' with a date")
    return found


def _read(root, name):
    return (root / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    problems = faults(*sys.argv[1:2])
    sys.exit("\n".join(problems) if problems else 0)
