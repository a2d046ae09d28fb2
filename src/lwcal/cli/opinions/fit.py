"""``lwcal fit`` with several opinions, or with the names of reviewers, or with checked labels."""

from pathlib import Path
from typing import Any

from lwcal.artifact import save
from lwcal.calibrators import Reviewed
from lwcal.cli.console import facts_table, print_json, stdout
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.counts import CountedOpinions, count_opinions
from lwcal.cli.opinions.findings import print_agreement, reviewers_table, summary_document
from lwcal.errors import ParameterError

REVIEWED = "reviewed"
RATES = ("r0", "r1")


def run(
    request: OpinionsRequest, *, out: Path, method: str | None, force: bool, as_json: bool
) -> None:
    """Fit the calibrator, write the file, and say what was found."""
    refuse_method(method)
    found = count_opinions(request)
    fitted = found.fit()
    save(fitted, out, overwrite=force)
    if as_json:
        print_json(_document(found, fitted, out))
    else:
        _report(found, fitted, out)


def refuse_method(method: str | None) -> None:
    """Refuse calibrators that take one label a row."""
    if method not in (None, REVIEWED):
        raise ParameterError(
            f"--method {method} takes one label a row, and no reviewers or checked labels. Omit "
            f"--method, which then is {REVIEWED}; or name one column with --label, and neither "
            "--item nor --reviewer nor --trusted."
        )


def _document(found: CountedOpinions, fitted: Reviewed, out: Path) -> dict[str, Any]:
    reviews = fitted.reviews_
    return {
        "method": REVIEWED,
        **found.facts(),
        "diagnostics": fitted.diagnostics_,
        "reviews": None if reviews is None else summary_document(reviews),
        "written": [str(out)],
    }


def _report(found: CountedOpinions, fitted: Reviewed, out: Path) -> None:
    console = stdout()
    facts = facts_table()
    facts.add_row("method", REVIEWED)
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
    if fitted.reviews_ is None:
        same = "audited" if found.checked else "noise-aware"
        console.print(f"One label a row, and no names of reviewers: this is the fit of {same}.")
    else:
        console.print()
        print_agreement(console, fitted.reviews_)
        console.print()
        console.print(reviewers_table(fitted.reviews_))
    console.print(f"wrote {out}", soft_wrap=True, markup=False)


def rows_left_out(found: CountedOpinions) -> str:
    """Say how many rows have no label at all, and how many are checked."""
    parts = []
    if found.checked:
        parts.append(f"{found.checked:,} with a checked label")
    if found.unlabelled:
        parts.append(f"{found.unlabelled:,} without any label, used for nothing")
    return "; ".join(parts)
