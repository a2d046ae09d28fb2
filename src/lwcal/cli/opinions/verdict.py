"""``lwcal diagnose`` with several opinions."""

from rich.table import Table

from lwcal.calibrators.crossfit import FOLDS
from lwcal.cli import NEGATIVE
from lwcal.cli.class_verdict import class_readings_table
from lwcal.cli.console import facts_table, print_json, stdout
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.counts import CountedOpinions, count_opinions
from lwcal.cli.opinions.findings import print_agreement, reviewers_table, summary_document
from lwcal.cli.opinions.fit import rows_left_out
from lwcal.cli.progress import late_progress
from lwcal.cli.verdict import (
    SEEN_ROWS,
    Commands,
    fit_command,
    opinions_command,
    print_verdict,
    readings_table,
)
from lwcal.diagnosis import OpinionDiagnosis, Readings, Recommendation, diagnose
from lwcal.errors import InputError, message

WEIGHTED = (
    "`lwcal opinions` asks about every row once. Add --weight {} to the fit that it proposes."
)


def run(request: OpinionsRequest, *, as_json: bool) -> int:
    """Judge the opinions, print the verdict, and return the exit code."""
    found = count_opinions(request)
    if not (found.counts.rows.opinions > 1).any():
        hint = "with one label a row, omit --item and --reviewer"
        raise InputError(message("a row with several opinions", "none", hint))
    with late_progress("fits", 1 + FOLDS) as advance:
        diagnosis = diagnose(found.counts, on_progress=advance)
    assert isinstance(diagnosis, OpinionDiagnosis)  # as of every row with several opinions
    advice = diagnosis.recommendation
    commands = _commands_after(advice, request)
    if as_json:
        reviews = summary_document(diagnosis.reviews)
        print_json(
            {
                **found.facts(),
                **diagnosis.to_dict(),
                "reviews": reviews,
                "next": commands.next or None,
            }
        )
    else:
        _print(diagnosis, found, commands)
    return 0 if diagnosis.recommendation.is_settled else NEGATIVE


def _commands_after(advice: Recommendation, request: OpinionsRequest) -> Commands:
    if advice.action == "deploy":
        return Commands(fit_command(request.to_fit()))
    command = opinions_command(advice, request.again())
    weight = request.rows.weight
    return Commands(command, before=WEIGHTED.format(weight) if command and weight else "")


def _print(diagnosis: OpinionDiagnosis, found: CountedOpinions, commands: Commands) -> None:
    console = stdout()
    print_verdict(console, diagnosis.recommendation)
    commands.show(console)
    console.print(f"{SEEN_ROWS}\n")
    if not diagnosis.recommendation.refuses_rows:
        readings = diagnosis.readings
        console.print(
            readings_table(readings, "opinions")
            if isinstance(readings, Readings)
            else class_readings_table(readings, "opinions")
        )
        console.print(f"{diagnosis.noise.sentence}\n", markup=False)
    console.print(_numbers(diagnosis, found))
    console.print()
    print_agreement(console, diagnosis.reviews)
    console.print()
    console.print(reviewers_table(diagnosis.reviews))


def _numbers(diagnosis: OpinionDiagnosis, found: CountedOpinions) -> Table:
    facts = facts_table()
    facts.add_row("rows", f"{found.n:,}", rows_left_out(found))
    facts.add_row(
        "with several opinions",
        f"{diagnosis.several:,.0f}",
        f"which differ on {diagnosis.contradicted:,.0f}",
    )
    if found.names.classes is None:
        facts.add_row("positive class", found.positive or "none of the labels is positive")
        facts.add_row("score scale", found.counts.scale)
    else:
        facts.add_row("classes", f"{len(diagnosis.classes)}")
    return facts
