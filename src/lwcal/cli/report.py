"""``lwcal report``: a calibrator, scores and labels to one page for people who decide."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lwcal.cli import options
from lwcal.cli.columns import (
    Asked,
    checked_labels,
    checked_scores,
    column,
    positive_class,
    read_weights,
    say_found,
)
from lwcal.cli.console import print_json
from lwcal.cli.finding import find_label, find_score
from lwcal.cli.loading import load_calibrator
from lwcal.cli.progress import late_progress
from lwcal.cli.sources import read_table, source_files
from lwcal.files import check_writable
from lwcal.report.build import TITLE
from lwcal.report.page import template, write_report
from lwcal.report.reproduction import of_files


def report(
    calibrator: options.CalibratorFile,
    scores: options.ScoresFile,
    score: options.Score = None,
    label: options.Label = None,
    out: Annotated[Path, typer.Option("--out", help="HTML file to write.")] = Path("report.html"),
    title: Annotated[str, typer.Option("--title", help="Title of the page.")] = TITLE,
    id_column: Annotated[
        str | None, typer.Option("--id", help="Column that names the rows; default: their number.")
    ] = None,
    trusted: Annotated[
        str | None,
        typer.Option("--trusted", help="Column of checked labels; empty where none was checked."),
    ] = None,
    weight: options.Weight = None,
    pos_label: options.PosLabel = None,
    form: options.InputFormat = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Write one HTML page about a calibrator: verdict, evidence, thresholds, labels to check.

    Example: lwcal report lwcal-demo/calibrator.json lwcal-demo/calibration.csv --out report.html
    """
    check_writable(out, overwrite=force)
    template()  # no jinja2: say so before any row is read
    fitted = load_calibrator(calibrator)
    table = read_table(scores, form, id_column=id_column)
    chosen = {
        "--score": score or find_score(table, scores),
        "--label": label or find_label(table, scores),
        "--id": id_column,
        "--trusted": trusted,
        "--weight": weight,
        "--pos-label": pos_label,
        "--title": None if title == TITLE else title,
    }
    columns = _columns(table, scores, chosen, fitted.pos_label)
    say_found("score", score, str(chosen["--score"]))
    say_found("label", label, str(chosen["--label"]))
    origin = of_files(
        _files(calibrator, scores), _command(calibrator, scores, chosen), created=None
    )
    with late_progress("making the page"):
        data = write_report(
            fitted,
            columns.pop("scores"),
            columns.pop("labels"),
            path=out,
            overwrite=force,
            title=title,
            identity_name=id_column or "row",
            reproduction=origin,
            **columns,
        )
    if as_json:
        verdict = data.diagnosis.to_dict()["recommendation"]
        print_json({"recommendation": verdict, "written": [str(out)]})
    else:
        print(data.diagnosis.recommendation.sentence)
        print(f"wrote {out} ({out.stat().st_size / 1000:,.0f} kB)")


def _columns(
    table: Any, source: str, chosen: Mapping[str, str | None], fitted: Any
) -> dict[str, Any]:
    """Take the columns out of the table; errors speak of them by name."""
    score, label = str(chosen["--score"]), str(chosen["--label"])
    scores = checked_scores(table, score, source)
    asked = Asked(pos_label=chosen["--pos-label"], fitted=fitted)
    checked_labels(table, label, asked, source)
    labels = column(table, label, source)
    optional = {
        name: None if asked is None else column(table, asked, source)
        for name, asked in (("identities", chosen["--id"]), ("trusted", chosen["--trusted"]))
    }
    return {
        "scores": scores,
        "labels": labels,
        **optional,
        "sample_weight": read_weights(table, chosen["--weight"], source),
        "pos_label": positive_class(asked, labels),
    }


def _files(calibrator: Path, source: str) -> dict[str, Path]:
    """Name the files that went in; standard input leaves none."""
    rows = source_files(source)
    names = ["scores"] if len(rows) == 1 else [f"scores {k}" for k in range(1, len(rows) + 1)]
    return {"calibrator": calibrator, **dict(zip(names, rows, strict=True))}


def _command(calibrator: Path, source: str, chosen: Mapping[str, str | None]) -> str:
    """Write the call without folders, which are the reader's own."""
    named = [part for option, name in chosen.items() if name is not None for part in (option, name)]
    return shlex.join(["lwcal", "report", calibrator.name, Path(source).name, *named])
