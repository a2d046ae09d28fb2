"""``lwcal opinions report``: agreement, confusion and reviewers, of a calibrator or of rows."""

from pathlib import Path

from lwcal.artifact import load
from lwcal.calibrators import Reviewed
from lwcal.cli.console import print_json, stdout
from lwcal.cli.opinions.columns import OpinionsRequest
from lwcal.cli.opinions.counts import count_opinions
from lwcal.cli.opinions.findings import (
    confusion_table,
    print_agreement,
    reviewers_table,
    summary_document,
)
from lwcal.errors import ParameterError, message
from lwcal.reviews.summary import ReviewSummary


def run(request: OpinionsRequest, *, as_json: bool) -> None:
    """Print what is known about the reviewers."""
    is_calibrator = request.rows.source.endswith(".json")
    summary = _of_calibrator(request) if is_calibrator else _of_rows(request)
    if as_json:
        print_json(summary_document(summary))
        return
    console = stdout()
    print_agreement(console, summary)
    console.print()
    console.print(reviewers_table(summary))
    console.print()
    console.print(confusion_table(summary))


def _of_rows(request: OpinionsRequest) -> ReviewSummary:
    fitted = count_opinions(request).fit().calibrator
    if fitted.reviews_ is None:
        hint = "name several columns with --label, or who gave the labels with --reviewer"
        raise ParameterError(message("several opinions or reviewers", "one label a row", hint))
    return fitted.reviews_


def _of_calibrator(request: OpinionsRequest) -> ReviewSummary:
    given = [name for name, value in request.given().items() if value is not None]
    if given:
        raise ParameterError(f"{given[0]} works with rows; a calibrator needs no options.")
    fitted = load(Path(request.rows.source))
    reviews = fitted.reviews_ if isinstance(fitted, Reviewed) else None
    if reviews is None:
        got = f"{type(fitted).__name__} of one label a row"
        hint = 'fit one with lwcal fit --label "label_*"'
        raise ParameterError(message("a calibrator of several opinions", got, hint))
    return reviews
