"""Answers that cannot be used, and how they are refused."""

from __future__ import annotations

from lwcal.errors import InputError, message
from lwcal.rows.fault_kinds import Fault, Kind
from lwcal.rows.faults import DROP_HINT, InvalidRows

NO_ITEM = Kind("missing", "Every row needs an item.", "mostly missing")
NO_REVIEWER = Kind("missing", "Every label needs a reviewer.", "mostly missing")


def refuse_answers(
    invalid: InvalidRows, *, scalable: bool, drop_hint: str | None = DROP_HINT
) -> None:
    """Raise an error if there are faults; the parameters are those of ``InvalidRows.refuse``.

    >>> refuse_answers(
    ...     InvalidRows(3, {("", ""): Fault("column 'case'", NO_ITEM, 1, 1, None)}), scalable=True
    ... )
    Traceback (most recent call last):
    lwcal.errors.InputError: expected an item in every row of column 'case', got 1 of 3 without, ...
    """
    hint = f"repair these rows, or {drop_hint or 'remove them first'}"
    for fault in invalid.faults.values():
        if fault.kind is NO_ITEM:
            got = f"{fault.count:,} of {invalid.rows:,} without{_where(fault)}"
            raise InputError(message(f"an item in every row of {fault.name}", got, hint))
        if fault.kind is NO_REVIEWER:
            got = f"{fault.count:,} without{_where(fault)}"
            raise InputError(message("a reviewer for every label", got, hint))
        break  # the first fault is told, as everywhere
    invalid.refuse(drop_hint=drop_hint, scalable=scalable)


def _where(fault: Fault) -> str:
    if isinstance(fault.row, int):
        return f", the first in row {fault.row}"
    return f", such as where {fault.row}" if fault.row else ""
