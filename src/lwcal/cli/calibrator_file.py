"""The file of a calibrator as an argument. Nothing here imports scikit-learn."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lwcal.artifact.reading import load_class_score_map, load_score_map
from lwcal.engines.duckdb.files import is_database
from lwcal.errors import ParameterError, message
from lwcal.files import known_format
from lwcal.score_map import ClassScoreMap, ScoreMap

if TYPE_CHECKING:
    from lwcal.segments import Segments  # its import brings scikit-learn

SEGMENTS_MARK = b'"lwcal-segments"'


def holds_rows(name: str) -> bool:
    """Whether the name of a file says that it holds rows.

    >>> holds_rows("calibrator.json"), holds_rows("scores.csv"), holds_rows("scores.duckdb")
    (False, True, True)
    """
    return known_format(name) is not None or is_database(name)


def refuse_rows(path: Path) -> None:
    """Refuse a file of rows: the order of the arguments is mistaken, the file is not damaged."""
    if holds_rows(path.name):
        hint = "the calibrator comes first, the rows second"
        raise ParameterError(message("the JSON file of a calibrator", f"{path}", hint))


def load_for_applying(path: Path) -> ScoreMap:
    """Load what new scores of one class meet."""
    refuse_rows(path)
    return load_score_map(path)


def holds_segments(path: Path) -> bool:
    """Whether a file has the calibrators of several segments. A damaged one is refused later."""
    refuse_rows(path)
    return path.is_file() and SEGMENTS_MARK in path.read_bytes()


def load_with_segments(path: Path, columns: list[str]) -> "Segments":
    """Load calibrators by segment; the columns of segments are the given ones, or of the fit."""
    from lwcal.artifact import load_segments

    fitted = load_segments(path)
    if not (columns or fitted.columns):
        raise ParameterError(f"{path} does not name the columns of its segments; use --segment.")
    first = fitted.names[0]
    expected = len(first) if isinstance(first, tuple) else 1
    if columns and len(columns) != expected:
        raise ParameterError(message(f"--segment {expected} times", f"{len(columns)} columns"))
    return replace(fitted, columns=columns) if columns else fitted


def load_for_classes(path: Path) -> ClassScoreMap:
    """Load what new probabilities of all classes meet."""
    refuse_rows(path)
    return load_class_score_map(path)
