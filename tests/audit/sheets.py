"""Sheets for tests: planned rows of a small source, as people and spreadsheets return them."""

import csv
import io

import numpy as np

from lwcal.audit.answers import ClassNames
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import OWN, make_sheet
from lwcal.audit.source import AuditSource

SCORES = np.array([0.1, 0.53125, 1 / 3, 0.9, 0.0001, 0.5])
LABELS = np.array([0, 1, 0, 1, 0, 1], dtype=np.uint8)
ROWS = (3, 1, 4, 2)
PROBABILITIES = (0.5, 0.25, 2 / 3, 1 / 3)


def source(**changes):
    """Return six rows; four of them are planned."""
    names = ClassNames(("good", "bad"))
    given = {"name": "s.csv", "scores": SCORES, "labels": LABELS, "class_names": names}
    return AuditSource(**given | changes)


def planned(answers=("", "", "", ""), rows=ROWS):
    """Return the sheet of a plan, with answers."""
    names = ["case", "note", "score", "label", *OWN]
    cells = []
    for place, row in enumerate(rows):
        p, answer = PROBABILITIES[place], answers[place]
        code = RowCode(PlanId(4, 0, 0), place + 1, p, fingerprint(SCORES[row], LABELS[row]))
        label = "bad" if LABELS[row] else "good"
        plain = [f"c-00{row}", "=1+1", repr(float(SCORES[row])), label]
        cells.append([*plain, str(row + 1), repr(p), str(code), answer])
    return make_sheet(names, cells)


def changed(sheet, row, column, cell):
    """Return a copy with one cell changed."""
    place = sheet.names.index(column)
    rows = [list(cells) for cells in sheet.rows]
    rows[row][place] = cell
    return make_sheet(sheet.names, rows)


def as_saved_abroad(sheet):
    """Save a sheet as in a country with decimal commas: rounded, reordered and padded."""
    lines = list(csv.reader(io.StringIO(sheet.to_bytes().decode("utf-8-sig"), newline="")))
    order = sorted(range(len(lines[0])), key=lambda k: lines[0][k])
    body = [[_abroad(cells[k]) for k in order] + ["", ""] for cells in reversed(lines[1:])]
    header = [lines[0][k] for k in order] + ["", ""]
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\r\n").writerows([header, *body, [""] * 9])
    return b"\xef\xbb\xbf" + text.getvalue().encode()


def _abroad(cell):
    try:
        return f"{float(cell):.4g}".replace(".", ",")
    except ValueError:
        return cell
