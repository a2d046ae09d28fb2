"""Find the columns of opinions: wide, with a column for each, or long, with a row for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lwcal.cli.columns import check_column
from lwcal.cli.request import SAMPLE, RowsRequest, as_arguments
from lwcal.cli.usual_columns import find_class_label, find_score
from lwcal.engines.class_columns import ANY, class_columns, is_one_column, refuse_scale
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError, message
from lwcal.reviews.opinion_columns import OpinionColumns
from lwcal.rows.column_classes import ClassColumns

if TYPE_CHECKING:
    from lwcal.engines.spark.source import Source as SparkSource

Columns = Mapping[str, str]


class OpinionsRequest(NamedTuple):
    """Which opinions to read: the options of a call.

    Attributes
    ----------
    rows : RowsRequest
        Where the rows are, and the columns of scores and labels.
    item : str or None
        Column of items, if each row of the file is one opinion.
    reviewer : str or None
        Column that says who gave the label, or a pattern or list of such columns.
    trusted : str or None
        Column of checked labels.
    """

    rows: RowsRequest
    item: str | None = None
    reviewer: str | None = None
    trusted: str | None = None

    def is_asked_for(self) -> bool:
        """Whether any option says that there are several opinions, or checked labels."""
        named = (self.item, self.reviewer, self.trusted)
        return any(name is not None for name in named) or self.rows.names_opinions()

    def only_checked(self) -> bool:
        """Whether the options say that there are checked labels beside one label a row."""
        others = (self.item, self.reviewer)
        return not self.rows.names_opinions() and all(name is None for name in others)

    def again(self) -> list[str]:
        """Arguments of another command on the same opinions."""
        return [*self.rows.again(), *as_arguments(self._own())]

    def to_fit(self) -> list[str]:
        """Arguments of ``lwcal fit`` on the same opinions, with the weights of their rows."""
        return [*self.rows.to_fit(), *as_arguments(self._own())]

    def _own(self) -> dict[str, str | None]:
        return {"--item": self.item, "--reviewer": self.reviewer, "--trusted": self.trusted}

    def check(self) -> None:
        """Refuse options that do not work with opinions before any row is read."""
        rows = self.rows
        if rows.saved_tables():
            raise ParameterError(f"{rows.name} is a saved table, which has no single opinions.")
        if self.item is None:
            return
        if self.reviewer is None:
            raise ParameterError("--item needs --reviewer, the column that says who gave a label.")
        if rows.id is not None:
            raise ParameterError("--id does not work with --item, which names the items.")

    def given(self) -> dict[str, str | None]:
        """Options that another command needs to read the same opinions."""
        return {**self.rows.given(), **self._own()}


def find_opinion_columns(request: OpinionsRequest, source: Source | SparkSource) -> OpinionColumns:
    """Name the columns of an open source; refuse those that do not exist or have two roles."""
    rows, columns = request.rows, source.columns
    single = _given(request.item, request.trusted, rows.weight, rows.id)
    for name in single:
        check_column(name, columns, source.name)
    taken = [*single, *_one(rows.score, columns), *_one(request.reviewer, columns)]
    labels = _labels(rows, source, taken)
    if request.item is not None and len(labels) > 1:
        got = f"{len(labels)} columns"
        raise ParameterError(message("one column for --label with --item", got))
    taken += labels
    reviewers = _reviewers(request, labels, columns, taken, source.name)
    taken += reviewers
    scores, classes = _scores(rows, source, labels, taken)
    return OpinionColumns(
        scores, classes, labels, reviewers, request.item, request.trusted, rows.weight, rows.id
    ).checked()


def _labels(
    rows: RowsRequest, source: Source | SparkSource, taken: Sequence[str]
) -> tuple[str, ...]:
    columns = source.columns
    if rows.label is None:
        sample = source.sample(SAMPLE, rows.may_compute_with)
        return (find_class_label(sample, source.name, columns=columns),)
    if is_one_column(rows.label, columns):
        check_column(rows.label, columns, source.name)
        return (rows.label,)
    return class_columns(rows.label, columns, others=taken).names


def _reviewers(
    request: OpinionsRequest,
    labels: tuple[str, ...],
    columns: Columns,
    taken: Sequence[str],
    source: str,
) -> tuple[str, ...]:
    named = request.reviewer
    if named is None:
        return ()
    if is_one_column(named, columns):
        check_column(named, columns, source)
        found: tuple[str, ...] = (named,)
    else:
        matched = class_columns(named, columns, others=taken)
        found = matched.names
        label = str(request.rows.label)
        if ANY in named and ANY in label:
            return _by_star(label, labels, matched)
    if len(found) != len(labels):
        expected = f"a column of reviewers for each of the {len(labels)} columns of labels"
        raise ParameterError(message(expected, f"{len(found)}", "name them with --reviewers"))
    return found


def _by_star(label: str, labels: tuple[str, ...], reviewers: ClassColumns) -> tuple[str, ...]:
    """Match columns by what the asterisk stands for: label_a with who_a, in any order."""
    stars = class_columns(label, dict.fromkeys(labels, "")).readings[0]
    of_star = dict(zip(reviewers.readings[0], reviewers.names, strict=True))
    differing = sorted(set(stars) ^ set(of_star))
    if differing:
        expected = "patterns of --label and --reviewers that match the same names"
        raise ParameterError(message(expected, f"{differing[0]!r} in one of them only"))
    return tuple(of_star[star] for star in stars)


def _scores(
    rows: RowsRequest, source: Source | SparkSource, labels: Sequence[str], taken: Sequence[str]
) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    columns = source.columns
    if rows.score is None:
        sample = source.sample(SAMPLE, rows.may_compute_with)
        return (find_score(sample, source.name, rows.scale(), columns=columns),), None
    if is_one_column(rows.score, columns):
        check_column(rows.score, columns, source.name)
        return (rows.score,), None
    refuse_scale(rows.score_scale)
    if rows.pos_label is not None:
        raise ParameterError("--pos-label needs one column of scores; several have all classes.")
    found = class_columns(rows.score, columns, others=taken)
    counts: list[tuple[Any, int]] = []
    if len(found.readings) > 1:
        counts = [pair for name in labels for pair in source.label_counts(name)]
    return found.names, found.classes(counts)


def _one(option: str | None, columns: Columns) -> tuple[str, ...]:
    """The column that an option names, unless it names several."""
    return (option,) if option is not None and is_one_column(option, columns) else ()


def _given(*names: str | None) -> tuple[str, ...]:
    return tuple(name for name in names if name is not None)
