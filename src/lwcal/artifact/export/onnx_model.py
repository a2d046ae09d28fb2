"""Calibrators as ONNX models: alone, or at the end of the classifier whose scores they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lwcal.artifact.export.onnx_nodes import PREFIX, Nodes, add_map
from lwcal.artifact.export.source import Source
from lwcal.errors import missing_extra

if TYPE_CHECKING:
    import onnx

INPUT, OUTPUT = "scores", "probabilities_calibrated"
OPSET, IR_VERSION = 17, 8
"""Old enough for every runtime of the last years, new enough for float64 everywhere."""


def to_onnx(source: Source) -> bytes:
    """Write a model from scores to calibrated probabilities.

    With one score a row, ``scores`` is a vector, else a matrix with a column a class. Scores
    that are NaN or outside [0, 1] give NaN.
    """
    require_onnx()
    from onnx import helper

    nodes = Nodes()
    single = len(source.maps) == 1
    columns = [INPUT] if single else [nodes.column(INPUT, k) for k in range(len(source.maps))]
    add_source(nodes, source, columns)
    score_shape: list[str | int | None] = ["rows"] if single else ["rows", len(source.maps)]
    graph = helper.make_graph(
        nodes.nodes,
        "lwcal",
        [helper.make_tensor_value_info(INPUT, double_type(), score_shape)],
        [output_of(source)],
        nodes.constants,
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
    return finished(model, source)


def require_onnx() -> None:
    """Say how to get onnx where it is missing."""
    try:
        import onnx  # noqa: F401
    except ImportError:
        raise missing_extra("onnx", "export", "an ONNX model") from None


def add_source(nodes: Nodes, source: Source, columns: list[str]) -> str:
    """Add all maps of vectors of scores, and what makes probabilities of them."""
    guards = [nodes.inside(c, -source.rounding, 1.0 + source.rounding) for c in columns]
    scores = [nodes.clipped(column, 0.0, 1.0) for column in columns]
    maps = zip(source.maps, scores, strict=True)
    calibrated = [add_map(nodes, fitted, column) for fitted, column in maps]
    valid = guards[0]
    for guard in guards[1:]:
        valid = nodes.add("And", valid, guard)
    missing = nodes.constant(np.nan)
    if not source.classes:
        return nodes.add("Where", valid, calibrated[0], missing, output=OUTPUT)
    rows = [nodes.add("Where", valid, c, missing) for c in _per_class(nodes, calibrated, scores)]
    return nodes.columns(rows, OUTPUT)


def _per_class(nodes: Nodes, calibrated: list[str], scores: list[str]) -> list[str]:
    """Probabilities of all classes, as ``lwcal.classifier.combine`` has them."""
    if len(calibrated) == 1:
        return [nodes.add("Sub", nodes.constant(1.0), calibrated[0]), calibrated[0]]
    equal = [nodes.constant(1.0) for _ in calibrated]
    rows = _first_with_sum(nodes, calibrated, _first_with_sum(nodes, scores, equal))
    total = nodes.add("Sum", *rows)
    return [nodes.add("Div", row, total) for row in rows]


def _first_with_sum(nodes: Nodes, rows: list[str], others: list[str]) -> list[str]:
    """Rows where they are not all zero, and the others elsewhere."""
    present = nodes.add("Greater", nodes.add("Sum", *rows), nodes.constant(0.0))
    pairs = zip(rows, others, strict=True)
    return [nodes.add("Where", present, row, other) for row, other in pairs]


def output_of(source: Source) -> onnx.ValueInfoProto:
    """The declaration of the output."""
    from onnx import helper

    classes = [len(source.classes)] if source.classes else []
    return helper.make_tensor_value_info(OUTPUT, double_type(), ["rows", *classes])


def double_type() -> int:
    """ONNX's number for float64."""
    from onnx import TensorProto

    return int(TensorProto.DOUBLE)


def finished(model: onnx.ModelProto, source: Source) -> bytes:
    """Write where the maps come from into a model, and check it."""
    import onnx

    entry = model.metadata_props.add()
    entry.key, entry.value = PREFIX.rstrip("/"), "\n".join(source.about)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
