"""Diagnose rows of any kind: with one column of scores or several, one label or opinions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lwcal.calibrators import Calibrator
from lwcal.diagnosis.any_classes import diagnose_any_classes
from lwcal.diagnosis.class_diagnosis import ClassDiagnosis
from lwcal.diagnosis.column_diagnosis import Diagnosis, diagnose_column
from lwcal.diagnosis.comparison import DEFAULT_METHODS
from lwcal.diagnosis.counted_opinions import diagnose_counted
from lwcal.diagnosis.opinion_diagnosis import OpinionDiagnosis, diagnose_opinions
from lwcal.errors import InputError, ParameterError, message
from lwcal.multiclass.checked_classes import read_checked_columns
from lwcal.multiclass.class_rows import refuse_classes, refuse_scale, required
from lwcal.parameters import CONFIDENCE, check_parameter
from lwcal.reviews.opinion_counts import OpinionCounts
from lwcal.reviews.opinion_rows import OpinionRows
from lwcal.reviews.opinions import Opinions, as_opinions
from lwcal.reviews.reading import informative, read_reviews
from lwcal.rows import ArrayLike
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable


def diagnose(
    scores: ArrayLike | ScoreTable | OpinionCounts,
    y: Any = None,
    sample_weight: ArrayLike | None = None,
    *,
    y_audited: ArrayLike | None = None,
    audit_probability: ArrayLike | None = None,
    calibrator: Calibrator | None = None,
    methods: Iterable[str] | None = None,
    confidence: float = 0.9,
    pos_label: Any = None,
    scale: str | None = None,
    classes: Sequence[Any] | None = None,
    reviewers: Any = None,
    on_progress: Callable[[], None] = lambda: None,
) -> Diagnosis | ClassDiagnosis | OpinionDiagnosis:
    """Diagnose whether calibrating on these labels is safe, and recommend an action.

    Parameters
    ----------
    scores : of shape (n,) or (n, K), or ScoreTable, or OpinionCounts
        Scores of a model on rows it was not trained on: of the positive class, or of all
        classes; or rows of two classes, pooled; or rows with opinions, or with one label and
        checks, that an engine has counted, which need no other columns.
    y : of shape (n,) or (n, R), or Opinions
        Labels of the same rows, possibly wrong: one label a row, or the opinions of several
        reviewers as in :class:`lwcal.Reviewed`; omitted with a ScoreTable.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    y_audited : one-dimensional, optional
        True labels of the checked rows; NaN, None or null in the others. With them, the
        recommendation rests on the checked labels.
    audit_probability : one-dimensional, optional
        Probability with which each checked row was chosen, as in :class:`lwcal.Audited`.
    calibrator : Calibrator, optional
        Its parameters replace the defaults: the known or expected flip rates of
        :class:`lwcal.NoiseAware`, the threshold of :class:`lwcal.LWCal`, the gate of
        :class:`lwcal.GatedLWCal`, the bound of :class:`lwcal.Auto`.
    methods : iterable of str, optional
        Calibrators to compare, as in :func:`lwcal.compare`. The recommendation needs none.
    confidence : float, default 0.9
        Level of all intervals.
    pos_label : optional
        The positive class, when it is not obvious from the labels; by default that of the
        calibrator.
    scale : {"probability", "percent", "logit", "auto"}, optional
        Scale of the scores; by default that of the calibrator, or else probability. Omitted with
        a ScoreTable.
    classes : sequence, optional
        Class of each column of the scores, if the labels do not tell.
    reviewers : of shape (n,), (R,) or (n, R), optional
        Who gave each label, or the name of each column.
    on_progress : callable, optional
        Called without arguments after each calibrator that was compared, or fitted to opinions.

    Returns
    -------
    Diagnosis, ClassDiagnosis or OpinionDiagnosis
        The second for more than two classes, the last for several opinions.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> diagnosis = diagnose(scores, rng.random(2000) < scores)
    >>> diagnosis.recommendation.action
    'keep raw'
    """
    counts = scores if isinstance(scores, OpinionCounts) else None
    if counts is not None or isinstance(y, Opinions) or reviewers is not None or is_matrix(y):
        _refuse_with_opinions(
            calibrator=calibrator, methods=methods, audit_probability=audit_probability
        )
        check_parameter("confidence", confidence, CONFIDENCE)
        if counts is not None:
            _refuse_beside_counts(
                y=y,
                sample_weight=sample_weight,
                reviewers=reviewers,
                y_audited=y_audited,
                classes=classes,
                pos_label=pos_label,
                scale=scale,
            )
            return diagnose_counted(counts, confidence=confidence, on_progress=on_progress)
        rows = _opinion_rows(
            scores,
            as_opinions(y, reviewers),
            sample_weight,
            y_audited=y_audited,
            classes=classes,
            pos_label=pos_label,
            scale=scale,
        )
        return diagnose_opinions(rows, confidence=confidence, on_progress=on_progress)
    common: dict[str, Any] = {
        "calibrator": calibrator,
        "confidence": confidence,
        "on_progress": on_progress,
    }
    if isinstance(scores, ScoreTable) or not is_matrix(scores):
        refuse_classes(classes)
        return diagnose_column(
            scores,
            y,
            sample_weight,
            y_audited=y_audited,
            audit_probability=audit_probability,
            methods=DEFAULT_METHODS if methods is None else methods,
            pos_label=pos_label,
            scale=scale,
            **common,
        )
    refuse_scale(scale)
    audited = read_checked_columns(
        scores,
        required(y),
        sample_weight,
        y_audited=y_audited,
        audit_probability=audit_probability,
        classes=classes,
    ).divided()
    return diagnose_any_classes(audited, methods=methods, **common)


def _refuse_with_opinions(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(message(f"no {name} with several opinions", name))


def _refuse_beside_counts(**given: Any) -> None:
    for name, value in given.items():
        if value is not None:
            raise ParameterError(message(f"no {name} beside OpinionCounts", name))


def _opinion_rows(
    scores: ArrayLike | ScoreTable,
    opinions: Opinions,
    sample_weight: ArrayLike | None,
    *,
    classes: Sequence[Any] | None,
    scale: str | None,
    **options: Any,
) -> OpinionRows:
    if isinstance(scores, ScoreTable):
        raise InputError(message("scores of rows beside their opinions", "a ScoreTable"))
    if not (opinions.counts > 1).any():
        hint = "pass one label a row as y, without reviewers"
        raise InputError(message("a row with several opinions", "none", hint))
    refuse_scale(scale) if is_matrix(scores) else refuse_classes(classes)
    read = read_reviews(scores, opinions, sample_weight, classes=classes, scale=scale, **options)
    return informative(read.rows).distinct()
