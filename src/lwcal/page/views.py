"""The documents that the page shows: plain values, which its script writes as text."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from lwcal.audit import AuditEstimates
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise
from lwcal.audit.sheet import OWN, ROW, SKIP
from lwcal.page.estimate_worker import LatestEstimates
from lwcal.page.session import AuditSession
from lwcal.report.chart_shapes import Frame, Tick

FRAME = Frame(height=296.0)
MEASURES = (
    ("wrong_share", "Wrong labels"),
    ("negative", "True negatives labelled positive"),
    ("positive", "True positives labelled negative"),
)
ERRORS = (("ece_raw", "raw score"), ("ece_calibrated", "with the checked labels"))
ANSWERS = ("no", "yes")
"""What the browser calls the negative and the positive class."""
YES = ("1", "true", "y", "t")
"""Names of the positive class that mean no more than yes: the buttons then say so."""
KEYS = ("y", "n", "1", "0")
"""Keys that answer, unless they would be misleading."""
TAKEN = ("s", "u")
"""Keys that skip and undo."""


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
        "next": None if upcoming is None else _row(session, upcoming, shown),
        "last": None if undoable is None else _answered(session, undoable, answers[undoable]),
        "estimate": _final(session, latest) if upcoming is None else None,
    }


def texts(session: AuditSession, command: str, question: str) -> dict[str, Any]:
    """Return everything that does not change during the session."""
    names = session.source.class_names
    keys = _keys(names)
    return {
        "file": session.source.name,
        "sheet": str(session.path),
        "command": command,
        "question": question,
        "keys": {key: ANSWERS[label] for key, label in keys.items()},
        "buttons": [
            {
                "answer": ANSWERS[label],
                "name": names.name(label),
                "meaning": ANSWERS[label] if normalise(names.positive) in YES else "",
                "key": next(key for key, meant in keys.items() if meant == label),
            }
            for label in button_order(names)
        ],
    }


def button_order(names: ClassNames) -> list[int]:
    """Return the classes in the order of their buttons: by name, whichever is positive.

    >>> button_order(ClassNames("good", "bad")), button_order(ClassNames("bad", "good"))
    ([1, 0], [0, 1])
    """
    return sorted((0, 1), key=lambda label: normalise(names.name(label)))


def _keys(names: ClassNames) -> dict[str, int]:
    """Return the class that each key stands for; a name of one character is a key too.

    A key with which the name of the other class begins is left out.
    """
    spelled = [normalise(names.name(label)) for label in (0, 1)]
    found = {}
    for key in (*KEYS, *(name for name in spelled if len(name) == 1 and name not in TAKEN)):
        with suppress(KeyError):  # ambiguous: 0 is no key for the classes -1 and 1
            label = names.parse(key)
            if label is not None and not spelled[1 - label].startswith(key):
                found[key] = label
    return found


def _row(session: AuditSession, position: int, shown: Shown) -> dict[str, Any]:
    """Return what the auditor sees of a row: the case, or at least where to look it up."""
    source = session.source
    cells = session.cells(position)
    hidden = {*OWN, source.score, source.label, *shown.hidden}
    case = [[name, cell] for name, cell in cells.items() if name not in hidden]
    row = {
        "row": session.key(position),
        "place": session.order.index(position) + 1,
        "fields": case or [[ROW, cells[ROW]]],
    }
    if shown.label:
        row["label"] = source.class_names.name(int(source.labels[position]))
        row["score"] = f"{source.scores[position]:.3f}"
    return row


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
    ready = latest.revision == session.revision
    found = latest.estimates if ready else None
    return {
        "ready": ready,
        "reason": latest.reason if ready else "",
        "estimates": None if found is None else _estimates(found),
    }


def _estimates(found: AuditEstimates) -> dict[str, Any]:
    return {
        "enough": bool(found.enough),
        "sentence": found.reason,
        "measures": [
            {
                "name": name,
                "value": f"{rate.value:.0%}",
                "interval": f"{rate.low:.0%} to {rate.high:.0%}",
                "ends": [round(float(end), 4) for end in (rate.low, rate.value, rate.high)],
            }
            for rate, name in ((getattr(found, key), name) for key, name in MEASURES)
        ],
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
