"""``lwcal audit merge``: fit a calibrator with the answers of one or several sheets.

Answers of named reviewers are opinions. They are written beside the rows, and nothing is fitted.
"""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from lwcal.artifact import save
from lwcal.atomic_files import check_writable, refuse_inputs
from lwcal.audit.answer_patterns import check_pattern
from lwcal.audit.combined_answers import CombinedAnswers, combine_answers
from lwcal.audit.returned_sheet import SheetRow, check_cases, match_sheet
from lwcal.audit.sheet import ANSWER, CODE, OWN, PROBABILITY, Sheet
from lwcal.cli import NEGATIVE
from lwcal.cli.audit.class_findings import merge_classes
from lwcal.cli.audit.findings import merge_two, scaling
from lwcal.cli.audit.merged import Merged
from lwcal.cli.audit.opinions import (
    check_targets,
    collect_opinions,
    refuse_taken,
    write_opinions,
)
from lwcal.cli.audit.sheets import load_sheet
from lwcal.cli.audit.source import AuditedRows, read_audited
from lwcal.cli.class_reading import CheckedClassRows
from lwcal.cli.console import print_json, stdout
from lwcal.cli.output import check_output, write_table
from lwcal.cli.request import RowsRequest, as_arguments
from lwcal.cli.verdict import next_command
from lwcal.diagnosis import Recommendation
from lwcal.errors import InputError, ParameterError


def run(
    rows: RowsRequest,
    sheets: list[Path],
    *,
    out: Path | None,
    out_scores: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Fit with the answers, print what they show, and return the exit code."""
    if out is not None:
        check_writable(out, overwrite=force)
    if out_scores is not None:
        check_output(str(out_scores), overwrite=force)
    rows.keep_from(out)  # the other file holds all rows, and may take their place
    for target in (out, out_scores):
        refuse_inputs(target, *sheets)
    audited = read_audited(rows)
    loaded = {str(path): load_sheet(path) for path in sheets}
    audit = _collect(audited, loaded)
    opinions = collect_opinions(audited.source, loaded)
    if opinions.reviewers:
        target = check_targets(out, out_scores)
        refuse_taken(audited, opinions.reviewers)
        audited.announce()
        table = _with_answers(audited, audit) if audit.answered else audited.rows.text
        checked = audit.answered
        write_opinions(
            audited, opinions, table, checked=checked, out=target, force=force, as_json=as_json
        )
        return 0
    _refuse_no_answers(audit, loaded)
    if out is None:
        raise ParameterError("Give --out, the file for the calibrator that is fitted.")
    audited.announce()
    merged = _merge(audited, audit)
    save(merged.calibrator, out, overwrite=force)
    if out_scores is not None:
        write_table(_with_answers(audited, audit), out_scores, overwrite=force)
    written = [str(path) for path in (out, out_scores) if path]
    verdict = merged.recommendation
    command = _next(verdict, rows, out, out_scores)
    if as_json:
        print_json({**_document(audited, audit, merged), "written": written, "next": command})
    else:
        merged.show(stdout())
        for path in written:
            print(f"wrote {path}")
        if command is not None:
            print(f"Next: {command}")
    return 0 if verdict.is_settled else NEGATIVE


def _merge(audited: AuditedRows, audit: CombinedAnswers) -> Merged:
    if isinstance(audited.rows, CheckedClassRows):
        return merge_classes(audited.rows, audit)
    return merge_two(audited.rows, audited.source, audit)


def _next(
    verdict: Recommendation, rows: RowsRequest, out: Path, out_scores: Path | None
) -> str | None:
    """The command that follows: use the calibrator, or check more of the other rows."""
    if verdict.action == "deploy":
        new = ["NEW.csv", *as_arguments({"--score": rows.score})]
        return shlex.join(["lwcal", "apply", str(out), *new, "--out", "calibrated.csv"])
    if out_scores is None:  # a plan of the same file would draw checked rows again
        return None
    known = replace(rows, source=str(out_scores), form=None, table=None)
    return next_command(verdict, known.again()) or None


def _collect(audited: AuditedRows, sheets: Mapping[str, Sheet]) -> CombinedAnswers:
    entries = list(audited.earlier)
    for name, sheet in sheets.items():
        found = match_sheet(sheet, audited.source, name)
        check_cases(sheet, _cases(audited, sheet, found), name)
        check_pattern(found, audited.source, sheet, name, ANSWER)
        entries += found
    return combine_answers(entries, len(audited.source.scores))


def _refuse_no_answers(audit: CombinedAnswers, sheets: Mapping[str, Sheet]) -> None:
    if not audit.answered:
        asked = sum(len(sheet.rows) for sheet in sheets.values())
        raise InputError(
            f"None of {asked:,} rows has an answer in column {ANSWER!r}; check some labels "
            "first, for example with lwcal audit serve."
        )


def _cases(audited: AuditedRows, sheet: Sheet, found: list[SheetRow]) -> dict[str, list[str]]:
    """Read what the source says about the rows of a sheet, in the columns that the sheet has."""
    positions = [row.position for row in found]
    matched = {*OWN, *audited.source.told}
    names = [name for name in audited.rows.text.column_names if name not in matched]
    return {name: audited.cells(positions, name) for name in names if name in sheet.names}


def _with_answers(audited: AuditedRows, audit: CombinedAnswers) -> Any:
    """Add the answers to the rows, spelled like their labels."""
    kept = [name for name in audited.rows.text.column_names if name not in OWN]
    names = audited.source.class_names
    answers = [None if y != y else names.name(int(y)) for y in audit.y_audited.tolist()]
    probabilities = [None if p != p else p for p in audit.probability.tolist()]
    codes = [str(audit.codes[k]) if k in audit.codes else None for k in range(len(answers))]
    table = audited.rows.text.select(kept)
    for name, values, kind in (
        (PROBABILITY, probabilities, pa.float64()),
        (CODE, codes, pa.string()),
        (ANSWER, answers, pa.string()),
    ):
        table = table.append_column(name, pa.array(values, kind))
    return table


def _document(audited: AuditedRows, audit: CombinedAnswers, merged: Merged) -> dict[str, Any]:
    return {
        **audited.rows.facts(),
        "recommendation": merged.recommendation.to_dict(),
        "plans": [
            {**progress.plan._asdict(), "answered": progress.answered}
            for progress in audit.progress
        ],
        "scaling": scaling(audit),
        **merged.document,
    }
