"""Histograms of the rows of a fit to several classes, kept so that drift can be noticed later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lwcal.arrays import FloatArray, IndexArray
from lwcal.errors import ArtifactError, message
from lwcal.multiclass.class_cells import ClassCells, class_cells_from_dict
from lwcal.multiclass.class_rows import ClassRows
from lwcal.multiclass.label_correction import (
    N_BINS,
    Moments,
    inverse_of,
    loss_moments,
    top_label_moments,
)
from lwcal.reference import Reference, reference_from_dict
from lwcal.table import ScoreTable

CLASS_BINS = 20
"""Bins of one class: twice as many as are compared, and few enough for a thousand classes."""
KEPT_NUMBERS = 1 << 22
"""Rows with more probabilities than this, 32 MB, are summarised by the fit itself."""
LOSS_CLIP = 1e-6
"""Probabilities are moved at least this far from 0 and 1 before their logarithm is taken."""


class Judged(NamedTuple):
    """Sums of calibrated rows against the true classes: of their log loss, and of top-label gaps.

    Attributes
    ----------
    nll : Moments
        In one bin.
    top_label : Moments
        In bins of the highest calibrated probability.
    """

    nll: Moments
    top_label: Moments

    @classmethod
    def of(
        cls,
        probabilities: FloatArray,
        labels: IndexArray,
        weights: FloatArray,
        noise_matrix: FloatArray,
    ) -> Judged | None:
        """Judge calibrated rows; None if the noise matrix has no inverse."""
        inverse = inverse_of(noise_matrix)
        if inverse is None:
            return None
        losses = -np.log(np.clip(probabilities, LOSS_CLIP, 1.0 - LOSS_CLIP))
        return cls(
            loss_moments(inverse, labels, losses, weights),
            top_label_moments(inverse, labels, probabilities, weights),
        )

    def to_dict(self) -> dict[str, dict[str, list[float]]]:
        """All sums as lists, for JSON."""
        return {
            name: {part: sums.tolist() for part, sums in moments._asdict().items()}
            for name, moments in self._asdict().items()
        }


BINS_OF = {"nll": 1, "top_label": N_BINS}
"""Number of bins of each field of :class:`Judged`."""


@dataclass(frozen=True, eq=False)
class ClassReference:
    """Histograms of the highest score and of the scores of each class.

    Attributes
    ----------
    top : Reference
        Rows by their highest score. A positive label is one that is the class of that score.
    classes : tuple of Reference
        Rows by the score of each class, against the rest.
    judged : Judged or None
        The calibrated rows against the true classes; None if the noise matrix has no inverse.
    base_rates : tuple of float or None
        Share of each true class: the mean calibrated probability; None in files saved before it
        was stored.
    cells : ClassCells or None
        Rows in cells of their scores, by label; None in files saved before they were stored, and
        with very many classes.

    Examples
    --------
    >>> rows = ClassRows.from_arrays([[0.6, 0.2, 0.2], [0.1, 0.2, 0.7]], ["a", "b"], classes="abc")
    >>> reference = ClassReference.of(rows)
    >>> reference.d, reference.shares
    (0.5, (0.5, 0.5, 0.0))
    """

    top: Reference
    classes: tuple[Reference, ...]
    judged: Judged | None = None
    base_rates: tuple[float, ...] | None = None
    cells: ClassCells | None = None

    @classmethod
    def of(
        cls,
        rows: ClassRows,
        judged: Judged | None = None,
        base_rates: tuple[float, ...] | None = None,
        cells: ClassCells | None = None,
    ) -> ClassReference:
        """Summarise rows."""
        highest = rows.scores.max(axis=1)
        right = rows.scores.argmax(axis=1) == rows.labels
        return cls(
            _summary(highest, right, rows.weights),
            tuple(
                _summary(column, rows.labels == label, rows.weights)
                for label, column in enumerate(rows.scores.T)
            ),
            judged,
            base_rates,
            cells,
        )

    @property
    def n(self) -> float:
        """Total weight."""
        return float((self.top.negatives + self.top.positives).sum())

    @property
    def d(self) -> float:
        """Share of the labels that are not the class of the highest score."""
        return float(self.top.negatives.sum()) / self.n

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of the labels of each class."""
        return tuple(float(one.positives.sum()) / self.n for one in self.classes)

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON supports."""
        judged = {} if self.judged is None else {"judged": self.judged.to_dict()}
        return {
            "top": self.top.to_dict(),
            "classes": [one.to_dict() for one in self.classes],
            **judged,
            **({} if self.base_rates is None else {"base_rates": list(self.base_rates)}),
            **({} if self.cells is None else {"cells": self.cells.to_dict()}),
        }


def _summary(scores: FloatArray, positive: Any, weights: FloatArray) -> Reference:
    return Reference.of(ScoreTable.from_arrays(scores, positive, weights), bins=CLASS_BINS)


def class_reference_from_dict(document: object, n_classes: int) -> ClassReference:
    """Rebuild a reference. Anything that ``to_dict`` cannot have written is refused."""
    if not isinstance(document, dict):
        got = type(document).__name__
        raise ArtifactError(message("the reference to be a JSON object", got))
    classes = document.get("classes")
    if not isinstance(classes, list) or len(classes) != n_classes:
        got = f"{len(classes):,}" if isinstance(classes, list) else type(classes).__name__
        raise ArtifactError(message(f"a reference for each of {n_classes:,} classes", got))
    judged, cells = document.get("judged"), document.get("cells")
    return ClassReference(
        reference_from_dict(document.get("top"), both_labels=False),
        tuple(reference_from_dict(one, both_labels=False) for one in classes),
        None if judged is None else _judged_from_dict(judged),
        _base_rates_from(document.get("base_rates"), n_classes),
        None if cells is None else class_cells_from_dict(cells, n_classes),
    )


def _base_rates_from(given: object, n_classes: int) -> tuple[float, ...] | None:
    if given is None:
        return None
    numbers = isinstance(given, list) and all(
        isinstance(share, int | float) and not isinstance(share, bool) and 0.0 <= share <= 1.0
        for share in given
    )
    if not (numbers and isinstance(given, list) and len(given) == n_classes):
        expected = f"base_rates of the reference to be {n_classes:,} numbers from 0 to 1"
        raise ArtifactError(message(expected, f"{given!r}"[:100]))
    return tuple(float(share) for share in given)


def _judged_from_dict(document: object) -> Judged:
    if not isinstance(document, dict):
        got = type(document).__name__
        raise ArtifactError(message("reference.judged to be a JSON object", got))
    return Judged(
        *(
            _moments(document.get(name), f"reference.judged.{name}", BINS_OF[name])
            for name in Judged._fields
        )
    )


def _moments(document: object, name: str, n_bins: int) -> Moments:
    given = document if isinstance(document, dict) else {}
    found = [given.get(part) for part in Moments._fields]
    expected = f"{name} with {', '.join(Moments._fields)} for {n_bins} bins"
    if not all(isinstance(one, list) and len(one) == n_bins for one in found):
        raise ArtifactError(message(expected, "others"))
    try:
        moments = Moments(*np.array(found, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        raise ArtifactError(message(f"numbers in {name}", "others")) from None
    finite = all(np.isfinite(part).all() for part in moments)
    filled = moments.weight > 0.0
    # the square of a mean is at most the mean of the squares, up to rounding
    possible = moments.total**2 <= (1.0 + 1e-9) * moments.weight * moments.squares
    if not (finite and filled.any() and (moments.weight >= 0.0).all() and possible.all()):
        raise ArtifactError(message(expected, "sums that no rows have"))
    return moments
