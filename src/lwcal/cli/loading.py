"""The calibrator that is named on the command line."""

from pathlib import Path

from lwcal.artifact import load
from lwcal.calibrators import Calibrator
from lwcal.engines.duckdb.files import is_database
from lwcal.errors import ParameterError, message
from lwcal.formats import known_format


def holds_rows(name: str) -> bool:
    """Whether a name is that of rows.

    >>> holds_rows("calibrator.json"), holds_rows("scores.csv"), holds_rows("scores.duckdb")
    (False, True, True)
    """
    return known_format(name) is not None or is_database(name)


def load_calibrator(path: Path) -> Calibrator:
    """Load it; a file of rows in its place is a slip of order, and not a damaged calibrator."""
    if holds_rows(path.name):
        hint = "the calibrator comes first, the rows second"
        raise ParameterError(message("the JSON file of a calibrator", f"{path}", hint))
    return load(path)


def rows_first(first: str, second: Path | None) -> tuple[str, Path | None]:
    """Tell rows from calibrator where either may come first, because it may be left out.

    >>> rows_first("calibrator.json", Path("scores.csv"))[0]
    'scores.csv'
    """
    if second is not None and holds_rows(second.name) and not holds_rows(first):
        return str(second), Path(first)
    return first, second
