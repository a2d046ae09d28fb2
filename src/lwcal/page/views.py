"""The documents that the page shows: plain values, which its script writes as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.audit import AuditEstimates
from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise
from lwcal.audit.sheet import OWN, SKIP
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
YES = ("1", "yes", "true", "y", "t")
"""Names of the positive class that mean no more than yes: the buttons then say Yes and No."""


def state(session: AuditSession, latest: LatestEstimates) -> dict[str, Any]:
    """Return everything that changes during the session."""
    answers = session.answers()
    skipped = sum(answer.casefold() == SKIP for answer in answers.values())
    upcoming = next((position for position in session.order if not answers[position]), None)
    undoable = session.undoable
    return {
        "revision": session.revision,
        "problem": session.problem,
        "total": len(answers),
        "answered": sum(map(bool, answers.values())) - skipped,
        "skipped": skipped,
        "next": None if upcoming is None else _row(session, upcoming),
        "last": None if undoable is None else _answered(session, undoable, answers[undoable]),
        "estimate": {
            "revision": latest.revision,
            "reason": latest.reason,
            "estimates": None if latest.estimates is None else _estimates(latest.estimates),
        },
    }


def texts(session: AuditSession, command: str, question: str) -> dict[str, Any]:
    """Return everything that does not change during the session."""
    names = session.source.class_names
    return {
        "file": session.source.name,
        "sheet": str(session.path),
        "command": command,
        "question": question,
        "yes": _button(names, 1),
        "no": _button(names, 0),
        "yesLabel": f"label {names.positive}" if _means_yes(names) else "yes",
        "noLabel": f"label {names.negative}" if _means_yes(names) else "no",
    }


def _row(session: AuditSession, position: int) -> dict[str, Any]:
    """Return one row without its score, which the browser receives after the answer."""
    source = session.source
    hidden = {*OWN, source.score, source.label}
    return {
        "position": position,
        "place": session.order.index(position) + 1,
        "label": source.class_names.name(int(source.labels[position])),
        "fields": [
            [name, cell] for name, cell in session.cells(position).items() if name not in hidden
        ],
    }


def _answered(session: AuditSession, position: int, cell: str) -> dict[str, Any]:
    """Return the last answer and the score, which can no longer bias it."""
    names = session.source.class_names
    answer = names.parse(cell)
    label = int(session.source.labels[position])
    return {
        "position": position,
        "place": session.order.index(position) + 1,
        "cell": cell,
        "label": names.name(label),
        "answer": None if answer is None else _spoken(names, answer),
        "agrees": None if answer is None else answer == label,
        "score": f"{session.source.scores[position]:.3f}",
    }


def _spoken(names: ClassNames, answer: int) -> str:
    """Return an answer as on its button, with the label in brackets if they differ."""
    name = names.name(answer)
    return f"{_button(names, answer)} ({name})" if _means_yes(names) else name


def _button(names: ClassNames, label: int) -> str:
    return ("No", "Yes")[label] if _means_yes(names) else names.name(label)


def _means_yes(names: ClassNames) -> bool:
    return normalise(names.positive) in YES


def _estimates(found: AuditEstimates) -> dict[str, Any]:
    return {
        "enough": bool(found.enough),
        "sentence": found.reason,
        "checked": int(found.checked),
        "wrong": int(found.wrong),
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
