"""A piecewise linear map as a list of pieces, to be written in another language."""

from typing import NamedTuple

import numpy as np

from lwcal.kernels.pure import linear_segments
from lwcal.maps import PiecewiseLinearMap

TINY = 1e-200
NEGLIGIBLE = 1e-100
"""A product of a score above TINY and a rise above NEGLIGIBLE does not underflow in float64."""


class LinearPiece(NamedTuple):
    """``min(base + (p - start) * slope, top)`` from ``begin`` to the begin of the next piece."""

    begin: float
    start: float
    base: float
    slope: float
    top: float

    def may_overshoot(self, end: float) -> bool:
        """Return whether rounding can lift the value of some score below ``end`` above ``top``.

        Every operation rounds monotonically, so it is enough to test the largest score.
        """
        last = float(np.nextafter(end, 0.0))
        return self.base + (last - self.start) * self.slope > self.top


def linear_pieces(fitted: PiecewiseLinearMap) -> list[LinearPiece]:
    """Return the pieces of a map in increasing order. The last one has no end.

    >>> linear_pieces(PiecewiseLinearMap(np.array([0.25, 0.75]), np.array([0.0, 1.0])))
    [LinearPiece(begin=0.0, start=0.0, base=0.0, slope=0.0, top=0.0),
     LinearPiece(begin=0.25, start=0.25, base=0.0, slope=2.0, top=1.0),
     LinearPiece(begin=0.75, start=0.75, base=1.0, slope=0.0, top=1.0)]
    """
    x, y = fitted.x + 0.0, fitted.y + 0.0  # turns -0.0 into 0.0
    starts, *columns = (column.tolist() for column in linear_segments(x, y))
    pieces = [LinearPiece(*fields) for fields in zip(starts, starts, *columns, strict=True)]
    return _merge_equal_constants(pieces)


def _merge_equal_constants(pieces: list[LinearPiece]) -> list[LinearPiece]:
    """Drop pieces that continue the constant of the piece before."""
    kept = pieces[:1]
    for piece in pieces[1:]:
        last = kept[-1]
        if not (last.slope == piece.slope == 0.0 and last.base == piece.base):
            kept.append(piece)
    return kept


def without_underflow(pieces: list[LinearPiece]) -> list[LinearPiece]:
    """Change values by less than 1e-99, so that no product underflows in float64.

    Some engines raise an error for such a product instead of rounding it to 0.
    """
    ends = [piece.begin for piece in pieces[1:]] + [1.0]
    safe = (_without_underflow(piece, end) for piece, end in zip(pieces, ends, strict=True))
    return [piece for parts in safe for piece in parts]


def _without_underflow(piece: LinearPiece, end: float) -> list[LinearPiece]:
    if piece.base < TINY:
        piece = piece._replace(base=0.0)
    flat = piece._replace(slope=0.0, top=piece.base)
    if piece.top - piece.base < NEGLIGIBLE:
        return [flat]
    if piece.begin < TINY < end:  # the products of the smallest scores would underflow
        return [flat, piece._replace(begin=TINY)]
    return [piece]
