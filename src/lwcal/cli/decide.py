"""``lwcal decide``: thresholds by costs, and the rows that people should review."""

from pathlib import Path

from lwcal.artifact.export.dialects import dialect_named
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.class_calibrator import require_two_classes
from lwcal.cli.console import facts_table, note, print_json, stdout, with_interval
from lwcal.cli.doubts import check_rows, doubt_of_labels
from lwcal.cli.request import RowsRequest
from lwcal.decisions import Policy
from lwcal.decisions import decide as choose
from lwcal.rows.scales import PROBABILITY

ONE_AGAINST_OTHERS = (
    "for one class against the others, fit a calibrator to its column of scores and to labels that "
    "say whether it is this class"
)


def run(
    calibrator: Path,
    rows: RowsRequest,
    *,
    cost_false_positive: float,
    cost_false_negative: float,
    cost_review: float,
    capacity: float,
    sql: str | None,
    as_json: bool,
) -> None:
    """Choose the policy, and print it."""
    if sql is not None:
        dialect_named(sql)  # refuses an unknown one before any row is read
    fitted = load_calibrator(calibrator)
    require_two_classes(fitted, "lwcal decide", ONE_AGAINST_OTHERS)
    found = rows.reduce(fitted=fitted, needs_labels=False)
    check_rows(fitted, found, named=rows.score_scale)
    table = found.table
    policy = choose(
        fitted,
        table if found.labelled else table.scores,
        sample_weight=None if found.labelled else table.negatives,
        cost_false_positive=cost_false_positive,
        cost_false_negative=cost_false_negative,
        cost_review=cost_review,
        capacity=capacity,
        scale=None if found.labelled else PROBABILITY,
    )
    doubt = doubt_of_labels(fitted, table) if found.labelled else ""
    if sql is not None:
        if doubt:
            note(doubt)
        print(policy.to_sql(found.score or "score", dialect=sql))
    elif as_json:
        print_json({**policy.to_dict(), "warning": doubt or None, **found.facts()})
    else:
        _print(policy, doubt)


def _print(policy: Policy, doubt: str) -> None:
    console = stdout()
    if doubt:
        console.print(f"{doubt}\n", style="bold", markup=False)
    console.print(f"{policy.sentence}\n", style="bold", markup=False)
    facts = facts_table()
    scores = f"score from {policy.high_score:.6g} on"
    facts.add_row("positive", f"{policy.positive:.1%}", f"probability {policy.high:.4g}, {scores}")
    if policy.low < policy.high:
        scores = f"score from {policy.low_score:.6g} on"
        facts.add_row("review", f"{policy.review:.1%}", f"probability {policy.low:.4g}, {scores}")
    facts.add_row("negative", f"{policy.negative:.1%}", "all others")
    facts.add_row("cost a row", f"{policy.cost:.4g}", "by the calibrated probabilities")
    if policy.labels_right is not None:
        facts.add_row("", with_interval(policy.labels_right), "if every label is right")
    if policy.noise_holds is not None:
        facts.add_row("", with_interval(policy.noise_holds), "if the noise estimate holds")
    console.print(facts)
