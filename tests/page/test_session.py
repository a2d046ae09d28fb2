"""A session keeps answers on disk, and never overwrites changes that others made there."""

import resource
import threading

import numpy as np
import pytest

from lwcal.audit import audit_estimates
from lwcal.audit.row_codes import PlanId, RowCode, fingerprint
from lwcal.audit.sheet import OWN, SKIP, make_sheet, read_sheet
from lwcal.errors import InputError
from lwcal.page.estimate_worker import FAILED, EstimateWorker
from lwcal.page.session import AuditSession, NotSavedError
from tests.audit.sheets import ROWS, changed, planned, source


@pytest.fixture
def path(tmp_path):
    """A sheet of four rows."""
    path = tmp_path / "s.audit.csv"
    path.write_bytes(planned().to_bytes())
    return path


def on_disk(path):
    """Return the answers in the file."""
    return read_sheet(path.read_bytes(), "s").column("audited_label")


def test_answers_use_the_names_of_the_classes_and_the_order_of_the_plan(path):
    """Even if a spreadsheet has sorted the sheet."""
    sheet = planned()
    lines = sheet.to_bytes().split(b"\r\n")
    path.write_bytes(b"\r\n".join([lines[0], *reversed(lines[1:5]), b""]))
    session = AuditSession(path, source())
    assert session.order == list(ROWS)
    session.answer(ROWS[0], 1, "")
    session.answer(ROWS[1], None, "")
    assert on_disk(path) == ["", "", "skip", "bad"]
    assert session.undoable == ROWS[1]
    session.undo(ROWS[1], "skip")
    assert session.undoable == ROWS[0]


@pytest.mark.parametrize("seen", ["good", "skip", "None"])
def test_a_change_that_saw_something_else_is_refused(path, seen):
    """An answer that the window did not show is not overwritten."""
    session = AuditSession(path, source())
    before = path.read_bytes()
    with pytest.raises(NotSavedError, match="another window"):
        session.answer(ROWS[0], 1, seen)
    with pytest.raises(NotSavedError, match="another window"):
        session.undo(ROWS[0], seen)
    assert path.read_bytes() == before


def test_answers_in_blocks_are_kept(tmp_path):
    """Two people may share a sheet, of whom one finds only good rows, and the other only bad."""
    rows, path = range(30), tmp_path / "long.audit.csv"
    scores, labels = np.linspace(0.01, 0.99, 30), np.arange(30, dtype=np.uint8) % 2
    rows_of_source = source(scores=scores, labels=labels)
    codes = [RowCode(PlanId(30, 0, 0), k + 1, 0.5, fingerprint(scores[k], labels[k])) for k in rows]
    cells = [[str(k + 1), "0.5", str(code), ""] for k, code in zip(rows, codes, strict=True)]
    path.write_bytes(make_sheet(list(OWN), cells).to_bytes())
    session = AuditSession(path, rows_of_source)
    for row in rows:
        session.answer(row, int(row >= 15), "")
    assert session.problem == ""
    assert on_disk(path) == ["good"] * 15 + ["bad"] * 15


def test_a_full_disk_is_reported_and_loses_nothing(path):
    """A limit on file sizes stops the writing, as a full disk would."""
    session = AuditSession(path, source())
    session.answer(ROWS[0], 1, "")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(NotSavedError, match=r"Not saved: s\.audit\.csv: File too large"):
            session.answer(ROWS[1], 1, "")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert on_disk(path) == ["bad", "", "", ""]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    session.answer(ROWS[1], 1, "")
    assert on_disk(path) == ["bad", "bad", "", ""]


def test_a_missing_sheet_is_reported_until_it_is_back(path):
    """Nothing is written in its place."""
    session = AuditSession(path, source())
    moved = path.rename(path.with_name("elsewhere.csv"))
    with pytest.raises(NotSavedError, match="No such file"):
        session.answer(ROWS[0], 1, "")
    assert not path.exists()
    moved.rename(path)
    session.answer(ROWS[0], 1, "")
    assert on_disk(path) == ["bad", "", "", ""]


def test_the_same_content_written_again_is_no_change(path):
    """Saving a file without changes does not start a new revision."""
    session = AuditSession(path, source())
    revision = session.revision
    path.write_bytes(path.read_bytes())
    with session.locked():
        assert (session.revision, session.problem) == (revision, "")


def test_a_sheet_with_a_changed_score_is_not_served(path):
    """It is refused at the start, as in a merge."""
    path.write_bytes(changed(planned(), 0, "score", "0.5").to_bytes())
    with pytest.raises(InputError, match="'score'"):
        AuditSession(path, source())


def test_the_estimate_says_why_there_is_none(path):
    """Without answers, and if answers contradict those of an earlier round."""
    session = AuditSession(path, source())
    worker = EstimateWorker(source(), [])
    assert "every row was skipped" in worker.compute(session.rows, 1).reason
    earlier = [session.rows[0]._replace(answer=0)]
    session.answer(ROWS[0], 1, "")
    contradicted = EstimateWorker(source(), earlier).compute(session.rows, 2)
    assert contradicted.estimates is None
    assert "different answers" in contradicted.reason
    assert worker.compute(session.rows, 2).estimates.checked == 1


def wait_for(worker, revision):
    """Wait until a revision was computed."""
    for _ in range(600):
        if worker.latest.revision >= revision:
            return worker.latest
        threading.Event().wait(0.05)
    raise AssertionError(f"revision {revision} was not computed")


def test_any_error_is_logged_and_shown_and_the_worker_goes_on(path, monkeypatch, caplog):
    """An unexpected error must not end the thread silently."""
    session = AuditSession(path, source())
    session.answer(ROWS[0], 1, "")
    worker = EstimateWorker(source(), [])
    with monkeypatch.context() as broken:
        broken.setattr(audit_estimates, "estimate_from_audit", lambda *_, **__: 1 / 0)
        worker.request(session.rows, 1)
        failed = wait_for(worker, 1)
    assert (failed.estimates, failed.reason) == (None, FAILED)
    assert "could not be updated" in failed.reason
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    assert caplog.records[0].exc_info[0] is ZeroDivisionError
    worker.request(session.rows, 2)
    assert wait_for(worker, 2).estimates.checked == 1


def test_the_end_waits_for_the_computation_that_runs(path, monkeypatch):
    """Compiled code in another thread would abort the program at its end."""
    session = AuditSession(path, source())
    session.answer(ROWS[0], 1, "")
    begun, may_end = threading.Event(), threading.Event()
    before = threading.active_count()

    def slow(*_, **__):
        begun.set()
        may_end.wait(30)

    monkeypatch.setattr(audit_estimates, "estimate_from_audit", slow)
    with EstimateWorker(source(), []) as worker:
        worker.request(session.rows, 1)
        assert begun.wait(30)
        worker.request(session.rows, 2)
        later = threading.Timer(0.2, may_end.set)
        later.start()
    later.join()
    assert may_end.is_set()
    assert worker.latest.revision == 1  # the second one was not begun
    assert threading.active_count() == before


def test_asking_skipped_rows_again_keeps_answers_of_another_server(path):
    """Which may have asked them again first: what is skipped is read from the disk."""
    one, two = AuditSession(path, source()), AuditSession(path, source())
    row = one.order[0]
    one.answer(row, None, "")
    with two.locked():
        assert two.answers()[row] == SKIP
    one.reopen()
    one.answer(row, 1, "")
    before = on_disk(path)
    two.reopen()
    assert on_disk(path) == before
