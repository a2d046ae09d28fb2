"""Count the opinions of people who copy each other as one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import IndexArray
from lwcal.reviews.opinion_rows import OpinionRows, stacked


class Voices(NamedTuple):
    """Rows in which nobody repeats another.

    Attributes
    ----------
    rows : OpinionRows
    origins : integer array
        Which of the given rows each one comes from.
    """

    rows: OpinionRows
    origins: IndexArray


def one_voice(rows: OpinionRows, pairs: Iterable[Sequence[Any]]) -> Voices:
    """Split rows with several opinions of one group into rows with one of them each.

    The parts share the weight of the row. So it does not matter who copied whom, every label
    counts, and labels of others count as often as before.

    Parameters
    ----------
    rows : OpinionRows
    pairs : iterable of (reviewer, reviewer, ...)
        Names of those who are one opinion. Pairs that share a reviewer are one group.

    Examples
    --------
    >>> from lwcal.reviews.opinions import as_opinions
    >>> from lwcal.reviews.reading import coded
    >>> rows = coded(as_opinions([[1, 1, 0], [0, None, 1]], ["Ann", "Bob", "Cem"]))
    >>> voices = one_voice(rows, [("Ann", "Bob")])
    >>> voices.rows.weights.tolist(), voices.origins.tolist()
    ([0.5, 1.0, 0.5], [0, 1, 0])
    >>> voices.rows.opinions.tolist()
    [2, 2, 2]
    """
    found = Voices(rows, np.arange(len(rows.weights)))
    for group in _groups(pairs):
        numbers = [place for place, name in enumerate(rows.names) if name in group]
        found = _split(found, np.array(numbers, dtype=np.intp))
    return found


def _split(voices: Voices, group: IndexArray) -> Voices:
    rows = voices.rows
    inside = np.flatnonzero(np.isin(rows.reviewers, group))
    of_row = rows.rows[inside]
    members = np.bincount(of_row, minlength=len(rows.weights))
    if not (members > 1).any():
        return voices
    # rows are sorted, so the opinions of a group on one row stand together
    place = np.full(len(rows.rows), -1)
    place[inside] = np.arange(len(inside)) - np.searchsorted(of_row, of_row)
    parts, origins = [], []
    for number in range(int(members.max())):
        which = np.flatnonzero(members > number) if number else np.arange(len(members))
        kept = (place < 0) | (place == number)
        part = replace(
            rows,
            weights=rows.weights / np.maximum(members, 1),
            rows=rows.rows[kept],
            reviewers=rows.reviewers[kept],
            labels=rows.labels[kept],
        )
        parts.append(part.part(which))
        origins.append(voices.origins[which])
    return Voices(stacked(parts), np.concatenate(origins))


def _groups(pairs: Iterable[Sequence[Any]]) -> list[set[Any]]:
    groups: list[set[Any]] = []
    for pair in pairs:
        joined = set(pair)
        apart = []
        for group in groups:
            if group & joined:
                joined |= group
            else:
                apart.append(group)
        groups = [*apart, joined]
    return groups
