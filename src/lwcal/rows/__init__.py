"""Read rows from arrays, frames and engines: one set of rules, pooled to counts.

``values`` says what a value is, ``scales`` how scores become probabilities, and ``classes`` what a
label is. ``checks`` finds values that cannot be used; ``fault_kinds`` words what is wrong, and
``faults`` counts it. ``reducer`` applies them to the batches of a source, and ``counts`` adds the
batches up. ``arrays`` and ``frames`` are the sources, ``labels`` reads whole columns of labels,
``groups`` reduces by group, and ``storage`` keeps counts on disk. ``times`` reads dates and
timestamps, ``periods`` knows the calendar, ``time_counts`` says when rows were made, and ``spans``
reduces by spans of time.
"""

from lwcal.rows.checks import as_chances, as_scores, as_weights
from lwcal.rows.labels import Checked, as_checked_labels, as_labels
from lwcal.rows.values import ArrayLike, as_floats, check_same_length, is_missing

__all__ = [
    "ArrayLike",
    "Checked",
    "as_chances",
    "as_checked_labels",
    "as_floats",
    "as_labels",
    "as_scores",
    "as_weights",
    "check_same_length",
    "is_missing",
]
