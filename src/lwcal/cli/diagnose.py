"""``lwcal diagnose``: judge whether these labels are good enough to calibrate on."""

from dataclasses import replace
from functools import partial

from rich.table import Table

from lwcal.cli import NEGATIVE, class_verdict
from lwcal.cli.candidates import print_candidates
from lwcal.cli.class_reading import read_class_rows
from lwcal.cli.class_request import ReadClasses, read_classes, refuse_two_columns
from lwcal.cli.console import facts_table, print_json, stdout
from lwcal.cli.opinions import verdict as of_opinions
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.progress import late_progress
from lwcal.cli.reading import read_rows
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.cli.timed import check_final_labels, read_final
from lwcal.cli.verdict import (
    SEEN_ROWS,
    Commands,
    commands_after,
    moved,
    print_verdict,
    readings_table,
)
from lwcal.diagnosis import DEFAULT_METHODS, Diagnosis
from lwcal.diagnosis.column_diagnosis import diagnose_column
from lwcal.errors import ParameterError
from lwcal.rows.scales import PROBABILITY


def run(
    rows: RowsRequest,
    *,
    item: str | None,
    reviewer: str | None,
    trusted: str | None,
    paper: bool,
    as_json: bool,
) -> int:
    """Judge the labels, print the verdict, and return the exit code."""
    check_final_labels(rows, item=item, reviewer=reviewer, trusted=trusted)
    if OpinionsRequest(rows, item, reviewer).is_asked_for():
        if paper:
            raise ParameterError("--paper works with one label a row, and not with opinions.")
        return of_opinions.run(OpinionsRequest(rows, item, reviewer, trusted), as_json=as_json)
    if rows.names_classes():
        if paper:
            raise ParameterError("--paper needs one column of scores.")
        read = read_classes(rows) if trusted is None else _checked_classes(rows, trusted)
        if read.rows.n_classes > 2:
            return class_verdict.run(rows, read, trusted, as_json=as_json)
        positive = read.rows.classes[1]
        # the audit of two classes takes one column of scores
        rows = replace(rows, score=read.names.scores[1], pos_label=str(positive))
        found = ReducedRows(read.rows.two_class_table(), str(positive), positive)
        diagnosis = _with_progress(partial(diagnose_column, found.table))
    elif trusted is None:
        found = rows.reduce() if rows.label_matures is None else read_final(rows)
        diagnosis = _with_progress(partial(diagnose_column, found.table))
    else:
        found, diagnosis = _with_checks(rows, trusted)
    recommendation = diagnosis.recommendation
    commands = commands_after(recommendation, rows, trusted)
    if as_json:
        named = {"next": commands.next or None, "or": commands.instead or None}
        print_json({**diagnosis.to_dict(), **found.facts(), **named})
    elif paper:
        _print_paper(diagnosis)
    else:
        _print(diagnosis, found, commands)
    return 0 if recommendation.is_settled else NEGATIVE


def _checked_classes(request: RowsRequest, trusted: str) -> ReadClasses:
    request.require_single_rows("--trusted")
    rows = read_class_rows(request, trusted=trusted)
    refuse_two_columns(rows.names, "--trusted")
    found = rows.counted(trusted)
    request.announce(str(request.score), rows.names.label)
    return found


def _with_progress(judge: partial[Diagnosis]) -> Diagnosis:
    """Show a bar once the rows are read: reading them has one of its own."""
    with late_progress("calibrators", len(DEFAULT_METHODS)) as advance:
        return judge(on_progress=advance)


def _with_checks(request: RowsRequest, trusted: str) -> tuple[ReducedRows, Diagnosis]:
    request.require_single_rows("--trusted")
    rows = read_rows(request, trusted=trusted)
    judge = partial(
        diagnose_column,
        rows.scores,
        rows.column(rows.names.label),
        rows.weights,
        y_audited=rows.column(trusted),
        audit_probability=rows.audit_probability(),
        pos_label=rows.named,
        scale=PROBABILITY,  # they were converted when they were read
    )
    diagnosis = _with_progress(judge)
    request.announce(rows.names.score, rows.names.label)
    return ReducedRows(rows.pooled(), rows.positive, rows.named), diagnosis


def _print(diagnosis: Diagnosis, found: ReducedRows, commands: Commands) -> None:
    console = stdout()
    print_verdict(console, diagnosis.recommendation)
    commands.show(console)
    console.print(f"Positive class: {found.positive_class}. {SEEN_ROWS}\n")
    if not diagnosis.recommendation.refuses_rows:
        console.print(readings_table(diagnosis.readings, diagnosis.evidence))
        console.print(f"{moved(diagnosis.readings)} {diagnosis.noise.sentence}\n")
    console.print(_numbers(diagnosis, found))
    console.print()
    print_candidates(console, diagnosis)
    console.print("\nThe paper's rule by d has a view of its own: --paper.", markup=False)


def _numbers(diagnosis: Diagnosis, found: ReducedRows) -> Table:
    facts = facts_table()
    checked = f"{diagnosis.checked:,} of them checked" if diagnosis.checked else ""
    facts.add_row("rows", f"{diagnosis.n:,}", checked)
    facts.add_row("positive class", found.positive_class)
    facts.add_row("score scale", found.table.scale)
    facts.add_row("positive labels", f"{diagnosis.base_rate:.1%}")
    facts.add_row("AUC", f"{diagnosis.ranking.auc.value:.3f}", "by the labels as they are")
    return facts


def _print_paper(diagnosis: Diagnosis) -> None:
    facts = facts_table()
    facts.add_row("median loss m", f"{diagnosis.m:.4f}", "of the labels under the scores")
    facts.add_row("deviation s", f"{diagnosis.s:.4f}", "median absolute deviation of those losses")
    facts.add_row(
        "disagreement d", f"{diagnosis.d:.4f}", "share of labels that contradict the model"
    )
    facts.add_row(
        "gate rho", f"{diagnosis.rho:.4f}", "share of the raw score that Gated-LWCal keeps"
    )
    console = stdout()
    console.print(
        f"The paper's rule: {diagnosis.protocol.sentence} The verdict above does not use this rule."
    )
    console.print(facts)
