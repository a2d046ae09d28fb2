"""The section about segments: in which of them the calibrator holds."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from lwcal.calibrators import Calibrator
from lwcal.errors import InputError, message
from lwcal.report.report_data import SegmentTable
from lwcal.report.rows import Rows
from lwcal.rows import ArrayLike, check_same_length
from lwcal.segments import SegmentVerdict, judge_segments
from lwcal.segments.naming import names_of_rows
from lwcal.table import ScoreTable

MOST_SEGMENTS = 1000
SHOWN = 50
"""Lines of the table."""


def segment_table(
    calibrator: Calibrator, rows: Rows | None, segments: ArrayLike | None, name: str
) -> SegmentTable | None:
    """Judge the segments of single rows."""
    if segments is None:
        return None
    if rows is None:
        raise InputError("segments needs single rows. A ScoreTable has none.")
    names = names_of_rows(segments)
    check_same_length(len(rows.scores), len(names), "segments")
    places: dict[Any, int] = {}
    codes = np.array([places.setdefault(one, len(places)) for one in names], dtype=np.intp)
    if len(places) > MOST_SEGMENTS:
        expected = f"{MOST_SEGMENTS:,} segments at most"
        raise InputError(message(expected, f"{len(places):,}", "choose a column with fewer values"))
    tables = {}
    for one, place in places.items():
        chosen = codes == place
        weights = None if rows.weights is None else rows.weights[chosen]
        if weights is None or weights.any():
            tables[one] = ScoreTable.from_arrays(rows.scores[chosen], rows.labels[chosen], weights)
    return SegmentTable(name, tuple(judge_segments(calibrator, tables)))


def shown_segments(table: SegmentTable) -> list[SegmentVerdict]:
    """Segments in which the calibrator does not hold, then the largest of the others."""
    return sorted(table.verdicts, key=lambda one: one.level != "differs")[:SHOWN]


def segments_sentence(table: SegmentTable) -> str:
    """Say in how many segments the calibrator holds."""
    count = Counter(one.level for one in table.verdicts)
    all_ = len(table.verdicts)
    rest = f"It holds in {count['as all rows']:,}."
    if count["too few rows"]:
        rest += f" In {count['too few rows']:,} there are too few rows to tell."
    if not count["differs"]:
        return f"No segment of {all_:,} contradicts the calibrator. {rest}"
    segments = "1 segment" if count["differs"] == 1 else f"{count['differs']:,} segments"
    return (
        f"In {segments} of {all_:,} the labels contradict the calibrator: the odds differ, or "
        f"labels are wrong more or less often than elsewhere. {rest} Check some labels where it "
        "does not hold, or fit a calibrator to each segment (lwcal fit --segment)."
    )
