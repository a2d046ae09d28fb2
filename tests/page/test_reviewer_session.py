"""Several reviewers answer one sheet: nothing is lost, and nobody disturbs another."""

import re
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from lwcal.audit.sheet import ANSWER, read_sheet
from lwcal.errors import InputError
from lwcal.page.session import AuditSession, NotSavedError, Progress
from tests.audit.sheets import ROWS, planned, source

ROUNDS = 12


@pytest.fixture
def path(tmp_path):
    """A sheet of four rows, one of them with a checked label."""
    path = tmp_path / "s.audit.csv"
    path.write_bytes(planned(("good", "", "", "")).to_bytes())
    return path


def column(path, name):
    """Return a column of the file."""
    return read_sheet(path.read_bytes(), "s").column(name)


def test_who_said_what_and_when_is_in_the_sheet(path):
    """In columns of their own; checked labels stay, and an undone answer has no time."""
    AuditSession(path, source(), "ann").answer(ROWS[0], 1, "")
    bob = AuditSession(path, source(), "bob")
    bob.answer(ROWS[0], 0, "")
    bob.answer(ROWS[1], None, "")
    bob.answer(ROWS[2], 1, "")
    bob.undo(ROWS[2], "bad")
    assert column(path, ANSWER) == ["good", "", "", ""]
    assert column(path, "audit_opinion_ann") == ["bad", "", "", ""]
    assert column(path, "audit_opinion_bob") == ["good", "skip", "", ""]
    times = column(path, "audit_time_bob")
    assert [bool(time) for time in times] == [True, True, False, False]
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", times[0])
    assert bob.progress() == [Progress("ann", 1, 0), Progress("bob", 1, 1)]


def test_a_reviewer_is_in_the_sheet_from_the_first_answer_on(path):
    """A mistyped name leaves no column behind."""
    before = path.read_bytes()
    session = AuditSession(path, source(), "anm")
    assert session.progress() == [Progress("anm", 0, 0)]
    assert session.upcoming == ROWS[0]  # though its label was checked
    assert path.read_bytes() == before


def test_an_answer_of_another_reviewer_is_no_change_of_mine(path):
    """Neither the estimate is computed again, nor another answer undone."""
    ann, bob = AuditSession(path, source(), "ann"), AuditSession(path, source(), "bob")
    for row in (ROWS[2], ROWS[0]):
        ann.answer(row, 1, "")
    revision, answers_revision = ann.revision, ann.answers_revision
    assert answers_revision == revision
    bob.answer(ROWS[3], 0, "")
    with ann.locked():
        assert (ann.revision, ann.answers_revision) == (revision + 1, answers_revision)
        assert ann.undoable == ROWS[0]
        assert ann.progress() == [Progress("ann", 2, 0), Progress("bob", 1, 0)]


def test_two_spellings_of_a_name_are_refused(path):
    """At the start; and in a session that began before the other name was in the sheet."""
    late = AuditSession(path, source(), "Ann")
    AuditSession(path, source(), "ann").answer(ROWS[0], 1, "")
    with pytest.raises(InputError, match="'ann' and 'Ann'"):
        AuditSession(path, source(), "Ann")
    with pytest.raises(NotSavedError, match="'ann' and 'Ann'"):
        late.answer(ROWS[0], 0, "")
    assert column(path, "audit_opinion_ann") == ["bad", "", "", ""]


def answer_often(path, reviewer, label):
    """Answer all rows, again and again, as soon as everybody is ready."""
    session = AuditSession(path, source(), reviewer)
    path.with_name(f"{reviewer}.ready").touch()
    while len(list(path.parent.glob("*.ready"))) < 2:
        time.sleep(0.001)
    word = ("good", "bad")[label]
    for last in [*[False] * (ROUNDS - 1), True]:
        for row in ROWS:
            session.answer(row, label, "")
        for row in () if last else ROWS:
            session.undo(row, word)


def test_no_answer_is_lost_when_processes_write_at_once(path):
    """Each finds its last answer in the file at every step, and all are there at the end."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        working = [
            processes.submit(answer_often, path, name, label)
            for name, label in (("ann", 0), ("bob", 1))
        ]
        for found in working:
            found.result(timeout=300)  # an answer that got lost refuses the next change
    assert column(path, "audit_opinion_ann") == ["good"] * 4
    assert column(path, "audit_opinion_bob") == ["bad"] * 4
    assert column(path, ANSWER) == ["good", "", "", ""]
    assert not list(path.parent.glob(".*"))


def test_no_answer_is_lost_when_two_windows_answer_at_once(path):
    """Two browsers of one server, whose requests run in threads: each row is answered once."""
    session = AuditSession(path, source(), "ann")
    begin, refused = threading.Barrier(2), []

    def answer_all(label):
        for row in ROWS:
            begin.wait(60)
            try:
                session.answer(row, label, "")
            except NotSavedError as reason:
                refused.append(str(reason))

    windows = [threading.Thread(target=answer_all, args=(label,)) for label in (0, 1)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert all(column(path, "audit_opinion_ann"))
    assert len(refused) == len(ROWS)
    assert all("another window" in reason for reason in refused)
