"""The file of a calibrator as an argument. Nothing here imports scikit-learn."""

from pathlib import Path

from lwcal.artifact.reading import load_class_score_map, load_score_map
from lwcal.engines.duckdb.files import is_database
from lwcal.errors import ParameterError, message
from lwcal.files import known_format
from lwcal.score_map import ClassScoreMap, ScoreMap


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


def load_for_classes(path: Path) -> ClassScoreMap:
    """Load what new probabilities of all classes meet."""
    refuse_rows(path)
    return load_class_score_map(path)
