"""``lwcal audit merge``: sheets that came back, to a calibrator fitted with them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from lwcal.artifact import save
from lwcal.audit import AuditedEvaluation, AuditEstimates, estimate_from_audit, evaluate_audited
from lwcal.audit.combined_answers import CombinedAnswers, combine_answers
from lwcal.audit.evaluation import FEWEST
from lwcal.audit.returned_sheet import match_sheet
from lwcal.audit.sheet import ANSWER, CODE, OWN, PROBABILITY
from lwcal.calibrators import Audited
from lwcal.cli import options
from lwcal.cli.audit.sheets import load_sheet
from lwcal.cli.audit.shown import print_findings, scaling
from lwcal.cli.audit.source import Opened, open_source
from lwcal.cli.columns import Asked
from lwcal.cli.console import print_json, stdout
from lwcal.cli.diagnose import NEGATIVE
from lwcal.cli.output import check_output, write_table
from lwcal.errors import InputError, message
from lwcal.files import check_writable


def merge(
    scores: options.ScoresFile,
    sheets: Annotated[
        list[Path],
        typer.Argument(metavar="SHEET...", help="Sheets that `plan` or `serve` wrote, answered."),
    ],
    out: Annotated[Path, typer.Option("--out", help="JSON file to write the calibrator to.")],
    out_scores: Annotated[
        Path | None,
        typer.Option("--out-scores", help="File for the rows with the answers, for more rounds."),
    ] = None,
    score: options.Score = None,
    label: options.Label = None,
    pos_label: options.PosLabel = None,
    id_column: options.Id = None,
    form: options.InputFormat = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> int:
    """Fit a calibrator with checked labels; exits with 1 when more should be checked.

    Example: lwcal audit merge lwcal-demo/calibration.csv to_check.csv --out audited.json
    """
    check_writable(out, overwrite=force)
    if out_scores is not None:
        check_output(str(out_scores), overwrite=force)
    opened = open_source(scores, Asked(score, label, None, pos_label, id_column, form))
    audit = _collect(opened, sheets)
    opened.announce()
    source = opened.source
    checked = (source.scores, source.labels, audit.y_audited, audit.probability)
    findings = estimate_from_audit(*checked)
    calibrator = Audited().fit(
        source.scores,
        source.labels,
        y_audited=audit.y_audited,
        audit_probability=audit.probability,
    )
    judged = evaluate_audited(calibrator, *checked) if findings.checked >= FEWEST else None
    calibrator.set_params(pos_label=opened.positive)  # so that it need not be named again
    save(calibrator, out, overwrite=force)
    if out_scores is not None:
        write_table(_with_answers(opened, audit), out_scores, overwrite=force)
    written = [str(path) for path in (out, out_scores) if path]
    if as_json:
        print_json(_document(audit, findings, judged, written))
    else:
        console = stdout()
        print_findings(console, source, audit, findings, judged)
        for path in written:
            console.print(f"wrote {path}", soft_wrap=True, markup=False)
    return 0 if findings.enough else NEGATIVE


def _collect(opened: Opened, sheets: Iterable[Path]) -> CombinedAnswers:
    entries = list(opened.earlier)
    for path in sheets:
        entries += match_sheet(load_sheet(path), opened.source, str(path))
    audit = combine_answers(entries, len(opened.source.scores))
    if not audit.answered:
        raise InputError(
            message(
                f"an answer in column {ANSWER!r}",
                f"none in {len(entries):,} rows",
                "check some labels first; lwcal audit serve opens a page for it",
            )
        )
    return audit


def _with_answers(opened: Opened, audit: CombinedAnswers) -> Any:
    """Add to the source what is known now, in the words of its labels."""
    kept = [name for name in opened.text.column_names if name not in OWN]
    names = opened.source.class_names
    answers = [None if y != y else names.name(int(y)) for y in audit.y_audited.tolist()]
    probabilities = [None if p != p else p for p in audit.probability.tolist()]
    codes = [str(audit.codes[k]) if k in audit.codes else None for k in range(len(answers))]
    table = opened.text.select(kept)
    for name, values, kind in (
        (PROBABILITY, probabilities, pa.float64()),
        (CODE, codes, pa.string()),
        (ANSWER, answers, pa.string()),
    ):
        table = table.append_column(name, pa.array(values, kind))
    return table


def _document(
    audit: CombinedAnswers,
    findings: AuditEstimates,
    judged: AuditedEvaluation | None,
    written: list[str],
) -> dict[str, Any]:
    return {
        "plans": [
            {**progress.plan._asdict(), "answered": progress.answered}
            for progress in audit.progress
        ],
        "scaling": scaling(audit),
        "findings": findings.to_dict(),
        "judged": None if judged is None else judged.to_dict(),
        "written": written,
    }
