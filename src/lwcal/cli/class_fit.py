"""``lwcal fit`` with several columns of scores: fit a calibrator to all classes together."""

from pathlib import Path
from typing import Any, cast

from lwcal.artifact import save
from lwcal.calibrators import CALIBRATORS, ClassCalibrator, NoiseAware
from lwcal.cli.advice import class_advice
from lwcal.cli.class_calibrator import check_class_method
from lwcal.cli.class_request import ReadClasses, read_classes, refuse_noise_rates
from lwcal.cli.console import facts_table, print_json, stdout
from lwcal.cli.noise_matrix import read_noise_matrix
from lwcal.cli.progress import late_progress
from lwcal.cli.request import RowsRequest
from lwcal.errors import ParameterError, message

SHOWN_CLASSES = 6


def run(
    rows: RowsRequest,
    *,
    out: Path,
    method: str,
    noise_rates: str | None,
    noise_matrix: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit the calibrator, write the file, and say what was found."""
    check_class_method(method)
    refuse_noise_rates(noise_rates)
    if noise_matrix is not None and method != "noise-aware":
        raise ParameterError(message("--method noise-aware with --noise-matrix", method))
    known = None if noise_matrix is None else read_noise_matrix(noise_matrix)
    calibrator = cast("ClassCalibrator", CALIBRATORS[method]())
    found = read_classes(rows)
    if known is not None:
        calibrator = NoiseAware(noise_matrix=known.of_classes(found.rows.classes).tolist())
    with late_progress(f"fitting {method}"):
        learned = calibrator.learn_rows(found.rows)
    save(calibrator, out, overwrite=force)
    with late_progress("judging the labels"):
        advice = class_advice(found.rows, calibrator, learned)
    if as_json:
        print_json(_document(found, calibrator, method, out, advice))
    else:
        _report(found, calibrator, method, out, advice)


def _document(
    found: ReadClasses, calibrator: ClassCalibrator, method: str, out: Path, advice: str
) -> dict[str, Any]:
    return {
        "method": method,
        "n": found.rows.n,
        **found.facts(),
        "class_shares": list(found.shares.values()),
        "diagnostics": calibrator.diagnostics_,
        "advice": advice,
        "written": [str(out)],
    }


def _report(
    found: ReadClasses, calibrator: ClassCalibrator, method: str, out: Path, advice: str
) -> None:
    console = stdout()
    facts = facts_table()
    facts.add_row("method", method)
    facts.add_row("rows", f"{found.rows.n:,.0f}")
    facts.add_row("classes", f"{found.rows.n_classes}", _labelled(found))
    for name, value in calibrator.diagnostics_.items():
        facts.add_row(name, f"{value:.4g}", calibrator.diagnostic_meanings[name])
    console.print(facts)
    console.print(advice, markup=False)
    console.print(f"wrote {out}", soft_wrap=True)


def _labelled(found: ReadClasses) -> str:
    """Share of the rows that has each label, of the first classes."""
    shares = [f"{label} {share:.1%}" for label, share in found.shares.items()]
    more = ", ..." if len(shares) > SHOWN_CLASSES else ""
    return f"labelled {', '.join(shares[:SHOWN_CLASSES])}{more}"
