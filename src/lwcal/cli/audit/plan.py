"""``lwcal audit plan``: choose the labels to check, and write them as a sheet."""

from pathlib import Path

from lwcal.audit.answers import ClassNames
from lwcal.audit.sheet import ANSWER
from lwcal.cli.audit.case_columns import find_case_columns
from lwcal.cli.audit.sheets import plan_rows, write_plan
from lwcal.cli.audit.source import read_audited
from lwcal.cli.console import print_json
from lwcal.cli.output import check_output
from lwcal.cli.request import RowsRequest


def run(
    rows: RowsRequest,
    *,
    out: Path,
    budget: int,
    seed: int,
    show_label: bool,
    show_column: list[str] | None,
    hide_column: list[str] | None,
    hide_score: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Draw the rows, write the sheet, and say what to do with it."""
    check_output(str(out), overwrite=force)
    rows.keep_from(out)
    audited = read_audited(rows)
    case = find_case_columns(audited, show_column, hide_column)
    source = audited.source
    hints = [source.label, *([] if hide_score else source.score_columns)] if show_label else []
    planned = plan_rows(audited, budget, seed, [*case.names, *hints])
    write_plan(audited, planned, out, overwrite=force)
    audited.announce()
    case.announce(hints)
    checked = sum(entry.answer is not None for entry in audited.earlier)
    if as_json:
        print_json(
            {
                "n": len(source.scores),
                **audited.rows.facts(),
                "checked_before": checked,
                "planned": len(planned.rows),
                "seed": seed,
                "written": [str(out)],
            }
        )
        return
    before = f" ({checked:,} were checked before)" if checked else ""
    print(
        f"{len(planned.rows):,} of {len(source.scores):,} rows to check{before}. "
        "You may stop at any row: the rows checked so far are a fair sample.\n"
        f"{_how_to_answer(source.class_names)} Leave the cell empty if you cannot decide."
    )
    print(f"wrote {out}")
    print(f"next: {audited.merge_command(out)}")


def _how_to_answer(names: ClassNames) -> str:
    if len(names.names) == 2:
        return (
            f"Write {names.positive} (the positive class) or {names.negative} into column "
            f"{ANSWER}; yes and no work too."
        )
    return f"Write the true class into column {ANSWER}: {names.listed()}."
