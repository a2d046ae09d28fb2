"""``lwcal opinions merge``: add the answers of sheets to the rows, as further opinions."""

import shlex
from collections import Counter
from pathlib import Path

from lwcal.atomic_files import refuse_inputs
from lwcal.audit.answer_patterns import check_pattern
from lwcal.audit.returned_sheet import check_cases, match_sheet
from lwcal.audit.sheet import OPINION
from lwcal.cli.audit.sheets import load_sheet
from lwcal.cli.console import print_json
from lwcal.cli.opinions.added_answers import AddedAnswer, add_answers
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.sheet_rows import BY, NOT_BY, SheetRows, option_values, read_sheet_rows
from lwcal.cli.output import check_output, write_table
from lwcal.cli.request import as_arguments
from lwcal.errors import InputError


def run(
    request: OpinionsRequest,
    sheets: list[Path],
    *,
    out: Path,
    by: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Add the answers, write the rows, and say what to do with them."""
    check_output(str(out), overwrite=force)
    request.rows.keep_from(out)
    refuse_inputs(out, *sheets)
    rows = read_sheet_rows(request)
    answers, planned = _collect(rows, sheets, by)
    table, names = add_answers(rows, answers)
    write_table(table, out, overwrite=force)
    given = {**request.given(), **option_values(names)}
    command = shlex.join(
        ["lwcal", "fit", str(out), "--out", "calibrator.json", *as_arguments(given)]
    )
    counts = Counter("nobody named" if one.by is None else str(one.by) for one in answers)
    if as_json:
        print_json(
            {
                **rows.read.facts(),
                "planned": planned,
                "answered": len(answers),
                "answers_by": dict(counts),
                "label_columns": list(names.labels),
                "reviewer_columns": list(names.reviewers),
                "next": command,
                "written": [str(out)],
            }
        )
        return
    print(f"{len(answers):,} of {planned:,} planned rows were answered:")
    for name, count in counts.most_common():
        print(f"  {name}: {count:,}")
    print(f"wrote {out}")
    print(f"next: {command}")


def _collect(rows: SheetRows, sheets: list[Path], by: str | None) -> tuple[list[AddedAnswer], int]:
    answers: list[AddedAnswer] = []
    planned = 0
    for number, path in enumerate(sheets):
        sheet = load_sheet(path, OPINION)
        found = match_sheet(sheet, rows.source, str(path))
        positions = [row.position for row in found]
        hidden = {*OPINION, BY, NOT_BY, *rows.source.told}
        names = [name for name in rows.cases.column_names if name not in hidden]
        check_cases(
            sheet,
            {name: rows.cells(positions, name) for name in names if name in sheet.names},
            str(path),
        )
        check_pattern(found, rows.source, sheet, str(path), OPINION.answer)
        who = sheet.column(BY) if BY in sheet.names else [""] * len(found)
        planned += len(found)
        for row, name in zip(found, who, strict=True):
            if row.answer is not None:
                given = name.strip() or by
                answers.append(
                    AddedAnswer(
                        row.position,
                        row.answer,
                        None if given is None else rows.reviewer_of(given),
                        number,
                        row.location,
                    )
                )
    if not answers:
        raise InputError(
            f"None of {planned:,} rows has an answer in column {OPINION.answer!r}; let somebody "
            "answer some rows first."
        )
    return answers, planned
