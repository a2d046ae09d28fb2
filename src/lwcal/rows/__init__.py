"""Read rows from arrays, frames and engines: one set of rules, pooled to counts.

``missing``, ``columns`` and ``numbers`` say what a value is; ``scores``, ``labels`` and ``weights``
say whether it can be used; ``faults`` counts what cannot, and words it. ``reducer`` applies them to
batches and ``counts`` adds the batches up. ``arrays`` and ``frames`` are the sources; ``groups``
reduces by group; ``storage`` keeps counts on disk.
"""

from lwcal.rows.columns import ArrayLike, check_same_length
from lwcal.rows.labels import Checked, as_checked_labels, as_labels
from lwcal.rows.missing import is_missing
from lwcal.rows.scores import as_scores
from lwcal.rows.weights import as_chances, as_weights

__all__ = [
    "ArrayLike",
    "Checked",
    "as_chances",
    "as_checked_labels",
    "as_labels",
    "as_scores",
    "as_weights",
    "check_same_length",
    "is_missing",
]
