"""``lwcal fit``: a file of scores and labels to a calibrator."""

from pathlib import Path
from typing import Annotated, Any, cast

import typer

from lwcal.artifact import save
from lwcal.calibrators import CALIBRATORS, Auto, Calibrator, LWCal, NoiseAware, label_weights
from lwcal.calibrators.lwcal_weights import files_written
from lwcal.cli import options
from lwcal.cli.columns import Asked, read_rows
from lwcal.cli.completion import one_of
from lwcal.cli.console import print_json, stdout
from lwcal.cli.methods import METHODS, check_method
from lwcal.cli.progress import late_progress
from lwcal.cli.rates import parse_rates
from lwcal.cli.saved import Pooled, load_or_reduce
from lwcal.cli.tables import facts_table
from lwcal.cli.where import DUCKDB, Where
from lwcal.diagnosis import deployment_protocol
from lwcal.diagnosis.recommendation import recommend
from lwcal.errors import OutputError, ParameterError, message
from lwcal.files import check_writable
from lwcal.table import ScoreTable

AUDITS = (".csv", ".parquet")


def fit(
    scores: options.ScoresFile,
    out: Annotated[Path, typer.Option("--out", help="JSON file to write the calibrator to.")],
    score: options.Score = None,
    label: options.Label = None,
    method: Annotated[
        str,
        typer.Option(
            "--method", help=f"One of {', '.join(METHODS)}.", autocompletion=one_of(METHODS)
        ),
    ] = "auto",
    audit: Annotated[
        Path | None,
        typer.Option("--audit", help="Parquet or CSV file for the weight of every label."),
    ] = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    noise_rates: Annotated[
        str | None,
        typer.Option("--noise-rates", help="Known flip rates r0,r1; with --method noise-aware."),
    ] = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    database_table: options.DatabaseTable = None,
    engine: options.Engine = DUCKDB,
    master: options.Master = None,
    drop_invalid: options.DropInvalid = False,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit a calibrator to scores and noisy labels, or to a table that `lwcal table` saved.

    Example: lwcal fit lwcal-demo/calibration.csv --out calibrator.json
    """
    _check_call(method, out, audit, force=force)
    if audit is not None and drop_invalid:
        raise ParameterError(message("--drop-invalid without --audit", "both"))
    where = Where(engine, master).checked()
    if audit is not None and where.is_spark:
        hint = "the record has a line for every row, which no driver could hold"
        raise ParameterError(message("--engine duckdb with --audit", engine, hint))
    calibrator = _make(method, noise_rates)
    asked = Asked(score, label, weight, pos_label, id_column, form, database_table)
    if audit is None:
        pooled = load_or_reduce(scores, asked, where, drop_invalid=drop_invalid)
    else:  # the record has a line for every row, so all of them are needed
        rows = read_rows(scores, asked)
        pooled = Pooled(rows.table(), rows.positive)
    table = pooled.table
    calibrator.set_params(pos_label=pooled.positive)  # so that it need not be named again
    with late_progress(f"fitting {method}"):
        calibrator.fit_table(table)
    save(calibrator, out, overwrite=force)
    if audit is not None:
        weights = label_weights(cast("LWCal", calibrator), rows.scores, rows.labels)
        weights.write(audit, overwrite=force)
    written = [path for path in (out, audit) if path]
    if as_json:
        print_json(_document(table, calibrator, method, written))
    else:
        _report(table, calibrator, method, written)


def _make(method: str, noise_rates: str | None) -> Calibrator:
    if noise_rates is None:
        return CALIBRATORS[method]()
    if method != "noise-aware":
        raise ParameterError(message("--method noise-aware with --noise-rates", method))
    return NoiseAware(noise_rates=parse_rates(noise_rates))


def _check_call(method: str, out: Path, audit: Path | None, *, force: bool) -> None:
    """Refuse what cannot work before any row is read."""
    check_method(method)
    check_writable(out, overwrite=force)
    if audit is None:
        return
    if audit.suffix.lower() not in AUDITS:
        raise OutputError(message(f"a file ending in {' or '.join(AUDITS)}", f"{audit}"))
    for file in files_written(audit):
        check_writable(file, overwrite=force)
    if not issubclass(CALIBRATORS[method], LWCal):
        hint = "the others give every label the same weight"
        raise ParameterError(message("--method lwcal or gated with --audit", method, hint))


def _document(
    table: ScoreTable, calibrator: Calibrator, method: str, written: list[Path]
) -> dict[str, Any]:
    return {
        "method": method,
        "n": table.n,
        "base_rate": table.base_rate,
        "grid": table.grid,
        "diagnostics": calibrator.diagnostics_,
        "advice": _advice(table, calibrator),
        "written": [str(path) for path in written],
    }


def _report(table: ScoreTable, calibrator: Calibrator, method: str, written: list[Path]) -> None:
    console = stdout()
    shown = facts_table()
    shown.add_row("method", method)
    shown.add_row("rows", f"{table.n:,}", f"{table.base_rate:.1%} labelled positive")
    if table.grid is not None:
        rounded = f"that scores are rounded to (over {table.limit:,} distinct)"
        shown.add_row("grid", "2^-20", rounded)
    for name, value in calibrator.diagnostics_.items():
        shown.add_row(name, f"{value:.4g}", calibrator.diagnostic_meanings[name])
    console.print(shown)
    console.print(_advice(table, calibrator))
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)


def _advice(table: ScoreTable, calibrator: Calibrator) -> str:
    lower, upper = calibrator.gate_range
    d = table.disagreement(calibrator.threshold)
    protocol = deployment_protocol(d, lower=lower, upper=upper)
    if isinstance(calibrator, Auto) and calibrator.decision_ and calibrator.noise_:
        return recommend(calibrator.decision_, calibrator.noise_, protocol).sentence
    return protocol.sentence
