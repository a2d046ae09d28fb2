"""The calibrator that is named on the command line."""

from pathlib import Path

from lwcal.artifact import load
from lwcal.calibrators import Calibrator
from lwcal.cli.formats import is_table
from lwcal.errors import ParameterError, message


def load_calibrator(path: Path) -> Calibrator:
    """Load it; a file of rows in its place is a slip of order, and not a damaged calibrator."""
    if is_table(path.name):
        hint = "the calibrator comes first, the rows second"
        raise ParameterError(message("the JSON file of a calibrator", f"{path}", hint))
    return load(path)


def rows_first(first: str, second: Path | None) -> tuple[str, Path | None]:
    """Tell rows from calibrator where either may come first, because it may be left out.

    >>> rows_first("calibrator.json", Path("scores.csv"))[0]
    'scores.csv'
    """
    if second is not None and is_table(second.name) and not is_table(first):
        return str(second), Path(first)
    return first, second
