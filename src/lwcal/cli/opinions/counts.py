"""Rows with opinions, reduced by an engine to counts of equal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lwcal.audit.sheet import AUDIT
from lwcal.calibrators import Reviewed
from lwcal.cli.columns import class_name, named_class
from lwcal.cli.console import note
from lwcal.cli.opinions.columns import OpinionsRequest, find_opinion_columns
from lwcal.cli.opinions.facts import opinion_facts
from lwcal.cli.progress import late_progress
from lwcal.cli.request import SAMPLE
from lwcal.engines.duckdb.source import Source
from lwcal.reviews.inferred import InferredReviews
from lwcal.reviews.name_keys import alike
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.reviews.opinion_counts import OpinionCounts
from lwcal.rows.counts import LIMIT

if TYPE_CHECKING:
    from lwcal.engines.spark.source import Source as SparkSource

SEVERAL = "--label"
"""Several columns of labels, as messages call them."""


class FittedOpinions(NamedTuple):
    """A calibrator, and what the opinions say of reviewers, from which a verdict starts."""

    calibrator: Reviewed
    inferred: InferredReviews | None


class CountedOpinions(NamedTuple):
    """Rows with opinions, checked and counted.

    A row here is what has one score: a row of a wide file, or an item of a long one.

    Attributes
    ----------
    names : OpinionColumns
    counts : OpinionCounts
    named : object
        The positive class if it was named, in the type of the labels.
    positive : str or None
        The positive class as people read it; None if there is a column of scores for each class.
    has_chances : bool
        Whether the source says with which probability each row was chosen to be checked.
    """

    names: OpinionColumns
    counts: OpinionCounts
    named: Any
    positive: str | None
    has_chances: bool = False

    @property
    def n(self) -> int:
        """Number of rows; of a sample, the weight of its rows."""
        counts = self.counts
        return round(counts.rows.n) if counts.is_sample else counts.tally.rows

    @property
    def unlabelled(self) -> int:
        """Number of rows without any opinion and without a checked label."""
        return self.counts.tally.unlabelled

    @property
    def checked(self) -> int:
        """Number of checked labels."""
        return self.counts.tally.checked

    def fit(self) -> FittedOpinions:
        """Fit the calibrator of several opinions."""
        calibrator = Reviewed(pos_label=self.named)
        with late_progress("fitting reviewed"):
            return FittedOpinions(calibrator, calibrator.learn_opinions(self.counts))

    def facts(self) -> dict[str, Any]:
        """How the rows were read, for programs."""
        return opinion_facts(
            self.names,
            n=self.n,
            unlabelled=self.unlabelled,
            checked=self.checked,
            positive=self.positive,
            scale=self.counts.scale,
            sampled_from=self.counts.total if self.counts.is_sample else None,
        )


def count_opinions(request: OpinionsRequest) -> CountedOpinions:
    """Count rows with opinions; say which columns were found, and which rows were left out."""
    request.check()
    rows = request.rows
    with rows.opened() as source:
        names = find_opinion_columns(request, source)
        has_chances = names.trusted is not None and AUDIT.probability in source.columns
        sample = source.sample(SAMPLE, lambda name: name in names.labels)
        named = _named(rows.pos_label, names, sample)
        found = _typed(source, names).reduce_opinions(
            names,
            pos_label=named,
            scale=rows.scale(),
            name=SEVERAL if len(names.answers) > 1 else None,
            drop_invalid=rows.drop_invalid,
            allow_drop_share=rows.drop_share,
            limit=LIMIT,
        )
    rows.announce(", ".join(names.scores), ", ".join(names.labels))
    if found.dropped.faults:
        note(str(found.dropped))
    counts = found.counts
    for line in alike(counts.rows.names):
        note(line)
    if counts.is_sample:
        note(
            f"sample: {len(counts.rows.weights):,} distinct rows, which stand for "
            f"{counts.rows.n:,.0f} of {counts.total:,.0f} rows of {source.name}"
        )
    positive = None
    if names.classes is None:
        positive = class_name(counts.rows.classes[1], sample, names.labels[0])
    return CountedOpinions(names, counts, named, positive, has_chances)


def _named(pos_label: str | None, names: OpinionColumns, sample: Any) -> Any:
    """The positive class if it was named: as text, if any column of labels is text."""
    columns = [sample.column(name).to_numpy() for name in names.labels]
    text = [column for column in columns if column.dtype.kind in "OUS"]
    return named_class(pos_label, None, (text or columns)[0])


def _typed(source: Source | SparkSource, names: OpinionColumns) -> Any:
    """Labels that are text in a file have the type that all of them share."""
    return source.typed(names.answers) if isinstance(source, Source) else source
