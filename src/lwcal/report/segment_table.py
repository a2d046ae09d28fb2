"""The section about segments: in which of them the calibrator holds."""

from __future__ import annotations

from collections import Counter

import numpy as np

from lwcal.calibrators import Calibrator
from lwcal.errors import InputError, message
from lwcal.report.report_data import SegmentTable
from lwcal.report.rows import Rows, class_text
from lwcal.rows import ArrayLike, check_same_length, is_missing
from lwcal.segments import SegmentVerdict, judge_segments
from lwcal.table import ScoreTable

MOST_SEGMENTS = 1000
SHOWN = 50
"""Lines of the table."""
NO_VALUE = "(no value)"


def segment_table(
    calibrator: Calibrator, rows: Rows | None, segments: ArrayLike | None, name: str
) -> SegmentTable | None:
    """Judge the segments of single rows."""
    if segments is None:
        return None
    if rows is None:
        raise InputError("segments needs single rows. A ScoreTable has none.")
    values = np.asarray(segments)
    check_same_length(len(rows.scores), len(values), "segments")
    missing = is_missing(values)
    texts = np.array(
        [
            NO_VALUE if absent else class_text(value)
            for value, absent in zip(values.tolist(), missing, strict=True)
        ]
    )
    found, codes = np.unique(texts, return_inverse=True)
    if len(found) > MOST_SEGMENTS:
        expected = f"{MOST_SEGMENTS:,} segments at most"
        raise InputError(message(expected, f"{len(found):,}", "choose a column with fewer values"))
    tables = {}
    for number, text in enumerate(found.tolist()):
        chosen = codes == number
        weights = None if rows.weights is None else rows.weights[chosen]
        if weights is None or weights.any():
            tables[text] = ScoreTable.from_arrays(rows.scores[chosen], rows.labels[chosen], weights)
    return SegmentTable(name, tuple(judge_segments(calibrator, tables)))


def shown_segments(table: SegmentTable) -> list[SegmentVerdict]:
    """Segments in which the calibrator does not hold, then the largest of the others."""
    return sorted(table.verdicts, key=lambda one: one.level != "differs")[:SHOWN]


def segments_sentence(table: SegmentTable) -> str:
    """Say in how many segments the calibrator holds."""
    count = Counter(one.level for one in table.verdicts)
    few = f" {count['too few rows']:,} have too few rows to tell." if count["too few rows"] else ""
    if not count["differs"]:
        return f"No segment is found in which the calibrator does not hold.{few}"
    segments = "1 segment" if count["differs"] == 1 else f"{count['differs']:,} segments"
    return (
        f"In {segments} of {len(table.verdicts):,} the labels contradict the calibrator: the odds "
        f"differ, or labels are wrong more or less often than elsewhere.{few} Check some labels "
        "there, or fit a calibrator to each segment (lwcal fit --segment)."
    )
