"""A calibrator at the end of an ONNX classifier, so that one file scores and calibrates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lwcal.artifact.export.onnx_model import (
    OUTPUT,
    add_source,
    double_type,
    finished,
    output_of,
    require_onnx,
)
from lwcal.artifact.export.onnx_nodes import Nodes
from lwcal.artifact.export.source import Source
from lwcal.errors import InputError, message
from lwcal.files import PathLike

if TYPE_CHECKING:
    import onnx

OLDEST_OPSET = 9
ROUNDING = 1e-6
"""How far sums in float32 may carry a probability out of [0, 1]."""


def append_to_onnx(source: Source, path: PathLike) -> bytes:
    """Add the output ``probabilities_calibrated`` to a model, and keep all that it has.

    A calibrator of one score takes the second of two columns, and its output has two as well.
    """
    require_onnx()
    model = _load(path)
    _check(model, path)
    probabilities = _probabilities(model, path)
    source = source._replace(rounding=ROUNDING, classes=source.classes or (0, 1))
    _check_width(model, probabilities, source, path)
    nodes = Nodes()
    scores = nodes.add("Cast", probabilities, to=double_type())
    first = 1 if len(source.maps) == 1 else 0
    add_source(nodes, source, [nodes.column(scores, first + k) for k in range(len(source.maps))])
    model.graph.node.extend(nodes.nodes)
    model.graph.initializer.extend(nodes.constants)
    model.graph.output.append(output_of(source))
    return finished(model, source)


def _load(path: PathLike) -> onnx.ModelProto:
    import onnx

    try:
        return onnx.load_model_from_string(Path(path).read_bytes())
    except OSError:
        raise
    except Exception:  # of the package that onnx reads files with
        raise InputError(message(f"{path} to be an ONNX model", "a file of another kind")) from None


def _check(model: onnx.ModelProto, path: PathLike) -> None:
    if not model.graph.output:
        raise InputError(message(f"{path} to be an ONNX model", "a file without outputs"))
    if OUTPUT in {output.name for output in model.graph.output}:
        raise InputError(message(f"{path} without {OUTPUT}", "a model that is calibrated already"))
    version = {opset.domain: opset.version for opset in model.opset_import}.get("", 0)
    if version < OLDEST_OPSET:
        hint = "convert the classifier again with a newer target_opset"
        raise InputError(message(f"opset {OLDEST_OPSET} or newer in {path}", f"{version}", hint))


def _probabilities(model: onnx.ModelProto, path: PathLike) -> str:
    """The tensor of probabilities: what a ZipMap takes apart, or the output that holds floats."""
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


def _check_width(model: onnx.ModelProto, name: str, source: Source, path: PathLike) -> None:
    """Refuse another number of classes, where the model says how many it has."""
    for output in (*model.graph.output, *model.graph.value_info):
        sizes = output.type.tensor_type.shape.dim
        if output.name == name and (
            len(sizes) != 2 or sizes[1].dim_value not in (0, len(source.classes))
        ):
            expected = f"{len(source.classes)} columns in {name} of {path}"
            got = " x ".join(str(size.dim_value or "n") for size in sizes)
            raise InputError(message(expected, f"the shape {got}"))
