"""How rows with opinions were read, for programs."""

from __future__ import annotations

from typing import Any

from lwcal.reviews.opinion_columns import OpinionColumns


def opinion_facts(
    names: OpinionColumns,
    *,
    n: int,
    unlabelled: int,
    checked: int,
    positive: str | None,
    scale: str,
    sampled_from: float | None = None,
) -> dict[str, Any]:
    """What every command says about its rows in JSON.

    Parameters
    ----------
    names : OpinionColumns
    n, unlabelled, checked : int
        Number of rows, of those without any label, and of checked labels.
    positive : str or None
        The positive class of one column of scores.
    scale : str
        Scale of one column of scores.
    sampled_from : float, optional
        Weight of all rows, if these are a sample.
    """
    if names.classes is None:
        of_scores: dict[str, Any] = {"positive_class": positive, "score_scale": scale}
    else:
        of_scores = {"classes": list(names.classes), "score_columns": list(names.scores)}
    return {
        "n": n,
        "unlabelled": unlabelled,
        "checked": checked,
        **of_scores,
        "label_columns": list(names.labels),
        "sampled_from": sampled_from,
    }
