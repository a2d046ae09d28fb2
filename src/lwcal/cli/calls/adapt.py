"""The call of ``lwcal adapt``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows(needs_source=False)
def adapt(
    calibrator: options.CalibratorFile,
    rows: "RowsRequest | None",
    out: Annotated[Path, typer.Option("--out", help="JSON file to write the calibrator to.")],
    base_rate: options.BaseRate = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> int:
    """Adapt a calibrator to the base rate of new rows.

    SCORES are new scores of the same model; labels are not needed. The base rate is estimated from
    them, or given with --base-rate. Then the scores are only tested, and may be left out. With
    several classes, --score names a column for each. Nothing is written if the scores moved in a
    way that no base rate explains, or if the base rate may be as before. The exit code is 1 if the
    calibrator cannot be adapted.

    Example: lwcal adapt lwcal-demo/calibrator.json lwcal-demo/calibrated.csv --out adapted.json
    """
    from lwcal.cli.adapt import run

    return run(calibrator, rows, out=out, base_rate=base_rate, force=force, as_json=as_json)
