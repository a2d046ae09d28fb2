"""Maps as ONNX nodes in float64; float32 would change values by up to 6e-5.

Only operators of opset 9 are used, because converters declare the oldest opset that a classifier
needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lwcal.kernels.pure import LOG_CLIP, linear_segments
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

if TYPE_CHECKING:
    import onnx

PREFIX = "lwcal/"
"""Prefix of all added names, so that they do not clash with names of a model."""


class Nodes:
    """Nodes and constants in the order they are added. Every method returns a tensor's name."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def add(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        """Add a node."""
        from onnx import helper

        name = output or f"{PREFIX}{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def constant(self, values: Any, dtype: type = np.float64) -> str:
        """Add a constant array."""
        from onnx import numpy_helper

        name = f"{PREFIX}constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values, dtype=dtype), name))
        return name

    def scaled(self, factor: float, tensor: str) -> str:
        """Multiply a tensor by a constant."""
        if factor != 1.0 and np.float32(factor) == 1.0:
            # onnxruntime drops the multiplication, because it compares with 1 in float32
            half = self.add("Mul", self.constant(0.5 * factor), tensor)
            return self.add("Add", half, half)
        return self.add("Mul", self.constant(factor), tensor)

    def clipped(self, tensor: str, low: float, high: float) -> str:
        """Clip a tensor to an interval."""
        above = self.add("Max", tensor, self.constant([low]))
        return self.add("Min", above, self.constant([high]))

    def inside(self, tensor: str, low: float, high: float) -> str:
        """Test whether values lie in an interval; false for NaN."""
        above = self.add("Greater", tensor, self.constant(np.nextafter(low, -np.inf)))
        below = self.add("Less", tensor, self.constant(np.nextafter(high, np.inf)))
        return self.add("And", above, below)

    def column(self, matrix: str, index: int) -> str:
        """Take one column of a matrix as a vector."""
        return self.add("Gather", matrix, self.constant(index, np.int64), axis=1)

    def columns(self, vectors: list[str], output: str) -> str:
        """Join vectors to the columns of a matrix."""
        shape = self.constant([-1, 1], np.int64)
        columns = [self.add("Reshape", vector, shape) for vector in vectors]
        return self.add("Concat", *columns, axis=1, output=output)


def add_probabilities(nodes: Nodes, scores: str, scale: str) -> str:
    """Add the conversion of scores to probabilities."""
    if scale == PERCENT:
        return nodes.add("Div", scores, nodes.constant(100.0))
    return _sigmoid_of(nodes, scores, 0.0) if scale == LOGIT else scores


def add_map(nodes: Nodes, fitted: Map, scores: str) -> str:
    """Add a map of scores in [0, 1]."""
    return _ADDERS[type(fitted)](nodes, fitted, scores)


def _identity(nodes: Nodes, fitted: IdentityMap, scores: str) -> str:
    return scores


def _piecewise_linear(nodes: Nodes, fitted: PiecewiseLinearMap, scores: str) -> str:
    x, y = fitted.x + 0.0, fitted.y + 0.0  # turns -0.0 into 0.0
    segment = _count_up_to(nodes, x, scores)
    start, base, slope, top = (_take(nodes, column, segment) for column in linear_segments(x, y))
    rise = nodes.add("Mul", nodes.add("Sub", scores, start), slope)
    return nodes.add("Min", nodes.add("Add", base, rise), top)


def _take(nodes: Nodes, values: Any, indices: str) -> str:
    return nodes.add("Gather", nodes.constant(values), indices)


def _count_up_to(nodes: Nodes, x: Any, scores: str) -> str:
    """Count the knots at or below each score, by an unrolled binary search."""
    bits = len(x).bit_length()
    knots = np.full(2**bits, np.inf)
    knots[: len(x)] = np.nextafter(x, -np.inf)  # so that Less tests "at or below"
    table, count = nodes.constant(knots), nodes.constant(0, np.int64)
    for bit in reversed(range(bits)):
        # at least 2**bit more knots are at or below the score if the knot at this place is
        place = nodes.add("Add", count, nodes.constant(2**bit - 1, np.int64))
        passed = nodes.add("Less", nodes.add("Gather", table, place), scores)
        more = nodes.add("Add", count, nodes.constant(2**bit, np.int64))
        count = nodes.add("Where", passed, more, count)
    return count


def _beta(nodes: Nodes, fitted: BetaMap, scores: str) -> str:
    p = nodes.clipped(scores, LOG_CLIP, 1.0 - LOG_CLIP)
    log_p = nodes.scaled(fitted.a, nodes.add("Log", p))
    log_q = nodes.scaled(-fitted.b, nodes.add("Log", nodes.add("Sub", nodes.constant(1.0), p)))
    return _sigmoid_of(nodes, nodes.add("Add", log_p, log_q), fitted.c)


def _sigmoid(nodes: Nodes, fitted: SigmoidMap, scores: str) -> str:
    return _sigmoid_of(nodes, nodes.scaled(fitted.slope, scores), fitted.intercept)


def _sigmoid_of(nodes: Nodes, tensor: str, shift: float) -> str:
    """Add ``1 / (1 + exp(-z))``. If exp overflows to infinity, the result is 0, as it should."""
    exponent = nodes.add("Neg", nodes.add("Add", tensor, nodes.constant(shift)))
    one = nodes.constant(1.0)
    return nodes.add("Div", one, nodes.add("Add", one, nodes.add("Exp", exponent)))


def _blend(nodes: Nodes, fitted: BlendMap, scores: str) -> str:
    inner = nodes.scaled(1.0 - fitted.rho, add_map(nodes, fitted.inner, scores))
    return nodes.add("Add", inner, nodes.scaled(fitted.rho, scores))


def _odds(nodes: Nodes, fitted: OddsMap, scores: str) -> str:
    """Add the map. Where the inner one is 0, the odds against it are infinite, as they should."""
    one = nodes.constant(1.0)
    inner = add_map(nodes, fitted.inner, scores)
    odds_against = nodes.add("Sub", nodes.add("Div", one, inner), one)
    scaled = nodes.scaled(fitted.against, odds_against)
    return nodes.add("Div", one, nodes.add("Add", one, scaled))


_ADDERS: dict[type, Callable[[Nodes, Any, str], str]] = {
    IdentityMap: _identity,
    PiecewiseLinearMap: _piecewise_linear,
    BetaMap: _beta,
    SigmoidMap: _sigmoid,
    BlendMap: _blend,
    OddsMap: _odds,
}
