"""Text in the cells of a sheet: safe to open in a spreadsheet, and readable after it was saved."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from lwcal.rows.classes import folded

FORMULA_STARTS = "=+\\-@\t\r＝＋－＠"  # noqa: RUF001  # some programs treat the wide ones alike
"""First characters that make a spreadsheet run a cell instead of showing it."""
FORMULA = re.compile(rf"'*[{FORMULA_STARTS}]")
ESCAPED = re.compile(rf"'+[{FORMULA_STARTS}]")
NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")


class RoundedNumber(NamedTuple):
    """A number as it was written, and its largest possible rounding error."""

    value: float
    tolerance: float

    def matches(self, other: float) -> bool:
        """Return whether the other number could have been rounded to this one."""
        return abs(self.value - other) <= self.tolerance


def escape_formula(text: str) -> str:
    """Prefix text that a spreadsheet would run as a formula. Numbers stay as they are.

    >>> [escape_formula(text) for text in ("=1+1", "-0.5", "-1+1", "fine")]
    ["'=1+1", '-0.5', "'-1+1", 'fine']
    """
    if NUMBER.fullmatch(text) or not FORMULA.match(text):
        return text
    return f"'{text}"


def unescape_formula(text: str) -> str:
    """Undo :func:`escape_formula`.

    >>> unescape_formula("'=1+1"), unescape_formula("''=1+1"), unescape_formula("'quoted'")
    ('=1+1', "'=1+1", "'quoted'")
    """
    return text[1:] if ESCAPED.match(text) else text


def to_text(value: Any) -> str:
    """Convert a value of any type to the text of a cell. Missing values become empty.

    >>> to_text(None), to_text(0.5), to_text(True), to_text("007")
    ('', '0.5', 'True', '007')
    """
    if value is None or value != value:
        return ""
    return value if isinstance(value, str) else str(value)


def normalise(value: Any) -> str:
    """Write equal values the same way, in whatever format a program saved them.

    >>> [normalise(value) for value in (" TRUE ", "007", 1.0, "1,0", "Fraud")]
    ['true', '7', '1', '1', 'fraud']
    """
    text = to_text(value).strip()
    if NUMBER.fullmatch(text):
        text = f"{float(text.replace(',', '.')):.15g}"
    return folded(text)


def parse_number(text: str) -> RoundedNumber | None:
    """Read a number with a decimal point or comma, or a percentage. Return None for other text.

    >>> parse_number("0,53")
    RoundedNumber(value=0.53, tolerance=0.005...)
    >>> parse_number("12.5%").value, parse_number("high")
    (0.125, None)
    """
    bare = text.strip().removesuffix("%").strip().replace(",", ".")
    try:
        found = Decimal(bare)
    except InvalidOperation:
        return None
    exponent = found.as_tuple().exponent
    if not isinstance(exponent, int):  # infinity or NaN
        return None
    percent = text.strip().endswith("%")
    scale = 0.01 if percent else 1.0
    # a probability without decimals is exactly 0 or 1
    rounding = 0.5 * 10.0**exponent if exponent < 0 or percent else 0.0
    return RoundedNumber(float(found) * scale, rounding * scale * (1 + 1e-9) + 1e-12)
