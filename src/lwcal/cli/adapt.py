"""``lwcal adapt``: adapt a calibrator to the base rate of new rows."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.markup import escape

from lwcal.adjustments import percent
from lwcal.artifact import save
from lwcal.atomic_files import check_writable, refuse_inputs
from lwcal.calibrators import Calibrator
from lwcal.class_maps import ClassMap
from lwcal.cli import NEGATIVE
from lwcal.cli.arguments import load_calibrator, parse_base_rates
from lwcal.cli.class_calibrator import as_class_calibrator, read_new, require_one_column
from lwcal.cli.console import facts_table, note, print_json, stdout
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.errors import BaseRateWarning, ParameterError
from lwcal.shift import Adaptation, ClassAdaptation, to_base_rate
from lwcal.shift import adapt as adapt_to
from lwcal.shift.class_adaptation import adapt_classes
from lwcal.shift.known import Shares
from lwcal.shift.verdicts import REFUSED
from lwcal.table import ScoreTable


def run(
    calibrator: Path,
    rows: RowsRequest | None,
    *,
    out: Path,
    base_rate: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """Adapt the calibrator, write it, say what was found, and return the exit code."""
    check_writable(out, overwrite=force)
    refuse_inputs(out, calibrator)
    if rows is not None:
        rows.keep_from(out)
    given = None if base_rate is None else parse_base_rates(base_rate)
    fitted = load_calibrator(calibrator)
    if rows is None:
        if given is None:
            raise ParameterError(
                "lwcal adapt needs new scores, or a known base rate: name a file of SCORES, or "
                "give --base-rate."
            )
        with warnings.catch_warnings(record=True) as doubts:
            warnings.simplefilter("always", BaseRateWarning)
            adapted = to_base_rate(fitted, given)
        for doubt in doubts:
            note(str(doubt.message))
        _write_known(adapted, out, force=force, as_json=as_json)
        return 0
    found = _adapted(rows, fitted, given)
    written = found.verdict == "adapted"
    if found.calibrator is not None and written:
        save(found.calibrator, out, overwrite=force)
    if as_json:
        print_json({**found.to_dict(), "written": [str(out)] if written else []})
    else:
        _print(found, out if written else None)
    return NEGATIVE if found.verdict in REFUSED or found.contradicts_given else 0


def _adapted(
    rows: RowsRequest, fitted: Calibrator, given: Shares | None
) -> Adaptation | ClassAdaptation:
    if not isinstance(fitted.map_, ClassMap):
        table = _new_scores(rows, fitted)
        with late_progress("adapting"):
            return adapt_to(fitted, table, base_rate=given)
    if not rows.names_classes():
        require_one_column(fitted)
    calibrator = as_class_calibrator(fitted)
    scores, weights, _ = read_new(rows, calibrator).rows
    with late_progress("adapting"):
        return adapt_classes(calibrator, scores, weights, base_rate=given)


def _new_scores(rows: RowsRequest, fitted: Calibrator) -> ScoreTable:
    """New scores, all of which count as negatives: labels are not used."""
    if not rows.names_classes():
        require_one_column(fitted)
        return rows.reduce(fitted=fitted, needs_labels=False).table
    scores, weights, _ = read_new(rows, as_class_calibrator(fitted)).rows
    return ScoreTable.from_arrays(scores[:, 1], np.zeros(len(weights)), weights, pos_label=1)


def _write_known(adapted: Calibrator, out: Path, *, force: bool, as_json: bool) -> None:
    save(adapted, out, overwrite=force)
    change = adapted.adjustments_[-1]
    if as_json:
        print_json({"verdict": "adapted", **change.to_dict(), "written": [str(out)]})
        return
    console = stdout()
    console.print(f"{change.sentence} This holds if only the base rate changed.")
    console.print(f"wrote {out}", soft_wrap=True)


def _print(found: Adaptation | ClassAdaptation, written: Path | None) -> None:
    console = stdout()
    console.print(f"{found.sentence}\n", style="bold", markup=False)
    facts = facts_table()
    facts.add_row("new rows", f"{found.n:,.0f}")
    if isinstance(found, ClassAdaptation):
        for row in _class_facts(found):
            facts.add_row(*row)
    else:
        facts.add_row("base rate in the fit", percent(found.before))
        if found.base_rate is not None:
            value, low, high = map(percent, found.base_rate)
            meaning = f"{found.confidence:.0%} interval {low} to {high}"
            facts.add_row("base rate from scores", value, meaning)
            if found.used is not None and found.given is None:
                facts.add_row("base rate, adapted to", percent(found.used))
        if found.given is not None:
            facts.add_row("base rate, given", percent(found.given))
    facts.add_row("p value", f"{found.p_value:.2g}", "test that some base rate explains the scores")
    facts.add_row("distance", percent(found.distance), "new rows that no base rate explains")
    console.print(facts)
    console.print("nothing was written" if written is None else f"wrote {written}", soft_wrap=True)


def _class_facts(found: ClassAdaptation) -> Iterator[tuple[str, str, str]]:
    """A line for each class: its base rate in the fit, and what is known of it now."""
    for place, (name, before) in enumerate(zip(found.classes, found.before, strict=True)):
        now = []
        if found.given is not None:
            now.append(f"{percent(found.given[place])} now, given")
        if found.base_rates is not None:
            value, low, high = map(percent, found.base_rates[place])
            now.append(f"{value} by scores, {found.confidence:.0%} interval {low} to {high}")
        yield escape(f"base rate of {name}"), percent(before), "; ".join(now)
