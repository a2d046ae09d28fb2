"""Maps of more than two classes as ONNX nodes, on whole matrices of scores.

Sums of rows are products with a matrix of ones: the operators that sum up have changed since
opset 9, and a product has not.
"""

import numpy as np

from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.onnx_nodes import Nodes
from lwcal.class_maps import ScalingMap


def add_class_map(nodes: Nodes, exported: ExportedClassMap, scores: str, output: str) -> str:
    """Add the checks of rows and the map. Rows that are not valid give NaN."""
    inside = nodes.inside(scores, -exported.tolerance, 1.0 + exported.tolerance)
    missing = nodes.constant(np.nan)
    clipped = nodes.clipped(scores, 0.0, 1.0)
    # one NaN makes the sum of its row NaN, and so the whole row
    shares = _shares(nodes, nodes.add("Where", inside, clipped, missing), exported)
    if isinstance(exported.map, ScalingMap):
        shares = _scaled(nodes, exported.map, shares)
    return nodes.add("Identity", shares, output=output)


def _shares(nodes: Nodes, scores: str, exported: ExportedClassMap) -> str:
    """Divide rows by their sum, if it is allowed."""
    n = len(exported.classes)
    total = _row_sums(nodes, scores, n)
    if exported.off_by is None:
        empty = nodes.add("Less", total, nodes.constant([np.finfo(float).smallest_subnormal]))
        scores = nodes.add("Where", empty, nodes.constant(np.ones(n)), scores)
        return nodes.add("Div", scores, _row_sums(nodes, scores, n))
    distance = nodes.add("Abs", nodes.add("Sub", total, nodes.constant([1.0])))
    near = nodes.inside(distance, 0.0, exported.off_by)
    return nodes.add("Div", scores, nodes.add("Where", near, total, nodes.constant(np.nan)))


def _row_sums(nodes: Nodes, matrix: str, n: int) -> str:
    return nodes.add("MatMul", matrix, nodes.constant(np.ones((n, 1))))


def _scaled(nodes: Nodes, fitted: ScalingMap, shares: str) -> str:
    n = fitted.n_classes
    # one number for each class: onnxruntime takes a single small number for 0 and drops the sum
    soft = nodes.constant(np.full(n, fitted.softness))
    logs = nodes.add("Log", nodes.add("Add", shares, soft))
    # onnxruntime joins a product and a division by one number, and rounds the number to float32
    mean = nodes.add("MatMul", logs, nodes.constant(np.full((n, 1), 1.0 / n)))
    x = nodes.add("Sub", logs, mean)
    slopes = fitted.slopes
    if slopes is None:
        z = nodes.add("MatMul", x, nodes.constant(fitted.matrix.T))
    else:
        z = nodes.add("Mul", x, nodes.constant(slopes))
    return nodes.add("Softmax", nodes.add("Add", z, nodes.constant(fitted.intercepts)), axis=1)
