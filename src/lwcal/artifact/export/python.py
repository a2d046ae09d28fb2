"""Maps as one Python file that needs nothing but Python, and tests itself."""

import inspect
from collections.abc import Callable
from pprint import pformat
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.artifact.export import python_helpers
from lwcal.artifact.export.source import Source
from lwcal.maps import BetaMap, BlendMap, IdentityMap, Map, PiecewiseLinearMap, SigmoidMap

PURPOSE = """\
`calibrate` gives the calibrated probability of a score in [0, 1], and None for None, NaN and
anything outside. Run this file to test it: it prints OK, or ends with exit code 1.
"""
ONE_SCORE = '''\
def calibrate(score):
    """{what}"""
    p = checked(score, {rounding!r})
    if p is None:
        return None
    return {result}
'''
SCORES = '''\
def calibrate(scores):
    """Probabilities of the classes, from their scores in this order: {classes}."""
    if len(scores) != {n}:
        raise ValueError(f"expected {n} scores, got {{len(scores)}}.")
    p = [checked(score, {rounding!r}) for score in scores]
    if None in p:
        return None
    return normalised([{results}], p)
'''
END = """\
if __name__ == "__main__":
    raise SystemExit(self_test(calibrate, EXAMPLES))
"""


class _Knots:
    """Lists of knots, each written once at the top of the file."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def named(self, values: FloatArray) -> str:
        name = f"KNOTS_{len(self.lines)}"
        self.lines.append(f"{name} = {pformat(values.tolist(), width=98, compact=True)}")
        return name


def to_python(source: Source) -> str:
    """Write the file."""
    knots = _Knots()
    calibrate = _calibrate(source, knots)
    examples = pformat(_examples(source), width=98, compact=True)
    sections = [
        _docstring(source),
        "import math\nfrom bisect import bisect_right",
        *knots.lines,
        f"EXAMPLES = {examples}",
        *_helpers(),
        calibrate,
        END,
    ]
    return "\n\n".join(section.strip("\n") for section in sections) + "\n"


def _docstring(source: Source) -> str:
    text = "\n".join(["Calibrated probabilities.", "", PURPOSE, *source.about, ""])
    return '"""' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def _helpers() -> list[str]:
    """Sources of the helpers, without the annotations and examples that need more than they do."""
    functions = [f for _, f in inspect.getmembers(python_helpers, inspect.isfunction)]
    own = [f for f in functions if f.__module__ == python_helpers.__name__]
    return [_plain_source(function) for function in own]


def _plain_source(function: Callable[..., Any]) -> str:
    names = ", ".join(inspect.signature(function).parameters)
    summary = (function.__doc__ or "").split("\n")[0]
    body = inspect.getsource(function).split('"""', 2)[2].rstrip()
    return f'def {function.__name__}({names}):\n    """{summary}"""{body}'


def _calibrate(source: Source, knots: _Knots) -> str:
    if len(source.maps) > 1:
        results = [_call(fitted, f"p[{k}]", knots) for k, fitted in enumerate(source.maps)]
        classes = _inside_docstring(", ".join(map(repr, source.classes)))
        return SCORES.format(
            classes=classes, n=len(results), rounding=source.rounding, results=", ".join(results)
        )
    result, what = _call(source.maps[0], "p", knots), "Calibrated probability of a score."
    if source.classes:
        result = f"[1.0 - {result}, {result}]"
        classes = _inside_docstring(" and ".join(map(repr, source.classes)))
        what = f"Probabilities of {classes}, from the score of the latter."
    return ONE_SCORE.format(what=what, rounding=source.rounding, result=result)


def _inside_docstring(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _call(fitted: Map, p: str, knots: _Knots) -> str:
    """The expression of a map, in terms of the helpers."""
    if isinstance(fitted, PiecewiseLinearMap):
        return f"piecewise_linear({p}, {knots.named(fitted.x)}, {knots.named(fitted.y)})"
    if isinstance(fitted, BetaMap):
        return f"beta({p}, {fitted.a!r}, {fitted.b!r}, {fitted.c!r})"
    if isinstance(fitted, SigmoidMap):
        return f"sigmoid({fitted.slope!r} * {p} + {fitted.intercept!r})"
    if isinstance(fitted, BlendMap):
        inner = _call(fitted.inner, p, knots)
        return f"({1.0 - fitted.rho!r} * {inner} + {fitted.rho!r} * {p})"
    assert isinstance(fitted, IdentityMap)
    return p


def _examples(source: Source) -> list[Any]:
    """Scores over the whole range, with what they become."""
    rng = np.random.default_rng(0)
    scores = rng.random((21, len(source.maps)))
    scores[:11] = np.linspace(0.0, 1.0, 11)[:, None]
    expected = source.predict(scores).reshape(len(scores), -1).tolist()
    given = scores[:, 0].tolist() if len(source.maps) == 1 else scores.tolist()
    return list(zip(given, expected, strict=True))
