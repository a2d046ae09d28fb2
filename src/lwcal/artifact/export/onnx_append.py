"""Append a calibrator to an ONNX classifier, so that one file scores and calibrates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lwcal.artifact.export.class_onnx import add_class_map
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.exported_maps import ExportedMaps
from lwcal.artifact.export.onnx_model import (
    OUTPUT,
    add_maps,
    declare_output,
    double_type,
    require_onnx,
    serialise,
)
from lwcal.artifact.export.onnx_nodes import Nodes
from lwcal.errors import InputError, ParameterError, message
from lwcal.files import PathLike
from lwcal.rows.scales import PROBABILITY

if TYPE_CHECKING:
    import onnx

OLDEST_OPSET = 9
ROUNDING = 1e-6
"""How far rounding in float32 can move a probability out of [0, 1]."""


def append_to_onnx(exported: ExportedMaps | ExportedClassMap, path: PathLike) -> bytes:
    """Add the output ``probabilities_calibrated`` to a model, and keep its other outputs.

    A calibrator of one score uses the second of two columns of probabilities. Its output has two
    columns too. One of several classes uses all columns.
    """
    require_onnx()
    if exported.scale != PROBABILITY:
        raise ParameterError(
            f"The calibrator was fitted to scores on the scale {exported.scale}, but an ONNX "
            "classifier gives probabilities. Fit the calibrator to these probabilities, or export "
            "it without append_to (--append-to)."
        )
    model = _load(path)
    _check(model, path)
    probabilities = _probabilities(model, path)
    exported = exported._replace(tolerance=ROUNDING, classes=exported.classes or (0, 1))
    _check_width(model, probabilities, exported, path)
    nodes = Nodes()
    scores = nodes.add("Cast", probabilities, to=double_type())
    if isinstance(exported, ExportedClassMap):
        add_class_map(nodes, exported, scores, OUTPUT)
    else:
        n = len(exported.maps)
        first = 1 if n == 1 else 0
        add_maps(nodes, exported, [nodes.column(scores, first + k) for k in range(n)])
    model.graph.node.extend(nodes.nodes)
    model.graph.initializer.extend(nodes.constants)
    model.graph.output.append(declare_output(exported))
    return serialise(model, exported)


def _load(path: PathLike) -> onnx.ModelProto:
    import onnx

    try:
        return onnx.load_model_from_string(Path(path).read_bytes())
    except OSError:
        raise
    except Exception:  # protobuf raises its own types of errors
        raise InputError(f"{path} is not an ONNX model.") from None


def _check(model: onnx.ModelProto, path: PathLike) -> None:
    if not model.graph.output:
        raise InputError(f"{path} is not an ONNX model: it has no outputs.")
    if OUTPUT in {output.name for output in model.graph.output}:
        raise InputError(f"{path} is already calibrated: it has an output {OUTPUT}.")
    version = {opset.domain: opset.version for opset in model.opset_import}.get("", 0)
    if version < OLDEST_OPSET:
        hint = "convert the classifier again with a newer target_opset"
        raise InputError(message(f"opset {OLDEST_OPSET} or newer in {path}", f"{version}", hint))


def _probabilities(model: onnx.ModelProto, path: PathLike) -> str:
    """Return the tensor of probabilities: the input of a ZipMap, or the output of floats."""
    for node in model.graph.node:
        if node.op_type == "ZipMap":
            return str(node.input[0])
    floats = [output.name for output in model.graph.output if _is_float(output)]
    named = [name for name in floats if "prob" in name.lower()]
    if len(floats) != 1 and len(named) != 1:
        expected = f"one output of floats in {path}, or one with 'prob' in its name"
        raise InputError(message(expected, f"{[o.name for o in model.graph.output]}"))
    (found,) = named if len(named) == 1 else floats
    return str(found)


def _is_float(output: onnx.ValueInfoProto) -> bool:
    from onnx import TensorProto

    return output.type.tensor_type.elem_type in (
        TensorProto.FLOAT,
        TensorProto.DOUBLE,
        TensorProto.FLOAT16,
    )


def _check_width(
    model: onnx.ModelProto, name: str, exported: ExportedMaps | ExportedClassMap, path: PathLike
) -> None:
    """Refuse a different number of classes, if the model declares it."""
    for output in (*model.graph.output, *model.graph.value_info):
        sizes = output.type.tensor_type.shape.dim
        if output.name == name and (
            len(sizes) != 2 or sizes[1].dim_value not in (0, len(exported.classes))
        ):
            expected = f"{len(exported.classes)} columns in {name} of {path}"
            got = " x ".join(str(size.dim_value or "n") for size in sizes)
            raise InputError(message(expected, f"the shape {got}"))
