"""Write files atomically: a file is complete, or it does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from lwcal import atomic_files


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces the target if the block succeeds.

    The folder is created if it does not exist.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "new" / "a.txt") as temporary:
    ...         _ = temporary.write_text("complete")
    ...     [path.name for path in (Path(folder) / "new").iterdir()]
    ['a.txt']
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_files.replacing(path, overwrite=True) as temporary:
        yield temporary


def write_text(text: str, path: Path) -> None:
    """Write text in UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write strict JSON: NaN and infinities raise an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_files.write_json(document, path, overwrite=True)


def write_csv(frame: pd.DataFrame, path: Path, *, index: bool = False) -> None:
    """Write a table. Reading it gives the same numbers, bit for bit."""
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=index, lineterminator="\n")
