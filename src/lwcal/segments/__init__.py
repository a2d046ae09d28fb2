"""Calibrators by segment, such as a country or a product; small ones borrow from all rows."""

from typing import TYPE_CHECKING

from lwcal.lazy_names import lazy_names

if TYPE_CHECKING:
    from lwcal.segments.fitted import Segment, Segments
    from lwcal.segments.fitting import fit_segments
    from lwcal.segments.tables import segment_tables
    from lwcal.segments.verdict import SegmentVerdict, judge_segments, segment_verdicts

__all__ = [
    "Segment",
    "SegmentVerdict",
    "Segments",
    "fit_segments",
    "judge_segments",
    "segment_tables",
    "segment_verdicts",
]

# imported on first use: applying to rows needs no fitting
__getattr__, __dir__ = lazy_names(
    __name__,
    __all__,
    {
        "Segment": ".fitted",
        "SegmentVerdict": ".verdict",
        "Segments": ".fitted",
        "fit_segments": ".fitting",
        "judge_segments": ".verdict",
        "segment_tables": ".tables",
        "segment_verdicts": ".verdict",
    },
)
