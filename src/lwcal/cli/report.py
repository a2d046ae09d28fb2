"""``lwcal report``: write an HTML page about a calibrator for people who decide."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from lwcal.atomic_files import check_writable
from lwcal.calibrators import Calibrator
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.console import print_json
from lwcal.cli.progress import late_progress
from lwcal.cli.reading import read_rows
from lwcal.cli.request import RowsRequest, as_arguments
from lwcal.report.build import TITLE
from lwcal.report.page import template, write_report
from lwcal.report.reproduction import of_files
from lwcal.rows.scales import PROBABILITY


class Content(NamedTuple):
    """What the page is about: rows or counts, and how they were read."""

    scores: Any
    y: Any
    positive: str | None
    """The positive class; None for a saved table, which does not record it."""
    scale: str
    columns: dict[str, str | None]
    """Options that name the columns, as the page shows them."""
    again: str
    """How another command reads the same rows."""
    more: dict[str, Any]
    """Further arguments of :func:`lwcal.report.build`."""


def run(
    calibrator: Path,
    rows: RowsRequest,
    *,
    out: Path,
    title: str,
    trusted: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write the page, and print its verdict."""
    check_writable(out, overwrite=force)
    template()  # reports a missing jinja2 before any row is read
    fitted = load_calibrator(calibrator)
    content = _content(rows, fitted, trusted)
    with late_progress("writing the page"):
        data = write_report(
            fitted,
            content.scores,
            content.y,
            path=out,
            overwrite=force,
            title=title,
            reproduction=of_files(
                _files(calibrator, rows),
                _command(calibrator, rows, content.columns, title),
                created=None,
                calibrator=calibrator.name,
                new_rows=shlex.join(["NEW.csv", *as_arguments({"--score": rows.score})]),
                rows=content.again,
            ),
            positive_class=content.positive,
            **content.more,
        )
    if as_json:
        verdict = data.diagnosis.to_dict()["recommendation"]
        about = {"recommendation": verdict, "positive_class": content.positive}
        print_json({**about, "score_scale": content.scale, "written": [str(out)]})
    else:
        print(data.diagnosis.recommendation.sentence)
        print(f"positive class: {content.positive or 'not recorded'}")
        print(f"score scale: {content.scale}")
        print(f"wrote {out} ({out.stat().st_size / 1000:,.0f} kB)")


def _content(rows: RowsRequest, fitted: Calibrator, trusted: str | None) -> Content:
    """Read the rows, or count them where single rows are not available."""
    if trusted is not None:
        rows.require_single_rows("--trusted")
    if rows.has_single_rows():
        return _from_rows(rows, fitted, trusted)
    found = rows.reduce(fitted=fitted)
    columns = {
        "--score": rows.score,
        "--score-scale": rows.score_scale,
        "--label": rows.label,
        "--weight": rows.weight,
    }
    return Content(found.table, None, found.positive, found.table.scale, columns, "FILE", {})


def _from_rows(rows: RowsRequest, fitted: Calibrator, trusted: str | None) -> Content:
    found = read_rows(rows, fitted=fitted, trusted=trusted)
    more = {
        "identities": None if rows.id is None else found.column(rows.id),
        "identity_name": rows.id or "row",
        "trusted": None if trusted is None else found.column(trusted),
        "audit_probability": None if trusted is None else found.audit_probability(),
        "sample_weight": found.weights,
        "pos_label": found.named,
        "scale": PROBABILITY,  # they were converted when they were read
    }
    columns = {
        "--score": found.names.score,
        "--score-scale": rows.score_scale,
        "--label": found.names.label,
        "--id": rows.id,
        "--trusted": trusted,
        "--weight": rows.weight,
        "--pos-label": rows.pos_label,
    }
    rows.announce(found.names.score, found.names.label)
    y = found.column(found.names.label)
    return Content(
        found.scores, y, found.positive, found.scale, columns, _again(rows, found.scale), more
    )


def _again(rows: RowsRequest, scale: str) -> str:
    """Name the file and what is known about its columns, for the next command."""
    known = replace(rows, score_scale=None if scale == PROBABILITY else scale)
    source, *named = known.again()
    return shlex.join([Path(source).name, *named])


def _files(calibrator: Path, rows: RowsRequest) -> dict[str, Path]:
    """Name the input files; standard input and Spark leave none."""
    files = rows.files()
    names = ["scores"] if len(files) == 1 else [f"scores {k}" for k in range(1, len(files) + 1)]
    return {"calibrator": calibrator, **dict(zip(names, files, strict=True))}


def _command(
    calibrator: Path, rows: RowsRequest, columns: dict[str, str | None], title: str
) -> str:
    """Write the call without folders, which are private."""
    others = {option: value for option, value in rows.given().items() if option not in columns}
    given = {**columns, **others, "--title": None if title == TITLE else title}
    return shlex.join(
        ["lwcal", "report", calibrator.name, Path(rows.source).name, *as_arguments(given)]
    )
