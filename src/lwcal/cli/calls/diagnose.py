"""The call of ``lwcal diagnose``."""

from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows(timed=True)
def diagnose(
    rows: "RowsRequest",
    item: options.Item = None,
    reviewer: options.Reviewer = None,
    trusted: options.Trusted = None,
    paper: Annotated[
        bool,
        typer.Option("--paper", help="Show the paper's rule by d, which the verdict does not use."),
    ] = False,
    as_json: options.AsJson = False,
) -> int:
    """Judge whether it is safe to calibrate on these labels.

    The exit code is 1 when labels or scores must be checked first. With --trusted, the verdict
    rests on the checked labels. With several labels a row (--label "label_*", or --item id
    --reviewer who --label label), it rests on what reviewers say about each other.

    Example: lwcal diagnose lwcal-demo/calibration.csv --score score --label label
    """
    from lwcal.cli.diagnose import run

    return run(rows, item=item, reviewer=reviewer, trusted=trusted, paper=paper, as_json=as_json)
