"""Maps as one Python file without dependencies, which can test itself."""

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.artifact.export import python_helpers
from lwcal.artifact.export.class_python import class_map_to_python
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.exported_maps import ExportedMaps
from lwcal.artifact.export.python_source import (
    assignment,
    docstring,
    inside_docstring,
    python_file,
    sources,
)
from lwcal.maps import (
    BetaMap,
    BlendMap,
    IdentityMap,
    Map,
    OddsMap,
    PiecewiseLinearMap,
    SigmoidMap,
)
from lwcal.rows.scales import LOGIT, PERCENT, PROBABILITY, to_probabilities

PURPOSE = """\
`calibrate` returns the calibrated probability of {score}. It returns None for None, NaN
and values outside {valid}. Run this file to test it: it prints OK, or exits with code 1.
"""
EXPECTED = {
    PROBABILITY: {"score": "a score in [0, 1]", "valid": "[0, 1]"},
    PERCENT: {"score": "a score in [0, 100]", "valid": "[0, 100]"},
    LOGIT: {"score": "a logit", "valid": "the finite numbers"},
}
READ = {PROBABILITY: "score", PERCENT: "from_percent(score)", LOGIT: "from_logit(score)"}
"""How the probability of a score is computed."""
LARGEST_EXAMPLE = 12.0
"""The largest logit among the examples."""
ONE_SCORE = '''\
def calibrate(score):
    """{what}"""
    p = checked({read}, {tolerance!r})
    if p is None:
        return None
    return {result}
'''
SCORES = '''\
def calibrate(scores):
    """Return the probabilities of the classes. Pass their scores in this order: {classes}."""
    if len(scores) != {n}:
        raise ValueError(f"expected {n} scores, got {{len(scores)}}.")
    p = [checked(score, {tolerance!r}) for score in scores]
    if None in p:
        return None
    return normalised([{results}], p)
'''


class _Knots:
    """Lists of knots, each defined once at the top of the file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def named(self, values: FloatArray) -> str:
        name = f"KNOTS_{len(self.lines)}"
        self.lines.append(assignment(name, values.tolist()))
        return name


def to_python(exported: ExportedMaps | ExportedClassMap) -> str:
    """Write the file."""
    if isinstance(exported, ExportedClassMap):
        return class_map_to_python(exported)
    knots = _Knots()
    calibrate = _calibrate(exported, knots)
    return python_file(
        docstring(PURPOSE.format(**EXPECTED[exported.scale]), exported.description),
        "import math\nfrom bisect import bisect_right",
        *knots.lines,
        assignment("EXAMPLES", _examples(exported)),
        *sources(python_helpers),
        calibrate,
    )


def _calibrate(exported: ExportedMaps, knots: _Knots) -> str:
    if len(exported.maps) > 1:
        results = [_call(fitted, f"p[{k}]", knots) for k, fitted in enumerate(exported.maps)]
        classes = inside_docstring(", ".join(map(repr, exported.classes)))
        return SCORES.format(
            classes=classes,
            n=len(results),
            tolerance=exported.tolerance,
            results=", ".join(results),
        )
    result, what = (
        _call(exported.maps[0], "p", knots),
        "Return the calibrated probability of a score.",
    )
    if exported.classes:
        result = f"[1.0 - {result}, {result}]"
        classes = inside_docstring(" and ".join(map(repr, exported.classes)))
        what = f"Return the probabilities of {classes}, from the score of the latter."
    return ONE_SCORE.format(
        what=what, read=READ[exported.scale], tolerance=exported.tolerance, result=result
    )


def _call(fitted: Map, p: str, knots: _Knots) -> str:
    """Return the expression of a map, which calls the helpers."""
    if isinstance(fitted, PiecewiseLinearMap):
        return f"piecewise_linear({p}, {knots.named(fitted.x)}, {knots.named(fitted.y)})"
    if isinstance(fitted, BetaMap):
        return f"beta({p}, {fitted.a!r}, {fitted.b!r}, {fitted.c!r})"
    if isinstance(fitted, SigmoidMap):
        return f"sigmoid({fitted.slope!r} * {p} + {fitted.intercept!r})"
    if isinstance(fitted, BlendMap):
        inner = _call(fitted.inner, p, knots)
        return f"({1.0 - fitted.rho!r} * {inner} + {fitted.rho!r} * {p})"
    if isinstance(fitted, OddsMap):
        return f"odds({_call(fitted.inner, p, knots)}, {fitted.against!r})"
    assert isinstance(fitted, IdentityMap)
    return p


def _examples(exported: ExportedMaps) -> list[Any]:
    """Return scores over the whole range with their probabilities."""
    rng = np.random.default_rng(0)
    scores = rng.random((21, len(exported.maps)))
    scores[:11] = np.linspace(0.0, 1.0, 11)[:, None]
    given = _on_scale(scores, exported.scale)
    read = to_probabilities(given, exported.scale)
    expected = exported.predict(read).reshape(len(scores), -1).tolist()
    rows = given[:, 0].tolist() if len(exported.maps) == 1 else given.tolist()
    return list(zip(rows, expected, strict=True))


def _on_scale(shares: FloatArray, scale: str) -> FloatArray:
    """Spread numbers in [0, 1] over a scale."""
    if scale == LOGIT:
        return (2.0 * shares - 1.0) * LARGEST_EXAMPLE
    return shares * 100.0 if scale == PERCENT else shares
