"""Compare a tag with the version, the citation and the changelog: ``check_release.py v1.2.3``."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def faults(tag, root=ROOT):
    """List what does not fit the tag."""
    version = tag.removeprefix("v")
    found = []
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        found.append(f"expected a tag like v1.2.3, got {tag}")
    if f'__version__ = "{version}"' not in _read(root, "src/lwcal/_version.py"):
        found.append(f"expected src/lwcal/_version.py to say {version}")
    if f"\nversion: {version}\n" not in _read(root, "CITATION.cff"):
        found.append(f"expected CITATION.cff to say {version}")
    if not re.search(
        rf"^## {re.escape(version)} - \d{{4}}-\d\d-\d\d$", _read(root, "CHANGELOG.md"), re.MULTILINE
    ):
        found.append(f"expected CHANGELOG.md to have a section '## {version} - ' with a date")
    return found


def _read(root, name):
    return (root / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    problems = faults(*sys.argv[1:2])
    sys.exit("\n".join(problems) if problems else 0)
