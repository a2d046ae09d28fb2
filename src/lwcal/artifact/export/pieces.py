"""A piecewise linear map as the pieces that the kernels evaluate, to be written out."""

from typing import NamedTuple

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.maps import PiecewiseLinearMap

TINY = 1e-200
NEGLIGIBLE = 1e-100
"""Products of scores above TINY and rises above NEGLIGIBLE do not vanish in float64."""


class Piece(NamedTuple):
    """``min(base + (p - start) * slope, top)`` from ``begin`` until the next piece begins."""

    begin: float
    start: float
    base: float
    slope: float
    top: float

    def may_overshoot(self, end: float) -> bool:
        """Whether rounding carries some score below ``end`` above ``top``.

        Every operation rounds monotonically, so the largest score decides for all of them.
        """
        last = float(np.nextafter(end, 0.0))
        return self.base + (last - self.start) * self.slope > self.top


def slopes_of(x: FloatArray, y: FloatArray) -> FloatArray:
    """Slopes between knots as the kernels compute them."""
    with np.errstate(over="ignore"):
        slopes = np.diff(y) / np.diff(x)
    slopes[~np.isfinite(slopes)] = 0.0  # knots a denormal apart: a step at the next knot
    return np.asarray(slopes)


def pieces_of(fitted: PiecewiseLinearMap) -> list[Piece]:
    """Pieces in increasing order; the first also holds below its start, the last above.

    >>> pieces_of(PiecewiseLinearMap(np.array([0.25, 0.75]), np.array([0.0, 1.0])))
    [Piece(begin=0.0, start=0.0, base=0.0, slope=0.0, top=0.0),
     Piece(begin=0.25, start=0.25, base=0.0, slope=2.0, top=1.0),
     Piece(begin=0.75, start=0.75, base=1.0, slope=0.0, top=1.0)]
    """
    x, y = fitted.x + 0.0, fitted.y + 0.0  # no negative zeros
    starts, bases = [0.0, *x.tolist()], [float(y[0]), *y.tolist()]
    slopes = [0.0, *slopes_of(x, y).tolist(), 0.0]
    tops = [float(y[0]), *y[1:].tolist(), float(y[-1])]
    columns = zip(starts, starts, bases, slopes, tops, strict=True)
    pieces = [Piece(*fields) for fields in columns]
    return _merge_equal_constants(pieces)


def _merge_equal_constants(pieces: list[Piece]) -> list[Piece]:
    """Leave out pieces that only continue the constant before them."""
    kept = pieces[:1]
    for piece in pieces[1:]:
        last = kept[-1]
        if not (last.slope == piece.slope == 0.0 and last.base == piece.base):
            kept.append(piece)
    return kept


def without_underflow(pieces: list[Piece]) -> list[Piece]:
    """Change values by less than 1e-99, so that no product is too small for float64.

    Some engines refuse such a product instead of rounding it to zero.
    """
    ends = [piece.begin for piece in pieces[1:]] + [1.0]
    tamed = (_tamed(piece, end) for piece, end in zip(pieces, ends, strict=True))
    return [piece for parts in tamed for piece in parts]


def _tamed(piece: Piece, end: float) -> list[Piece]:
    if piece.base < TINY:
        piece = piece._replace(base=0.0)
    flat = piece._replace(slope=0.0, top=piece.base)
    if piece.top - piece.base < NEGLIGIBLE:
        return [flat]
    if piece.begin < TINY < end:  # a product of the smallest scores
        return [flat, piece._replace(begin=TINY)]
    return [piece]
