"""Whatever an export holds: opinions and counts that add up, or one of our errors."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lwcal
from lwcal.errors import LwcalError
from lwcal.rows.values import is_missing
from tests.reviews.exports.layouts import annotation, balanced, choice, options, prodigy, task
from tests.reviews.exports.test_argilla import ANN, BOB, FLAT, nested
from tests.reviews.exports.test_doccano import BOB as LABELLED
from tests.reviews.exports.test_label_studio_rows import ROWS

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", " ", "None", "a", "\ud800", "\0", "accept", "1", "2021-03-09", "[", "{"])
    | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
"""Values of JSON, and of what Python's JSON allows beyond it."""


def number_of_annotations(records, _):
    """In Label Studio's tasks, with drafts and predictions."""
    names = ("annotations", "completions", "drafts", "predictions")
    return sum(len(record.get(name) or []) for record in records for name in names)


def number_of_records(records, _):
    """Where each record is an answer."""
    return len(records)


def number_of_responses(records, question):
    """In Argilla's records, to one question."""
    flat = [record.get(f"{question}.responses") or [] for record in records]
    inner = [record.get("responses") or {} for record in records]
    return sum(map(len, flat)) + sum(len(part.get(question) or []) for part in inner)


def number_of_users(records, _):
    """In doccano's old layout, with equal users of a text counted once."""
    entries = [record.get("annotations") or [] for record in records]
    return sum(len({repr((entry or {}).get("user")) for entry in part}) for part in entries)


def number_of_cells(records, _):
    """In a wide table."""
    cells = [value for record in records for name, value in record.items() if name.startswith("a")]
    return int((~is_missing(np.array([*cells, None], dtype=object))).sum())


TASKS = [
    task(1, annotation(1, 10, choice("a")), annotation(2, 20, choice("b"), was_cancelled=True)),
    task(2, annotation(3, 10, choice("b"), ground_truth=True), annotation(4, 20, choice("a"))),
    task(3, annotation(5, 10, choice("a")), drafts=[{"result": []}], predictions=[{}]),
]
OLD = [
    {"id": 1, "text": "a", "annotations": [{"label": 1, "user": 1}, {"label": 2, "user": 2}]},
    {"id": 2, "text": "b", "annotations": [{"label": 1, "user": 1}], "meta": {}},
]
LINES = [options(1, "a", "good"), options(1, "b", "bad"), options(2, "a", answer="ignore")]
EXPORTS = {
    "label-studio": (TASKS, {}, number_of_annotations),
    "label-studio-rows": (ROWS, {"question": "mood"}, number_of_records),
    "prodigy choice": (LINES, {}, number_of_records),
    "prodigy binary": (
        [prodigy(1, "a", label="X"), prodigy(1, "b", "reject", label="X")],
        {},
        number_of_records,
    ),
    "argilla flat": (FLAT, {}, number_of_responses),
    "argilla nested": ([nested("a", ("x", ANN), ("y", BOB))], {}, number_of_responses),
    "doccano": (LABELLED, {"reviewer": "bob"}, number_of_records),
    "doccano old": (OLD, {}, number_of_users),
    "crowd-kit": (
        [{"task": 1, "worker": "a", "label": "x"}, {"task": 1, "worker": "b", "label": "y"}],
        {},
        number_of_records,
    ),
    "cleanlab": (
        [{"case": 1, "a1": 0, "a2": None}, {"case": 2, "a1": 1, "a2": 0}],
        {"reviewers": "a*"},
        number_of_cells,
    ),
}
"""An export of each layout, how to read it, and how many answers it has."""


def places(value, path=()):
    """All places of a structure."""
    yield path
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, key))


def mutate(draw, records):
    """Replace, remove or repeat something somewhere, except the list of records itself."""
    made = copy.deepcopy(records)
    for _ in range(draw(st.integers(0, 3))):
        known = [path for path in places(made) if path]
        if not known:
            break
        *outer, key = draw(st.sampled_from(known))
        holder = made
        for step in outer:
            holder = holder[step]
        kind = draw(st.integers(0, 3))
        if kind == 0:
            holder[key] = draw(JUNK)
        elif kind == 1:
            del holder[key]
        elif isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[draw(st.text(max_size=3) | st.sampled_from(list(holder)))] = draw(JUNK)
    return made


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Where the exports are, one after the other."""
    return tmp_path_factory.mktemp("exports") / "export.json"


@pytest.mark.parametrize("name", EXPORTS)
def test_unchanged(path, name):
    """The count of this test is that of the reader."""
    records, how, count = EXPORTS[name]
    path.write_text(json.dumps(records))
    found = lwcal.read_opinions(path, **how)
    assert balanced(found)
    assert found.n_opinions > 0
    assert found.n_answers == count(records, found.question)


@pytest.mark.parametrize("name", EXPORTS)
@given(data=st.data())
def test_no_answer_is_lost(path, name, data):
    """Each answer is an opinion, a checked label, or left out for a reason; or all is refused."""
    records, how, count = EXPORTS[name]
    changed = mutate(data.draw, records)
    path.write_text(json.dumps(changed))
    several = data.draw(st.booleans())
    try:
        found = lwcal.read_opinions(path, **how, drop_several=several)
    except LwcalError as error:
        assert str(error).strip()
        return
    assert balanced(found)
    assert found.n_answers == count(changed, found.question)
    assert len(set(zip(found.item, found.reviewer, strict=True))) == len(found.item)
    for column in (found.item, found.reviewer, found.label, found.trusted, found.created):
        assert all(value is None or value.encode() for value in column)


@given(content=JUNK | st.lists(JUNK), how=st.sampled_from([how for _, how, _ in EXPORTS.values()]))
def test_any_json(path, content, how):
    """Nothing but our errors; an export by chance is unlikely."""
    path.write_text(json.dumps(content))
    try:
        assert balanced(lwcal.read_opinions(path, **how))
    except LwcalError as error:
        assert str(error).strip()


@given(content=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes(path, content):
    """Likewise."""
    path.write_bytes(content)
    try:
        assert balanced(lwcal.read_opinions(path, reviewers="*"))
    except LwcalError as error:
        assert str(error).strip()
