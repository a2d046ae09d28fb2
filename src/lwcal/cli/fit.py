"""``lwcal fit``: fit a calibrator to scores and labels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from lwcal.artifact import save
from lwcal.atomic_files import check_writable, refuse_inputs
from lwcal.calibrators import CALIBRATORS, Calibrator, LWCal, NoiseAware
from lwcal.calibrators import label_weights as weights_of_labels
from lwcal.calibrators.lwcal_weights import files_written
from lwcal.cli import class_fit, segment_fit
from lwcal.cli.advice import advice
from lwcal.cli.arguments import check_method, parse_noise_rates
from lwcal.cli.console import facts_table, note, print_json, stdout
from lwcal.cli.noise_matrix import refuse_noise_matrix
from lwcal.cli.opinions import fit as fit_opinions
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.progress import late_progress
from lwcal.cli.reading import CheckedRows, read_rows
from lwcal.cli.request import ReducedRows, RowsRequest
from lwcal.cli.sampled_rows import refuse_classes, undone
from lwcal.cli.timed import check_final_labels, read_final
from lwcal.errors import OutputError, ParameterError, message
from lwcal.parameters import check_parameter
from lwcal.rows.scales import PROBABILITY
from lwcal.shift.known import NEGATIVES_KEPT
from lwcal.shift.resampled_noise import resampled_noise

WEIGHT_FILES = (".csv", ".parquet")
RATES = ("r0", "r1")
JUDGED = ("auto", "noise-aware")
"""Methods of which a verdict is printed."""


def run(
    rows: RowsRequest,
    *,
    out: Path,
    method: str | None,
    item: str | None,
    reviewer: str | None,
    trusted: str | None,
    segment: list[str],
    prior_rows: float | None,
    label_weights: Path | None,
    noise_rates: str | None,
    noise_matrix: Path | None,
    kept_negatives: float | None,
    parameters: Mapping[str, float | None],
    force: bool,
    as_json: bool,
) -> None:
    """Fit the calibrator, write the files, and say what was found."""
    if method == "audited" and trusted is not None:
        method = None  # with checked labels, it is what is fitted anyway
    given, method = method, method or "auto"
    asked = {name: value for name, value in parameters.items() if value is not None}
    if kept_negatives is not None:
        check_parameter("--sampling-rate-negatives", kept_negatives, NEGATIVES_KEPT)
    _check_call(rows, method, out, label_weights, force=force)
    refuse_inputs(out, noise_matrix)
    if prior_rows is not None and not segment:
        raise ParameterError("--prior-rows works only with --segment; add it.")
    check_final_labels(
        rows,
        item=item,
        reviewer=reviewer,
        trusted=trusted,
        segment=segment,
        label_weights=label_weights,
    )
    opinions = OpinionsRequest(rows, item, reviewer, trusted)
    if segment:
        _refuse_with_segments(rows, opinions, label_weights, kept_negatives)
        calibrator = _make(method, noise_rates, asked)
        segment_fit.run(
            rows,
            segment,
            calibrator,
            method,
            out=out,
            prior_rows=prior_rows,
            force=force,
            as_json=as_json,
        )
        return
    if opinions.is_asked_for():
        _refuse_with_opinions(
            opinions,
            label_weights=label_weights,
            noise_rates=noise_rates,
            noise_matrix=noise_matrix,
            **asked,
        )
        fit_opinions.run(
            opinions,
            out=out,
            method=given,
            kept_negatives=kept_negatives,
            force=force,
            as_json=as_json,
        )
        return
    refuse_noise_matrix(rows, noise_matrix)
    if rows.names_classes():
        refuse_classes(kept_negatives)
        _check_parameters(method, asked)
        class_fit.run(
            rows,
            out=out,
            method=method,
            noise_rates=noise_rates,
            noise_matrix=noise_matrix,
            force=force,
            as_json=as_json,
        )
        return
    calibrator = _make(method, noise_rates, asked)
    found, record = _rows(rows, recorded=label_weights is not None)
    calibrator.set_params(pos_label=found.named)  # so that it need not be named again
    with late_progress(f"fitting {method}"):
        learned = calibrator.learn(found.table)
    fitted = calibrator  # whose rows are those of the file, also if they were sampled
    if kept_negatives is not None:
        calibrator = undone(fitted, kept_negatives, has_verdict=method in JUDGED)
        if noise_rates is not None and fitted.noise_ is not None:
            sampled = resampled_noise(fitted.noise_, kept_negatives)
            note(
                f"--noise-rates {noise_rates} are taken as those of the sampled rows. If you gave "
                "those of all rows, sampling has changed them: give --noise-rates "
                f"{sampled.negative.value:.4g},{sampled.positive.value:.4g} instead, once"
            )
    save(calibrator, out, overwrite=force)
    if label_weights is not None and record is not None:
        weights = weights_of_labels(
            cast("LWCal", fitted),
            record.scores,
            record.labels,
            ids=None if rows.id is None else record.column(rows.id),
            sample_weight=record.weights,
            scale=PROBABILITY,
        )
        weights.write(label_weights, overwrite=force)
    written = [path for path in (out, label_weights) if path]
    told = advice(found.table, calibrator, learned.posterior)
    if as_json:
        print_json(_document(found, calibrator, method, told, written))
    else:
        _report(found, calibrator, method, told, written)


def _rows(request: RowsRequest, *, recorded: bool) -> tuple[ReducedRows, CheckedRows | None]:
    """Counts of the rows; and the rows themselves if each of them is recorded."""
    if not recorded:
        is_timed = request.label_matures is not None
        return read_final(request) if is_timed else request.reduce(), None
    rows = read_rows(request)
    request.announce(rows.names.score, rows.names.label)
    return ReducedRows(rows.pooled(), rows.positive, rows.named), rows


def _make(method: str, noise_rates: str | None, parameters: Mapping[str, float]) -> Calibrator:
    _check_parameters(method, parameters)
    if noise_rates is None:
        calibrator: Calibrator = CALIBRATORS[method](**parameters)
        calibrator.check_parameters()  # before any row is read
        return calibrator
    if method != "noise-aware":
        raise ParameterError(message("--method noise-aware with --noise-rates", method))
    return NoiseAware(noise_rates=parse_noise_rates(noise_rates))


def _check_parameters(method: str, parameters: Mapping[str, float]) -> None:
    """Refuse a parameter that the method does not have, and name those that have it."""
    for name in parameters:
        having = [m for m, made in CALIBRATORS.items() if name in made.parameter_rules]
        if method not in having:
            option = f"--{name.replace('_', '-')}"
            raise ParameterError(message(f"--method {' or '.join(having)} with {option}", method))


def _check_call(
    rows: RowsRequest, method: str, out: Path, label_weights: Path | None, *, force: bool
) -> None:
    """Refuse what cannot work before any row is read."""
    check_method(method)
    check_writable(out, overwrite=force)
    rows.keep_from(out, label_weights)
    if label_weights is None:
        return
    if label_weights.suffix.lower() not in WEIGHT_FILES:
        expected = f"a file ending in {' or '.join(WEIGHT_FILES)}"
        raise OutputError(message(expected, f"{label_weights}"))
    for file in files_written(label_weights):
        check_writable(file, overwrite=force)
    if not issubclass(CALIBRATORS[method], LWCal):
        hint = "the other methods give every label the same weight"
        raise ParameterError(message("--method lwcal or gated with --label-weights", method, hint))
    if rows.on_spark:
        hint = "the file has a line for every row, which may not fit on one machine"
        raise ParameterError(f"--label-weights needs --engine duckdb; {hint}.")
    if rows.drop_invalid:
        hint = "the file has a line for every row; repair the rows first"
        raise ParameterError(f"--label-weights does not work with --drop-invalid; {hint}.")


def _refuse_with_opinions(opinions: OpinionsRequest, **given: Any) -> None:
    """Refuse options that opinions and checked labels leave nothing to do."""
    for name, value in given.items():
        if value is not None:
            option = f"--{name.replace('_', '-')}"
            if opinions.only_checked():
                hint = "checked labels are fitted to by audited, which has no such option"
                raise ParameterError(f"{option} does not work with --trusted; {hint}.")
            raise ParameterError(f"{option} works with one label a row, and not with opinions.")


def _refuse_with_segments(
    rows: RowsRequest,
    opinions: OpinionsRequest,
    label_weights: Path | None,
    kept_negatives: float | None,
) -> None:
    """Refuse what calibrators by segment do not do."""
    if opinions.is_asked_for() or rows.names_classes():
        raise ParameterError("--segment needs one column of scores and one label a row.")
    if label_weights is not None:
        raise ParameterError("--label-weights does not work with --segment; leave one of them out.")
    if kept_negatives is not None:
        hint = "correct the calibrators of single segments with lwcal.shift.undo_sampling in Python"
        raise ParameterError(f"--sampling-rate-negatives does not work with --segment; {hint}.")
    if rows.on_spark or rows.saved_tables():
        hint = "in Python, lwcal.fit_segments takes a table for each segment"
        raise ParameterError(f"--segment needs rows and --engine duckdb; {hint}.")


def _document(
    found: ReducedRows, calibrator: Calibrator, method: str, told: str, written: list[Path]
) -> dict[str, Any]:
    table = found.table
    return {
        "method": method,
        "n": table.n,
        "base_rate": table.base_rate,
        **found.facts(),
        "grid": table.grid,
        "diagnostics": calibrator.diagnostics_,
        "adjustments": [change.to_dict() for change in calibrator.adjustments_],
        "advice": told,
        "written": [str(path) for path in written],
    }


def _report(
    found: ReducedRows, calibrator: Calibrator, method: str, told: str, written: list[Path]
) -> None:
    console = stdout()
    table = found.table
    facts = facts_table()
    facts.add_row("method", method)
    facts.add_row("rows", f"{table.n:,}", f"{table.base_rate:.1%} labelled positive")
    facts.add_row("positive class", found.positive_class)
    facts.add_row("score scale", table.scale)
    if table.grid is not None:
        rounded = f"scores are rounded, as there are over {table.limit:,} distinct ones"
        facts.add_row("grid", "2^-20", rounded)
    unknown = RATES if calibrator.noise_ and not calibrator.noise_.identified else ()
    for name, value in calibrator.diagnostics_.items():
        if name in unknown:
            continue  # an expected rate that the labels do not identify looks like a finding
        facts.add_row(name, f"{value:.4g}", calibrator.diagnostic_meanings[name])
    console.print(facts)
    for change in calibrator.adjustments_:
        console.print(change.sentence)
    console.print(told)
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)
