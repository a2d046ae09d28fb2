"""Columns as people hold them (arrays, Series, Arrow, lists) to checked numpy arrays."""

from lwcal.inputs.columns import ArrayLike, as_chances, as_weights, check_same_length, is_missing
from lwcal.inputs.labels import OBVIOUS_POSITIVE, Checked, as_checked_labels, as_labels, spell
from lwcal.inputs.scores import as_scores, range_hint

__all__ = [
    "OBVIOUS_POSITIVE",
    "ArrayLike",
    "Checked",
    "as_chances",
    "as_checked_labels",
    "as_labels",
    "as_scores",
    "as_weights",
    "check_same_length",
    "is_missing",
    "range_hint",
    "spell",
]
