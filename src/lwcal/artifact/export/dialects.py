"""Differences between SQL dialects: names, literals, functions and restrictions."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lwcal.errors import ParameterError, message

Quote = Callable[[str], str]
LARGEST = sys.float_info.max
MOST_ARGUMENTS = 100
"""SQLite allows 127 arguments of a function."""


@dataclass(frozen=True)
class Dialect:
    """The syntax of one SQL engine.

    Parameters
    ----------
    quote : function
        Quotes a name that may contain any character.
    literal : str
        Format of a double, with 17 significant digits to preserve every bit.
    least, greatest : str
        Functions for the smaller and the larger of two numbers; empty if there are none.
    ln : str
        Function for the natural logarithm.
    branches : int
        Number of branches per CASE. More branches need less nesting.
    refuses_underflow : bool
        Whether a product that underflows is an error.
    step : str
        One step of a query. Where an engine would copy the columns of a step into those of the
        next, so that they are computed again and again, a clause without effect keeps them apart.
    finite : str
        Whether a number is neither NaN nor infinite; empty if comparisons tell.
    longest_name : int, optional
        Bytes after which the engine cuts a name without an error.
    longest_query : int
        Bytes of a query. BigQuery and Snowflake take no more; other engines become slow.
    note : str
        Advice for users of this engine.
    """

    name: str
    quote: Quote
    literal: str = "{:.16e}"
    least: str = "LEAST"
    greatest: str = "GREATEST"
    ln: str = "LN"
    branches: int = 2
    refuses_underflow: bool = False
    step: str = "SELECT {columns}\nFROM {source}"
    finite: str = ""
    longest_name: int | None = None
    longest_query: int = 1_000_000
    note: str = ""

    def number(self, value: float) -> str:
        """Write a double exactly. A decimal literal would be rounded differently.

        >>> DIALECTS["spark"].number(-0.0)
        '0.0000000000000000e+00D'
        """
        return self.literal.format(value + 0.0)

    def between(self, text: str, low: float, high: float) -> str:
        """Whether an expression is a number in an interval, which NaN is not.

        >>> DIALECTS["sqlite"].between("p", 0.0, 1.0)
        'p >= 0.0000000000000000e+00 AND p <= 1.0000000000000000e+00'
        """
        finite = f"{self.finite.format(text=text)} AND " if self.finite else ""
        return f"{finite}{text} >= {self.number(low)} AND {text} <= {self.number(high)}"

    def without_nan(self, text: str) -> str:
        """Return an expression with NULL where it is NaN or infinite."""
        return f"CASE WHEN {self.between(text, -LARGEST, LARGEST)} THEN {text} END"

    def smaller(self, a: str, b: str) -> str:
        """Return the smaller of two expressions."""
        return f"{self.least}({a}, {b})" if self.least else _choose(a, "<", b)

    def larger(self, a: str, b: str) -> str:
        """Return the larger of two expressions."""
        return f"{self.greatest}({a}, {b})" if self.greatest else _choose(a, ">", b)

    def largest(self, values: Sequence[str]) -> str:
        """Return the largest of many expressions, none of which is NULL.

        >>> DIALECTS["sqlite"].largest(["a", "b", "c"])
        'MAX(a, b, c)'
        """
        if not self.greatest:
            listed = ", ".join(f"({value})" for value in values)
            return f"(SELECT MAX(value) FROM (VALUES {listed}) AS listed (value))"
        while len(values) > 1:
            parts = [values[a : a + MOST_ARGUMENTS] for a in range(0, len(values), MOST_ARGUMENTS)]
            values = [f"{self.greatest}({', '.join(part)})" for part in parts]
        return values[0]

    def clipped(self, text: str, low: float, high: float) -> str:
        """Clip an expression to an interval."""
        return self.smaller(self.larger(text, self.number(low)), self.number(high))


def _choose(a: str, comparison: str, b: str) -> str:
    return f"(CASE WHEN {a} {comparison} {b} THEN {a} ELSE {b} END)"


def _quote_with(left: str, right: str) -> Quote:
    """Return a function that quotes names and doubles closing marks inside them."""
    return lambda name: left + name.replace(right, right * 2) + right


def _quote_for_bigquery(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace("`", "\\`").replace("\n", "\\n")
    return f"`{escaped}`"


_DOUBLE_QUOTES = _quote_with('"', '"')
_ALL = (
    Dialect(
        "duckdb",
        _DOUBLE_QUOTES,
        # the statistics of a Parquet file skip NaN, and DuckDB trusts them in comparisons
        finite="isfinite({text})",
    ),
    Dialect(
        "postgres",
        _DOUBLE_QUOTES,
        literal="'{:.16e}'::float8",
        refuses_underflow=True,
        step="SELECT {columns}\nFROM {source} OFFSET 0",
        longest_name=63,
        note="Run SET jit = off before queries with a long expression: compiling it takes much"
        " longer than running it.",
    ),
    Dialect(
        "sqlite",
        _DOUBLE_QUOTES,
        least="MIN",
        greatest="MAX",
        step="SELECT {columns}\nFROM {source} LIMIT -1",
    ),
    Dialect(
        "spark",
        _quote_with("`", "`"),
        literal="{:.16e}D",
        longest_query=100_000,  # compiling it already takes a minute
    ),
    Dialect("bigquery", _quote_for_bigquery),
    Dialect(
        "snowflake",
        _DOUBLE_QUOTES,
        literal="'{:.16e}'::double",
        note="Quoted names are case-sensitive. Columns created without quotes are in upper case.",
    ),
    Dialect(
        "tsql",
        _quote_with("[", "]"),
        least="",  # only since SQL Server 2022
        greatest="",
        ln="LOG",
        branches=8,  # CASE can be nested ten levels deep
        refuses_underflow=True,
        step="SELECT TOP (9223372036854775807) {columns}\nFROM {source}",
    ),
)
DIALECTS = {dialect.name: dialect for dialect in _ALL}
"""Every dialect by its name, which sqlglot uses too."""


def dialect_named(name: str) -> Dialect:
    """Look up a dialect.

    >>> dialect_named("tsql").quote("a]b")
    '[a]]b]'
    """
    if name not in DIALECTS:
        raise ParameterError(message(f"one of the dialects {', '.join(DIALECTS)}", f"{name!r}"))
    return DIALECTS[name]
