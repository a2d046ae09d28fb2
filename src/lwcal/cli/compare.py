"""``lwcal compare``: compare several calibrators on the same rows."""

from rich.table import Table

from lwcal.cli import class_judging
from lwcal.cli.arguments import check_method, known_noise_rates
from lwcal.cli.class_request import refuse_noise_rates
from lwcal.cli.console import numbers_table, print_json, stdout, with_interval
from lwcal.cli.options import ESTIMATE
from lwcal.cli.progress import late_progress
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.diagnosis import DEFAULT_METHODS, Comparison
from lwcal.diagnosis.comparison import compare_column
from lwcal.estimates import Estimate


def run(rows: RowsRequest, *, method: str | None, noise_rates: str, as_json: bool) -> None:
    """Cross-fit the calibrators, and print how they compare."""
    methods = _methods(method)
    known = known_noise_rates(noise_rates)
    if rows.names_classes():
        refuse_noise_rates(None if noise_rates == ESTIMATE else noise_rates)
        class_judging.compare(rows, None if method is None else methods, as_json=as_json)
        return
    found = rows.reduce()
    with late_progress("calibrators", len(methods)) as advance:
        compared = compare_column(
            found.table, methods=methods, noise_rates=known, on_progress=advance
        )
    if as_json:
        print_json({**compared.to_dict(), **found.facts()})
    else:
        stdout().print(_table(compared, found))


def _methods(text: str | None) -> tuple[str, ...]:
    if text is None:
        return DEFAULT_METHODS
    names = [name.strip() for name in text.split(",")]
    for name in names:
        check_method(name)
    return tuple(dict.fromkeys(["identity", *names]))  # the raw score is the yardstick


def _table(compared: Comparison, found: ReducedRows) -> Table:
    caption = (
        f"{compared.n:,} rows, cross-fitted; positive class: {found.positive_class}; score "
        f"scale: {found.table.scale}; NLL (log loss) and ECE corrected for label noise; 90% "
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
