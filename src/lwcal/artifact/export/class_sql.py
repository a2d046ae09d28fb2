"""Maps of more than two classes as one SQL query, in steps.

An expression for each class would repeat the logarithms of all classes many times. The steps of a
query compute them once.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lwcal.arrays import FloatArray
from lwcal.artifact.export.dialects import Dialect
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.sql import LARGEST_EXPONENT, check_names, product
from lwcal.class_maps import ScalingMap
from lwcal.errors import ParameterError, message

TINY = 1e-300
"""Scores below it count as 0 if the engine refuses underflow and a row may have any sum."""
PREFIX = "lwcal_"
"""Of the steps and of their columns."""
TERMS = 50
"""Terms of a sum that stand in one pair of brackets: parsers limit how deep terms are nested."""


class QueryNames(NamedTuple):
    """The names in a query: its table, the columns of the classes, and other columns to return."""

    table: str
    columns: Sequence[str]
    keep: Sequence[str]


class _Query:
    """A query in steps, each of which reads the columns of the one before."""

    def __init__(self, names: QueryNames, dialect: Dialect) -> None:
        self.dialect = dialect
        self.kept = [dialect.quote(name) for name in names.keep]
        self.source = ".".join(map(dialect.quote, names.table.split(".")))
        self.steps: list[str] = []

    def add(self, name: str, values: dict[str, str]) -> None:
        """Add a step with these columns, whose values are expressions."""
        text = self.dialect.step.format(columns=self._columns(values), source=self.source)
        self._finish_step(name, text)

    def append(self, name: str, column: str, value: str) -> None:
        """Add a step with all columns of the one before, and one more."""
        text = self.dialect.step.format(columns=f"*, {value} AS {column}", source=self.source)
        self._finish_step(name, text)

    def finished(self, values: dict[str, str]) -> str:
        """Return the query with its last columns."""
        steps = ",\n".join(self.steps)
        return f"WITH {steps}\nSELECT {self._columns(values)}\nFROM {self.source}"

    def _finish_step(self, name: str, text: str) -> None:
        self.source = PREFIX + name
        self.steps.append(f"{self.source} AS (\n{text}\n)")

    def _columns(self, values: dict[str, str]) -> str:
        named = (f"{text} AS {name}" for name, text in values.items())
        return ",\n  ".join([*self.kept, *named])


def class_map_to_sql(exported: ExportedClassMap, dialect: Dialect, names: QueryNames) -> str:
    """Write a query that returns the kept columns and one probability for each class.

    A row with a NULL, a NaN, a score outside [0, 1], or a sum that is not near 1 gives NULL.
    """
    calibrated = [f"calibrated_{label}" for label in exported.classes]
    _check_query(exported, dialect, names, calibrated)
    query = _Query(names, dialect)
    shares = _add_shares(query, exported, names.columns)
    if isinstance(exported.map, ScalingMap):
        shares = _add_scaling(query, exported.map, shares)
    outputs = map(dialect.quote, calibrated)
    notes = _notes(exported, dialect, names)
    lines = [f"-- {line}" for line in (*exported.description, *notes)]
    text = "\n".join([*lines, query.finished(dict(zip(outputs, shares, strict=True))), ""])
    _check_length(text, exported, dialect)
    return text


def _check_query(
    exported: ExportedClassMap, dialect: Dialect, names: QueryNames, calibrated: Sequence[str]
) -> None:
    if len(names.columns) != len(exported.classes):
        hint = "or one name with {class} in the place of the class"
        expected = f"{len(exported.classes)} column names, one for each class"
        raise ParameterError(message(expected, f"{len(names.columns)}", hint))
    if not isinstance(names.table, str):
        raise ParameterError(message("a table name", f"{names.table!r}"))
    if isinstance(names.keep, str):
        raise ParameterError(message("keep to be a list of column names", f"{names.keep!r}"))
    parts = names.table.split(".")
    check_names(parts, "a table name")
    for listed in (names.columns, [*names.keep, *calibrated]):
        check_names(listed, "a column name")
        _check_distinct(listed, dialect)
    taken = [name for name in (*names.keep, parts[-1]) if name.casefold().startswith(PREFIX)]
    if taken:
        expected = f"a table and columns to keep that do not begin with {PREFIX}"
        raise ParameterError(message(expected, repr(taken[0])))


def _check_distinct(names: Sequence[str], dialect: Dialect) -> None:
    """Refuse two names that the engine may take as one: it would read a column twice."""
    seen: dict[bytes, str] = {}
    for name in names:
        key = name.casefold().encode()[: dialect.longest_name]
        if key in seen:
            expected = f"column names that {dialect.name} can tell apart"
            raise ParameterError(message(expected, f"{seen[key]!r} and {name!r}", "rename one"))
        seen[key] = name


def _notes(exported: ExportedClassMap, dialect: Dialect, names: QueryNames) -> list[str]:
    notes = [f"SQL dialect: {dialect.name}. NULL, NaN and scores outside [0, 1] give NULL."]
    if exported.off_by is not None:
        notes.append(f"So do rows whose sum is not within {exported.off_by:.2g} of 1.")
    if not names.keep:
        notes.append("Name columns to return too, such as a key, with keep (--keep).")
    if dialect.name == "sqlite" and isinstance(exported.map, ScalingMap):
        notes.append("Needs EXP and LN: SQLite 3.35 or newer, built with the math functions.")
    return [*notes, *filter(None, [dialect.note])]


def _check_length(text: str, exported: ExportedClassMap, dialect: Dialect) -> None:
    size = len(text.encode())
    if size > dialect.longest_query:
        raise ParameterError(
            f"The {dialect.name} query of these {len(exported.classes):,} classes has {size:,} "
            f"bytes, and {dialect.longest_query:,} are the most. Export to onnx or python."
        )


def _numbered(letter: str, values: Iterable[str]) -> dict[str, str]:
    """Name columns of a step, one for each class."""
    return {f"{PREFIX}{letter}{place}": value for place, value in enumerate(values)}


def _add_shares(query: _Query, exported: ExportedClassMap, columns: Sequence[str]) -> list[str]:
    """Add the check of a row, and return its probabilities divided by their sum."""
    number, total = query.dialect.number, f"{PREFIX}total"
    scores = _numbered("p", (_checked(name, exported, query.dialect) for name in columns))
    query.add("scores", scores)
    query.append("totals", total, _sum(list(scores)))
    if exported.off_by is None:
        zero, equal = number(0.0), number(1.0 / len(columns))
        return [f"CASE WHEN {total} = {zero} THEN {equal} ELSE {p} / {total} END" for p in scores]
    near = f"ABS({total} - {number(1.0)}) <= {number(exported.off_by)}"
    valid = f"{PREFIX}valid_total"
    query.append("valid", valid, f"CASE WHEN {near} THEN {total} END")
    return [f"{p} / {valid}" for p in scores]


def _checked(name: str, exported: ExportedClassMap, dialect: Dialect) -> str:
    """Write a score as a double; NULL if it is not in [0, 1]."""
    quoted, zero = dialect.quote(name), dialect.number(0.0)
    value = dialect.clipped(quoted, 0.0, 1.0) if exported.tolerance else quoted
    value = f"{dialect.number(1.0)} * {value}"
    if dialect.refuses_underflow and exported.off_by is None:
        value = f"CASE WHEN {quoted} < {dialect.number(TINY)} THEN {zero} ELSE {value} END"
    inside = dialect.between(quoted, -exported.tolerance, 1.0 + exported.tolerance)
    return f"CASE WHEN {inside} THEN {value} END"


def _add_scaling(query: _Query, fitted: ScalingMap, shares: list[str]) -> list[str]:
    """Add ``softmax(matrix @ x + intercepts)``, and return the probabilities."""
    dialect, number = query.dialect, query.dialect.number
    soft = number(fitted.softness)
    logs = _numbered("log", (f"{dialect.ln}({share} + {soft})" for share in shares))
    query.add("logs", logs)
    query.append("means", f"{PREFIX}mean", f"({_sum(list(logs))}) / {number(len(shares))}")
    x = _numbered("x", (f"{log} - {PREFIX}mean" for log in logs))
    query.add("centred", x)
    rows = zip(fitted.matrix, fitted.intercepts.tolist(), strict=True)
    z = _numbered("z", (_row(row, intercept, list(x), dialect) for row, intercept in rows))
    query.add("scaled", z)
    query.append("maxima", f"{PREFIX}max", dialect.largest(list(z)))
    powers = _numbered("e", (_power(f"{name} - {PREFIX}max", dialect) for name in z))
    query.add("powers", powers)
    query.append("sums", f"{PREFIX}sum", _sum(list(powers)))
    return [f"{name} / {PREFIX}sum" for name in powers]


def _row(factors: FloatArray, intercept: float, x: list[str], dialect: Dialect) -> str:
    """Write one row of the matrix times x, and the intercept."""
    pairs = zip(factors.tolist(), x, strict=True)
    terms = [text for text in (product(f, name, dialect) for f, name in pairs) if text]
    terms = terms or [f"{dialect.number(0.0)} * {x[0]}"]  # NULL stays NULL
    return _sum([*terms, dialect.number(intercept)])


def _power(exponent: str, dialect: Dialect) -> str:
    """Write ``exp`` of a number up to 0; 0 where some engines refuse the underflow."""
    least, zero = dialect.number(-LARGEST_EXPONENT), dialect.number(0.0)
    return f"CASE WHEN {exponent} < {least} THEN {zero} ELSE EXP({exponent}) END"


def _sum(terms: Sequence[str]) -> str:
    """Add up terms, some at a time.

    >>> _sum(["a", "b"])
    'a + b'
    """
    if len(terms) <= TERMS:
        return " + ".join(terms)
    parts = (terms[start : start + TERMS] for start in range(0, len(terms), TERMS))
    return " + ".join(f"({' + '.join(part)})" for part in parts)
