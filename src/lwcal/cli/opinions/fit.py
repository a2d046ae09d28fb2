"""``lwcal fit`` with several opinions, or with the names of reviewers, or with checked labels."""

from pathlib import Path
from typing import Any

from lwcal.artifact import save
from lwcal.calibrators import Audited, Reviewed
from lwcal.calibrators.crossfit import FOLDS
from lwcal.cli.console import facts_table, print_json, stdout
from lwcal.cli.opinions.checked_fit import divide, fit_checked, judge_checked
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.counts import CountedOpinions, count_opinions
from lwcal.cli.opinions.findings import print_agreement, reviewers_table, summary_document
from lwcal.cli.progress import late_progress
from lwcal.cli.sampled_rows import refuse_classes, refuse_opinions, undone
from lwcal.diagnosis.counted_opinions import diagnose_counted
from lwcal.errors import ParameterError
from lwcal.reviews.inferred import InferredReviews
from lwcal.reviews.summary import ReviewSummary

REVIEWED = "reviewed"
RATES = ("r0", "r1")
ONE_LABEL = (
    "With one label a row, lwcal diagnose says whether it is safe to calibrate on these labels. "
    "Omit --reviewer there."
)


def run(
    request: OpinionsRequest,
    *,
    out: Path,
    method: str | None,
    kept_negatives: float | None,
    force: bool,
    as_json: bool,
) -> None:
    """Fit the calibrator, write the file, and say what was found."""
    refuse_method(method)
    if not request.only_checked():
        refuse_opinions(kept_negatives)
    found = count_opinions(request)
    if found.counts.has_classes:
        refuse_classes(kept_negatives)
    elif not found.counts.is_one_label:  # some rows have only a checked label
        refuse_opinions(kept_negatives)
    trusted = request.trusted
    fitted: Reviewed | Audited
    if trusted is not None and found.counts.is_one_label and found.checked:
        divided = divide(request.rows, trusted, found)
        fitted = fit_checked(divided, found)
        inferred = None
    else:
        divided = None
        fitted, inferred = found.fit()
    if kept_negatives is not None:
        fitted = undone(fitted, kept_negatives, has_verdict=divided is not None)
    save(fitted, out, overwrite=force)
    told = _advice(found, inferred) if divided is None else judge_checked(divided.rows)
    if as_json:
        print_json(_document(found, fitted, told, out))
    else:
        _report(found, fitted, told, out)


def refuse_method(method: str | None) -> None:
    """Refuse calibrators that take one label a row."""
    if method not in (None, REVIEWED):
        raise ParameterError(
            f"--method {method} takes one label a row, and no reviewers or checked labels. Omit "
            f"--method, which then is {REVIEWED}; or name one column with --label, and neither "
            "--item nor --reviewer nor --trusted."
        )


def _advice(found: CountedOpinions, inferred: InferredReviews | None) -> str:
    """The verdict by several opinions; one opinion does not tell which labels are wrong."""
    if inferred is None or not (found.counts.rows.opinions > 1).any():
        return ONE_LABEL
    with late_progress("judging the opinions", 1 + FOLDS) as advance:
        judged = diagnose_counted(found.counts, inferred, on_progress=advance)
    return judged.recommendation.sentence


def _document(
    found: CountedOpinions, fitted: Reviewed | Audited, told: str, out: Path
) -> dict[str, Any]:
    reviews = _reviews_of(fitted)
    return {
        "method": _method_of(fitted),
        **found.facts(),
        "diagnostics": fitted.diagnostics_,
        "adjustments": [change.to_dict() for change in fitted.adjustments_],
        "reviews": None if reviews is None else summary_document(reviews),
        "advice": told,
        "written": [str(out)],
    }


def _method_of(fitted: Reviewed | Audited) -> str:
    return REVIEWED if isinstance(fitted, Reviewed) else "audited"


def _reviews_of(fitted: Reviewed | Audited) -> ReviewSummary | None:
    return fitted.reviews_ if isinstance(fitted, Reviewed) else None


def _report(found: CountedOpinions, fitted: Reviewed | Audited, told: str, out: Path) -> None:
    console = stdout()
    facts = facts_table()
    facts.add_row("method", _method_of(fitted))
    facts.add_row("rows", f"{found.n:,}", rows_left_out(found))
    if found.names.classes is None:
        facts.add_row("positive class", found.positive or "none of the labels is positive")
        facts.add_row("score scale", found.counts.scale)
    else:
        facts.add_row("classes", f"{len(found.names.classes)}")
    identified = fitted.noise_ is None or fitted.noise_.identified
    for name, value in fitted.diagnostics_.items():
        if name not in RATES or identified:
            facts.add_row(name, f"{value:.4g}", fitted.diagnostic_meanings[name])
    console.print(facts)
    reviews = _reviews_of(fitted)
    if reviews is not None:
        console.print()
        print_agreement(console, reviews)
        console.print()
        console.print(reviewers_table(reviews))
        console.print()
    elif isinstance(fitted, Reviewed):
        console.print("One label a row, and no names of reviewers: this is the fit of noise-aware.")
    for change in fitted.adjustments_:
        console.print(change.sentence)
    console.print(told, markup=False)
    console.print(f"wrote {out}", soft_wrap=True, markup=False)


def rows_left_out(found: CountedOpinions) -> str:
    """Say how many rows have no label at all, and how many are checked."""
    parts = []
    if found.checked:
        parts.append(f"{found.checked:,} with a checked label")
    if found.unlabelled:
        parts.append(f"{found.unlabelled:,} without any label, used for nothing")
    return "; ".join(parts)
