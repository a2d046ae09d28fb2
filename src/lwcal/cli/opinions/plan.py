"""``lwcal opinions plan``: choose rows for a second opinion, and write them as a blind sheet."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from lwcal.audit.sheet import OPINION
from lwcal.cli.audit.case_columns import case_columns
from lwcal.cli.audit.sheets import codes_of, own_columns, write_sheet
from lwcal.cli.console import print_json
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.sheet_rows import BY, NOT_BY, SheetRows, first_labels, read_sheet_rows
from lwcal.cli.output import check_output
from lwcal.errors import InputError, ParameterError, message
from lwcal.reviews.plan import OpinionPlan, eligible_rows, plan_opinions

NEXT = "merged.parquet"
"""What the command that merges the sheet writes."""


def run(
    request: OpinionsRequest,
    *,
    out: Path,
    n: int,
    reviewer: str | None,
    most_opinions: int,
    seed: int,
    show_column: list[str] | None,
    hide_column: list[str] | None,
    force: bool,
    as_json: bool,
) -> None:
    """Draw the rows, write the sheet, and say what to do with it."""
    check_output(str(out), overwrite=force)
    request.rows.keep_from(out)
    rows = read_sheet_rows(request)
    plan = _planned(rows, n, reviewer, most_opinions, seed)
    told = replace(rows.source, labels=first_labels(rows))
    instead = "a sheet of second opinions tells neither label nor score"
    case = case_columns(told, rows.cases, rows.cases, show_column, hide_column, instead)
    picked = plan.rows.tolist()
    several = int((rows.read.opinions.counts > 1).sum())
    codes = codes_of(plan, rows.source.scores[picked], rows.source.labels[picked], several)
    cases = {name: rows.cases.column(name).take(picked) for name in case.names}
    own = {
        **own_columns(picked, codes, OPINION),
        BY: pa.array([reviewer] * len(picked), pa.string()),
    }
    if rows.names_reviewers:
        own[NOT_BY] = pa.array([", ".join(map(str, names)) for names in plan.asked])
    write_sheet(cases, own, out, overwrite=force)
    case.announce(to="reviewer")
    if as_json:
        print_json(
            {
                **rows.read.facts(),
                "several": several,
                "eligible": plan.eligible,
                "planned": len(picked),
                "probability": float(plan.probabilities[0]),
                "seed": seed,
                "written": [str(out)],
            }
        )
        return
    _tell(rows, plan, reviewer, out)


def _planned(
    rows: SheetRows, n: int, reviewer: str | None, most_opinions: int, seed: int
) -> OpinionPlan:
    read = rows.read
    asked = None
    if reviewer is not None:
        if not rows.names_reviewers:
            hint = "name the column that says who gave the labels"
            raise ParameterError(message("--reviewer with --for", "labels without names", hint))
        asked = rows.reviewer_of(reviewer)
    eligible = len(eligible_rows(read.opinions, asked, most_opinions))
    if not eligible:
        kind = "one opinion" if most_opinions == 1 else f"1 to {most_opinions} opinions"
        by = "" if reviewer is None else f" that {reviewer!r} did not label"
        got = f"none among {read.n:,} rows"
        raise InputError(message(f"rows with {kind}{by} in {rows.source.name}", got))
    return plan_opinions(
        read.scores,
        read.opinions,
        min(n, eligible),
        for_reviewer=asked,
        most_opinions=most_opinions,
        random_state=seed,
        pos_label=read.named,
        classes=read.names.classes,
    )


def _tell(rows: SheetRows, plan: OpinionPlan, reviewer: str | None, out: Path) -> None:
    names = rows.source.class_names
    whom = "another reviewer" if reviewer is None else reviewer
    print(
        f"{len(plan.rows):,} rows for {whom}, drawn from {plan.eligible:,}. You may stop at any "
        "row: the rows answered so far are a fair sample."
    )
    classes = " or ".join(names.names) if len(names.names) == 2 else f"a class ({names.listed()})"
    print(
        f"Write {classes} into column {OPINION.answer}. Leave the cell empty if you cannot decide."
    )
    if reviewer is None and rows.names_reviewers:
        print(
            f"Write who answers into column {BY}. Column {NOT_BY} says who labelled the row before "
            "and must not be asked again."
        )
    elif reviewer is None:
        print("Ask somebody who did not give the labels that are there.")
    print(f"wrote {out}")
    print(f"next: {rows.command('opinions merge', rows.request.rows.source, str(out), out=NEXT)}")
