"""``lwcal audit plan``: choose the labels to check, and write them as a sheet."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.audit.sheet import ANSWER
from lwcal.cli import options
from lwcal.cli.audit.case_columns import HideColumn, ShowColumn, ShowLabel, find_case_columns
from lwcal.cli.audit.sheets import plan_rows, write_plan
from lwcal.cli.audit.source import UNUSED, read_audited
from lwcal.cli.console import print_json, say
from lwcal.cli.output import check_output
from lwcal.cli.request import RowsRequest, takes_rows


@takes_rows(*UNUSED)
def plan(
    rows: RowsRequest,
    out: Annotated[
        Path,
        typer.Option("--out", help="File for the rows to check: .csv, .parquet or .jsonl."),
    ],
    budget: options.Budget = 50,
    seed: options.Seed = 0,
    show_label: ShowLabel = False,
    show_column: ShowColumn = None,
    hide_column: HideColumn = None,
    hide_score: Annotated[
        bool,
        typer.Option("--hide-score", help="With --show-label: show the label, but not the score."),
    ] = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the labels to check, and write them as a sheet.

    The sheet shows the case, and neither its label nor its score. `merge` takes both from SCORES.

    Example: lwcal audit plan lwcal-demo/calibration.csv --out to_check.csv
    """
    check_output(str(out), overwrite=force)
    audited = read_audited(rows)
    case = find_case_columns(audited, show_column, hide_column)
    source = audited.source
    hints = [source.label, *([] if hide_score else [source.score])] if show_label else []
    planned = plan_rows(audited, budget, seed, [*case.names, *hints])
    write_plan(audited, planned, out, overwrite=force)
    audited.announce()
    case.announce(hints)
    checked = sum(entry.answer is not None for entry in audited.earlier)
    if as_json:
        print_json(
            {
                "n": len(source.scores),
                "positive_class": audited.rows.positive,
                "score_scale": audited.rows.scale,
                "checked_before": checked,
                "planned": len(planned.rows),
                "seed": seed,
                "written": [str(out)],
            }
        )
        return
    before = f" ({checked:,} were checked before)" if checked else ""
    names = source.class_names
    say(
        f"{len(planned.rows):,} of {len(source.scores):,} rows to check{before}. "
        "You may stop at any row: the rows checked so far are a fair sample.\n"
        f"Write {names.positive} (the positive class) or {names.negative} into column {ANSWER}; "
        "yes and no work too. Leave the cell empty if you cannot decide."
    )
    say(f"wrote {out}")
    say(f"next: {audited.merge_command(out)}")
