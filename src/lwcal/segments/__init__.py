"""Calibrators by segment, such as a country or a product; small ones borrow from all rows."""

from lwcal.segments.fitted import Segment, Segments
from lwcal.segments.fitting import fit_segments
from lwcal.segments.verdict import SegmentVerdict, judge_segments, segment_verdicts

__all__ = [
    "Segment",
    "SegmentVerdict",
    "Segments",
    "fit_segments",
    "judge_segments",
    "segment_verdicts",
]
