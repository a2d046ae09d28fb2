"""The one thing every calibrator fits from: pooled counts of labels per distinct score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray
from lwcal.errors import InputError, message
from lwcal.files import PathLike
from lwcal.inputs import ArrayLike, as_labels, as_scores, as_weights, check_same_length
from lwcal.numerics.tabulate import pool_rows, tabulate
from lwcal.reduction.counts import GRID, LIMIT, Counts, added, exact
from lwcal.reduction.frames import Frame
from lwcal.reduction.reducer import Names, reduced
from lwcal.reduction.storage import load_counts, save_counts


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Weight of negative and positive labels at every distinct score.

    Losses, weights and every fit depend on a row only through its score and label, so
    these counts carry all that a calibrator needs. Tables of parts of the data add up to
    the table of the whole: ``a + b``, in any order.

    Tables of data that need not fit into memory have a limit of distinct scores, beyond which
    scores are rounded to a grid: bins of width 2^-20, each represented by the middle of its lowest
    and highest score, so that ties stay exact. Tables with the same limit add up to the same bits
    whichever way the rows were divided (fractional weights: up to the rounding of sums).

    Attributes
    ----------
    scores : float64 array
        Distinct scores in increasing order.
    negatives, positives : float64 arrays
        Weight of the rows with that score and label; a row without a weight counts 1.
    low, high : float64 arrays or None
        Lowest and highest score in every bin; None when the scores were not rounded.
    limit : int or None
        Distinct scores beyond which sums with this table are rounded; None: never.

    Examples
    --------
    >>> table = ScoreTable.from_arrays([0.2, 0.9, 0.2, 0.7], [0, 1, 1, 1])
    >>> table.scores, table.negatives, table.positives
    (array([0.2, 0.7, 0.9]), array([1., 0., 0.]), array([1., 1., 1.]))
    >>> (table + table).n
    8
    """

    scores: FloatArray
    negatives: FloatArray
    positives: FloatArray
    low: FloatArray | None = None
    high: FloatArray | None = None
    limit: int | None = None

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Any = None,
    ) -> ScoreTable:
        """Pool rows given as columns.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1]
            numpy array, pandas or polars Series, pyarrow array or list.
        y : one-dimensional, two classes
        sample_weight : one-dimensional, optional
            Frequencies: a row of weight 2 equals that row twice, weight 0 leaves it out.
        pos_label : optional
            The positive class, when it is not obvious from the labels.
        """
        checked = as_scores(scores)
        labels = as_labels(y, pos_label=pos_label)
        check_same_length(len(checked), len(labels), "y")
        weights = None if sample_weight is None else as_weights(sample_weight, len(checked))
        return cls(*tabulate(checked, labels, weights))

    @classmethod
    def from_counts(
        cls, scores: ArrayLike, negatives: ArrayLike, positives: ArrayLike
    ) -> ScoreTable:
        """Build from counts that were made elsewhere, such as by a GROUP BY, in any order.

        >>> ScoreTable.from_counts([0.7, 0.2], negatives=[0, 3], positives=[5, 1]).n
        9
        """
        checked = as_scores(scores)
        return cls(
            *pool_rows(
                checked + 0.0,  # turns -0.0 into 0.0
                as_weights(negatives, len(checked), name="negatives", allow_zeros=True),
                as_weights(positives, len(checked), name="positives", allow_zeros=True),
            )
        )

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        score: str,
        label: str,
        weight: str | None = None,
        *,
        pos_label: Any = None,
        drop_invalid: bool = False,
        limit: int | None = LIMIT,
    ) -> ScoreTable:
        """Pool the rows of a frame as people hold it, without a copy where its layout allows.

        Parameters
        ----------
        frame : pandas, polars or pyarrow
            A DataFrame or LazyFrame; an Arrow table, dataset, record batch or reader of batches;
            anything with Arrow's stream interface, such as a DuckDB relation; a mapping of arrays.
        score, label, weight : str
            Names of the columns.
        pos_label : optional
            The positive class, when it is not obvious from the labels.
        drop_invalid : bool, default False
            Leave rows out that cannot be used, with a warning that counts them, instead of
            refusing them.
        limit : int or None
            Distinct scores beyond which scores are rounded to the grid; None: never.

        Examples
        --------
        >>> ScoreTable.from_frame({"p": [0.2, 0.9], "y": ["no", "yes"]}, score="p", label="y").n
        2
        """
        found = reduced(
            [frame],
            Names(score, label, weight),
            pos_label=pos_label,
            drop_invalid=drop_invalid,
            limit=limit,
        )
        found.dropped.warn()
        return cls.of_counts(found.counts, limit)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Frame],
        score: str,
        label: str,
        weight: str | None = None,
        *,
        pos_label: Any = None,
        drop_invalid: bool = False,
        limit: int | None = LIMIT,
    ) -> ScoreTable:
        """Pool rows that come in batches, each a frame as :meth:`from_frame` takes them.

        Memory is that of a batch and of the table, however many batches there are.

        Examples
        --------
        >>> batches = ({"p": [k / 10, 0.5], "y": [0, 1]} for k in range(10))
        >>> ScoreTable.from_batches(batches, score="p", label="y")
        ScoreTable(20 rows, 10 distinct scores, 50.0% positive)
        """
        found = reduced(
            batches,
            Names(score, label, weight),
            pos_label=pos_label,
            drop_invalid=drop_invalid,
            limit=limit,
        )
        found.dropped.warn()
        return cls.of_counts(found.counts, limit)

    @classmethod
    def of_counts(cls, counts: Counts, limit: int | None) -> ScoreTable:
        """Wrap counts as the reduction of rows makes them."""
        low, high = (counts.low, counts.high) if counts.rounded else (None, None)
        return cls(counts.scores, counts.negatives, counts.positives, low, high, limit)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return ScoreTable.merge([self, other])

    @classmethod
    def merge(cls, tables: Iterable[ScoreTable]) -> ScoreTable:
        """Add up the tables of parts of the data; the smallest of their limits holds.

        >>> parts = [ScoreTable.from_arrays([0.2, p], [0, 1]) for p in (0.7, 0.9)]
        >>> ScoreTable.merge(parts).scores
        array([0.2, 0.7, 0.9])
        """
        tables = list(tables)
        if not tables:
            raise InputError(message("at least one table to merge", "none"))
        limit = min((t.limit for t in tables if t.limit is not None), default=None)
        return cls.of_counts(added([t.counts() for t in tables], limit), limit)

    def scaled(self, factor: float) -> ScoreTable:
        """The same table with every weight multiplied by a positive factor.

        >>> ScoreTable.from_arrays([0.2, 0.8], [0, 1]).scaled(2.5).n
        5
        """
        return replace(self, negatives=self.negatives * factor, positives=self.positives * factor)

    def counts(self) -> Counts:
        """The form in which tables add up."""
        if self.low is None or self.high is None:
            return exact(self.scores, self.negatives, self.positives)
        return Counts(self.low, self.high, self.negatives, self.positives, rounded=True)

    def save(self, path: PathLike, *, overwrite: bool = True) -> None:
        """Write the table as a Parquet file, which :meth:`load` reads back to the same bits.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ScoreTable.from_arrays([0.2, 0.9], [0, 1]).save(f"{folder}/may.parquet")
        ...     ScoreTable.load(f"{folder}/may.parquet").n
        2
        """
        save_counts(self.counts(), self.limit, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathLike) -> ScoreTable:
        """Read a table that :meth:`save` wrote; anything else is refused."""
        return cls.of_counts(*load_counts(path))

    @property
    def grid(self) -> float | None:
        """Width of the bins that scores were rounded to; None when they were not."""
        return None if self.low is None else GRID

    def __len__(self) -> int:
        """Count the distinct scores."""
        return len(self.scores)

    def __repr__(self) -> str:
        if len(self) == 0:
            return "ScoreTable(no rows)"
        kind = "distinct scores" if self.grid is None else "bins of width 2^-20"
        return f"ScoreTable({self.n:,} rows, {len(self):,} {kind}, {self.base_rate:.1%} positive)"

    @property
    def n(self) -> float:
        """Number of rows, or their total weight."""
        total = self.n_negative + self.n_positive
        return int(total) if total.is_integer() else total

    @cached_property
    def n_negative(self) -> float:
        """Weight of the negative labels."""
        return float(self.negatives.sum())

    @cached_property
    def n_positive(self) -> float:
        """Weight of the positive labels."""
        return float(self.positives.sum())

    @property
    def base_rate(self) -> float:
        """Share of positive labels."""
        return self.n_positive / (self.n_negative + self.n_positive)

    def disagreement(self, threshold: float = 0.5) -> float:
        """Share d of labels that contradict the decision ``score >= threshold`` (paper, Eq. 6)."""
        cut = int(np.searchsorted(self.scores, threshold, side="left"))
        contradicted = float(self.positives[:cut].sum() + self.negatives[cut:].sum())
        return contradicted / (self.n_negative + self.n_positive)

    def require_both_classes(
        self, hint: str = "a calibrator needs both; check the label column, or take more rows"
    ) -> None:
        """Refuse a table that lacks a class, for a reason the hint gives."""
        for name, weight in (("negative", self.n_negative), ("positive", self.n_positive)):
            if weight == 0:
                raise InputError(
                    message(
                        "labels of both classes",
                        f"no {name} label in {self.n:,} row{'s' if self.n != 1 else ''}",
                        hint,
                    )
                )


def as_table(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> ScoreTable:
    """Pool rows, or take a table that is already pooled.

    Every public function that takes rows calls this, so that a :class:`ScoreTable` is accepted
    wherever scores and labels are.

    Examples
    --------
    >>> table = as_table([0.2, 0.9], [0, 1])
    >>> as_table(table) is table
    True
    """
    if isinstance(scores, ScoreTable):
        extra = {"y": y, "sample_weight": sample_weight, "pos_label": pos_label}
        given = [name for name, value in extra.items() if value is not None]
        if given:
            hint = "a ScoreTable already holds the labels and weights of its rows"
            raise InputError(message("a ScoreTable alone", f"{given[0]} beside it", hint))
        return scores
    if y is None:
        hint = "pass y, or a ScoreTable in the place of scores"
        raise InputError(message("labels for the scores", "y=None", hint))
    return ScoreTable.from_arrays(scores, y, sample_weight, pos_label=pos_label)
