"""Maps of more than two classes as one Python file without dependencies, which can test itself."""

from typing import Any

import numpy as np

from lwcal.artifact.export import class_python_helpers
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.python_helpers import checked, self_test
from lwcal.artifact.export.python_source import (
    assignment,
    docstring,
    inside_docstring,
    plain_source,
    python_file,
    sources,
)
from lwcal.class_maps import ScalingMap

PURPOSE = """\
`calibrate` takes a score in [0, 1] for each class, and returns a calibrated probability for each.
It returns None if a score is None, NaN or outside [0, 1]{sums}.
Run this file to test it: it prints OK, or exits with code 1.
"""
CALIBRATE = '''\
def calibrate(scores):
    """Return the probabilities of the classes. Pass their scores in this order: {classes}."""
    if len(scores) != {n}:
        raise ValueError(f"expected {n} scores, got {{len(scores)}}.")
    p = shares([checked(score, {tolerance!r}) for score in scores], {off_by!r})
    if p is None:
        return None
    return {result}
'''
EXAMPLES = 21


def class_map_to_python(exported: ExportedClassMap) -> str:
    """Write the file."""
    sums = (
        ""
        if exported.off_by is None
        else f", or if their sum is not within {exported.off_by:.2g} of 1"
    )
    constants, result = _written(exported.map)
    calibrate = CALIBRATE.format(
        classes=inside_docstring(", ".join(map(repr, exported.classes))),
        n=len(exported.classes),
        tolerance=exported.tolerance,
        off_by=exported.off_by,
        result=result,
    )
    return python_file(
        docstring(PURPOSE.format(sums=sums), exported.description),
        "import math",
        *(assignment(name, values) for name, values in constants.items()),
        assignment("EXAMPLES", _examples(exported)),
        plain_source(checked),
        plain_source(self_test),
        *sources(class_python_helpers),
        calibrate,
    )


def _written(fitted: Any) -> tuple[dict[str, list[Any]], str]:
    """Return the constants of a map, and the expression that uses them."""
    if not isinstance(fitted, ScalingMap):
        return {}, "p"
    x = f"centred_logs(p, {fitted.softness!r})"
    intercepts = fitted.intercepts.tolist()
    if fitted.slopes is not None:
        constants = {"SLOPES": fitted.slopes.tolist(), "INTERCEPTS": intercepts}
        return constants, f"softmax(scaled({x}, SLOPES, INTERCEPTS))"
    constants = {"MATRIX": fitted.matrix.tolist(), "INTERCEPTS": intercepts}
    return constants, f"softmax(multiplied({x}, MATRIX, INTERCEPTS))"


def _examples(exported: ExportedClassMap) -> list[Any]:
    """Return certain and uncertain rows with their probabilities."""
    n = len(exported.classes)
    rows = np.random.default_rng(0).dirichlet(np.full(n, 0.5), EXAMPLES)
    rows[:3] = np.eye(n)[:3]
    return list(zip(rows.tolist(), exported.predict(rows).tolist(), strict=True))
