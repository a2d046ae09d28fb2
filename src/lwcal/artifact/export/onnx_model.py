"""Calibrators as ONNX models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lwcal.artifact.export.class_onnx import add_class_map
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.exported_maps import ExportedMaps
from lwcal.artifact.export.onnx_nodes import PREFIX, Nodes, add_map, add_probabilities
from lwcal.errors import missing_extra
from lwcal.rows.scales import RANGES

if TYPE_CHECKING:
    import onnx

INPUT, OUTPUT = "scores", "probabilities_calibrated"
OPSET, IR_VERSION = 17, 8
"""Supported by all recent runtimes, and recent enough for float64 in every operator."""


def to_onnx(exported: ExportedMaps | ExportedClassMap) -> bytes:
    """Build a model from scores to calibrated probabilities.

    The input ``scores`` is a vector, or a matrix with one column per class. Scores that are NaN
    or outside the range of their scale give NaN, and so do rows of classes whose sum is not near 1.
    """
    require_onnx()
    from onnx import helper

    nodes = Nodes()
    score_shape: list[str | int | None] = ["rows"]
    if isinstance(exported, ExportedClassMap):
        score_shape.append(len(exported.classes))
        add_class_map(nodes, exported, INPUT, OUTPUT)
    elif len(exported.maps) == 1:
        add_maps(nodes, exported, [INPUT])
    else:
        score_shape.append(len(exported.maps))
        add_maps(nodes, exported, [nodes.column(INPUT, k) for k in range(len(exported.maps))])
    graph = helper.make_graph(
        nodes.nodes,
        "lwcal",
        [helper.make_tensor_value_info(INPUT, double_type(), score_shape)],
        [declare_output(exported)],
        nodes.constants,
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
    return serialise(model, exported)


def require_onnx() -> None:
    """Raise an error that says how to install onnx if it is missing."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise missing_extra("onnx", "export", "an ONNX model") from None


def add_maps(nodes: Nodes, exported: ExportedMaps, columns: list[str]) -> str:
    """Add the maps of all columns of scores, and the probabilities of the classes."""
    tolerance = exported.tolerance
    low, high = RANGES[exported.scale]
    inside = [nodes.inside(column, low - tolerance, high + tolerance) for column in columns]
    read = [add_probabilities(nodes, column, exported.scale) for column in columns]
    scores = [nodes.clipped(column, 0.0, 1.0) for column in read]
    maps = zip(exported.maps, scores, strict=True)
    calibrated = [add_map(nodes, fitted, column) for fitted, column in maps]
    valid = inside[0]
    for other in inside[1:]:
        valid = nodes.add("And", valid, other)
    missing = nodes.constant(np.nan)
    if not exported.classes:
        return nodes.add("Where", valid, calibrated[0], missing, output=OUTPUT)
    rows = [nodes.add("Where", valid, c, missing) for c in _per_class(nodes, calibrated, scores)]
    return nodes.columns(rows, OUTPUT)


def _per_class(nodes: Nodes, calibrated: list[str], scores: list[str]) -> list[str]:
    """Return the probabilities of all classes, as ``lwcal.classifier.combine`` does."""
    if len(calibrated) == 1:
        return [nodes.add("Sub", nodes.constant(1.0), calibrated[0]), calibrated[0]]
    equal = [nodes.constant(1.0) for _ in calibrated]
    rows = _first_with_sum(nodes, calibrated, _first_with_sum(nodes, scores, equal))
    total = nodes.add("Sum", *rows)
    return [nodes.add("Div", row, total) for row in rows]


def _first_with_sum(nodes: Nodes, rows: list[str], others: list[str]) -> list[str]:
    """Return the rows that are not all zero, and the other rows in place of those that are."""
    present = nodes.add("Greater", nodes.add("Sum", *rows), nodes.constant(0.0))
    pairs = zip(rows, others, strict=True)
    return [nodes.add("Where", present, row, other) for row, other in pairs]


def declare_output(exported: ExportedMaps | ExportedClassMap) -> onnx.ValueInfoProto:
    """Return the declaration of the output."""
    from onnx import helper

    classes = [len(exported.classes)] if exported.classes else []
    return helper.make_tensor_value_info(OUTPUT, double_type(), ["rows", *classes])


def double_type() -> int:
    """Return the number that ONNX uses for float64."""
    from onnx import TensorProto

    return int(TensorProto.DOUBLE)


def serialise(model: onnx.ModelProto, exported: ExportedMaps | ExportedClassMap) -> bytes:
    """Add the description of the maps, check the model, and return its bytes."""
    import onnx

    entry = model.metadata_props.add()
    entry.key, entry.value = PREFIX.rstrip("/"), "\n".join(exported.description)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
