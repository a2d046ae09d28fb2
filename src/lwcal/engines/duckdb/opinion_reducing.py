"""``reduce_opinions``: rows with the opinions of several reviewers from any source, counted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lwcal.engines.duckdb.source import opened
from lwcal.engines.opinion_names import opinion_names
from lwcal.errors import InputError
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE
from lwcal.rows.frames import batches_of
from lwcal.rows.scales import PROBABILITY
from lwcal.rows.values import package_of

if TYPE_CHECKING:  # slow to import, and most commands have one label a row
    from lwcal.reviews.opinion_counts import OpinionCounts


def reduce_opinions(
    source: Any,
    scores: str | Sequence[str],
    labels: str | Sequence[str],
    weight: str | None = None,
    *,
    reviewers: str | Sequence[str] | None = None,
    item: str | None = None,
    trusted: str | None = None,
    classes: Sequence[Any] | None = None,
    pos_label: Any = None,
    scale: str = PROBABILITY,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> OpinionCounts:
    r"""Count equal rows of scores and opinions, with bounded memory.

    :meth:`lwcal.Reviewed.fit_opinions` and :func:`lwcal.diagnose` take the result. Up to the limit
    of distinct rows, the fit is that of all rows, to the same bits. Beyond it, a sample is kept:
    rows with several opinions or a checked label, and others, are drawn apart. A hash of their
    values chooses them, so the sample is the same for any order of the rows and on any engine.

    Parameters
    ----------
    source : str, path or frame
        As for :func:`reduce`. It is read twice; a stream is read into memory.
    scores : str or list of str
        Column of scores; or a pattern or list of columns with the probability of each class.
    labels : str or list of str
        Columns of labels, missing where nobody was asked: a pattern, a list, or one name.
    weight : str, optional
        Column of weights.
    reviewers : str or list of str, optional
        Columns that say who gave each label; by default each column of labels is a reviewer.
    item : str, optional
        Column of items, if each row is one answer. Rows about the same item must have the same
        score. ``labels`` and ``reviewers`` then name one column each.
    trusted : str, optional
        Column of checked labels.
    classes : sequence, optional
        Class of each column of scores, if the names do not tell.
    pos_label : optional
        The positive class of one column of scores, when it is not obvious from the labels.
    scale : {"probability", "percent", "logit", "auto"}
        Scale of one column of scores.
    drop_invalid : bool, default False
        Drop unusable rows with a warning that counts them, instead of raising an error: of a wide
        table rows, of a table of items single answers. Unusable are missing or invalid scores,
        labels that are no class, labels without a reviewer, and answers without an item. Answers
        that contradict each other, such as two scores of one item, are always refused.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct rows of each kind beyond which a sample is kept; None: never. With many
        columns fewer are kept, so that they have at most 2^25 numbers.
    form, table, connection, threads : optional
        As for :func:`reduce`.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "may.csv").write_text("p,ann,bob\n0.2,no,no\n0.9,yes,\n0.2,no,no\n")
    ...     lwcal.engines.duckdb.reduce_opinions(f"{folder}/may.csv", "p", ["ann", "bob"])
    3 rows with opinions of 2 reviewers, 2 of them distinct
    """
    rereadable = isinstance(source, (str, os.PathLike)) or package_of(source) == "pandas"
    if not rereadable:
        batches = list(batches_of(source))
        if not batches:
            raise InputError("The frame has no rows.")
        source = pa.Table.from_batches(batches)
    with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
        names = opinion_names(
            rows.columns,
            scores,
            labels,
            reviewers=reviewers,
            item=item,
            trusted=trusted,
            weight=weight,
            classes=classes,
            scale=scale,
            pos_label=pos_label,
            label_counts=rows.label_counts,
        )
        found = rows.typed(names.answers).reduce_opinions(
            names,
            pos_label=pos_label,
            scale=scale,
            drop_invalid=drop_invalid,
            allow_drop_share=allow_drop_share,
            limit=limit,
        )
    found.dropped.warn()
    return found.counts
