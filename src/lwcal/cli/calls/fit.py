"""The call of ``lwcal fit``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lwcal.cli import options
from lwcal.cli.options import METHODS
from lwcal.cli.row_options import takes_rows

if TYPE_CHECKING:
    from lwcal.cli.request import RowsRequest


@takes_rows(timed=True)
def fit(
    rows: "RowsRequest",
    out: Annotated[Path, typer.Option("--out", help="JSON file to write the calibrator to.")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help=f"Calibrator: {', '.join(METHODS)}. Default: auto; with several opinions, "
            "reviewers or checked labels: reviewed.",
            autocompletion=options.one_of(METHODS),
        ),
    ] = None,
    item: options.Item = None,
    reviewer: options.Reviewer = None,
    trusted: options.Trusted = None,
    segment: Annotated[
        list[str] | None,
        typer.Option(
            "--segment",
            help="Column of segments, such as a country: each gets a calibrator, and small ones "
            "borrow from all rows. Repeat it for combinations.",
        ),
    ] = None,
    prior_rows: Annotated[
        float | None,
        typer.Option(
            "--prior-rows",
            help="Rows from which a segment gets a curve of its own. Default: 1000.",
        ),
    ] = None,
    label_weights: Annotated[
        Path | None,
        typer.Option(
            "--label-weights",
            "--audit",
            help="Also write the weight of every label, to a Parquet or CSV file.",
        ),
    ] = None,
    noise_rates: Annotated[
        str | None,
        typer.Option(
            "--noise-rates",
            help="Known flip rates r0,r1 of the negatives and positives, for noise-aware.",
        ),
    ] = None,
    noise_matrix: options.NoiseMatrix = None,
    kept_negatives: Annotated[
        float | None,
        typer.Option(
            "--sampling-rate-negatives",
            help="Share of the negative rows that was kept, if positives are more frequent in "
            "SCORES than in deployment. The calibrator is corrected for it.",
        ),
    ] = None,
    gate_center: Annotated[
        float | None,
        typer.Option("--gate-center", help="Disagreement d at which gated starts to back off."),
    ] = None,
    gate_width: Annotated[
        float | None, typer.Option("--gate-width", help="Range of d over which gated backs off.")
    ] = None,
    floor: Annotated[
        float | None, typer.Option("--floor", help="Smallest weight of a label in lwcal and gated.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", help="Score from which on the model decides for the positive class."
        ),
    ] = None,
    keep: Annotated[
        float | None, typer.Option("--keep", help="Share of rows that the trimmed methods keep.")
    ] = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Fit a calibrator to scores and noisy labels.

    Rows may have several labels: in several columns (--label "label_*"), or as rows of a file in
    which each row is one opinion (--item id --reviewer who --label label).

    Example: lwcal fit lwcal-demo/calibration.csv --out calibrator.json
    """
    from lwcal.cli.fit import run

    run(
        rows,
        out=out,
        method=method,
        item=item,
        reviewer=reviewer,
        trusted=trusted,
        segment=segment or [],
        prior_rows=prior_rows,
        label_weights=label_weights,
        noise_rates=noise_rates,
        noise_matrix=noise_matrix,
        kept_negatives=kept_negatives,
        parameters={
            "gate_center": gate_center,
            "gate_width": gate_width,
            "floor": floor,
            "threshold": threshold,
            "keep": keep,
        },
        force=force,
        as_json=as_json,
    )
