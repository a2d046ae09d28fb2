"""``lwcal audit merge``: fit a calibrator with the answers of one or several sheets."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from lwcal.artifact import save
from lwcal.atomic_files import check_writable
from lwcal.audit import AuditedEvaluation, AuditEstimates, estimate_from_audit, evaluate_audited
from lwcal.audit.combined_answers import CombinedAnswers, combine_answers
from lwcal.audit.evaluation import FEWEST
from lwcal.audit.returned_sheet import SheetRow, check_cases, match_sheet
from lwcal.audit.sheet import ANSWER, CODE, OWN, PROBABILITY, Sheet
from lwcal.calibrators import Audited
from lwcal.cli import NEGATIVE
from lwcal.cli.audit.findings import print_findings, scaling
from lwcal.cli.audit.sheets import load_sheet
from lwcal.cli.audit.source import AuditedRows, read_audited
from lwcal.cli.console import print_json, stdout
from lwcal.cli.output import check_output, write_table
from lwcal.cli.request import RowsRequest
from lwcal.diagnosis import diagnose
from lwcal.errors import InputError
from lwcal.rows.scales import PROBABILITY as AS_PROBABILITIES


def run(
    rows: RowsRequest,
    sheets: list[Path],
    *,
    out: Path,
    out_scores: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Fit with the answers, print what they show, and return the exit code."""
    check_writable(out, overwrite=force)
    if out_scores is not None:
        check_output(str(out_scores), overwrite=force)
    audited = read_audited(rows)
    audit = _collect(audited, sheets)
    audited.announce()
    source = audited.source
    checked = (source.scores, source.labels, audit.y_audited, audit.probability)
    findings = estimate_from_audit(*checked)
    calibrator = Audited().fit(
        source.scores,
        source.labels,
        y_audited=audit.y_audited,
        audit_probability=audit.probability,
    )
    # the scores were converted when they were read; new ones are read on the same scale
    calibrator.scale_ = audited.rows.scale
    judged = (
        evaluate_audited(calibrator, *checked, scale=AS_PROBABILITIES)
        if findings.checked >= FEWEST
        else None
    )
    verdict = diagnose(
        source.scores,
        source.labels,
        y_audited=audit.y_audited,
        audit_probability=audit.probability,
        methods=(),
        scale=AS_PROBABILITIES,
    ).recommendation
    calibrator.set_params(pos_label=audited.rows.named)  # so that it need not be named again
    save(calibrator, out, overwrite=force)
    if out_scores is not None:
        write_table(_with_answers(audited, audit), out_scores, overwrite=force)
    written = [str(path) for path in (out, out_scores) if path]
    if as_json:
        about = {"positive_class": audited.rows.positive, "score_scale": audited.rows.scale}
        document = _document(audit, findings, judged, written)
        print_json({**about, "recommendation": verdict.to_dict(), **document})
    else:
        print_findings(stdout(), source, audit, findings, judged, verdict)
        print(f"Positive class: {source.class_names.positive}.")
        print(f"Score scale: {audited.rows.scale}.")
        for path in written:
            print(f"wrote {path}")
    return 0 if verdict.is_settled else NEGATIVE


def _collect(audited: AuditedRows, sheets: Iterable[Path]) -> CombinedAnswers:
    entries = list(audited.earlier)
    for path in sheets:
        sheet = load_sheet(path)
        found = match_sheet(sheet, audited.source, str(path))
        check_cases(sheet, _cases(audited, sheet, found), str(path))
        entries += found
    audit = combine_answers(entries, len(audited.source.scores))
    if not audit.answered:
        raise InputError(
            f"None of {len(entries):,} rows has an answer in column {ANSWER!r}; check some labels "
            "first, for example with lwcal audit serve."
        )
    return audit


def _cases(audited: AuditedRows, sheet: Sheet, found: list[SheetRow]) -> dict[str, list[str]]:
    """Read what the source says about the rows of a sheet, in the columns that the sheet has."""
    positions = [row.position for row in found]
    matched = {*OWN, audited.source.score, audited.source.label}
    names = [name for name in audited.rows.text.column_names if name not in matched]
    return {name: audited.cells(positions, name) for name in names if name in sheet.names}


def _with_answers(audited: AuditedRows, audit: CombinedAnswers) -> Any:
    """Add the answers to the rows, spelled like their labels."""
    kept = [name for name in audited.rows.text.column_names if name not in OWN]
    names = audited.source.class_names
    answers = [None if y != y else names.name(int(y)) for y in audit.y_audited.tolist()]
    probabilities = [None if p != p else p for p in audit.probability.tolist()]
    codes = [str(audit.codes[k]) if k in audit.codes else None for k in range(len(answers))]
    table = audited.rows.text.select(kept)
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
