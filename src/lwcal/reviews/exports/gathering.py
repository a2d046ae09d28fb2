"""Keep the answers that are opinions, and count the others by reason."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lwcal.errors import InputError, message
from lwcal.reviews.exports.answers import EMPTY, REPLACED, SEVERAL, Answer, Found, listed
from lwcal.reviews.exports.opinions import OWN, ExportedOpinions, listed_counts
from lwcal.reviews.name_keys import alike
from lwcal.rows.values import MISSING_WORDS, as_objects

EXACT = 2**53
"""Numbers up to here are written without a fraction or an exponent if they are whole."""


class Wanted(NamedTuple):
    """How to name items and reviewers, and what to carry along.

    Attributes
    ----------
    source : str
        The export, as messages call it.
    item : str, optional
        Field that names the item, in place of the tool's id.
    reviewer : str, optional
        Reviewer of the answers that name none.
    keep : sequence of str
        Fields of the item to carry along.
    drop_several : bool
        Whether to leave out answers with several choices.
    """

    source: str
    item: str | None = None
    reviewer: str | None = None
    keep: Sequence[str] = ()
    drop_several: bool = False


class Opinion(NamedTuple):
    """An answer with one choice, as text."""

    item: str
    reviewer: str | None
    label: str
    answer: Answer


def gather(found: Found, layout: str, wanted: Wanted) -> ExportedOpinions:
    """Keep one opinion of each reviewer on each item, and count everything else."""
    _check_fields(found.answers, wanted)
    left_out: Counter[str] = Counter()
    usable = _usable(found.answers, left_out, wanted)
    opinions = _as_text(usable, wanted)
    checked = [opinion for opinion in opinions if opinion.answer.trusted]
    truth = _truth(checked, wanted.source)
    rows = _last_ones([one for one in opinions if not one.answer.trusted], left_out)
    if not rows and not truth:
        counts = listed_counts(left_out)
        got = f"{len(found.answers):,} answers (left out: {counts})"
        raise InputError(message(f"at least one opinion in {wanted.source}", got))
    reviewers = dict.fromkeys(one.reviewer for one in rows if one.reviewer is not None)
    notes = (*found.notes, *_odd_words(rows), *alike(list(reviewers)))
    reviewed = {opinion.item for opinion in rows}
    alone = {one.item: one for one in checked if one.item not in reviewed}
    both = [*rows, *alone.values()]
    n_rows = len(rows)
    return ExportedOpinions(
        item=as_objects([one.item for one in both]),
        reviewer=as_objects([one.reviewer if k < n_rows else None for k, one in enumerate(both)]),
        label=as_objects([one.label if k < n_rows else None for k, one in enumerate(both)]),
        trusted=as_objects([truth.get(one.item) for one in both]),
        created=as_objects([_created(one.answer) for one in both]),
        kept={name: as_objects([_kept(one.answer, name) for one in both]) for name in wanted.keep},
        left_out=dict(left_out),
        n_answers=len(found.answers),
        n_trusted=len(checked),
        format=layout,
        question=found.question,
        notes=notes,
    )


def _check_fields(answers: list[Answer], wanted: Wanted) -> None:
    """Refuse fields that no item has, and names that the table needs itself."""
    names = dict.fromkeys(name for answer in answers for name in answer.fields)
    chosen = [*wanted.keep, *([] if wanted.item is None else [wanted.item])]
    for name in chosen:
        if name not in names:
            raise InputError(message(f"a field {name!r} in {wanted.source}", listed(names)))
    for name in wanted.keep:
        if name in OWN or wanted.keep.count(name) > 1:
            expected = f"other fields to keep than {', '.join(OWN)}, each once"
            hint = "the table of opinions has a column of this name"
            raise InputError(message(expected, repr(name), hint))


def _usable(answers: list[Answer], left_out: Counter[str], wanted: Wanted) -> list[Answer]:
    """Answers with exactly one choice."""
    usable, several = [], []
    for answer in answers:
        choices = [choice for choice in answer.choices if not _is_empty(choice)]
        different = {json.dumps(choice, default=str): choice for choice in choices}
        if answer.reason:
            left_out[answer.reason] += 1
        elif not different:
            left_out[EMPTY] += 1
        elif len(different) > 1:
            left_out[SEVERAL] += 1
            several.append(answer)
        else:
            usable.append(answer._replace(choices=list(different.values())))
    if several and not wanted.drop_several:
        first = several[0]
        got = f"{len(several):,} of {len(answers):,} answers with several, the first in "
        got += f"{first.where} ({listed(map(str, first.choices))})"
        hint = (
            "a question with several right answers has no single class; --drop-several "
            "(drop_several=True) leaves these answers out and counts them"
        )
        raise InputError(message("one choice in each answer", got, hint))
    return usable


def _as_text(answers: list[Answer], wanted: Wanted) -> list[Opinion]:
    """Name items, reviewers and labels; refuse answers without one of them."""
    items = [_item(answer, wanted.item) for answer in answers]
    hint = "name a field with --item (item=)"
    _refuse_missing(answers, lambda k: items[k] is None, "an item", hint)
    reviewers = [
        wanted.reviewer
        if _is_empty(answer.reviewer)
        else _text(answer.reviewer, answer.where).strip()
        for answer in answers
    ]
    hint = "if one person gave these answers, name them with --reviewer (reviewer=)"
    _refuse_missing(
        answers, lambda k: reviewers[k] is None and not answers[k].trusted, "a reviewer", hint
    )
    if wanted.item is not None:
        _refuse_shared(answers, items, wanted)
    return [
        Opinion(str(item), reviewer, _text(answer.choices[0], answer.where), answer)
        for item, reviewer, answer in zip(items, reviewers, answers, strict=True)
    ]


def _item(answer: Answer, name: str | None) -> str | None:
    value = answer.item if name is None else answer.fields.get(name)
    return None if _is_empty(value) else _text(value, answer.where)


def _refuse_missing(
    answers: list[Answer], is_missing: Callable[[int], bool], what: str, hint: str
) -> None:
    missing = [answer for k, answer in enumerate(answers) if is_missing(k)]
    if missing:
        got = f"{len(missing):,} of {len(answers):,} without, the first in {missing[0].where}"
        raise InputError(message(f"{what} for each answer", got, hint))


def _refuse_shared(answers: list[Answer], items: list[str | None], wanted: Wanted) -> None:
    """Refuse a field with the same value in two items of the tool: their opinions would mix."""
    owner: dict[str | None, str] = {}
    for answer, item in zip(answers, items, strict=True):
        own = answer.where if _is_empty(answer.item) else _text(answer.item, answer.where)
        if owner.setdefault(item, own) != own:
            expected = f"a different {wanted.item!r} for each item of {wanted.source}"
            got = f"{item!r} in two of them, the second in {answer.where}"
            raise InputError(message(expected, got))


def _truth(checked: list[Opinion], source: str) -> dict[str, str]:
    """Checked label of each item; refuse an item with two."""
    truth: dict[str, str] = {}
    for one in checked:
        known = truth.setdefault(one.item, one.label)
        if known != one.label:
            got = f"{known!r} and {one.label!r} for item {one.item!r} ({one.answer.where})"
            raise InputError(message(f"one checked label for each item of {source}", got))
    return truth


def _last_ones(opinions: list[Opinion], left_out: Counter[str]) -> list[Opinion]:
    """The last opinion of each reviewer on each item, in the order of the file."""
    last: dict[tuple[str, str | None], int] = {}
    for place, one in enumerate(opinions):
        before = last.setdefault((one.item, one.reviewer), place)
        if one.answer.order >= opinions[before].answer.order:
            last[one.item, one.reviewer] = place
    if len(last) < len(opinions):
        left_out[REPLACED] += len(opinions) - len(last)
    return [opinions[place] for place in sorted(last.values())]


def _odd_words(opinions: list[Opinion]) -> list[str]:
    counts = Counter(one.label for one in opinions if one.label.strip() in MISSING_WORDS)
    return [
        f"{count:,} opinions have the label {word!r}, which other commands read as a missing "
        "value; rename this choice before you use them."
        for word, count in counts.items()
    ]


def _is_empty(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _text(value: Any, where: str) -> str:
    """Write a value as text; text stays as it is.

    >>> [_text(value, "line 1") for value in (" A", 3, 3.0, 0.5, True)]
    [' A', '3', '3', '0.5', 'true']
    """
    if isinstance(value, (dict, list, bytes)):
        raise InputError(message(f"text or a number in {where}", type(value).__name__))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < EXACT:
        return str(int(value))
    return _encodable(str(value), where)


def _encodable(text: str, where: str) -> str:
    """Refuse text that no file could hold: JSON can describe half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(message(f"valid Unicode in {where}", ascii(text))) from None
    return text


def _created(answer: Answer) -> str | None:
    return None if _is_empty(answer.created) else _text(answer.created, answer.where)


def _kept(answer: Answer, name: str) -> Any:
    """A value of the item's data; lists and objects as JSON."""
    value = answer.fields.get(name)
    if isinstance(value, (dict, list)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return _encodable(value, answer.where) if isinstance(value, str) else value
