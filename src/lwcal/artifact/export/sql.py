"""Maps as SQL expressions. NULL, NaN and scores outside their range give NULL."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from lwcal.artifact.export.dialects import Dialect
from lwcal.artifact.export.exported_maps import ExportedMaps
from lwcal.artifact.export.linear_pieces import (
    NEGLIGIBLE,
    TINY,
    LinearPiece,
    linear_pieces,
    without_underflow,
)
from lwcal.errors import ParameterError, message
from lwcal.kernels.pure import LOG_CLIP
from lwcal.maps import (
    BetaMap,
    BlendMap,
    IdentityMap,
    Map,
    OddsMap,
    PiecewiseLinearMap,
    SigmoidMap,
)
from lwcal.rows.scales import LOGIT, PERCENT

LARGEST_EXPONENT = 690.0
"""The sigmoid is 0 or 1 beyond it. ``exp`` overflows at 710, which some engines refuse."""


class Column(NamedTuple):
    """A column of probabilities: its name for comparisons, and its value for arithmetic."""

    name: str
    value: str


def to_sql(
    exported: ExportedMaps,
    dialect: Dialect,
    columns: Sequence[str],
    odds_against: str | None = None,
) -> str:
    """Write one expression, or one named expression per class, separated by commas.

    Parameters
    ----------
    exported : ExportedMaps
    dialect : Dialect
    columns : sequence of str
        The columns of scores.
    odds_against : str, optional
        An expression by which the odds against the positive one of two classes are multiplied.
    """
    _check_columns(exported, columns)
    if exported.scale == LOGIT:
        raise ParameterError(
            "A calibrator of logits cannot be written as SQL. Convert the scores first, with "
            "1 / (1 + EXP(-score)), and fit the calibrator to these probabilities."
        )
    scores = [_column(name, dialect, exported) for name in columns]
    lines = [f"-- {line}" for line in (*exported.description, *_notes(exported, dialect))]
    valid_only = partial(_valid_only, scores=scores, dialect=dialect, tolerance=exported.tolerance)
    calibrated = [map_to_sql(m, s, dialect) for m, s in zip(exported.maps, scores, strict=True)]
    if odds_against is not None:
        calibrated = [with_odds_against(odds_against, text, dialect) for text in calibrated]
    if not exported.classes:
        return "\n".join([*lines, valid_only(calibrated[0]), ""])
    probabilities = _per_class(calibrated, scores, dialect)
    named = (
        f"{valid_only(text)} AS {dialect.quote(f'calibrated_{label}')}"
        for label, text in zip(exported.classes, probabilities, strict=True)
    )
    return "\n".join([*lines, ",\n".join(named), ""])


def map_to_sql(fitted: Map, score: Column, dialect: Dialect) -> str:
    """Write a map of scores in [0, 1]."""
    return _WRITERS[type(fitted)](fitted, score, dialect)


def _check_columns(exported: ExportedMaps, columns: Sequence[str]) -> None:
    if len(columns) != len(exported.maps):
        expected = f"{len(exported.maps)} column names, one per score"
        hint = (
            "two classes share the score of the second class" if len(exported.classes) == 2 else ""
        )
        raise ParameterError(message(expected, f"{len(columns)}", hint))
    check_names(columns, "a column name")


def check_names(names: Sequence[str], expected: str) -> None:
    """Refuse what cannot be the name of anything."""
    if not all(isinstance(name, str) and name and "\0" not in name for name in names):
        raise ParameterError(message(expected, f"{list(names)!r}"))


def _notes(exported: ExportedMaps, dialect: Dialect) -> list[str]:
    valid = "[0, 100]" if exported.scale == PERCENT else "[0, 1]"
    notes = [f"SQL dialect: {dialect.name}. NULL, NaN and scores outside {valid} give NULL."]
    if dialect.name == "sqlite" and any(map(_needs_functions, exported.maps)):
        notes.append("Needs EXP and LN: SQLite 3.35 or newer, built with the math functions.")
    return [*notes, *filter(None, [dialect.note])]


def _needs_functions(fitted: Map) -> bool:
    if isinstance(fitted, BlendMap | OddsMap):
        return _needs_functions(fitted.inner)
    return isinstance(fitted, BetaMap | SigmoidMap)


def _column(name: str, dialect: Dialect, exported: ExportedMaps) -> Column:
    quoted = dialect.quote(name)
    if exported.scale == PERCENT:
        quoted = f"({quoted} / {dialect.number(100.0)})"
    value = dialect.clipped(quoted, 0.0, 1.0) if exported.tolerance else quoted
    if dialect.refuses_underflow:
        tiny, zero = dialect.number(TINY), dialect.number(0.0)
        value = f"(CASE WHEN {quoted} < {tiny} THEN {zero} ELSE {value} END)"
    return Column(quoted, value)


def _valid_only(text: str, scores: Sequence[Column], dialect: Dialect, tolerance: float) -> str:
    inside = " AND ".join(dialect.between(s.name, -tolerance, 1.0 + tolerance) for s in scores)
    return f"CASE WHEN {inside} THEN {text} END"


def _per_class(calibrated: list[str], scores: list[Column], dialect: Dialect) -> list[str]:
    """Return the probabilities of all classes, as ``lwcal.classifier.combine`` does."""
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
    return f"{dialect.number(1.0)} * {score.value}"  # a double for any type of column


def _piecewise_linear(fitted: PiecewiseLinearMap, score: Column, dialect: Dialect) -> str:
    pieces = linear_pieces(fitted)
    if dialect.refuses_underflow:
        pieces = without_underflow(pieces)
    ends = [piece.begin for piece in pieces[1:]] + [1.0]
    leaves = [_piece(*pair, score, dialect) for pair in zip(pieces, ends, strict=True)]
    return _search(leaves, [piece.begin for piece in pieces], score, dialect)


def _piece(piece: LinearPiece, end: float, score: Column, dialect: Dialect) -> str:
    if piece.slope == 0.0:
        return dialect.number(piece.base)
    base, start, slope = map(dialect.number, (piece.base, piece.start, piece.slope))
    text = f"{base} + ({score.name} - {start}) * {slope}"
    return dialect.smaller(text, dialect.number(piece.top)) if piece.may_overshoot(end) else text


def _search(leaves: list[str], begins: list[float], score: Column, dialect: Dialect) -> str:
    """Nest CASE evenly, so that each row is compared with few knots."""
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
        product(fitted.a, f"{dialect.ln}({p})", dialect),
        product(-fitted.b, f"{dialect.ln}({dialect.number(1.0)} - {p})", dialect),
    ]
    return _sigmoid_of([*terms, dialect.number(fitted.c)], dialect)


def _sigmoid(fitted: SigmoidMap, score: Column, dialect: Dialect) -> str:
    terms = [product(fitted.slope, score.value, dialect), dialect.number(fitted.intercept)]
    return _sigmoid_of(terms, dialect)


def _blend(fitted: BlendMap, score: Column, dialect: Dialect) -> str:
    inner = f"({map_to_sql(fitted.inner, score, dialect)})"
    terms = [product(1.0 - fitted.rho, inner, dialect), product(fitted.rho, score.value, dialect)]
    return _sum(terms)


def _odds(fitted: OddsMap, score: Column, dialect: Dialect) -> str:
    """Write the inner map once, because it can be long; where it is 0, so is the result."""
    factor = dialect.number(fitted.against)
    return with_odds_against(factor, map_to_sql(fitted.inner, score, dialect), dialect)


def with_odds_against(factor: str, probability: str, dialect: Dialect) -> str:
    """Multiply the odds against an event, both given as SQL."""
    one, zero, tiny = map(dialect.number, (1.0, 0.0, TINY))
    inner = dialect.larger(f"({probability})", tiny)
    against = f"{factor} * ({one} / NULLIF({inner}, {tiny}) - {one})"
    return f"COALESCE({one} / ({one} + {against}), {zero})"


def product(factor: float, text: str, dialect: Dialect) -> str:
    """Write a product; nothing if it is negligible, because it could underflow."""
    return f"{dialect.number(factor)} * {text}" if abs(factor) > NEGLIGIBLE else ""


def _sum(terms: list[str]) -> str:
    return " + ".join(filter(None, terms))


def _sigmoid_of(terms: list[str], dialect: Dialect) -> str:
    """Write a sigmoid that is exactly 0 where Python's is, because classes may then use scores."""
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
    OddsMap: _odds,
}
