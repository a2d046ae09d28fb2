"""A known noise matrix: a CSV file, matched to the classes by name."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, ParameterError, message
from lwcal.multiclass.given_noise import as_noise_matrix
from lwcal.rows.classes import class_key
from lwcal.rows.column_classes import listed_classes
from lwcal.rows.probabilities import most_off_by

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest

LAYOUT = "the first row names the labels, the first column the true classes"
ONE_COLUMN = (
    "--noise-matrix is that of several columns of scores. With one column, give the flip rates: "
    "--noise-rates r0,r1."
)


class NoiseMatrixFile(NamedTuple):
    """Shares of labels by true class, as a file has them.

    Attributes
    ----------
    path : Path
    true, labels : tuples of str
        Names of the rows, and of the columns.
    shares : float64 array of shape (K, K)
    """

    path: Path
    true: tuple[str, ...]
    labels: tuple[str, ...]
    shares: FloatArray

    def of_classes(self, classes: Sequence[Any]) -> FloatArray:
        """The matrix with rows and columns in the order of the classes."""
        rows, columns = (self._order(names, classes) for names in (self.true, self.labels))
        try:
            return as_noise_matrix(self.shares[np.ix_(rows, columns)], len(classes))
        except ParameterError as error:
            raise InputError(f"{self.path}: {error}") from None

    def _order(self, names: Sequence[str], classes: Sequence[Any]) -> list[int]:
        places = {class_key(name): place for place, name in enumerate(names)}
        wanted = {class_key(label): label for label in classes}
        lacking = [label for key, label in wanted.items() if key not in places]
        extra = [name for name in names if class_key(name) not in wanted]
        if lacking or extra:
            got = f"none for {lacking[0]!r}" if lacking else f"also {extra[0]!r}"
            expected = f"a row and a column for each class ({listed_classes(classes)})"
            raise InputError(f"{self.path}: {message(expected, got, LAYOUT)}")
        return [places[key] for key in wanted]


def read_noise_matrix(path: Path) -> NoiseMatrixFile:
    """Read a square table of shares with the names of its rows and columns."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if any(map(str.strip, line))]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {message('a CSV file', str(error), LAYOUT)}") from None
    width = len(lines[0]) if lines else 0
    if width < 3 or len(lines) != width or any(len(line) != width for line in lines):
        got = f"{len(lines)} rows of {width} cells, or fewer"
        raise InputError(f"{path}: {message('a square table with names', got, LAYOUT)}")
    labels = tuple(map(str.strip, lines[0][1:]))
    true = tuple(line[0].strip() for line in lines[1:])
    for names in (labels, true):
        twice = [name for place, name in enumerate(names) if _is_among(name, names[:place])]
        if twice:
            raise InputError(f"{path}: {message('each class once', f'{twice[0]!r} twice')}")
    return NoiseMatrixFile(path, true, labels, _shares(path, true, lines))


def asked_noise(
    path: Path | None, *, estimated: bool
) -> NoiseMatrixFile | Literal["estimate"] | None:
    """The noise that metrics are corrected for: as told, to be estimated, or none."""
    if path is None:
        return "estimate" if estimated else None
    if estimated:
        raise ParameterError("--noise-matrix and --noise-rates estimate exclude each other.")
    return read_noise_matrix(path)


def refuse_noise_matrix(rows: RowsRequest, path: Path | None) -> None:
    """Refuse a matrix for one column of scores."""
    if path is not None and not rows.names_classes():
        raise ParameterError(ONE_COLUMN)


def _is_among(name: str, others: Sequence[str]) -> bool:
    return class_key(name) in map(class_key, others)


def _shares(path: Path, true: Sequence[str], lines: Sequence[Sequence[str]]) -> FloatArray:
    shares = np.empty((len(true), len(true)))
    for place, (name, line) in enumerate(zip(true, lines[1:], strict=True)):
        try:
            shares[place] = [float(cell) for cell in line[1:]]
        except ValueError as error:
            got = f"{error} in the row of {name!r}"
            raise InputError(f"{path}: {message('shares as numbers', got)}") from None
        total = shares[place].sum()
        if not abs(total - 1.0) <= most_off_by(len(true)):
            hint = "each row holds the share of every label among rows of that true class"
            got = f"{total:.6g} in the row of {name!r}"
            raise InputError(f"{path}: {message('rows of shares that sum to 1', got, hint)}")
        shares[place] /= total
    return shares
