"""``lwcal report``: write an HTML page about a calibrator for people who decide."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from lwcal.atomic_files import check_writable, refuse_inputs
from lwcal.calibrators import Calibrator
from lwcal.cli.arguments import load_calibrator
from lwcal.cli.class_calibrator import require_one_column
from lwcal.cli.class_fit import SHOWN_CLASSES
from lwcal.cli.class_reading import read_class_rows
from lwcal.cli.class_request import read_classes, refuse_two_columns
from lwcal.cli.columns import check_segment_columns
from lwcal.cli.console import note, print_json
from lwcal.cli.progress import late_progress
from lwcal.cli.reading import read_rows
from lwcal.cli.request import RowsRequest, as_arguments
from lwcal.decisions import Policy, decide
from lwcal.errors import ParameterError
from lwcal.report.building import TITLE
from lwcal.report.next_step import other_rows
from lwcal.report.page import template, write_report
from lwcal.report.reproduction import of_files
from lwcal.rows import as_labels
from lwcal.rows.scales import PROBABILITY
from lwcal.table import ScoreTable

Options: TypeAlias = dict[str, str | list[str] | None]
"""Values of options by their names."""


class Content(NamedTuple):
    """What the page is about: rows or counts, and how they were read."""

    scores: Any
    y: Any
    facts: dict[str, Any]
    """How scores and labels were read, for programs."""
    told: list[str]
    """The same for people."""
    columns: Options
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
    segment: list[str],
    costs: Mapping[str, float | None],
    force: bool,
    as_json: bool,
) -> None:
    """Write the page, and print its verdict."""
    check_segment_columns(segment)
    check_writable(out, overwrite=force)
    rows.keep_from(out)
    refuse_inputs(out, calibrator)
    template()  # reports a missing jinja2 before any row is read
    fitted = load_calibrator(calibrator)
    known_costs = {name: value for name, value in costs.items() if value is not None}
    if rows.names_classes():
        if segment or known_costs:
            raise ParameterError("--segment and costs need one column of scores.")
        content = _from_classes(rows, fitted, trusted)
    else:
        require_one_column(fitted)
        content = _content(rows, fitted, trusted, segment)
        if known_costs:
            content.columns.update({_option(name): f"{v:g}" for name, v in known_costs.items()})
            content.more["policy"] = _policy(fitted, content, known_costs)
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
                weight=rows.weight,
            ),
            **content.more,
        )
    if doubt := other_rows(data):
        note(doubt)
    if as_json:
        verdict = data.diagnosis.to_dict()["recommendation"]
        print_json({"recommendation": verdict, **content.facts, "written": [str(out)]})
    else:
        print(data.diagnosis.recommendation.sentence)
        for line in content.told:
            print(line)
        print(f"wrote {out} ({out.stat().st_size / 1000:,.0f} kB)")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _policy(fitted: Calibrator, content: Content, costs: Mapping[str, Any]) -> Policy:
    """Choose thresholds by costs, for the rows of the page."""
    if isinstance(content.scores, ScoreTable):
        return decide(fitted, content.scores, **costs)
    labels = as_labels(content.y, pos_label=content.more["pos_label"])
    table = ScoreTable.from_arrays(content.scores, labels, content.more["sample_weight"])
    return decide(fitted, table, **costs)


def _content(
    rows: RowsRequest, fitted: Calibrator, trusted: str | None, segment: list[str]
) -> Content:
    """Read the rows, or count them where single rows are not available."""
    for option, given in (("--trusted", trusted is not None), ("--segment", segment)):
        if given:
            rows.require_single_rows(option)
    if rows.has_single_rows():
        return _from_rows(rows, fitted, trusted, segment)
    found = rows.reduce(fitted=fitted)
    columns: Options = {
        "--score": rows.score,
        "--score-scale": rows.score_scale,
        "--label": rows.label,
        "--weight": rows.weight,
    }
    facts = _facts_of_two(found.positive, found.table.scale)
    more = {"positive_class": found.positive}
    return Content(found.table, None, facts, _told_of_two(facts), columns, "FILE", more)


def _facts_of_two(positive: str | None, scale: str) -> dict[str, Any]:
    """Return the positive class, which a saved table does not record, and the scale."""
    return {"positive_class": positive, "score_scale": scale}


def _told_of_two(facts: dict[str, Any]) -> list[str]:
    positive = facts["positive_class"] or "not recorded"
    return [f"positive class: {positive}", f"score scale: {facts['score_scale']}"]


def _from_classes(rows: RowsRequest, fitted: Calibrator, trusted: str | None) -> Content:
    """Read rows with a column of scores for each class, or count them without checked labels."""
    scores: Any
    if trusted is None:
        found = read_classes(rows, fitted=fitted)
        scores, y, more = found.rows, None, {}
    else:
        rows.require_single_rows("--trusted")
        single = read_class_rows(rows, fitted=fitted, trusted=trusted)
        refuse_two_columns(single.names, "--trusted")
        found = single.counted(trusted)
        scores, y = single.scores, single.classes_of(single.labels)
        more = {
            "trusted": single.column(trusted),
            "audit_probability": single.audit_probability(),
            "sample_weight": single.weights,
        }
        rows.announce(str(rows.score), single.names.label)
    names = found.names
    of_rows = {"--score": rows.score, "--label": names.label, "--id": rows.id}
    if len(names.classes) == 2:  # the audit of two classes takes one column of scores
        of_rows |= {"--score": names.scores[1], "--pos-label": str(names.classes[1])}
    again = shlex.join([Path(rows.source).name, *as_arguments(of_rows)])
    columns: Options = {**of_rows, "--score": rows.score, "--pos-label": None}
    columns |= {"--trusted": trusted, "--weight": rows.weight}
    shown = ", ".join(map(str, names.classes[:SHOWN_CLASSES]))
    others = ", ..." if len(names.classes) > SHOWN_CLASSES else ""
    told = [f"classes: {len(names.classes)} ({shown}{others})"]
    return Content(scores, y, found.facts(), told, columns, again, more)


def _from_rows(
    rows: RowsRequest, fitted: Calibrator, trusted: str | None, segment: list[str]
) -> Content:
    found = read_rows(rows, fitted=fitted, trusted=trusted, segment=segment)
    more = {
        "positive_class": found.positive,
        "identities": None if rows.id is None else found.column(rows.id),
        "identity_name": rows.id or "row",
        "trusted": None if trusted is None else found.column(trusted),
        "audit_probability": None if trusted is None else found.audit_probability(),
        "segments": found.segments(segment) if segment else None,
        "segment_name": ", ".join(segment) or "segment",
        "sample_weight": found.weights,
        "pos_label": found.named,
        "scale": PROBABILITY,  # they were converted when they were read
    }
    columns: Options = {
        "--score": found.names.score,
        "--score-scale": rows.score_scale,
        "--label": found.names.label,
        "--id": rows.id,
        "--trusted": trusted,
        "--segment": segment or None,
        "--weight": rows.weight,
        "--pos-label": rows.pos_label,
    }
    rows.announce(found.names.score, found.names.label)
    y = found.column(found.names.label)
    facts = _facts_of_two(found.positive, found.scale)
    again = _again(rows, found.scale)
    return Content(found.scores, y, facts, _told_of_two(facts), columns, again, more)


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


def _command(calibrator: Path, rows: RowsRequest, columns: Options, title: str) -> str:
    """Write the call without folders, which are private."""
    others = {option: value for option, value in rows.given().items() if option not in columns}
    given = {**columns, **others, "--title": None if title == TITLE else title}
    return shlex.join(
        ["lwcal", "report", calibrator.name, Path(rows.source).name, *as_arguments(given)]
    )
