"""The call of ``lwcal monitor``."""

from typing import TYPE_CHECKING

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows()
def monitor(
    calibrator: options.CalibratorFile, rows: "RowsRequest", as_json: options.AsJson = False
) -> int:
    """Compare new rows with the rows of the fit.

    Without labels only the scores are compared. With several columns of scores (--score "p_*"),
    each class is compared, and the highest score of every row. The exit code is 1 when the
    calibrator needs a refit.

    Example: lwcal monitor lwcal-demo/calibrator.json lwcal-demo/calibrated.csv
    """
    from lwcal.cli.monitor import run

    return run(calibrator, rows, as_json=as_json)
