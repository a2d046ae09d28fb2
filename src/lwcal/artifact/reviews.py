"""What a fit learned about reviewers, as plain JSON types."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.artifact.checks import as_list, as_number, as_object, as_share, as_share_matrix
from lwcal.class_maps import ScalingMap, class_map_from_dict
from lwcal.errors import ArtifactError, message
from lwcal.estimates import Estimate
from lwcal.reviews.agreement import Agreement
from lwcal.reviews.consensus import Explanation
from lwcal.reviews.near_copies import NearCopy
from lwcal.reviews.opinion_likelihood import Emission
from lwcal.reviews.summary import ReviewerEstimate, ReviewSummary

MATRICES = ("matrix", "low", "high")
"""Fields of a reviewer, of shape (K, K)."""
SHARES = ("probability_differ", "probability_hard", "confidence")


def reviews_to_dict(summary: ReviewSummary) -> dict[str, Any]:
    """Write what is known of reviewers."""
    return {
        "classes": [_plain(name) for name in summary.classes],
        "reviewers": [_reviewer_to_dict(one) for one in summary.reviewers],
        "agreement": {
            **summary.agreement._asdict(),
            "never_differ": [list(map(_plain, pair)) for pair in summary.agreement.never_differ],
        },
        **{name: getattr(summary, name) for name in SHARES},
        "share_hard": summary.share_hard.to_dict(),
        "explanations": [_explanation_to_dict(one) for one in summary.explanations],
        # files of opinions without copies stay as they were
        **({"near_copies": _copies_to_list(summary)} if summary.near_copies else {}),
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
    differ, together, confidence = (as_share(given.get(name), f"reviews.{name}") for name in SHARES)
    return ReviewSummary(
        tuple(classes),
        tuple(_reviewer(one, k, len(listed)) for one in listed),
        _agreement(given.get("agreement")),
        differ,
        together,
        _estimate(given.get("share_hard"), "reviews.share_hard"),
        _explanations(given.get("explanations"), k, len(listed)),
        confidence,
        _copies(given.get("near_copies", [])),
    )


def _copies_to_list(summary: ReviewSummary) -> list[list[Any]]:
    return [list(map(_plain, pair)) for pair in summary.near_copies]


def _copies(document: object) -> tuple[NearCopy, ...]:
    if not isinstance(document, list):  # it may be empty
        raise ArtifactError(message("reviews.near_copies to be a list", f"{document!r}"))
    return tuple(_copy(pair) for pair in document)


def _copy(given: object) -> NearCopy:
    if isinstance(given, list) and len(given) == 4:
        one, other, rows = _same_pair(given[:3])
        return NearCopy(one, other, rows, as_share(given[3], "reviews.near_copies"))
    raise ArtifactError(message("two reviewers, a number of rows and a share", f"{given!r}"))


def _reviewer_to_dict(one: ReviewerEstimate) -> dict[str, Any]:
    return {
        "name": _plain(one.name),
        "labels": one.labels,
        "wrong": one.wrong.to_dict(),
        "rank": list(one.rank),
        **{name: getattr(one, name).tolist() for name in MATRICES},
    }


def _explanation_to_dict(one: Explanation) -> dict[str, Any]:
    matrices, hard, share = one.emission
    return {
        "probability": one.probability,
        "scaling": one.scaling.to_dict(),
        "matrices": matrices.tolist(),
        "hard_rows": None if hard is None else {"matrix": hard.tolist(), "share": share},
    }


def _explanations(document: object, k: int, reviewers: int) -> tuple[Explanation, ...]:
    listed = as_list(document, "reviews.explanations")
    found = tuple(_explanation(one, k, reviewers) for one in listed)
    total = sum(one.probability for one in found)
    if abs(total - 1.0) > 1e-6:
        raise ArtifactError(message("reviews.explanations that add up to 1", f"{total}"))
    return found


def _explanation(document: object, k: int, reviewers: int) -> Explanation:
    given = as_object(document, "reviews.explanations")
    listed = as_list(given.get("matrices"), "reviews.explanations.matrices")
    if len(listed) not in (1, reviewers):
        raise ArtifactError(message(f"matrices of 1 or {reviewers} reviewers", f"{len(listed)}"))
    matrices = [as_share_matrix(one, "reviews.explanations.matrices", k) for one in listed]
    emission = Emission(np.array(matrices))
    if given.get("hard_rows") is not None:
        hard = as_object(given["hard_rows"], "reviews.explanations.hard_rows")
        emission = emission._replace(
            hard=as_share_matrix(hard.get("matrix"), "reviews.explanations.hard_rows.matrix", k),
            share=as_share(hard.get("share"), "reviews.explanations.hard_rows.share"),
        )
    return Explanation(
        as_share(given.get("probability"), "reviews.explanations.probability"),
        _scaling(given.get("scaling"), k),
        emission,
    )


def _scaling(document: object, k: int) -> ScalingMap:
    given = as_object(document, "reviews.explanations.scaling")
    kind = given.get("kind")
    if kind != ScalingMap.kind:
        raise ArtifactError(message(f"a map of kind {ScalingMap.kind!r}", f"{kind!r}"))
    found = class_map_from_dict(given)
    assert isinstance(found, ScalingMap)  # the kind was checked
    if found.n_classes != k:
        raise ArtifactError(message(f"a scaling of {k} classes", f"one of {found.n_classes}"))
    return found


def _reviewer(given: dict[str, Any], k: int, reviewers: int) -> ReviewerEstimate:
    name, labels = given.get("name"), as_number(given.get("labels"), "reviews.reviewers.labels")
    if not isinstance(name, str | int | float) or labels < 0.0:
        raise ArtifactError(message("reviewers with a name and a number of labels", f"{name!r}"))
    matrix, low, high = (
        as_share_matrix(given.get(part), f"reviews.reviewers.{part}", k) for part in MATRICES
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
