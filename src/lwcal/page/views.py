"""What the page shows, as documents: plain values, which its script writes as text."""

from __future__ import annotations

from typing import Any

import numpy as np

from lwcal.audit import AuditFindings
from lwcal.audit.answers import Words
from lwcal.audit.cells import spell
from lwcal.audit.sheet import OWN, SKIP
from lwcal.page.desk import Desk
from lwcal.page.estimator import Estimate
from lwcal.report.chart_shapes import Frame, Tick

FRAME = Frame(height=296.0)
MEASURES = (
    ("wrong_share", "Labels that are wrong"),
    ("negative", "True negatives labelled positive"),
    ("positive", "True positives labelled negative"),
)
ERRORS = (("ece_raw", "raw score"), ("ece_calibrated", "with the checked labels"))
YES = ("1", "yes", "true", "y", "t")
"""Names of the positive class that say no more than yes."""


def state(desk: Desk, estimate: Estimate) -> dict[str, Any]:
    """Everything that changes while labels are checked."""
    cells = desk.cells()
    skipped = sum(cell.casefold() == SKIP for cell in cells.values())
    upcoming = next((position for position in desk.order if not cells[position]), None)
    undoable = desk.undoable
    return {
        "revision": desk.revision,
        "trouble": desk.trouble,
        "total": len(cells),
        "answered": sum(map(bool, cells.values())) - skipped,
        "skipped": skipped,
        "next": None if upcoming is None else _row(desk, upcoming),
        "last": None if undoable is None else _answered(desk, undoable, cells[undoable]),
        "estimate": _estimate(estimate),
    }


def texts(desk: Desk, command: str, question: str) -> dict[str, Any]:
    """Everything that stays as it is."""
    words = desk.source.words
    return {
        "file": desk.source.name,
        "sheet": str(desk.path),
        "command": command,
        "question": question,
        "yes": _button(words, 1),
        "no": _button(words, 0),
        "yesLabel": f"label {words.positive}" if _plain(words) else "yes",
        "noLabel": f"label {words.negative}" if _plain(words) else "no",
    }


def _row(desk: Desk, position: int) -> dict[str, Any]:
    """One row, without the score: it is not even sent before there is an answer."""
    sheet, source = desk.sheet, desk.source
    hidden = {*OWN, source.score, source.label}
    cells = dict(zip(sheet.names, sheet.rows[desk.row(position)], strict=True))
    return {
        "position": position,
        "place": desk.order.index(position) + 1,
        "label": source.words.word(int(source.labels[position])),
        "fields": [[name, cells[name]] for name in sheet.names if name not in hidden],
    }


def _answered(desk: Desk, position: int, cell: str) -> dict[str, Any]:
    """What was answered last, and what the model had said: shown now that it cannot bias."""
    answer = desk.source.words.meaning(cell)
    noisy = int(desk.source.labels[position])
    return {
        "position": position,
        "place": desk.order.index(position) + 1,
        "cell": cell,
        "label": desk.source.words.word(noisy),
        "answer": None if answer is None else _said(desk.source.words, answer),
        "agrees": None if answer is None else answer == noisy,
        "score": f"{desk.source.scores[position]:.3f}",
    }


def _said(words: Words, answer: int) -> str:
    """Name an answer as its button does, and as it is written."""
    return (
        f"{_button(words, answer)} ({words.word(answer)})" if _plain(words) else words.word(answer)
    )


def _button(words: Words, label: int) -> str:
    return ("No", "Yes")[label] if _plain(words) else words.word(label)


def _plain(words: Words) -> bool:
    return spell(words.positive) in YES


def _estimate(estimate: Estimate) -> dict[str, Any]:
    found = estimate.findings
    if found is None:
        return {"revision": estimate.revision, "reason": estimate.reason, "findings": None}
    return {"revision": estimate.revision, "reason": "", "findings": _findings(found)}


def _findings(found: AuditFindings) -> dict[str, Any]:
    return {
        "enough": bool(found.enough),
        "sentence": _reason(found.sentence),
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


def _reason(sentence: str) -> str:
    """Leave out what stands above it in large letters.

    >>> _reason("You can stop now: a tenth of all labels are wrong.")
    'A tenth of all labels are wrong.'
    """
    bare = sentence
    for said in ("You can stop now: ", "Go on: "):
        bare = bare.removeprefix(said)
    return bare[:1].upper() + bare[1:]


def _chart(found: AuditFindings) -> dict[str, Any]:
    """The probability of a true positive at each score, with its interval, as paths."""
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
