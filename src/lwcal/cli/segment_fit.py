"""``lwcal fit --segment``: a calibrator for each segment, and what its labels say."""

from collections import Counter
from pathlib import Path
from typing import Any

from rich.table import Table

from lwcal.artifact import save
from lwcal.calibrators import Calibrator
from lwcal.cli.advice import advice
from lwcal.cli.columns import check_segment_columns, class_name
from lwcal.cli.console import facts_table, note, print_json, stdout
from lwcal.cli.progress import late_progress
from lwcal.cli.request import SAMPLE, RowsRequest
from lwcal.engines.duckdb.segment_fitting import FittedSource, fit_source
from lwcal.engines.duckdb.source import Source
from lwcal.errors import ParameterError
from lwcal.segments.fitting import PRIOR_ROWS, check_prior_rows
from lwcal.segments.verdict import LEVELS, SegmentVerdict, segment_verdicts

SHOWN = 20
"""Segments on the screen; the file and --json have all of them."""


def run(
    rows: RowsRequest,
    segment: list[str],
    calibrator: Calibrator,
    method: str,
    *,
    out: Path,
    prior_rows: float | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit the calibrators, write the file, and say what was found."""
    prior = PRIOR_ROWS if prior_rows is None else prior_rows
    check_prior_rows(prior)
    check_segment_columns(segment)
    with rows.opened() as source:
        if not isinstance(source, Source):
            raise ParameterError("--segment needs --engine duckdb.")
        source.require(segment)
        sample = source.sample(SAMPLE, rows.may_compute_with)
        names, named = rows.find_columns(sample, source.name, None, columns=source.columns)
        calibrator.set_params(pos_label=named)
        with late_progress(f"fitting {method}"):
            found = fit_source(
                source,
                segment,
                names,
                calibrator,
                prior,
                pos_label=named,
                scale=rows.scale(),
                drop_invalid=rows.drop_invalid,
                allow_drop_share=rows.drop_share,
            )
    rows.announce(names.score, names.label)
    if found.reduction.dropped.faults:
        note(str(found.reduction.dropped))
    save(found.segments, out, overwrite=force)
    positive = class_name(found.reduction.positive, sample, names.label)
    verdicts = list(segment_verdicts(found.segments))
    if as_json:
        print_json(_document(found, method, positive, verdicts, out))
    else:
        _report(found, method, positive, verdicts, out)


def _document(
    found: FittedSource,
    method: str,
    positive: str | None,
    verdicts: list[SegmentVerdict],
    out: Path,
) -> dict[str, Any]:
    return {
        "method": method,
        "n": found.table.n,
        "base_rate": found.table.base_rate,
        "positive_class": positive,
        "score_scale": found.table.scale,
        "spread": found.segments.spread.to_dict(),
        "advice": advice(found.table, found.segments.pooled),
        "segments": [verdict.to_dict() for verdict in verdicts],
        "written": [str(out)],
    }


def _report(
    found: FittedSource,
    method: str,
    positive: str | None,
    verdicts: list[SegmentVerdict],
    out: Path,
) -> None:
    console, fitted, table = stdout(), found.segments, found.table
    facts = facts_table()
    facts.add_row("method", method)
    facts.add_row("rows", f"{table.n:,}", f"{table.base_rate:.1%} labelled positive")
    facts.add_row("positive class", positive or "")
    facts.add_row("score scale", table.scale)
    curves = f"{len(fitted.curves):,} with a curve of their own"
    facts.add_row("segments", f"{len(fitted.names):,}", curves)
    meaning = "standard deviation of the log-odds between segments, with a 90% interval"
    facts.add_row("spread", f"{fitted.spread:.2g}", meaning)
    console.print(facts)
    console.print(f"All rows: {advice(table, fitted.pooled)}")
    console.print()
    console.print(_table(verdicts))
    count = Counter(verdict.level for verdict in verdicts)
    console.print(", ".join(f"{level}: {count[level]:,}" for level in LEVELS))
    if count["differs"]:
        console.print(
            "Labels that are wrong more often in one segment than in others look like other odds. "
            "Before you rely on a segment that differs, check some of its labels."
        )
    console.print(f"wrote {out}", soft_wrap=True, markup=False)


def _table(verdicts: list[SegmentVerdict]) -> Table:
    """The largest segments."""
    more = len(verdicts) - SHOWN
    title = f"The {SHOWN} largest segments" if more > 0 else "Segments"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in ("segment", "rows", "odds, compared with all rows", "own share", "verdict"):
        table.add_column(name, justify="right" if name == "rows" else "left")
    for one in verdicts[:SHOWN]:
        table.add_row(
            one.shown_name,
            f"{one.n:,g}",
            f"{one.odds_ratio:.2f}",
            f"{one.own_share:.0%}",
            one.level,
        )
    return table
