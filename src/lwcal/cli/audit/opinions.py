"""Collect the answers of several reviewers: opinions beside the rows, and how far they agree."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lwcal.arrays import FloatArray
from lwcal.audit.answer_patterns import check_pattern
from lwcal.audit.combined_answers import combine_answers
from lwcal.audit.returned_sheet import SheetRow, match_sheet
from lwcal.audit.sheet import ANSWER, Sheet
from lwcal.audit.sheet_reviewers import (
    ANSWERS,
    check_reviewer,
    columns_of,
    refuse_similar,
    reviewers_of,
)
from lwcal.audit.source import AuditSource
from lwcal.cli.audit.source import AuditedRows
from lwcal.cli.console import print_json
from lwcal.cli.output import write_table
from lwcal.cli.request import as_arguments
from lwcal.errors import InputError, ParameterError, message
from lwcal.reviews.agreement import Agreement, agreement_of
from lwcal.reviews.opinions import as_opinions
from lwcal.reviews.reading import coded


class CollectedOpinions(NamedTuple):
    """What the reviewers said.

    Attributes
    ----------
    reviewers : list of str
        Those who answered, by name.
    codes : float64 array of shape (n, R)
        Number of the class that each reviewer named; NaN where there is no answer.
    """

    reviewers: list[str]
    codes: FloatArray

    @property
    def answered(self) -> list[int]:
        """Number of rows that each reviewer answered."""
        return [int(count) for count in (~np.isnan(self.codes)).sum(axis=0)]

    @property
    def all_agree(self) -> int:
        """Number of rows with several answers that are all the same."""
        several = self.codes[(~np.isnan(self.codes)).sum(axis=1) > 1]
        if not len(several):
            return 0
        return int((np.nanmin(several, axis=1) == np.nanmax(several, axis=1)).sum())

    def agreement(self, n_classes: int) -> Agreement:
        """Measure how far the reviewers agree."""
        some = self.codes[~np.isnan(self.codes).all(axis=1)]
        opinions = as_opinions(some)
        alike = np.full((len(some), n_classes), 1.0 / n_classes)
        return agreement_of(coded(opinions, alike, classes=range(n_classes)))


def collect_opinions(source: AuditSource, sheets: Mapping[str, Sheet]) -> CollectedOpinions:
    """Read the answers of all reviewers from all sheets.

    Parameters
    ----------
    source : AuditSource
        The rows that the sheets were planned from.
    sheets : mapping
        The sheets by name.
    """
    rows: dict[str, list[SheetRow]] = {}
    for name, sheet in sheets.items():
        for reviewer in reviewers_of(sheet.names, name):
            check_reviewer(reviewer, f"a column {ANSWERS}NAME in {name}")
            column = columns_of(reviewer).answers
            found = match_sheet(sheet, source, name, column)
            check_pattern(found, source, sheet, name, column)
            rows.setdefault(reviewer, []).extend(found)
    refuse_similar(rows, "the sheets")
    n = len(source.scores)
    combined = {reviewer: combine_answers(rows[reviewer], n) for reviewer in sorted(rows)}
    answers = {reviewer: of.y_audited for reviewer, of in combined.items() if of.answered}
    codes = np.stack(list(answers.values()), axis=1) if answers else np.empty((n, 0))
    return CollectedOpinions(list(answers), codes)


def refuse_taken(audited: AuditedRows, reviewers: Iterable[str]) -> None:
    """Refuse reviewers whose column of opinions the rows have already."""
    taken = {name.casefold(): name for name in audited.rows.text.column_names}
    for reviewer in reviewers:
        column = columns_of(reviewer).opinions
        if column.casefold() in taken:
            expected = f"no column {column!r} in {audited.source.name}"
            hint = "merge all sheets at once into the rows without it, or use another name"
            got = f"the column {taken[column.casefold()]!r}"
            raise InputError(message(expected, got, hint))


def check_targets(out: Path | None, out_scores: Path | None) -> Path:
    """Return the file for the opinions; refuse one for a calibrator, which they do not give."""
    if out is not None:
        raise ParameterError(
            "--out does not work with answers of reviewers (audit serve --as): they are opinions, "
            "not checked labels. Give --out-scores, then fit with the command that is printed."
        )
    if out_scores is None:
        raise ParameterError(
            "The sheets have opinions of reviewers (audit serve --as). Give --out-scores, the file "
            "for the rows with a column for each reviewer."
        )
    return out_scores


def write_opinions(
    audited: AuditedRows,
    opinions: CollectedOpinions,
    table: Any,
    *,
    checked: int,
    out: Path,
    force: bool,
    as_json: bool,
) -> None:
    """Write the rows with a column for each reviewer, and say how far they agree.

    Parameters
    ----------
    audited : AuditedRows
        The rows of the audit.
    opinions : CollectedOpinions
        What the reviewers said.
    table : pyarrow.Table
        The rows to write, without the opinions.
    checked : int
        Number of checked labels in the table.
    out : Path
        File to write.
    force, as_json : bool
        Options of the call.
    """
    write_table(_with_opinions(audited.source, opinions, table), out, overwrite=force)
    found = opinions.agreement(len(audited.source.class_names.names))
    command = _fit_command(audited, opinions, out, checked=checked)
    answered = dict(zip(opinions.reviewers, opinions.answered, strict=True))
    if as_json:
        document = {
            **audited.rows.facts(),
            "reviewers": [{"name": name, "answered": rows} for name, rows in answered.items()],
            "agreement": {**found._asdict(), "all_agree": opinions.all_agree},
            "checked": checked,
            "written": [str(out)],
            "next": command,
        }
        print_json(document)
        return
    print(f"Rows answered: {', '.join(f'{name} {rows:,}' for name, rows in answered.items())}.")
    print(_sentence(found, opinions))
    print(f"wrote {out}")
    print(f"Next: {command}")


def _with_opinions(source: AuditSource, opinions: CollectedOpinions, table: Any) -> Any:
    """Add the opinions to the rows, spelled like their labels."""
    name_of = source.class_names.name
    for reviewer, codes in zip(opinions.reviewers, opinions.codes.T, strict=True):
        said = [None if code != code else name_of(int(code)) for code in codes.tolist()]
        table = table.append_column(columns_of(reviewer).opinions, pa.array(said, pa.string()))
    return table


def _sentence(found: Agreement, opinions: CollectedOpinions) -> str:
    """Say how far the reviewers agree, which does not make them right."""
    if found.equal is None:
        return "Agreement: unknown, because no row has the answers of two reviewers."
    measures = [
        f"{name} {value:.2f}"
        for name, value in (("Krippendorff's alpha", found.alpha), ("Cohen's kappa", found.kappa))
        if value is not None
    ]
    rows = "1 row" if found.rows == 1 else f"{found.rows:,.0f} rows"
    return (
        f"Agreement: {found.equal:.0%} of all pairs of answers are equal "
        f"({', '.join([*measures, f'{rows} with several answers'])}). All who answered agree on "
        f"{opinions.all_agree:,} of them, which does not prove them right."
    )


def _fit_command(
    audited: AuditedRows, opinions: CollectedOpinions, out: Path, *, checked: int
) -> str:
    """Write the command that fits to the labels and the opinions."""
    request, source = audited.request, audited.source
    labels = [source.label, *(columns_of(reviewer).opinions for reviewer in opinions.reviewers)]
    options = {
        **request.given(),
        "--score": request.score or source.score_columns[0],
        "--label": ",".join(labels),
        "--trusted": ANSWER if checked else None,
        "--format": None,  # of the original file
        "--table": None,
    }
    call = ["lwcal", "fit", str(out), *as_arguments(options), "--out", "calibrator.json"]
    return shlex.join(call)
