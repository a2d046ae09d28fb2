"""The call of ``lwcal monitor``."""

from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.options import PERIODS
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows(timed=True)
def monitor(
    calibrator: options.CalibratorFile,
    rows: "RowsRequest",
    period: Annotated[
        str | None,
        typer.Option(
            "--period",
            help=f"Compare by {', '.join(PERIODS[:-1])} or {PERIODS[-1]} of --time. Default: one "
            "that gives up to 24 periods with enough rows.",
            autocompletion=options.one_of(PERIODS),
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> int:
    """Compare new rows with the rows of the fit.

    Without labels only the scores are compared. With several columns of scores (--score "p_*"),
    each class is compared, and the highest score of every row. The exit code is 1 when the
    calibrator needs a refit.

    With --time, the rows of each period are compared too, and the first one that drifts is named.

    Example: lwcal monitor lwcal-demo/calibrator.json lwcal-demo/calibrated.csv
    """
    from lwcal.cli.monitor import run

    return run(calibrator, rows, period=period, as_json=as_json)
