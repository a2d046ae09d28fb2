"""Refuse answers whose pattern shows that they mean something else than what stands there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import comb, factorial, prod, sqrt

from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise
from lwcal.audit.returned_sheet import SheetRow
from lwcal.audit.sheet import Sheet
from lwcal.audit.source import AuditSource
from lwcal.errors import InputError

CHANCE = 1e-6
"""Answers in an order that is rarer than this by chance were sorted."""
CHANCE_WITHOUT_LABELS = 1e-3
"""The same of answers that agree with the labels no more than sorted ones would."""
NEARLY_ALL = 0.9
"""Share of equal answers from which on the others may have been left out."""
FEWEST_BLANK = 10
"""Rows that were passed over. Fewer may be those that nobody can decide."""
CHANCE_OF_SELECTION = 1e-3
"""Rows whose labels differ from those of the rows that were passed over by less than this chance
were picked by their answer."""


def check_pattern(
    found: Sequence[SheetRow], source: AuditSource, sheet: Sheet, name: str, column: str
) -> None:
    """Refuse answers that were sorted alone, and sheets on which only one answer was written.

    This is for sheets that come back from other programs. On the page, answers may well come in
    blocks for a while: whoever answers first, answers the first rows.

    Parameters
    ----------
    found : sequence of SheetRow
        The rows of the sheet, as they stand in it.
    source : AuditSource
        The rows that it was planned from.
    sheet : Sheet
        The returned sheet.
    name : str
        Name of the sheet in messages.
    column : str
        Column of the answers.
    """
    labels = [int(source.labels[row.position]) for row in found]
    _refuse_sorted(found, labels, name, column)
    cells = sheet.column(column)
    _refuse_one_answer(found, labels, cells, source.class_names, f"{name}: column {column!r}")


def _refuse_sorted(
    found: Sequence[SheetRow], labels: Sequence[int], name: str, column: str
) -> None:
    """Rows come in random order, so equal answers do not all stand together."""
    places = [row.code.place for row in found]
    pairs = [
        (row.answer, label)
        for row, label in zip(found, labels, strict=True)
        if row.answer is not None
    ]
    given = [answer for answer, _ in pairs]
    in_blocks = len(list(groupby(given))) == len({*given})
    if places != sorted(places) or not in_blocks:
        return
    limit = CHANCE if _follow_labels(pairs) else CHANCE_WITHOUT_LABELS
    if chance_of_blocks(given) < limit:
        raise InputError(
            f"{name}: equal answers in column {column!r} all stand together, though the rows are "
            "in random order. The column was probably sorted alone, and the answers belong to "
            "other rows. Answer in the original sheet, and sort whole rows only."
        )


def _follow_labels(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether answers agree with the labels more often than they would in another order.

    >>> _follow_labels([(0, 0)] * 9 + [(1, 1)] * 9), _follow_labels([(0, 0), (0, 1), (1, 0)])
    (True, False)
    """
    n = len(pairs)
    answers, labels = Counter(one for one, _ in pairs), Counter(one for _, one in pairs)
    expected = sum(answers[k] * labels[k] for k in answers) / max(n, 1)
    # the variance of a hypergeometric number of equal pairs, summed over classes
    variance = sum(
        answers[k] * labels[k] * (n - answers[k]) * (n - labels[k]) for k in answers
    ) / max(n * n * (n - 1), 1)
    equal = sum(one == other for one, other in pairs)
    return equal - expected > 2.0 * sqrt(2.0 * variance)


def chance_of_blocks(answers: Sequence[int]) -> float:
    """Probability that equal answers all stand together, if their order is random.

    >>> chance_of_blocks([0, 0, 1]), chance_of_blocks([1, 1, 1])
    (0.6666666666666666, 1.0)
    """
    counts = Counter(answers).values()
    return factorial(len(counts)) * prod(map(factorial, counts)) / factorial(len(answers))


def _refuse_one_answer(
    found: Sequence[SheetRow],
    labels: Sequence[int],
    cells: Sequence[str],
    names: ClassNames,
    where: str,
) -> None:
    """Somebody who writes only one of the answers leaves other rows blank that are answered.

    An honest part of a sheet is its beginning: rows after the last answer say nothing. Rows before
    it that are blank were passed over; then their labels are like those of answered rows, unless
    rows were picked by what the answer is.
    """
    answered = [k for k, row in enumerate(found) if row.answer is not None]
    if not answered or len({row.code.plan for row in found}) > 1:
        return
    (common, times), *_ = Counter(found[k].answer for k in answered).most_common(1)
    last = max(found[k].code.place for k in answered)
    blank = [k for k, row in enumerate(found) if not normalise(cells[k]) and row.code.place < last]
    if common is None or times < NEARLY_ALL * len(answered) or len(blank) < FEWEST_BLANK:
        return
    alike = [sum(labels[k] == common for k in some) for some in (answered, blank)]
    if chance_of_more(alike[0], len(answered), alike[1], len(blank)) < CHANCE_OF_SELECTION:
        share = "all" if times == len(answered) else f"{times:,}"
        others = [other for k, other in enumerate(names.names) if k != common]
        fill = f"write {others[0]!r} there" if len(others) == 1 else "write the class there"
        raise InputError(
            f"{where} has {len(answered):,} answers, {share} of them {names.name(common)!r}. "
            f"{len(blank):,} rows between them are blank, and their labels are others. A blank row "
            f"counts as not answered. If it means that the answer is not {names.name(common)!r}, "
            f"{fill}. Otherwise answer the rows in their order, and write skip where you cannot "
            "decide."
        )


def chance_of_more(inside: int, n: int, outside: int, others: int) -> float:
    """Probability of at least so many among n rows, if they were drawn from all at random.

    >>> round(chance_of_more(3, 3, 0, 3), 3), chance_of_more(0, 3, 2, 3)
    (0.05, 1.0)
    """
    marked, total = inside + outside, n + others
    ways = sum(
        comb(marked, k) * comb(total - marked, n - k) for k in range(inside, min(n, marked) + 1)
    )
    return ways / comb(total, n)
