"""What is said on the side: notes and errors go to standard error, results to standard output."""

from __future__ import annotations

import json
import sys
from typing import Any

from rich.console import Console


def note(text: str) -> None:
    """Say something that is not part of the result."""
    stderr().print(text)


def stderr() -> Console:
    """Console on standard error that leaves lines as they are."""
    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False)


def stdout() -> Console:
    """Console on standard output."""
    return Console(highlight=False)


def fail(reason: str) -> None:
    """Print an error as one line."""
    one_line = " ".join(reason.split())
    stderr().print(f"Error: {one_line}", style="red" if sys.stderr.isatty() else None)


def print_json(document: dict[str, Any]) -> None:
    """Print a result for programs."""
    print(json.dumps(document, indent=1, allow_nan=False))
