"""Pool the rows that a metric is given, or take a table that is already pooled."""

from dataclasses import dataclass
from typing import Any

from lwcal.errors import InputError
from lwcal.inputs import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.numerics.tabulate import tabulate
from lwcal.table import ScoreTable


@dataclass(frozen=True, eq=False)
class DerivedTable(ScoreTable):
    """Counts that were computed from a table instead of counted from rows.

    Counts that are corrected for noise can be negative, and recalibrated probabilities can
    repeat. The metrics are sums over the entries and accept both, so nothing is checked here.
    """

    def __post_init__(self) -> None:
        """Check nothing."""


def as_metric_table(
    y_true: ArrayLike | ScoreTable,
    y_prob: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    *,
    label_name: str = "y_true",
) -> ScoreTable:
    """Pool labels and probabilities, or take a :class:`lwcal.ScoreTable` in the place of labels.

    Every metric calls this. The scores of a table are its probabilities.

    Parameters
    ----------
    y_true : one-dimensional, two classes; or ScoreTable
    y_prob : one-dimensional, in [0, 1]; omitted for a table
    sample_weight, pos_label : optional; omitted for a table
    label_name : str, default "y_true"
        What error messages call the labels.

    Examples
    --------
    >>> table = as_metric_table([0, 1, 1], [0.2, 0.2, 0.9])
    >>> table
    ScoreTable(3 rows, 2 distinct scores, 66.7% positive)
    >>> as_metric_table(table) is table
    True
    """
    if isinstance(y_true, ScoreTable):
        given = {"y_prob": y_prob, "sample_weight": sample_weight, "pos_label": pos_label}
        return _alone(y_true, given)
    if y_prob is None:
        raise InputError(
            f"y_prob is missing. Pass probabilities, or a ScoreTable in the place of {label_name}."
        )
    probabilities = as_scores(y_prob, name="y_prob")
    labels = as_labels(y_true, pos_label=pos_label, name=label_name)
    check_same_length(len(probabilities), len(labels), label_name)
    weights = None if sample_weight is None else as_weights(sample_weight, len(probabilities))
    return ScoreTable(*tabulate(probabilities, labels, weights))


def _alone(table: ScoreTable, others: dict[str, object]) -> ScoreTable:
    """Return a table, unless it is empty or comes with columns that it already holds."""
    if table.n <= 0:
        raise InputError("The ScoreTable holds no rows. A metric needs at least one.")
    for name, value in others.items():
        if value is not None:
            raise InputError(
                f"{name} was passed together with a ScoreTable. A ScoreTable already holds the "
                "probabilities, labels and weights of its rows; pass it alone."
            )
    return table


def require_both_classes(table: ScoreTable, metric: str) -> None:
    """Refuse labels of a single class where the metric compares the two."""
    table.require_both_classes(f"{metric} compares the two classes, so it needs labels of both")
