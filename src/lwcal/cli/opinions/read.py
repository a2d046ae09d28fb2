"""``lwcal opinions read``: the file of an annotation tool as a table of opinions."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from lwcal.atomic_files import refuse_inputs
from lwcal.cli.console import note, print_json
from lwcal.cli.output import check_output, write_table
from lwcal.cli.progress import late_progress
from lwcal.reviews.exports.answers import listed
from lwcal.reviews.exports.formats import FORMATS
from lwcal.reviews.exports.opinions import ExportedOpinions, listed_counts
from lwcal.reviews.exports.reading import read_opinions


def run(
    export: Path,
    *,
    out: Path,
    form: str | None,
    question: str | None,
    item: str | None,
    reviewer: str | None,
    reviewers: str | None,
    keep: str | None,
    drop_several: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Read the opinions, write the table, and say what is not in it."""
    check_output(str(out), overwrite=force)
    refuse_inputs(out, export)
    with late_progress(f"reading {export}"):
        found = read_opinions(
            export,
            form,
            question,
            item=item,
            reviewer=reviewer,
            reviewers=_split(reviewers),
            keep=_split(keep),
            drop_several=drop_several,
        )
    write_table(as_table(found), out, overwrite=force)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(_document(found, out))
    else:
        _print(found, out)


def as_table(found: ExportedOpinions) -> Any:
    """The opinions as an Arrow table; data of items keeps its type where all values have one."""
    columns = found.columns()
    return pa.table({name: _column(values.tolist()) for name, values in columns.items()})


def _column(values: list[Any]) -> Any:
    if all(value is None for value in values):
        return pa.nulls(len(values), pa.string())
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):  # numbers and text, or numbers too large
        return pa.array([None if value is None else str(value) for value in values])


def _split(names: str | None) -> list[str]:
    return [] if names is None else [name.strip() for name in names.split(",")]


def _document(found: ExportedOpinions, out: Path) -> dict[str, Any]:
    distinct = _distinct(found)
    return {
        "format": found.format,
        "question": found.question,
        "answers": found.n_answers,
        "opinions": found.n_opinions,
        "checked": found.n_trusted,
        "left_out": found.left_out,
        "items": len(distinct["items"]),
        "reviewers": sorted(distinct["reviewers"]),
        "labels": sorted(distinct["labels"]),
        "notes": list(found.notes),
        "written": [str(out)],
    }


def _distinct(found: ExportedOpinions) -> dict[str, set[str]]:
    """Items, reviewers and labels of the opinions."""
    columns = {"items": found.item, "reviewers": found.reviewer, "labels": found.label}
    are_opinions = [label is not None for label in found.label]
    return {name: set(column[are_opinions]) for name, column in columns.items()}


def _print(found: ExportedOpinions, out: Path) -> None:
    distinct = _distinct(found)
    asked = "" if found.question is None else f", question {found.question!r}"
    print(f"read as {FORMATS[found.format].title}{asked}: {_count(found.n_answers, 'answer')}")
    print(
        f"kept {_count(found.n_opinions, 'opinion')} of {_count(distinct['reviewers'], 'reviewer')}"
        f" on {_count(distinct['items'], 'item')}; labels: {listed(sorted(distinct['labels']))}"
    )
    if found.n_trusted:
        alone = _count(len(found.label) - found.n_opinions, "item")
        print(
            f"{_count(found.n_trusted, 'checked label')} in column trusted, not among the opinions "
            f"({alone} without an opinion)"
        )
    print(f"left out: {listed_counts(found.left_out)}")
    print(f"wrote {out}")


def _count(number: Any, noun: str) -> str:
    """Write a number with its noun.

    >>> _count(1, "item"), _count({"a", "b"}, "reviewer")
    ('1 item', '2 reviewers')
    """
    found = number if isinstance(number, int) else len(number)
    return f"{found:,} {noun}{'' if found == 1 else 's'}"
