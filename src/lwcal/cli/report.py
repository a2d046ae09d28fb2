"""``lwcal report``: a calibrator, scores and labels to one page for people who decide."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from lwcal.artifact import load
from lwcal.cli import options
from lwcal.cli.columns import column, parse_label, read_table
from lwcal.files import check_writable
from lwcal.inputs import as_labels, as_scores, as_weights
from lwcal.report.build import TITLE
from lwcal.report.page import template, write_report
from lwcal.report.provenance import of_files


def report(
    calibrator: options.CalibratorFile,
    scores: options.ScoresFile,
    score: options.Score,
    label: options.Label,
    out: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = TITLE,
    identity: Annotated[
        str | None, typer.Option("--id", help="Column that names the rows; default: their number.")
    ] = None,
    trusted: Annotated[
        str | None,
        typer.Option("--trusted", help="Column of checked labels; empty where none was checked."),
    ] = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    force: options.Force = False,
) -> None:
    """Write one HTML page about a calibrator: verdict, evidence, thresholds, labels to check.

    Example: lwcal report calibrator.json scores.csv --score score --label label
    """
    check_writable(out, overwrite=force)
    template()  # no jinja2: say so before any row is read
    chosen = {
        "--score": score,
        "--label": label,
        "--id": identity,
        "--trusted": trusted,
        "--weight": weight,
        "--pos-label": pos_label,
        "--title": None if title == TITLE else title,
    }
    fitted = load(calibrator)
    columns = _read(scores, chosen)
    files = {"calibrator": calibrator, "scores": scores}
    origin = of_files(files, _command(calibrator, scores, chosen), created=None)
    data = write_report(
        fitted,
        columns.pop("scores"),
        columns.pop("labels"),
        out,
        overwrite=force,
        title=title,
        identity_name=identity or "row",
        origin=origin,
        **columns,
    )
    console = Console(highlight=False, soft_wrap=True)
    console.print(data.diagnosis.recommendation.sentence, markup=False)
    console.print(f"wrote {out} ({out.stat().st_size / 1000:,.0f} kB)", markup=False)


def _read(path: Path, chosen: Mapping[str, str | None]) -> dict[str, Any]:
    """Read the columns that were named; errors speak of them by name."""
    table = read_table(path)
    found = {
        option: None if name is None else column(table, name, path)
        for option, name in chosen.items()
        if option in ("--score", "--label", "--id", "--trusted", "--weight")
    }
    scores = as_scores(found["--score"], name=f"column {chosen['--score']!r}")
    labels, weight = found["--label"], found["--weight"]
    assert labels is not None  # the option is required
    positive = parse_label(chosen["--pos-label"], labels)
    as_labels(labels, pos_label=positive, name=f"column {chosen['--label']!r}")
    if weight is not None:
        weight = as_weights(weight, len(scores), name=f"column {chosen['--weight']!r}")
    return {
        "scores": scores,
        "labels": labels,
        "identities": found["--id"],
        "trusted": found["--trusted"],
        "sample_weight": weight,
        "pos_label": positive,
    }


def _command(calibrator: Path, scores: Path, chosen: Mapping[str, str | None]) -> str:
    """Write the call without folders, which are the reader's own."""
    named = [part for option, name in chosen.items() if name is not None for part in (option, name)]
    return shlex.join(["lwcal", "report", calibrator.name, scores.name, *named])
