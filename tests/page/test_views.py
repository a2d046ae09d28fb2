"""What the browser receives: nothing about the label, and each answer under a fixed key."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lwcal.audit.answers import ClassNames
from lwcal.audit.cell_text import normalise
from lwcal.page.estimate_worker import EstimateWorker, LatestEstimates
from lwcal.page.session import AuditSession
from lwcal.page.views import Shown, state, texts
from tests.audit.sheets import LABELS, ROWS, SCORES, planned, source

NO_ESTIMATE = LatestEstimates(0, None)
BLIND = Shown(frozenset())


@pytest.fixture
def session(tmp_path):
    """A session on a sheet of four rows that has score and label, as earlier versions wrote it."""
    path = tmp_path / "s.audit.csv"
    path.write_bytes(planned().to_bytes())
    return AuditSession(path, source())


def test_what_is_sent_does_not_depend_on_label_and_score(session):
    """The same rows with other labels and scores give the same bytes, before and after answers."""
    for position in ROWS[:3]:
        session.source = source()
        sent = json.dumps(state(session, NO_ESTIMATE, BLIND))
        session.source = source(labels=1 - LABELS, scores=1 - SCORES)
        assert json.dumps(state(session, NO_ESTIMATE, BLIND)) == sent
        session.source = source()
        session.answer(position, 1, "")


def test_the_case_is_shown_and_no_other_column(session):
    """A row is named at random, because its number may follow from its label."""
    sent = state(session, NO_ESTIMATE, Shown(frozenset({"note"})))["next"]
    assert sent["fields"] == [["case", "c-003"]]
    assert session.find(sent["row"]) == ROWS[0]
    assert session.find(None) == -1
    everything = Shown(frozenset({"note", "case"}))
    assert state(session, NO_ESTIMATE, everything)["next"]["fields"] == [["audit_row", "4"]]
    told = state(session, NO_ESTIMATE, Shown(frozenset(), label=True))["next"]
    assert (told["label"], told["score"]) == ("bad", "0.900")


def test_what_a_reviewer_receives_does_not_depend_on_the_answers_of_others(tmp_path):
    """Only on how many rows they answered; the checked label is not sent either."""
    sent = []
    for others in (("good", "bad", "good"), ("bad", "good", "bad")):
        path = tmp_path / f"{others[0]}.audit.csv"
        path.write_bytes(planned((others[0], "", "", "")).to_bytes())
        ann = AuditSession(path, source(), "ann")
        for position, word in zip(ROWS, others, strict=False):
            ann.answer(position, source().class_names.parse(word), "")
        bob = AuditSession(path, source(), "bob")
        bob._keys = {position: f"row-{position}" for position in ROWS}
        sent.append(state(bob, NO_ESTIMATE, BLIND))
    assert sent[0] == sent[1]
    assert sent[0]["next"]["fields"] == [["case", "c-003"], ["note", "=1+1"]]
    assert sent[0]["reviewers"] == [
        {"name": "ann", "answered": 3, "skipped": 0, "you": False},
        {"name": "bob", "answered": 0, "skipped": 0, "you": True},
    ]
    unnamed = state(AuditSession(path, source()), NO_ESTIMATE, BLIND)
    assert unnamed["reviewers"] == []
    assert unnamed["next"]["fields"] == [["case", "c-001"], ["note", "=1+1"]]


def test_an_estimate_from_a_reviewer_is_conditional(session):
    """The answers may be wrong, so the page neither says that labels are, nor to stop."""
    ann = AuditSession(session.path, source(), "ann")
    for position in ROWS:
        ann.answer(position, 1, "")
    found = EstimateWorker(source(), []).compute(ann.rows, ann.answers_revision)
    told = state(ann, found, BLIND)["estimate"]["estimates"]
    assert told["sentence"].startswith("Your answer differs from the label in 2 of 4 rows. If all")
    assert (told["word"], told["enough"]) == ("All planned rows are answered", False)


def test_names_of_rows_stay_when_a_sheet_was_changed_elsewhere(session):
    """An answer must not go to another row because one above it was deleted."""
    before = {position: session.key(position) for position in ROWS}
    lines = session.path.read_bytes().split(b"\r\n")
    session.path.write_bytes(b"\r\n".join([lines[0], *lines[2:]]))
    with session.locked():
        assert session.order == list(ROWS[1:])
        assert {position: session.key(position) for position in session.order} == {
            position: before[position] for position in ROWS[1:]
        }
        assert session.find(before[ROWS[0]]) == -1


def test_an_estimate_of_earlier_answers_is_not_sent(session):
    """Only that of all answers."""
    for position in ROWS:
        session.answer(position, 1, "")
    old = LatestEstimates(session.revision - 1, None, "old")
    sent = state(session, old, BLIND)["estimate"]
    assert sent == {"ready": False, "reason": "", "estimates": None}
    new = LatestEstimates(session.revision, None, "new")
    assert state(session, new, BLIND)["estimate"]["reason"] == "new"


def test_buttons_have_the_names_of_the_data_in_their_order(session):
    """Whichever of the two is positive; yes and no explain 1 and 0 only."""
    assert buttons(session, "good", "bad") == [("bad", "", "y"), ("good", "", "n")]
    assert buttons(session, "bad", "good") == [("bad", "", "n"), ("good", "", "y")]
    assert buttons(session, "0", "1") == [("0", "no", "n"), ("1", "yes", "y")]
    assert buttons(session, "yes", "no") == [("no", "", "1"), ("yes", "", "0")]


def buttons(session, negative, positive):
    """Return name, meaning and key of the two buttons."""
    session.source = source(class_names=ClassNames((negative, positive)))
    sent = texts(session, "merge", "Which?")["buttons"]
    return [(button["name"], button["meaning"], button["key"]) for button in sent]


SHORT = st.sampled_from(
    [*"0123456789ynstufYN", "-1", "10", "y1", "n0", "yes", "no", "true", "false", "good", "bad"]
)


@given(SHORT, SHORT)
def test_each_class_has_a_key_and_a_name_that_is_a_key_means_that_class(negative, positive):
    """1 and 2 are the keys of the classes 1 and 2, though 1 means yes elsewhere."""
    assume(normalise(negative) != normalise(positive))
    names = ClassNames((negative, positive))
    found = KeysOnly(names)
    sent = texts(found, "merge", "Which?")
    assert set(sent["keys"].values()) == {"yes", "no"}
    assert not {"s", "u"} & set(sent["keys"])
    for name, word in ((negative, "no"), (positive, "yes")):
        assert sent["keys"].get(normalise(name), word) == word
    assert all(sent["keys"][button["key"]] == button["answer"] for button in sent["buttons"])


class KeysOnly:
    """The part of a session that its texts need."""

    def __init__(self, names):
        self.source = source(class_names=names)
        self.path = "s.audit.csv"
        self.reviewer = None
