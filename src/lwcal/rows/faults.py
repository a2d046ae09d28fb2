"""Rows that cannot be used: counted by fault, with the first of each; and refused, or dropped."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lwcal.arrays import BoolArray
from lwcal.errors import DroppedRowsWarning, InputError
from lwcal.parameters import Between, check_parameter
from lwcal.rows.fault_kinds import (
    OUTSIDE_KINDS,
    Fault,
    Kind,
    conversion_hint,
    percent_question,
    scale_option,
)
from lwcal.rows.scales import PERCENT
from lwcal.rows.values import Numbers

DROP_HINT = "drop them with drop_invalid=True (--drop-invalid)"
DROP_SHARE = 0.5
"""Share of the rows that may be dropped unless another one is allowed."""
RowNumbers: TypeAlias = int | npt.NDArray[np.int64]
"""Number of the first row of a batch, or of each of its rows, counted from 0."""


class Found(NamedTuple):
    """A value and its row; None where rows have no numbers."""

    row: int | None
    value: Any

    def __str__(self) -> str:
        where = "such as" if self.row is None else f"the first in row {self.row:,}:"
        return f"{where} {self.value!r}"


@dataclass
class InvalidRows:
    """Rows that cannot be used, by fault, and the number of all rows.

    Attributes
    ----------
    rows : int
    faults : dict
    percent, plain : Found or None
        The first score with a percent sign, and the first without. Both in one column are refused
        if plain numbers are probabilities: nobody can tell what a plain 0.5 means there.

    Examples
    --------
    >>> from lwcal.rows.fault_kinds import OUTSIDE
    >>> invalid = InvalidRows(rows=10)
    >>> invalid.find(np.array([False, True]), np.array([0.5, 7.0]), 4, "scores", OUTSIDE)
    >>> print(invalid)
    dropped 1 of 10 rows: scores: 1 is outside [0, 1], the first in row 5 (7.0)
    """

    rows: int = 0
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    percent: Found | None = None
    plain: Found | None = None

    def find(
        self, bad: BoolArray, values: npt.NDArray[Any], first_row: RowNumbers, name: str, kind: Kind
    ) -> None:
        """Count the bad rows of a batch that begins with this row."""
        first = _first(bad, values, first_row)
        if first is None:
            return
        fault = Fault(name, kind, int(np.count_nonzero(bad)), *first)
        if kind in OUTSIDE_KINDS:
            fault.low, fault.high = float(values[bad].min()), float(values[bad].max())
        self.add(fault)

    def note_signs(self, numbers: Numbers, first_row: RowNumbers, *, also_plain: bool) -> None:
        """Remember the first score with a percent sign, and the first without if both matter."""
        if numbers.percent is not None and self.percent is None:
            self.percent = _first(numbers.percent, numbers.original, first_row)
        if also_plain and self.plain is None:
            is_plain = ~np.isnan(numbers.values)
            if numbers.percent is not None:
                is_plain &= ~numbers.percent
            self.plain = _first(is_plain, numbers.original, first_row)

    def refuse_mixture(self, name: str, *, scalable: bool = True) -> None:
        """Refuse a column in which some scores have a percent sign and others have none."""
        if self.percent is not None and self.plain is not None:
            also = f" If all of them are percents, {scale_option(PERCENT)}." if scalable else ""
            raise InputError(
                f"{name} mixes texts with a percent sign ({self.percent}) and numbers without "
                f"({self.plain}). Write all of them in the same way.{also}"
            )

    def add(self, fault: Fault) -> None:
        """Add a fault; rows with the same fault are counted together."""
        known = self.faults.setdefault((fault.name, fault.kind.problem), fault)
        if known is not fault:
            known.merge(fault)

    @property
    def count(self) -> int:
        """Number of invalid rows; a row with two faults counts once."""
        return sum(fault.count for fault in self.faults.values())

    def __str__(self) -> str:
        listed = "; ".join(fault.describe() for fault in self.faults.values())
        asked = " ".join(percent_question(fault, self.rows) for fault in self.faults.values())
        hint = f". {asked.strip()}" if asked.strip() else ""
        return f"dropped {self.count:,} of {self.rows:,} rows: {listed}{hint}"

    def warn(self) -> None:
        """Warn the caller's caller about dropped rows, if there are any."""
        if self.faults:
            warnings.warn(str(self), DroppedRowsWarning, stacklevel=3)

    def refuse(self, *, drop_hint: str | None = DROP_HINT, scalable: bool = True) -> None:
        """Raise an error if there are faults: the first in full, the others by number.

        Parameters
        ----------
        drop_hint : str or None
            How to drop invalid rows; None if the caller cannot do that.
        scalable : bool
            Whether the caller reads scores on other scales too.
        """
        if not self.faults:
            return
        fault, *others = self.faults.values()
        facts = fault.describe(self.rows) + "".join(f"; {f.describe()}" for f in others)
        remedy = self._conversion(scalable=scalable) or self._remedy(drop_hint)
        percents = percent_question(fault, self.rows) if scalable else ""
        if percents:  # to drop the highest percents would be wrong
            remedy = f"{percents} Otherwise {remedy[0].lower()}{remedy[1:]}"
        raise InputError(f"{facts}. {fault.kind.rule} {remedy}")

    def check_drop_share(self, allowed: float, *, scalable: bool = True) -> None:
        """Refuse to drop more than this share of the rows; see :meth:`refuse`."""
        if self.count <= allowed * self.rows:
            return
        most = self._commonest
        remedy = self._conversion(scalable=scalable) or self._allowance()
        raise InputError(
            f"Dropping the invalid rows would lose {self.count / self.rows:.0%} of all rows "
            f"({self.count:,} of {self.rows:,}), and at most {allowed:.0%} may be dropped. "
            f"The commonest fault: {most.describe()}. {most.kind.rule} {remedy}"
        )

    @property
    def _commonest(self) -> Fault:
        return max(self.faults.values(), key=lambda fault: fault.count)

    def _doubt(self) -> str:
        """Doubt the column itself, when most of its rows are invalid."""
        most = self._commonest
        return f"The values of {most.name} {most.look()}: check that this is the right column."

    def _allowance(self) -> str:
        check = self._doubt()
        if self.count == self.rows:
            return check
        share = ceil(100 * self.count / self.rows) / 100
        permit = f"allow_drop_share={share:g} (--allow-drop-share {share:g})"
        return f"{check} If the other rows are a fair sample, permit it with {permit}."

    def _conversion(self, *, scalable: bool) -> str:
        """Suggest another scale, if the first fault or that of most rows suggests it."""
        first, *others = self.faults.values()
        usual = [first, *(fault for fault in others if 2 * fault.count > self.rows)]
        hints = (conversion_hint(fault, self.rows, scalable=scalable) for fault in usual)
        return next(filter(None, hints), "")

    def _remedy(self, drop_hint: str | None) -> str:
        """Say what to do; dropping is never suggested when most rows would be lost."""
        if 2 * self.count > self.rows:
            return self._doubt()
        return f"Repair these rows, or {drop_hint or 'remove them first'}."


def _first(chosen: BoolArray, values: npt.NDArray[Any], first_row: RowNumbers) -> Found | None:
    """The first chosen row of a batch."""
    place = int(np.argmax(chosen)) if len(chosen) else 0
    if not len(chosen) or not chosen[place]:
        return None
    value = values[place]
    shown = value.item() if isinstance(value, np.generic) else value
    return Found(row_number(first_row, place), shown)


def row_number(first_row: RowNumbers, place: int) -> int:
    """Number of a row in its source, from its place in a batch.

    >>> row_number(100, 2), row_number(np.array([3, 5, 8]), 2)
    (102, 8)
    """
    return first_row + place if isinstance(first_row, int) else int(first_row[place])


def check_drop_share(share: float, name: str = "allow_drop_share") -> None:
    """Refuse a share of rows that is none."""
    check_parameter(name, share, Between(0.0, 1.0))
