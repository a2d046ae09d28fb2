"""``lwcal compare``: compare several calibrators on the same rows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rich.table import Table

from lwcal.cli import class_judging
from lwcal.cli.arguments import check_method, known_noise_rates
from lwcal.cli.candidates import corrected_for
from lwcal.cli.class_request import refuse_noise_rates
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.noise_matrix import read_noise_matrix, refuse_noise_matrix
from lwcal.cli.options import ESTIMATE
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.cli.timed import (
    check_final_labels,
    maturity_of,
    read_final,
    read_timed,
    refuse_several_columns,
)
from lwcal.diagnosis import DEFAULT_METHODS, Comparison
from lwcal.diagnosis.comparison import compare_column
from lwcal.diagnosis.later_rows import EARLIER, LATER, compare_later, spans_at
from lwcal.errors import ParameterError
from lwcal.estimates import Estimate
from lwcal.noise.rates import Noise
from lwcal.rows.spans import Spans
from lwcal.rows.time_counts import Counted, TimeCounts, choose_cut, named_cut
from lwcal.rows.times import time_parameter


def run(
    rows: RowsRequest,
    *,
    method: str | None,
    noise_rates: str,
    noise_matrix: Path | None,
    split_time: str | None,
    split_at: str | None,
    as_json: bool,
) -> None:
    """Compare the calibrators on rows they did not see, and print the result."""
    methods = _methods(method)
    known = known_noise_rates(noise_rates)
    timed = _timed(rows, split_time, split_at)
    refuse_noise_matrix(rows, noise_matrix)
    if timed is not None:
        _compare_later(timed, split_at, methods=methods, noise_rates=known, as_json=as_json)
        return
    check_final_labels(rows)
    if rows.names_classes():
        refuse_noise_rates(None if noise_rates == ESTIMATE else noise_rates)
        matrix = None if noise_matrix is None else read_noise_matrix(noise_matrix)
        class_judging.compare(rows, None if method is None else methods, matrix, as_json=as_json)
        return
    found = rows.reduce() if rows.label_matures is None else read_final(rows)
    with late_progress("calibrators", len(methods)) as advance:
        compared = compare_column(
            found.table, methods=methods, noise_rates=known, on_progress=advance
        )
    if as_json:
        print_json({**compared.to_dict(), **found.facts()})
    else:
        _show(compared, found.positive_class, found.table.scale, estimated=known is None)


def _timed(rows: RowsRequest, split_time: str | None, split_at: str | None) -> RowsRequest | None:
    """The rows with the column by which they are split; None if they are not."""
    if split_time is None:
        if split_at is not None:
            raise ParameterError(
                "--split-at needs the time of each row. Name it with --split-time."
            )
        return None
    if rows.time not in (None, split_time):
        raise ParameterError(
            f"--time is {rows.time} and --split-time is {split_time}. Omit --time: the rows are "
            "split by the same times by which labels age."
        )
    timed = replace(rows, time=split_time)
    maturity_of(timed)
    if split_at is not None:
        time_parameter("--split-at", split_at)
    refuse_several_columns(timed)
    return timed


def _compare_later(
    rows: RowsRequest,
    split_at: str | None,
    *,
    methods: tuple[str, ...],
    noise_rates: Noise | None,
    as_json: bool,
) -> None:
    cut = 0

    def plan(counts: TimeCounts, seconds_of: Callable[[int], Counted], until: int | None) -> Spans:
        nonlocal cut
        if split_at is None:
            cut = choose_cut(counts, seconds_of, until)
        else:
            cut = named_cut("--split-at", split_at, counts)
        return spans_at(cut, until)

    read = read_timed(rows, plan)
    with late_progress("calibrators", len(methods)) as advance:
        compared = compare_later(
            read.table(EARLIER),
            read.table(LATER),
            cut,
            methods=methods,
            noise_rates=noise_rates,
            young=read.found.young,
            on_progress=advance,
        )
    if as_json:
        print_json({**compared.to_dict(), **read.facts()})
    else:
        _show(compared, read.positive or "none", read.found.scale, estimated=noise_rates is None)


def _methods(text: str | None) -> tuple[str, ...]:
    if text is None:
        return DEFAULT_METHODS
    names = [name.strip() for name in text.split(",")]
    for name in names:
        check_method(name)
    return tuple(dict.fromkeys(["identity", *names]))  # the raw score is the yardstick


def _show(compared: Comparison, positive_class: str, scale: str, *, estimated: bool) -> None:
    stdout().print(_table(compared, positive_class, scale, estimated=estimated))
    if compared.warning:
        stdout().print(compared.warning, style="bold", markup=False)


def _table(compared: Comparison, positive_class: str, scale: str, *, estimated: bool) -> Table:
    how = "cross-fitted" if compared.split is None else compared.split.sentence
    caption = (
        f"{compared.n:,} rows, {how}; positive class: {positive_class}; score "
        f"scale: {scale}; NLL (log loss) and ECE {corrected_for(estimated=estimated)}; 90% "
        "intervals, paired with the raw score"
    )
    table = numbers_table(
        "\ncalibrator", "\nNLL", "minus\nraw score", "\nECE", "NLL as\nlabelled", caption=caption
    )
    for one in compared.candidates:
        table.add_row(
            one.method,
            with_interval(one.corrected["nll"]),
            _change(one.corrected_change),
            f"{one.corrected['ece'].value:.3f}",
            f"{one.labelled['nll']:.3f}",
        )
    return table


def _change(found: Estimate) -> str:
    if found.low == found.high == 0.0:
        return ""  # the raw score compared with itself
    return with_interval(found, "+.3f")
