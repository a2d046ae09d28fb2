"""The one reduction that all metrics share: rows to counts per distinct probability."""

from typing import Any

from lwcal.numerics.tabulate import tabulate
from lwcal.rows import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.table import ScoreTable


def pooled(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    sample_weight: ArrayLike | None,
    pos_label: Any,
    names: tuple[str, str] = ("y_true", "y_prob"),
) -> ScoreTable:
    """Pool rows, with errors in the words of a metric: what it calls labels and probabilities.

    >>> pooled([0, 1, 1], [0.2, 0.2, 0.9], None, None)
    ScoreTable(3 rows, 2 distinct scores, 66.7% positive)
    """
    of_labels, of_probabilities = names
    probabilities = as_scores(y_prob, name=of_probabilities)
    labels = as_labels(y_true, pos_label=pos_label, name=of_labels)
    check_same_length(len(probabilities), len(labels), of_labels)
    weights = None if sample_weight is None else as_weights(sample_weight, len(probabilities))
    return ScoreTable._trusted(*tabulate(probabilities, labels, weights))


def require_both_classes(table: ScoreTable, metric: str) -> None:
    """Refuse labels of a single class where the metric compares the two."""
    table.require_both_classes(f"{metric} compares the classes and has no value for a single one")
