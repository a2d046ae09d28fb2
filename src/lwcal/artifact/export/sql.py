"""Maps as SQL expressions: NULL, NaN and anything outside [0, 1] give NULL."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from lwcal.artifact.export.dialects import Dialect
from lwcal.artifact.export.pieces import NEGLIGIBLE, TINY, Piece, pieces_of, without_underflow
from lwcal.artifact.export.source import Source
from lwcal.errors import ParameterError, message
from lwcal.kernels.pure import LOG_CLIP
from lwcal.maps import BetaMap, BlendMap, IdentityMap, Map, PiecewiseLinearMap, SigmoidMap

LARGEST_EXPONENT = 690.0
"""Well beyond it ``exp`` overflows, which some engines refuse; the sigmoid is 0 or 1 by then."""


class Column(NamedTuple):
    """A score: by its name where it is compared, by its value where it is multiplied."""

    name: str
    value: str


def to_sql(source: Source, dialect: Dialect, columns: Sequence[str]) -> str:
    """Write one expression, or with classes one for each, named and separated by commas."""
    _check_columns(source, columns)
    scores = [_column(name, dialect, source.rounding) for name in columns]
    lines = [f"-- {line}" for line in (*source.about, *_notes(source, dialect))]
    guarded = partial(_guarded, scores=scores, dialect=dialect, rounding=source.rounding)
    calibrated = [map_to_sql(m, s, dialect) for m, s in zip(source.maps, scores, strict=True)]
    if not source.classes:
        return "\n".join([*lines, guarded(calibrated[0]), ""])
    probabilities = _per_class(calibrated, scores, dialect)
    named = (
        f"{guarded(text)} AS {dialect.quote(f'calibrated_{label}')}"
        for label, text in zip(source.classes, probabilities, strict=True)
    )
    return "\n".join([*lines, ",\n".join(named), ""])


def map_to_sql(fitted: Map, score: Column, dialect: Dialect) -> str:
    """Write a map for a score that is known to lie in [0, 1]."""
    return _WRITERS[type(fitted)](fitted, score, dialect)


def _check_columns(source: Source, columns: Sequence[str]) -> None:
    if len(columns) != len(source.maps):
        expected = f"{len(source.maps)} column names, one a score"
        hint = "of two classes only the second has a score" if len(source.classes) == 2 else ""
        raise ParameterError(message(expected, f"{len(columns)}", hint))
    if not all(isinstance(name, str) and name and "\0" not in name for name in columns):
        raise ParameterError(message("a column name", f"{list(columns)!r}"))


def _notes(source: Source, dialect: Dialect) -> list[str]:
    notes = [f"For {dialect.name}. NULL, NaN and scores outside of [0, 1] give NULL."]
    if dialect.name == "sqlite" and any(map(_needs_functions, source.maps)):
        notes.append("Needs EXP and LN: SQLite 3.35 or newer, built with its math functions.")
    return [*notes, *filter(None, [dialect.note])]


def _needs_functions(fitted: Map) -> bool:
    inner = fitted.inner if isinstance(fitted, BlendMap) else fitted
    return isinstance(inner, (BetaMap, SigmoidMap))


def _column(name: str, dialect: Dialect, rounding: float) -> Column:
    quoted = dialect.quote(name)
    value = dialect.clipped(quoted, 0.0, 1.0) if rounding else quoted
    if dialect.refuses_underflow:
        tiny, zero = dialect.number(TINY), dialect.number(0.0)
        value = f"(CASE WHEN {quoted} < {tiny} THEN {zero} ELSE {value} END)"
    return Column(quoted, value)


def _guarded(text: str, scores: Sequence[Column], dialect: Dialect, rounding: float) -> str:
    low, high = dialect.number(-rounding), dialect.number(1.0 + rounding)
    inside = " AND ".join(f"{s.name} >= {low} AND {s.name} <= {high}" for s in scores)
    return f"CASE WHEN {inside} THEN {text} END"


def _per_class(calibrated: list[str], scores: list[Column], dialect: Dialect) -> list[str]:
    """Probabilities of all classes, as ``lwcal.classifier.combine`` has them."""
    one = dialect.number(1.0)
    if len(calibrated) == 1:
        return [f"{one} - ({calibrated[0]})", calibrated[0]]
    zero, equal = dialect.number(0.0), dialect.number(1.0 / len(calibrated))
    total = " + ".join(f"({text})" for text in calibrated)
    total_score = " + ".join(score.value for score in scores)
    return [
        f"COALESCE(({text}) / NULLIF({total}, {zero}),"
        f" {score.value} / NULLIF({total_score}, {zero}), {equal})"
        for text, score in zip(calibrated, scores, strict=True)
    ]


def _identity(fitted: IdentityMap, score: Column, dialect: Dialect) -> str:
    return f"{dialect.number(1.0)} * {score.value}"  # a double, whatever the column is


def _piecewise_linear(fitted: PiecewiseLinearMap, score: Column, dialect: Dialect) -> str:
    pieces = pieces_of(fitted)
    if dialect.refuses_underflow:
        pieces = without_underflow(pieces)
    ends = [piece.begin for piece in pieces[1:]] + [1.0]
    leaves = [_piece(*pair, score, dialect) for pair in zip(pieces, ends, strict=True)]
    return _search(leaves, [piece.begin for piece in pieces], score, dialect)


def _piece(piece: Piece, end: float, score: Column, dialect: Dialect) -> str:
    if piece.slope == 0.0:
        return dialect.number(piece.base)
    base, start, slope = map(dialect.number, (piece.base, piece.start, piece.slope))
    text = f"{base} + ({score.name} - {start}) * {slope}"
    return dialect.smaller(text, dialect.number(piece.top)) if piece.may_overshoot(end) else text


def _search(leaves: list[str], begins: list[float], score: Column, dialect: Dialect) -> str:
    """Nest CASE evenly, so that a row is compared with few knots."""
    if len(leaves) == 1:
        return leaves[0]
    ways = min(dialect.branches, len(leaves))
    cuts = [round(len(leaves) * way / ways) for way in range(ways + 1)]
    parts = [_search(leaves[a:b], begins[a:b], score, dialect) for a, b in pairwise(cuts)]
    whens = (
        f"WHEN {score.name} < {dialect.number(begins[cut])} THEN {part}"
        for cut, part in zip(cuts[1:-1], parts[:-1], strict=True)
    )
    return "CASE " + "\n".join([*whens, f"ELSE {parts[-1]} END"])


def _beta(fitted: BetaMap, score: Column, dialect: Dialect) -> str:
    p = dialect.clipped(score.name, LOG_CLIP, 1.0 - LOG_CLIP)
    terms = [
        _product(fitted.a, f"{dialect.ln}({p})", dialect),
        _product(-fitted.b, f"{dialect.ln}({dialect.number(1.0)} - {p})", dialect),
    ]
    return _sigmoid_of([*terms, dialect.number(fitted.c)], dialect)


def _sigmoid(fitted: SigmoidMap, score: Column, dialect: Dialect) -> str:
    terms = [_product(fitted.slope, score.value, dialect), dialect.number(fitted.intercept)]
    return _sigmoid_of(terms, dialect)


def _blend(fitted: BlendMap, score: Column, dialect: Dialect) -> str:
    inner = f"({map_to_sql(fitted.inner, score, dialect)})"
    terms = [_product(1.0 - fitted.rho, inner, dialect), _product(fitted.rho, score.value, dialect)]
    return _sum(terms)


def _product(factor: float, text: str, dialect: Dialect) -> str:
    return f"{dialect.number(factor)} * {text}" if abs(factor) > NEGLIGIBLE else ""


def _sum(terms: list[str]) -> str:
    return " + ".join(filter(None, terms))


def _sigmoid_of(terms: list[str], dialect: Dialect) -> str:
    """The sigmoid, which is a plain 0 where it is one in Python: classes may fall back on it."""
    one, zero, z = dialect.number(1.0), dialect.number(0.0), f"({_sum(terms)})"
    exponent = dialect.smaller(z, dialect.number(LARGEST_EXPONENT))
    small = f"WHEN {z} < {dialect.number(-LARGEST_EXPONENT)} THEN {zero}"
    return f"CASE {small} ELSE {one} / ({one} + EXP(-{exponent})) END"


_WRITERS: dict[type, Callable[[Any, Column, Dialect], str]] = {
    IdentityMap: _identity,
    PiecewiseLinearMap: _piecewise_linear,
    BetaMap: _beta,
    SigmoidMap: _sigmoid,
    BlendMap: _blend,
}
