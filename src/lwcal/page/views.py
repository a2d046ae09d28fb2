"""The documents that the page shows: plain values, which its script writes as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lwcal.audit.sheet import OWN, ROW, SKIP
from lwcal.audit.sheet_reviewers import is_reviewer_column
from lwcal.audit.source import AuditSource
from lwcal.estimates import Estimate, whole_percent
from lwcal.page.answer_buttons import buttons, key_answers, listed_classes
from lwcal.page.estimate_worker import LatestEstimates
from lwcal.page.session import AuditSession
from lwcal.report.chart_shapes import Frame, Tick

if TYPE_CHECKING:
    from lwcal.audit import AuditEstimates, ClassAuditEstimates

FRAME = Frame(height=296.0)
MEASURES = (
    ("wrong_share", "Wrong labels"),
    ("negative", "True negatives labelled positive"),
    ("positive", "True positives labelled negative"),
)
ERRORS = (("ece_raw", "raw score"), ("ece_calibrated", "with the checked labels"))
STOP, GO_ON, DONE = (
    "You can stop now",
    "Check more rows in another round",
    "All planned rows are answered",
)
MOST_PAIRS = 5
"""Confused classes that the page lists."""


class Shown(NamedTuple):
    """What the auditor sees of a row.

    Attributes
    ----------
    hidden : frozenset of str
        Columns of the sheet that are not shown.
    label : bool
        Whether label and score are shown, which biases the answers.
    """

    hidden: frozenset[str]
    label: bool = False


def state(session: AuditSession, latest: LatestEstimates, shown: Shown) -> dict[str, Any]:
    """Return everything that changes during the session, and nothing that could bias an answer."""
    answers = session.answers()
    skipped = sum(answer.casefold() == SKIP for answer in answers.values())
    upcoming, undoable = session.upcoming, session.undoable
    return {
        "revision": session.revision,
        "problem": session.problem,
        "total": len(answers),
        "answered": sum(map(bool, answers.values())) - skipped,
        "skipped": skipped,
        "reviewers": _reviewers(session),
        "next": None if upcoming is None else _row(session, upcoming, shown),
        "last": None if undoable is None else _answered(session, undoable, answers[undoable]),
        "estimate": _final(session, latest) if upcoming is None else None,
    }


def texts(session: AuditSession, command: str, question: str) -> dict[str, Any]:
    """Return everything that does not change during the session."""
    names = session.source.class_names
    return {
        "file": session.source.name,
        "sheet": str(session.path),
        "command": command,
        "question": question,
        "reviewer": session.reviewer,
        "keys": key_answers(names),
        "buttons": [button._asdict() for button in buttons(names)],
        "classes": [choice._asdict() for choice in listed_classes(names)],
    }


def _reviewers(session: AuditSession) -> list[dict[str, Any]]:
    """Return how far each reviewer is, and nothing about what they answered."""
    if session.reviewer is None:
        return []
    return [
        {"name": name, "answered": answered, "skipped": skipped, "you": name == session.reviewer}
        for name, answered, skipped in session.progress()
    ]


def _row(session: AuditSession, position: int, shown: Shown) -> dict[str, Any]:
    """Return what the auditor sees of a row: the case, or at least where to look it up."""
    source = session.source
    cells = session.cells(position)
    hidden = {*OWN, *source.told, *shown.hidden}
    case = [
        [name, cell]
        for name, cell in cells.items()
        if name not in hidden and not is_reviewer_column(name)
    ]
    row = {
        "row": session.key(position),
        "place": session.order.index(position) + 1,
        "fields": case or [[ROW, cells[ROW]]],
    }
    if shown.label:
        row["label"] = source.class_names.name(int(source.labels[position]))
        row["score"] = _score(source, position)
    return row


def _score(source: AuditSource, position: int) -> str:
    """Write the score of a row; of several classes, that of the label and the highest."""
    scores = source.scores[position]
    if source.codes is None:
        return f"{scores:.3f}"
    highest = int(scores.argmax())
    of_label = f"{scores[source.labels[position]]:.3f}"
    return f"{of_label} (highest: {source.class_names.name(highest)}, {scores[highest]:.3f})"


def _answered(session: AuditSession, position: int, cell: str) -> dict[str, Any]:
    """Return the last answer. It is repeated and not commented on."""
    names = session.source.class_names
    answer = names.parse(cell)
    return {
        "row": session.key(position),
        "place": session.order.index(position) + 1,
        "cell": cell,
        "answer": None if answer is None else names.name(answer),
    }


def _final(session: AuditSession, latest: LatestEstimates) -> dict[str, Any]:
    """Return the estimates from all answers, as soon as they are computed."""
    ready = latest.revision == session.answers_revision
    found = latest.estimates if ready else None
    return {
        "ready": ready,
        "reason": latest.reason if ready else "",
        "estimates": None if found is None else _told(found, session),
    }


def _told(found: AuditEstimates | ClassAuditEstimates, session: AuditSession) -> dict[str, Any]:
    """Return the estimates; those from one reviewer's answers hold only if these are right."""
    told = _estimates(found, session.source)
    if session.reviewer is None:
        return told
    low, high = map(whole_percent, found.wrong_share[1:])
    sentence = (
        f"Your answer differs from the label in {found.wrong:,} of {found.checked:,} rows. If all "
        f"your answers are right, between {low} and {high} of all labels are wrong. "
        "Nobody is always right: the next commands compare the answers of all reviewers."
    )
    return {**told, "enough": False, "word": DONE, "sentence": sentence}


def _estimates(found: AuditEstimates | ClassAuditEstimates, source: AuditSource) -> dict[str, Any]:
    from lwcal.audit import ClassAuditEstimates  # by now what is slow to import is there

    if isinstance(found, ClassAuditEstimates):
        name = source.class_names.name
        pairs = [
            (f"True {name(pair.true)}, labelled {name(pair.label)}", pair.share)
            for pair in found.pairs[:MOST_PAIRS]
        ]
        measures = [_measure("Wrong labels", found.wrong_share), *(_measure(*p) for p in pairs)]
        return {
            "enough": False,
            "word": DONE,
            "sentence": found.sentence,
            "measures": measures,
            "errors": [],
            "chart": None,
        }
    return {
        "enough": bool(found.enough),
        "word": STOP if found.enough else GO_ON,
        "sentence": found.reason,
        "measures": [_measure(name, getattr(found, key)) for key, name in MEASURES],
        "errors": [
            {
                "name": name,
                "value": f"{error.value:.3f}",
                "interval": f"{error.low:.3f} to {error.high:.3f}",
            }
            for error, name in ((getattr(found, key), name) for key, name in ERRORS)
        ],
        "chart": _chart(found),
    }


def _measure(name: str, rate: Estimate) -> dict[str, Any]:
    return {
        "name": name,
        "value": whole_percent(rate.value),
        "interval": f"{whole_percent(rate.low)} to {whole_percent(rate.high)}",
        "ends": [round(float(end), 4) for end in (rate.low, rate.value, rate.high)],
    }


def _chart(found: AuditEstimates) -> dict[str, Any]:
    """Return the curve and its interval as SVG paths."""
    curve, ends = found.curve, np.array([0.0, 1.0])
    there_and_back = np.concatenate([curve.score, curve.score[::-1]])
    band = np.concatenate([curve.high, curve.low[::-1]])
    return {
        "width": FRAME.width,
        "height": FRAME.height,
        "left": FRAME.left,
        "right": FRAME.right,
        "top": FRAME.top,
        "bottom": FRAME.bottom,
        "xTicks": _ticks(FRAME.x_ticks),
        "yTicks": _ticks(FRAME.y_ticks),
        "diagonal": FRAME.path(ends, ends),
        "band": FRAME.path(there_and_back, band) + "Z",
        "line": FRAME.path(curve.score, curve.value),
    }


def _ticks(ticks: list[Tick]) -> list[list[Any]]:
    return [[tick.at, tick.text] for tick in ticks]
