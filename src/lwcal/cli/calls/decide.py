"""The call of ``lwcal decide``."""

from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows()
def decide(
    calibrator: options.CalibratorFile,
    rows: "RowsRequest",
    cost_false_positive: Annotated[
        float, typer.Option("--cost-false-positive", help="Cost of a wrong positive decision.")
    ] = 1.0,
    cost_false_negative: Annotated[
        float, typer.Option("--cost-false-negative", help="Cost of a wrong negative decision.")
    ] = 1.0,
    cost_review: Annotated[
        float, typer.Option("--cost-review", help="Cost of a review, which finds the truth.")
    ] = 0.0,
    capacity: Annotated[
        float, typer.Option("--capacity", help="Share of the rows that people can review.")
    ] = 0.0,
    sql: Annotated[
        str | None,
        typer.Option("--sql", help="Print the decision as SQL of this dialect, and nothing else."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Choose thresholds by costs, and the rows that people should review.

    SCORES are rows like those that will be decided. With labels, the costs are also judged by
    them: as they are, and if the noise estimate of the calibrator holds. Where labels have to be
    checked first, as lwcal diagnose says, the answer begins with that.

    Example: lwcal decide lwcal-demo/calibrator.json lwcal-demo/calibration.csv --capacity 0.05
    """
    from lwcal.cli.decide import run

    run(
        calibrator,
        rows,
        cost_false_positive=cost_false_positive,
        cost_false_negative=cost_false_negative,
        cost_review=cost_review,
        capacity=capacity,
        sql=sql,
        as_json=as_json,
    )
