"""Reviewed: several opinions a row, none of which has to be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from lwcal.calibrators.audited import Audited, refuse_beside_table
from lwcal.calibrators.base import Fitted
from lwcal.calibrators.class_base import ClassCalibrator, FittedClasses
from lwcal.calibrators.noise_aware import NoiseAware
from lwcal.errors import InputError, message
from lwcal.multiclass.class_rows import ClassRows, refuse_classes, refuse_scale
from lwcal.rows import ArrayLike
from lwcal.rows.class_labels import class_array
from lwcal.rows.classes import class_key
from lwcal.rows.probabilities import is_matrix
from lwcal.table import ScoreTable

if TYPE_CHECKING:  # slow to import, and most fits have one label a row
    from lwcal.reviews.consensus import Consensus
    from lwcal.reviews.inferred import InferredReviews
    from lwcal.reviews.opinion_counts import OpinionCounts
    from lwcal.reviews.opinions import Opinions
    from lwcal.reviews.reading import Reviewable
    from lwcal.reviews.summary import ReviewSummary


class Reviewed(ClassCalibrator):
    """Learn from several opinions how often each reviewer is wrong, and calibrate to the truth.

    The truth is a scaling of the score, as in :class:`NoiseAware`. Every reviewer has a matrix with
    the probability of each label for each true class. Where two reviewers contradict each other,
    one of them is wrong; so noise shows without any trusted label. Hypotheses go from reviewers who
    are all alike to a matrix for each, shrunk toward the common one so that a reviewer with five
    labels borrows from the others, and from independent errors to rows that are hard for
    everybody. They are averaged by their evidence, which is tempered where it compares one way of
    being wrong with another, because people do not err quite as any of them says. Checked rows
    count in full.

    Labels that are ratings, cut at a limit, have no true class near the limit. There the map can be
    worse than a fit to the majority of labels, and than the raw score: check some rows.

    With one label a row and no reviewers, this is :class:`NoiseAware`; with checked rows beside
    them, it is :class:`Audited`.

    Parameters
    ----------
    pos_label : optional
        The positive class of scores of shape (n,), when it is not obvious from the labels.

    Attributes
    ----------
    reviews_ : ReviewSummary or None
        Error rates and confusion of every reviewer, agreement, and whether reviewers err
        together; None if there is one label a row and nobody knows who gave it.
    noise_ : NoiseEstimate or ClassNoiseEstimate
        The noise of a label by any reviewer, weighted by how many labels each gave.
    diagnostics_ : dict
        ``opinions`` and ``several``, the number of labels and of rows with more than one;
        ``alpha``, Krippendorff's; ``p_differ``, the probability that reviewers differ; ``p_hard``,
        the probability that they err together on hard rows; and those of :class:`NoiseAware`, or
        of :class:`Audited`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.beta(0.5, 0.5, 2000)
    >>> truth = rng.random(2000) < scores
    >>> ann, bob = (truth ^ (rng.random(2000) < rate) for rate in (0.1, 0.3))
    >>> fitted = Reviewed().fit(scores, np.stack([ann, bob], axis=1), reviewers=["Ann", "Bob"])
    >>> fitted.predict([0.1, 0.5, 0.9]).round(1)
    array([0.1, 0.5, 0.9])
    >>> for reviewer in fitted.reviews_.reviewers:
    ...     print(reviewer)
    Ann: ...
    Bob: ...
    """

    diagnostic_meanings: ClassVar[Mapping[str, str]] = {
        **NoiseAware.diagnostic_meanings,
        **Audited.diagnostic_meanings,
        "opinions": "number of labels",
        "several": "number of rows with several labels",
        "alpha": "Krippendorff's alpha",
        "p_differ": "probability that reviewers differ in how often they are wrong",
        "p_hard": "probability that reviewers err together on hard rows",
    }
    optional_diagnostics: ClassVar[frozenset[str]] = frozenset(diagnostic_meanings)
    reviews_: ReviewSummary | None

    def __init__(self, *, pos_label: Any = None) -> None:
        self.pos_label = pos_label

    def fit(
        self,
        scores: ArrayLike | ScoreTable,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        scale: str | None = None,
        classes: Sequence[Any] | None = None,
        reviewers: Any = None,
        y_audited: ArrayLike | None = None,
    ) -> Self:
        """Fit to rows with any number of labels.

        Parameters
        ----------
        scores : of shape (n,) or (n, K), or ScoreTable
            Scores of a model on rows it was not trained on: of the positive class, or of all
            classes; or rows of two classes with one label each, pooled.
        y : of shape (n,) or (n, R), or Opinions
            Labels, with a column for each reviewer, missing where nobody was asked; or
            :func:`lwcal.opinions` in the order of the scores; omitted with a ScoreTable.
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice.
        scale : {"probability", "percent", "logit", "auto"}, optional
            Scale of the scores of one class; default: probability.
        classes : sequence, optional
            Class of each column of the scores, if the labels do not tell.
        reviewers : of shape (n,), (R,) or (n, R), optional
            Who gave each label, or the name of each column; default: the names of the columns.
        y_audited : one-dimensional, optional
            True labels of checked rows; NaN, None or null in the others.
        """
        from lwcal.reviews.opinions import as_opinions
        from lwcal.reviews.reading import read_reviews

        if isinstance(scores, ScoreTable):
            refuse_beside_table(
                "pass the rows themselves", reviewers=reviewers, y_audited=y_audited
            )
            return super().fit(scores, y, sample_weight, scale=scale, classes=classes)
        self._check_rows(scores, y)
        opinions = as_opinions(y, reviewers)
        if len(opinions.names) == 1 and (opinions.counts == 1).all():
            return self._fit_one_label(scores, opinions, sample_weight, scale, classes, y_audited)
        if is_matrix(scores):
            refuse_scale(scale)
        else:
            refuse_classes(classes)
        read = read_reviews(
            scores,
            opinions,
            sample_weight,
            y_audited=y_audited,
            classes=classes,
            pos_label=self.pos_label,
            scale=scale,
        )
        return self.fit_reviews(read)

    def fit_opinions(self, counts: OpinionCounts) -> Self:
        """Fit to counts of equal rows, such as an engine makes from files.

        Parameters
        ----------
        counts : OpinionCounts
            From :func:`lwcal.engines.duckdb.reduce_opinions` or
            :func:`lwcal.engines.spark.reduce_opinions`. They know the positive class and the
            scale of the scores.

        Examples
        --------
        >>> import lwcal, numpy as np, pandas
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.beta(0.5, 0.5, 500).round(2)
        >>> ann, bob = (rng.random((2, 500)) < scores).astype(int)
        >>> frame = pandas.DataFrame({"p": scores, "ann": ann, "bob": bob})
        >>> counts = lwcal.engines.duckdb.reduce_opinions(frame, "p", ["ann", "bob"])
        >>> fitted = Reviewed().fit_opinions(counts)
        >>> in_memory = Reviewed().fit(frame["p"], frame[["ann", "bob"]])
        >>> bool((fitted.predict([0.2, 0.7]) == in_memory.predict([0.2, 0.7])).all())
        True
        """
        self.learn_opinions(counts)
        return self

    def learn_opinions(self, counts: OpinionCounts) -> InferredReviews | None:
        """Fit to counts of equal rows, and return what they say of reviewers.

        The verdict on the fit starts from there. It is None if there is one label a row and nobody
        knows who gave it.
        """
        from lwcal.calibrators.reviewed_fit import fit_to_checked
        from lwcal.reviews.reading import informative
        from lwcal.reviews.single_labels import label_rows, label_table

        self._check_positive(counts)
        read = counts.reviewable()
        if not counts.is_one_label:
            return self._learn_reviews(read)
        rows = informative(read.rows).distinct()
        if rows.is_checked.any():
            self._take_over(fit_to_checked(rows, read, self.pos_label))
        elif read.has_classes:
            self.fit_rows(label_rows(rows).of_two_labels())
        else:
            self.fit_table(replace(label_table(rows), scale=read.scale))
        self.sampled_from_ = read.sampled_from
        return None

    def _check_positive(self, counts: OpinionCounts) -> None:
        """Refuse counts that were made with another positive class."""
        positive = counts.rows.classes[1]
        if self.pos_label is None or counts.has_classes or positive is None:
            return
        if class_key(self.pos_label) != class_key(positive):
            expected = f"counts with pos_label={self.pos_label!r}"
            raise InputError(message(expected, f"{positive!r} as the positive class"))

    def fit_reviews(self, read: Reviewable) -> Self:
        """Fit to rows that were read by ``lwcal.reviews.reading.read_reviews``."""
        self._learn_reviews(read)
        return self

    def _learn_reviews(self, read: Reviewable) -> InferredReviews:
        from lwcal.calibrators.reviewed_fit import fit_to_opinions
        from lwcal.reviews.reading import informative
        from lwcal.reviews.single_labels import label_rows, label_table

        self.check_parameters()
        rows = informative(read.rows).distinct()
        found, inferred = fit_to_opinions(rows)
        if isinstance(found, FittedClasses):
            self._keep_classes(found, label_rows(rows))
        else:
            self._keep(found, replace(label_table(rows), scale=read.scale))
        if read.has_classes:
            self.classes_ = class_array(rows.classes)
        self.sampled_from_ = read.sampled_from
        self.reviews_ = inferred.summary
        return inferred

    def consensus(self, scores: ArrayLike, y: Any, *, reviewers: Any = None) -> Consensus:
        """The most probable true class of rows, given scores and opinions together.

        Parameters
        ----------
        scores : of shape (n,) or (n, K), as in the fit
        y : of shape (n,) or (n, R), or Opinions
            As in the fit. Reviewers that the fit did not know are taken for average ones.
        reviewers : of shape (n,), (R,) or (n, R), optional

        Examples
        --------
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> scores = rng.beta(0.5, 0.5, 2000)
        >>> truth = rng.random(2000) < scores
        >>> labels = np.stack([truth ^ (rng.random(2000) < 0.2) for _ in range(3)], axis=1)
        >>> found = Reviewed().fit(scores, labels).consensus(scores, labels)
        >>> (found.labels == truth).mean() > (labels.sum(axis=1) > 1).mean()
        np.True_
        """
        from lwcal.calibrators.reviewed_fit import find_consensus
        from lwcal.reviews.opinions import as_opinions
        from lwcal.reviews.reading import read_reviews

        self.check_is_fitted()
        summary = self.reviews_
        if summary is None:
            raise InputError(message("a fit to several reviewers", "one label a row"))
        has_classes = hasattr(self, "classes_")
        read = read_reviews(
            scores,
            as_opinions(y, reviewers),
            classes=list(self.classes_) if has_classes else None,
            pos_label=self.pos_label,
            scale=None if has_classes else self.scale_of(),
        )
        return find_consensus(read.rows, summary)

    def learn(self, table: ScoreTable) -> Fitted:
        """Fit to pooled counts of rows with one label each, as :class:`NoiseAware` does."""
        self.reviews_ = None
        return super().learn(table)

    def learn_rows(self, rows: ClassRows) -> Fitted | FittedClasses:
        """Fit to rows with one label each, as :class:`NoiseAware` does."""
        self.reviews_ = None
        return super().learn_rows(rows)

    def _fit(self, table: ScoreTable) -> Fitted:
        return NoiseAware()._fit(table)

    def _fit_classes(self, rows: ClassRows) -> FittedClasses:
        return NoiseAware()._fit_classes(rows)

    def _fit_one_label(
        self,
        scores: ArrayLike,
        opinions: Opinions,
        sample_weight: ArrayLike | None,
        scale: str | None,
        classes: Sequence[Any] | None,
        y_audited: ArrayLike | None,
    ) -> Self:
        if y_audited is None:
            return super().fit(scores, opinions.labels, sample_weight, scale=scale, classes=classes)
        fitted = Audited(pos_label=self.pos_label).fit(
            scores,
            opinions.labels,
            sample_weight,
            scale=scale,
            classes=classes,
            y_audited=y_audited,
        )
        self._take_over(fitted)
        return self

    def _take_over(self, fitted: Audited) -> None:
        """Take over what another calibrator has learned."""
        self.__dict__.update({k: v for k, v in vars(fitted).items() if k.endswith("_")})
        self._reference = fitted._reference
        self.reviews_ = None
