"""What a fit learned about reviewers, as plain JSON types."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.artifact.checks import as_list, as_number, as_object, as_share, as_share_matrix
from lwcal.errors import ArtifactError, message
from lwcal.estimates import Estimate
from lwcal.reviews.agreement import Agreement
from lwcal.reviews.opinion_likelihood import Emission
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

MATRICES = ("matrix", "low", "high", "easy")
"""Fields of a reviewer of shape (K, K); the last is that of rows that are not hard."""
SHARES = ("probability_differ", "probability_hard", "confidence")


def reviews_to_dict(summary: ReviewSummary) -> dict[str, Any]:
    """Write what is known of reviewers."""
    pairs = zip(summary.reviewers, summary.emission.matrices, strict=True)
    hard = summary.emission.hard
    return {
        "classes": [_plain(name) for name in summary.classes],
        "reviewers": [_reviewer_to_dict(one, easy) for one, easy in pairs],
        "agreement": {
            **summary.agreement._asdict(),
            "never_differ": [list(map(_plain, pair)) for pair in summary.agreement.never_differ],
        },
        **{name: getattr(summary, name) for name in SHARES},
        "share_hard": summary.share_hard.to_dict(),
        "hard_rows": None
        if hard is None
        else {"matrix": hard.tolist(), "share": summary.emission.share},
    }


def reviews_from_dict(document: object) -> ReviewSummary:
    """Read what is known of reviewers; refuse what ``reviews_to_dict`` could not have written."""
    given = as_object(document, "reviews")
    classes = as_list(given.get("classes"), "reviews.classes")
    k = len(classes)
    listed = [
        as_object(one, "reviews.reviewers")
        for one in as_list(given.get("reviewers"), "reviews.reviewers")
    ]
    easy = [as_share_matrix(one.get("easy"), "reviews.reviewers.easy", k) for one in listed]
    hard = given.get("hard_rows")
    emission = Emission(np.array(easy))
    if hard is not None:
        of_hard = as_object(hard, "reviews.hard_rows")
        emission = emission._replace(
            hard=as_share_matrix(of_hard.get("matrix"), "reviews.hard_rows.matrix", k),
            share=as_share(of_hard.get("share"), "reviews.hard_rows.share"),
        )
    differ, together, confidence = (as_share(given.get(name), f"reviews.{name}") for name in SHARES)
    return ReviewSummary(
        tuple(classes),
        tuple(_reviewer(one, k, len(listed)) for one in listed),
        _agreement(given.get("agreement")),
        differ,
        together,
        _estimate(given.get("share_hard"), "reviews.share_hard"),
        emission,
        confidence,
    )


def _reviewer_to_dict(one: ReviewerEstimate, easy: FloatArray) -> dict[str, Any]:
    return {
        "name": _plain(one.name),
        "labels": one.labels,
        "wrong": one.wrong.to_dict(),
        "rank": list(one.rank),
        **{name: getattr(one, name).tolist() for name in MATRICES[:3]},
        "easy": easy.tolist(),
    }


def _reviewer(given: dict[str, Any], k: int, reviewers: int) -> ReviewerEstimate:
    name, labels = given.get("name"), as_number(given.get("labels"), "reviews.reviewers.labels")
    if not isinstance(name, str | int | float) or labels < 0.0:
        raise ArtifactError(message("reviewers with a name and a number of labels", f"{name!r}"))
    matrix, low, high = (
        as_share_matrix(given.get(part), f"reviews.reviewers.{part}", k) for part in MATRICES[:3]
    )
    wrong = _estimate(given.get("wrong"), "reviews.reviewers.wrong")
    return ReviewerEstimate(
        name, labels, wrong, matrix, low, high, _rank(given.get("rank"), reviewers)
    )


def _rank(given: object, reviewers: int) -> tuple[int, int]:
    if isinstance(given, list) and len(given) == 2 and {type(place) for place in given} == {int}:
        first, last = given
        if 1 <= first <= last <= reviewers:
            return first, last
    raise ArtifactError(message("a first and a last rank of each reviewer", f"{given!r}"))


def _agreement(document: object) -> Agreement:
    given = as_object(document, "reviews.agreement")
    optional = {
        name: None
        if given.get(name) is None
        else as_number(given[name], f"reviews.agreement.{name}")
        for name in ("alpha", "kappa", "equal")
    }
    rows = as_number(given.get("rows"), "reviews.agreement.rows")
    pairs = given.get("never_differ")
    if not isinstance(pairs, list):  # it may be empty
        raise ArtifactError(message("reviews.agreement.never_differ to be a list", f"{pairs!r}"))
    same = tuple(_same_pair(pair) for pair in pairs)
    return Agreement(rows=rows, never_differ=same, **optional)


def _same_pair(given: object) -> tuple[Any, Any, float]:
    if isinstance(given, list) and len(given) == 3:
        one, other, rows = given
        if isinstance(one, str | int | float) and isinstance(other, str | int | float):
            return one, other, as_number(rows, "reviews.agreement.never_differ")
    raise ArtifactError(message("two reviewers and a number of rows", f"{given!r}"))


def _estimate(document: object, name: str) -> Estimate:
    given = as_object(document, name)
    return Estimate(*(as_share(given.get(part), f"{name}.{part}") for part in Estimate._fields))


def _plain(name: Any) -> Any:
    """A name that JSON can hold: numpy's values as Python's, and all others as text."""
    value = name.item() if isinstance(name, np.generic) else name
    return value if isinstance(value, str | int | float) else str(value)
