"""``reduce_classes``: rows of several classes from any source, counted."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from lwcal.engines.class_columns import class_columns
from lwcal.engines.duckdb.source import opened
from lwcal.errors import ParameterError
from lwcal.multiclass.class_rows import ClassRows
from lwcal.rows.class_reducer import ClassNames
from lwcal.rows.counts import LIMIT
from lwcal.rows.faults import DROP_SHARE


def reduce_classes(
    source: Any,
    scores: str | Sequence[str],
    label: str,
    weight: str | None = None,
    *,
    classes: Sequence[Any] | None = None,
    drop_invalid: bool = False,
    allow_drop_share: float = DROP_SHARE,
    limit: int | None = LIMIT,
    form: str | None = None,
    table: str | None = None,
    connection: Any = None,
    threads: int | None = None,
) -> ClassRows:
    r"""Count equal rows of several classes, in one pass and with bounded memory.

    ``fit_rows`` of a calibrator takes the result. Up to the limit of distinct rows, the fit is
    that of all rows, to the same bits. Beyond it, a uniform sample of the distinct rows is kept,
    each with its count. A hash of their values chooses them, so the sample is the same for any
    order of the rows and on any engine. ``sampled_from`` then is the number of all rows.

    Parameters
    ----------
    source : str, path or frame
        As for :func:`reduce`.
    scores : str or list of str
        Columns of the probabilities of the classes: a pattern with one asterisk, which stands for
        the class, or a list. The names of a list are the classes, or what is left of them without
        a common beginning, whichever are the labels.
    label, weight : str
        Names of the other columns.
    classes : sequence, optional
        Class of each column, if the names do not tell.
    drop_invalid : bool, default False
        Drop unusable rows with a warning that counts them, instead of raising an error. Unusable
        are missing values, scores outside [0, 1], rows that do not sum to 1, and labels that are
        no class.
    allow_drop_share : float, default 0.5
        Share of the rows that may be dropped. If more are unusable, the data is refused.
    limit : int or None
        Number of distinct rows beyond which a sample is kept; None: never. With more than 32
        classes fewer are kept, so that they have at most 2^25 numbers.
    form, table, connection, threads : optional
        As for :func:`reduce`.

    Examples
    --------
    >>> import lwcal, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "may.csv").write_text("p_a,p_b,p_c,y\n0.2,0.3,0.5,c\n0.6,0.2,0.2,a\n")
    ...     rows = lwcal.engines.duckdb.reduce_classes(f"{folder}/may.csv", "p_*", "y")
    >>> rows.n, rows.classes
    (2.0, ('a', 'b', 'c'))
    """
    with opened(source, form=form, table=table, connection=connection, threads=threads) as rows:
        found = class_columns(scores, rows.columns, others=[label, *([weight] if weight else [])])
        if classes is None:
            if not isinstance(source, (str, os.PathLike)) and len(found.readings) > 1:
                raise ParameterError("A list of columns of a frame needs classes=[...].")
            labels = rows.label_counts(label) if len(found.readings) > 1 else []
            classes = found.classes(labels)
        names = ClassNames.checked(found.names, classes, label, weight)
        reduced = rows.reduce_classes(
            names, drop_invalid=drop_invalid, allow_drop_share=allow_drop_share, limit=limit
        )
    reduced.dropped.warn()
    return ClassRows.of_counts(reduced.counts, names.classes)
