"""Calibrators by segment, such as a country or a product; small ones borrow from all rows."""

from lwcal.segments.fitted import Segment, Segments
from lwcal.segments.fitting import fit_segments

__all__ = ["Segment", "Segments", "fit_segments"]
