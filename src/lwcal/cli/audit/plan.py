"""``lwcal audit plan``: which labels to check, as a sheet for a spreadsheet."""

from pathlib import Path
from typing import Annotated

import typer

from lwcal.audit.sheet import ANSWER
from lwcal.cli import options
from lwcal.cli.audit.sheets import plan_rows, write_plan
from lwcal.cli.audit.source import open_source
from lwcal.cli.columns import Asked
from lwcal.cli.console import print_json, stdout
from lwcal.cli.output import check_output


def plan(
    scores: options.ScoresFile,
    out: Annotated[
        Path,
        typer.Option("--out", help="CSV file for the rows to check; also .parquet or .jsonl."),
    ],
    budget: options.Budget = 50,
    seed: options.Seed = 0,
    hide_score: Annotated[
        bool,
        typer.Option("--hide-score", help="Leave the score out, so that it biases nobody."),
    ] = False,
    score: options.Score = None,
    label: options.Label = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Choose the labels to check, and write them as a sheet.

    Example: lwcal audit plan lwcal-demo/calibration.csv --out to_check.csv
    """
    check_output(str(out), overwrite=force)
    asked = Asked(score, label, None, pos_label, id_column, form)
    opened = open_source(scores, asked)
    planned = plan_rows(opened, budget, seed, hide_score=hide_score)
    write_plan(opened, planned, out, overwrite=force)
    opened.announce()
    checked = sum(entry.answer is not None for entry in opened.earlier)
    if as_json:
        print_json(
            {
                "n": len(opened.source.scores),
                "checked_before": checked,
                "planned": len(planned.rows),
                "seed": seed,
                "written": [str(out)],
            }
        )
        return
    console = stdout()
    before = f" ({checked:,} were checked before)" if checked else ""
    words = opened.source.class_names
    console.print(
        f"{len(planned.rows):,} of {len(opened.source.scores):,} rows to check{before}, in an "
        f"order of which any first part is a fair sample. Write {words.positive} or "
        f"{words.negative} (or yes, no) into column {ANSWER}; leave it empty where you cannot "
        "tell.",
        soft_wrap=True,
        markup=False,
    )
    console.print(f"wrote {out}", soft_wrap=True, markup=False)
    console.print(
        f"next: {opened.merge_command(out)}",
        soft_wrap=True,
        markup=False,
    )
