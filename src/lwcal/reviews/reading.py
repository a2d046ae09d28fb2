"""Read scores and opinions as users have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import InputError, message
from lwcal.reviews.opinion_rows import UNKNOWN, OpinionRows
from lwcal.reviews.opinions import Opinions, as_opinions
from lwcal.rows import ArrayLike, as_labels, as_scores, as_weights, check_same_length, is_missing
from lwcal.rows.checks import ONE_COLUMN, known_scale
from lwcal.rows.class_labels import as_class_labels
from lwcal.rows.classes import class_key
from lwcal.rows.probabilities import as_class_scores, is_matrix
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import as_column, as_objects


class Reviewable(NamedTuple):
    """Rows with opinions, and how their scores were written.

    Attributes
    ----------
    rows : OpinionRows
        All rows, in their order.
    scale : str
        Scale of the scores.
    has_classes : bool
        Whether the scores have a column for each class.
    sampled_from : float or None
        Weight of all rows, if these are a sample of them.
    """

    rows: OpinionRows
    scale: str
    has_classes: bool
    sampled_from: float | None = None


def read_reviews(
    scores: ArrayLike,
    labels: Any,
    sample_weight: ArrayLike | None = None,
    *,
    reviewers: Any = None,
    y_audited: ArrayLike | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    scale: str | None = None,
) -> Reviewable:
    """Check and combine scores, opinions, and truths of some rows.

    Examples
    --------
    >>> found = read_reviews([0.2, 0.9, 0.5], [["no", "no"], ["yes", None], [None, None]])
    >>> found.rows.n, found.rows.opinions, found.rows.labels
    (3.0, array([2, 1, 0]), array([0, 0, 1]))
    """
    opinions = as_opinions(labels, reviewers)
    if is_matrix(scores):
        found = as_class_scores(scores)
        values, names, known = found.values, found.names, PROBABILITY
    else:
        column = as_column(scores, "scores", ONE_COLUMN)
        known = known_scale(column, scale or PROBABILITY, "scores")
        positive = as_scores(column, scale=known)
        values, names = np.stack([1.0 - positive, positive], axis=1), None
    if isinstance(labels, Opinions) and len(values) != opinions.n:
        raise InputError(
            f"{len(values):,} scores but opinions on {opinions.n:,} items. Items without an "
            "opinion are left out, unless all items are named in the order of the scores: "
            "lwcal.opinions(item, reviewer, label, items=...)."
        )
    check_same_length(len(values), opinions.n, "labels")
    rows = coded(
        opinions,
        values,
        y_audited,
        classes=classes,
        names=names,
        pos_label=pos_label,
        two_classes=not is_matrix(scores),
    )
    if sample_weight is not None:
        rows = replace(rows, weights=as_weights(sample_weight, len(values)))
    return Reviewable(rows, known, is_matrix(scores))


def informative(rows: OpinionRows) -> OpinionRows:
    """Rows with a weight, and with an opinion or a known truth; they have two classes or more."""
    used = (rows.weights > 0.0) & ((rows.opinions > 0) | rows.is_checked)
    kept = rows if used.all() else rows.part(used)
    met = np.union1d(kept.labels, kept.truths[kept.is_checked])
    if len(met) < 2:
        got = f"one, {rows.classes[met[0]]!r}" if len(met) else "no rows with a label"
        raise InputError(message("labels of two classes", got))
    return kept


def coded(
    opinions: Opinions,
    scores: FloatArray | None = None,
    y_audited: ArrayLike | None = None,
    *,
    classes: Sequence[Any] | None = None,
    names: Sequence[str] | None = None,
    pos_label: Any = None,
    two_classes: bool = False,
) -> OpinionRows:
    """Opinions with labels as numbers of columns; without scores, all classes are equally likely.

    Labels and truths are read together, so that they have their classes in common.
    """
    truths = np.full(opinions.n, UNKNOWN, dtype=np.intp)
    said, checked = opinions.labels, np.zeros(0, dtype=np.intp)
    if y_audited is not None:
        column = as_column(y_audited, "y_audited")
        check_same_length(opinions.n, len(column), "y_audited", of="labels")
        listed = column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()
        values = as_objects(listed)
        checked = np.flatnonzero(~np.asarray(is_missing(values)))
        said = np.concatenate([said, values[checked]])
    codes: IndexArray
    known: tuple[Any, ...]
    if two_classes:
        places = np.concatenate([opinions.rows, checked])
        codes = as_labels(said, pos_label=pos_label, name="labels", row_numbers=places).astype(
            np.intp
        )
        known = tuple(_first_with(code, codes, said) for code in (0, 1))
    else:
        width = len({class_key(label) for label in said}) if scores is None else scores.shape[1]
        codes, known = as_class_labels(said, width, classes=classes, names=names, name="labels")
    given, truths[checked] = np.split(codes, [len(opinions.labels)])
    n, k = opinions.n, len(known)
    return OpinionRows(
        np.full((n, k), 1.0 / k) if scores is None else scores,
        np.ones(n),
        truths,
        opinions.rows,
        opinions.reviewers,
        given,
        known,
        opinions.names,
    )


def _first_with(code: int, codes: IndexArray, said: npt.NDArray[Any]) -> Any:
    """How the class of this code is written; the code itself, if nobody said it."""
    places = np.flatnonzero(codes == code)
    return said[places[0]] if len(places) else code
