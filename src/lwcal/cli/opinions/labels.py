"""Check labels in several columns of a file, with the numbers of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lwcal.arrays import BoolArray, FloatArray
from lwcal.errors import InputError, message
from lwcal.rows.class_reducer import unknown_label
from lwcal.rows.classes import MISSING, Classes, CodeArray, class_key
from lwcal.rows.fault_kinds import Kind, other_class
from lwcal.rows.faults import InvalidRows
from lwcal.rows.frames import shown
from lwcal.rows.values import Column


def check_labels(
    columns: Mapping[str, Column],
    scores: FloatArray,
    classes: Sequence[Any] | None,
    pos_label: Any,
    rows: int,
) -> Any:
    """Refuse labels that are none of the classes; missing ones are allowed.

    Parameters
    ----------
    columns : mapping
        Columns of labels and of checked labels, by name. They have their classes in common.
    scores : float64 array of shape (n,) or (n, K)
    classes : sequence or None
        Class of each column of scores; None if there is one column.
    pos_label : object
        The positive class if it was named.
    rows : int
        Number of rows.

    Returns
    -------
    object
        The positive class as it is written first; None if classes are given.
    """
    met = Classes()
    codes = {name: met.encode(column, first_row=0) for name, column in columns.items()}
    if not met.counts.any():
        raise InputError(message(f"labels in {_listed(columns)}", f"{rows:,} rows without any"))
    if classes is None:
        means = _Means(scores, codes)
        name = _listed(columns) if len(columns) == 1 else "--label"
        meaning = met.meaning(pos_label, name=name, mean_score=means.of)
        pair = " or ".join(repr(met.shown(place)) for place in sorted(meaning.codes))
        _refuse(met, codes, meaning.others, other_class(pair), rows)
        positive = [place for place, code in meaning.codes.items() if code == 1]
        return met.shown(positive[0]) if positive else None
    known = {class_key(label) for label in classes}
    unknown = [k for k in np.flatnonzero(met.counts).tolist() if met.keys[k] not in known]
    _refuse(met, codes, unknown, unknown_label(classes), rows)
    return None


def _listed(columns: Mapping[str, Column]) -> str:
    return " and ".join(map(shown, columns))


class _Means:
    """Mean score of the labels of a class, by which the positive one is guessed."""

    def __init__(self, scores: FloatArray, codes: Mapping[str, CodeArray]) -> None:
        self._scores, self._codes = scores, codes

    def of(self, place: int) -> float | None:
        found = [self._scores[codes == place] for codes in self._codes.values()]
        together = np.concatenate(found)
        return float(together.mean()) if len(together) else None


def _refuse(
    met: Classes, codes: Mapping[str, CodeArray], wrong: list[int], kind: Kind, rows: int
) -> None:
    invalid = InvalidRows(rows=rows)
    for name, places in codes.items():
        bad: BoolArray = np.isin(places, wrong)
        if bad.any():
            labels = np.array([None if k == MISSING else met.shown(k) for k in places.tolist()],
                              dtype=object)  # fmt: skip
            invalid.find(bad, labels, 0, shown(name), kind)
    invalid.refuse(drop_hint=None, scalable=False)
