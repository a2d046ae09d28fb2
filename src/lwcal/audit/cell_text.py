"""Cells of a sheet: safe in a spreadsheet, and read back after one has rewritten them."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

MEANINGFUL = "=+\\-@\t\r＝＋－＠"  # noqa: RUF001  # the wide ones mean the same to some programs
"""First characters that make a spreadsheet run a cell instead of showing it."""
DANGEROUS = re.compile(rf"'*[{MEANINGFUL}]")
GUARDED = re.compile(rf"'+[{MEANINGFUL}]")
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


class Number(NamedTuple):
    """A number, and by how much it may be off for having been written with few digits."""

    value: float
    tolerance: float

    def fits(self, other: float) -> bool:
        """Whether it could be a shorter way to write another number."""
        return abs(self.value - other) <= self.tolerance


def guard(text: str) -> str:
    """Keep a spreadsheet from taking text for a formula; numbers stay numbers.

    >>> guard("=1+1"), guard("-0.5"), guard("-1+1"), guard("fine")
    ("'=1+1", '-0.5', "'-1+1", 'fine')
    """
    if NUMBER.fullmatch(text) or not DANGEROUS.match(text):
        return text
    return f"'{text}"


def unguard(text: str) -> str:
    """Give back the text that was guarded.

    >>> unguard(guard("=1+1")), unguard(guard("'=1+1")), unguard("'quoted'")
    ('=1+1', "'=1+1", "'quoted'")
    """
    return text[1:] if GUARDED.match(text) else text


def as_text(value: Any) -> str:
    """Write a value of any type into a cell.

    >>> as_text(None), as_text(0.5), as_text(True), as_text("007")
    ('', '0.5', 'True', '007')
    """
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else str(value)


def spell(value: Any) -> str:
    """Write equal values alike, however a program may have formatted them.

    >>> spell(" TRUE "), spell("007"), spell(1.0), spell("1,0"), spell("Fraud")
    ('true', '7', '1', '1', 'fraud')
    """
    text = as_text(value).strip()
    if NUMBER.fullmatch(text):
        text = f"{float(text.replace(',', '.')):.15g}"
    return text.casefold()


def read_number(text: str) -> Number | None:
    """Read a number with a point or a comma, also as a percentage; None when it is none.

    >>> read_number("0,53")
    Number(value=0.53, tolerance=0.005...)
    >>> read_number("12.5%").value, read_number("high")
    (0.125, None)
    """
    bare = text.strip().removesuffix("%").strip().replace(",", ".")
    try:
        found = Decimal(bare)
    except InvalidOperation:
        return None
    exponent = found.as_tuple().exponent
    if not isinstance(exponent, int):  # infinity and the like
        return None
    percent = text.strip().endswith("%")
    scale = 0.01 if percent else 1.0
    # nobody writes a probability without any decimals, unless it is 0 or 1
    rounding = 0.5 * 10.0**exponent if exponent < 0 or percent else 0.0
    return Number(float(found) * scale, rounding * scale * (1 + 1e-9) + 1e-12)
