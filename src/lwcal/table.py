"""``ScoreTable``: pooled counts of labels per distinct score, which every calibrator fits from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from lwcal.arrays import FloatArray, LabelArray
from lwcal.errors import InputError
from lwcal.files import PathLike
from lwcal.kernels.pure import label_counts, pool_rows
from lwcal.numerics.tabulate import tabulate
from lwcal.rows import ArrayLike, as_scores, as_weights
from lwcal.rows.arrays import as_columns, pool_plain, reduce_columns
from lwcal.rows.checks import known_scale
from lwcal.rows.counts import GRID, LIMIT, Counts, add_counts, check_counts, counts_of
from lwcal.rows.faults import DROP_SHARE, check_drop_share
from lwcal.rows.frames import Frame
from lwcal.rows.reducer import Names, reduce_batches
from lwcal.rows.scales import PROBABILITY, SCALES
from lwcal.rows.storage import load_counts, save_counts
from lwcal.rows.totals import Totals


@dataclass(frozen=True, eq=False)
class ScoreTable(Totals):
    """Weight of negative and positive labels at every distinct score.

    Every fit depends on a row only through its score and label, so these counts carry all that a
    calibrator needs. Tables of parts of the data add up to the table of the whole: ``a + b``, in
    any order.

    A table can have a limit of distinct scores. Beyond it, scores are rounded to a grid with bins
    of width 2^-20. Each bin is represented by the middle of its lowest and highest score, so ties
    stay exact. Tables with the same limit add up to the same bits, however the rows were divided.
    (With fractional weights, sums can differ by rounding errors.)

    The constructor checks its arguments. It takes distinct scores in increasing order, each with a
    positive count. Use :meth:`from_counts` for counts in any order, with repeated scores or zeros.

    Attributes
    ----------
    scores : float64 array
        Distinct scores in [0, 1], in increasing order.
    negatives, positives : float64 arrays
        Weight of the rows with that score and label; a row without a weight counts 1.
    low, high : float64 arrays or None
        Lowest and highest score in every bin; None when the scores were not rounded.
    limit : int or None
        Distinct scores beyond which sums with this table are rounded; None: never.
    scale : {"probability", "percent", "logit"}
        Scale on which the scores arrived. The table itself holds probabilities. A calibrator that
        is fitted to it reads new scores on this scale.

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
    scale: str = PROBABILITY

    def __post_init__(self) -> None:
        checked = check_counts(self.scores, self.negatives, self.positives, self.low, self.high)
        self.__dict__.update(checked)  # the class is frozen
        self.require_countable()
        if not (self.limit is None or (isinstance(self.limit, Integral) and self.limit >= 0)):
            raise InputError(f"limit is {self.limit!r}, expected a whole number or None.")
        if self.scale not in SCALES:
            raise InputError(f"scale is {self.scale!r}, expected one of {', '.join(SCALES)}.")

    @classmethod
    def unchecked(
        cls,
        scores: FloatArray,
        negatives: FloatArray | None,
        positives: FloatArray | LabelArray,
        low: FloatArray | None = None,
        high: FloatArray | None = None,
        limit: int | None = None,
        scale: str = PROBABILITY,
    ) -> ScoreTable:
        """Wrap arrays without checks; corrected counts, for example, may be negative.

        Without negatives every score has a single row, and ``positives`` holds the labels.
        """
        table = object.__new__(cls)
        table.__dict__.update(scores=scores, low=low, high=high, limit=limit, scale=scale)
        if negatives is None:
            table.__dict__["labels"] = positives
        else:
            table.__dict__.update(negatives=negatives, positives=positives)
        return table

    def __getattr__(self, name: str) -> FloatArray:
        """Count the labels of single rows when that is asked for. Most fits never do."""
        if name not in ("negatives", "positives") or self.labels is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        negatives, positives = label_counts(None, self.labels)
        self.__dict__.update(negatives=negatives, positives=positives)
        return negatives if name == "negatives" else positives

    @classmethod
    def from_arrays(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        pos_label: Any = None,
        scale: str = PROBABILITY,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
    ) -> ScoreTable:
        """Pool rows given as columns.

        Parameters
        ----------
        scores : one-dimensional, in [0, 1] or on the given scale
            numpy array, pandas or polars Series, pyarrow array or list.
        y : one-dimensional, two classes
        sample_weight : one-dimensional, optional
            Frequencies: weight 2 counts a row twice, weight 0 leaves it out.
        pos_label : optional
            The positive class, when it is not obvious from the labels.
        scale : {"probability", "percent", "logit", "auto"}
            Scale of the scores. With "auto" the values decide, and unclear ones are refused.
        drop_invalid : bool, default False
            Drop invalid rows, with a warning that counts them, instead of refusing them.
        allow_drop_share : float, default 0.5
            Share of the rows that may be dropped. If more are invalid, the data is refused.

        Examples
        --------
        >>> ScoreTable.from_arrays([6, 90], [0, 1], scale="percent").scores
        array([0.06, 0.9 ])
        """
        columns = as_columns(scores, y, sample_weight)
        known = known_scale(columns.scores, scale, "scores")
        check_drop_share(allow_drop_share)
        pooled = pool_plain(columns, pos_label, known)
        if pooled is not None:
            table = cls.unchecked(*pooled, scale=known)
            table.require_countable()
            return table
        found = reduce_columns(
            columns,
            pos_label=pos_label,
            scale=known,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
        )
        found.dropped.warn()
        return cls.of_counts(found.counts, None, known)

    @classmethod
    def from_counts(
        cls, scores: ArrayLike, negatives: ArrayLike, positives: ArrayLike
    ) -> ScoreTable:
        """Pool counts that were made elsewhere, for example by a GROUP BY, in any order.

        >>> ScoreTable.from_counts([0.7, 0.2], negatives=[0, 3], positives=[5, 1]).n
        9
        """
        checked = as_scores(scores) + 0.0  # turns -0.0 into 0.0
        counted = [
            as_weights(column, len(checked), name=name, allow_zeros=True)
            for name, column in (("negatives", negatives), ("positives", positives))
        ]
        table = cls.unchecked(*pool_rows(checked, *counted))
        table.require_countable()
        return table

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        score: str,
        label: str,
        weight: str | None = None,
        *,
        pos_label: Any = None,
        scale: str = PROBABILITY,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
    ) -> ScoreTable:
        """Pool the rows of a frame, without a copy where its layout allows.

        Parameters
        ----------
        frame : pandas, polars or pyarrow
            A DataFrame or LazyFrame; an Arrow table, dataset, record batch or reader; any object
            with Arrow's stream interface, such as a DuckDB relation; a mapping of arrays.
        score, label, weight : str
            Names of the columns.
        pos_label : optional
            The positive class, when it is not obvious from the labels.
        scale : {"probability", "percent", "logit", "auto"}
            Scale of the scores. With "auto" the values decide, and unclear ones are refused.
        drop_invalid : bool, default False
            Drop invalid rows, with a warning that counts them, instead of refusing them.
        allow_drop_share : float, default 0.5
            Share of the rows that may be dropped. If more are invalid, the data is refused.
        limit : int or None
            Distinct scores beyond which scores are rounded to the grid; None: never.

        Examples
        --------
        >>> ScoreTable.from_frame({"p": [0.2, 0.9], "y": ["no", "yes"]}, score="p", label="y").n
        2
        """
        options = {
            "pos_label": pos_label,
            "scale": scale,
            "drop_invalid": drop_invalid,
            "allow_drop_share": allow_drop_share,
            "limit": limit,
        }
        found = reduce_batches([frame], Names.checked(score, label, weight), **options)
        found.dropped.warn()
        return cls.of_counts(found.counts, limit, found.scale)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Frame],
        score: str,
        label: str,
        weight: str | None = None,
        *,
        pos_label: Any = None,
        scale: str = PROBABILITY,
        drop_invalid: bool = False,
        allow_drop_share: float = DROP_SHARE,
        limit: int | None = LIMIT,
    ) -> ScoreTable:
        """Pool rows that come in batches, each a frame that :meth:`from_frame` takes.

        Memory holds a few batches and the table, however many batches there are. A generator may
        reuse the arrays of a batch for the next one.

        Examples
        --------
        >>> batches = ({"p": [k / 10, 0.5], "y": [0, 1]} for k in range(10))
        >>> ScoreTable.from_batches(batches, score="p", label="y")
        ScoreTable(20 rows, 10 distinct scores, 50.0% positive)
        """
        options = {
            "pos_label": pos_label,
            "scale": scale,
            "drop_invalid": drop_invalid,
            "allow_drop_share": allow_drop_share,
            "limit": limit,
        }
        found = reduce_batches(batches, Names.checked(score, label, weight), **options)
        found.dropped.warn()
        return cls.of_counts(found.counts, limit, found.scale)

    @classmethod
    def of_counts(cls, counts: Counts, limit: int | None, scale: str = PROBABILITY) -> ScoreTable:
        """Wrap counts that a reduction made."""
        low, high = (counts.low, counts.high) if counts.rounded else (None, None)
        weights = (counts.negatives, counts.positives)
        table = cls.unchecked(counts.scores, *weights, low, high, limit, scale)
        table.require_countable()
        return table

    def __add__(self, other: ScoreTable) -> ScoreTable:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return ScoreTable.merge([self, other])

    @classmethod
    def merge(cls, tables: Iterable[ScoreTable]) -> ScoreTable:
        """Add the tables of parts of the data; the smallest of their limits holds.

        >>> parts = [ScoreTable.from_arrays([0.2, p], [0, 1]) for p in (0.7, 0.9)]
        >>> ScoreTable.merge(parts).scores
        array([0.2, 0.7, 0.9])
        """
        tables = list(tables)
        if not tables:
            raise InputError("There is no table to merge; at least one is needed.")
        limit = min((t.limit for t in tables if t.limit is not None), default=None)
        scale = _common_scale(tables)
        columns = [table.columns for table in tables]
        if all(negatives is None for _, negatives, _ in columns):
            scores, _, labels = zip(*columns, strict=True)
            if limit is None or sum(map(len, scores)) <= limit:  # nothing will be rounded
                pooled = tabulate(np.concatenate(scores), np.concatenate(labels))
                return cls.unchecked(*pooled, limit=limit, scale=scale)
        return cls.of_counts(add_counts([t.counts() for t in tables], limit), limit, scale)

    def scaled(self, factor: float) -> ScoreTable:
        """The same table with every weight multiplied by a positive factor.

        >>> ScoreTable.from_arrays([0.2, 0.8], [0, 1]).scaled(2.5).n
        5
        """
        weights = (self.negatives * factor, self.positives * factor)
        bins = (self.low, self.high)
        return ScoreTable.unchecked(self.scores, *weights, *bins, self.limit, self.scale)

    def counts(self) -> Counts:
        """The form in which tables are added and saved."""
        return counts_of(self.scores, self.negatives, self.positives, self.low, self.high)

    def save(self, path: PathLike, *, overwrite: bool = False) -> None:
        """Write the table as a Parquet file; :meth:`load` reads back the same bits.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     ScoreTable.from_arrays([0.2, 0.9], [0, 1]).save(f"{folder}/may.parquet")
        ...     ScoreTable.load(f"{folder}/may.parquet").n
        2
        """
        save_counts(self.counts(), self.limit, path, scale=self.scale, overwrite=overwrite)

    @classmethod
    def load(cls, path: PathLike) -> ScoreTable:
        """Read a table that :meth:`save` wrote; other files are refused."""
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


def _common_scale(tables: list[ScoreTable]) -> str:
    """The scale of all tables that have rows, or a refusal."""
    scales = sorted({table.scale for table in tables if len(table)})
    if len(scales) > 1:
        raise InputError(
            f"The scores of these tables arrived on different scales: {' and '.join(scales)}. "
            "A calibrator reads new scores on one scale. All tables hold probabilities; to add "
            'them, choose that scale: dataclasses.replace(table, scale="probability").'
        )
    return scales[0] if scales else PROBABILITY


def as_table(
    scores: ArrayLike | ScoreTable,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
    scale: str | None = None,
) -> ScoreTable:
    """Pool rows, or return a table that is already pooled.

    Public functions call this to accept a :class:`ScoreTable` wherever they accept rows.

    Examples
    --------
    >>> table = as_table([0.2, 0.9], [0, 1])
    >>> as_table(table) is table
    True
    """
    if not isinstance(scores, ScoreTable):
        if y is None:
            raise InputError("y is missing. Pass labels, or a ScoreTable in the place of scores.")
        known = PROBABILITY if scale is None else scale
        return ScoreTable.from_arrays(scores, y, sample_weight, pos_label=pos_label, scale=known)
    extra = {"y": y, "sample_weight": sample_weight, "pos_label": pos_label, "scale": scale}
    for name, value in extra.items():
        if value is not None:
            hint = "The table already holds the scores, labels and weights of its rows."
            raise InputError(f"{name} was passed beside a ScoreTable. {hint}")
    return scores
