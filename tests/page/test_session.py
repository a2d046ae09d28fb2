"""The desk keeps answers on the disk, and gives way to what it finds there."""

import resource

import pytest

from lwcal.audit.sheet import read_sheet
from lwcal.errors import InputError
from lwcal.page.desk import Desk, Refused
from lwcal.page.estimator import Estimator
from tests.audit.sheets import ROWS, changed, planned, source


@pytest.fixture
def path(tmp_path):
    """A sheet of four rows."""
    path = tmp_path / "s.audit.csv"
    path.write_bytes(planned().to_bytes())
    return path


def on_disk(path):
    """The answers that a program would read."""
    return read_sheet(path.read_bytes(), "s").column("audited_label")


def test_answers_are_in_the_words_of_the_labels_and_in_the_order_of_the_plan(path):
    """Also when a spreadsheet has sorted the sheet."""
    sheet = planned()
    lines = sheet.to_bytes().split(b"\r\n")
    path.write_bytes(b"\r\n".join([lines[0], *reversed(lines[1:5]), b""]))
    desk = Desk(path, source())
    assert desk.order == list(ROWS)
    desk.answer(ROWS[0], 1, "")
    desk.answer(ROWS[1], None, "")
    assert on_disk(path) == ["", "", "skip", "bad"]
    assert desk.undoable == ROWS[1]
    desk.undo(ROWS[1], "skip")
    assert desk.undoable == ROWS[0]


@pytest.mark.parametrize("seen", ["good", "skip", "None"])
def test_a_change_that_saw_something_else_is_refused(path, seen):
    """Nothing is overwritten by whoever has not seen it."""
    desk = Desk(path, source())
    before = path.read_bytes()
    with pytest.raises(Refused, match="answered elsewhere"):
        desk.answer(ROWS[0], 1, seen)
    with pytest.raises(Refused, match="answered elsewhere"):
        desk.undo(ROWS[0], seen)
    assert path.read_bytes() == before


def test_a_full_disk_is_told_and_loses_nothing(path):
    """A limit on the size of files stops the writing as a full disk does."""
    desk = Desk(path, source())
    desk.answer(ROWS[0], 1, "")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        with pytest.raises(Refused, match=r"Not saved: s\.audit\.csv: File too large"):
            desk.answer(ROWS[1], 1, "")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert on_disk(path) == ["bad", "", "", ""]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    desk.answer(ROWS[1], 1, "")
    assert on_disk(path) == ["bad", "bad", "", ""]


def test_a_sheet_that_is_taken_away_is_told_until_it_is_back(path):
    """Nothing is written in its place."""
    desk = Desk(path, source())
    moved = path.rename(path.with_name("elsewhere.csv"))
    with pytest.raises(Refused, match="No such file"):
        desk.answer(ROWS[0], 1, "")
    assert not path.exists()
    moved.rename(path)
    desk.answer(ROWS[0], 1, "")
    assert on_disk(path) == ["bad", "", "", ""]


def test_the_same_content_written_again_is_no_change(path):
    """A program that saves without having changed anything disturbs nobody."""
    desk = Desk(path, source())
    revision = desk.revision
    path.write_bytes(path.read_bytes())
    with desk.looking():
        assert (desk.revision, desk.trouble) == (revision, "")


def test_a_sheet_with_a_changed_score_is_not_served(path):
    """It is refused at the start, as it is when it is merged."""
    path.write_bytes(changed(planned(), 0, "score", "0.5").to_bytes())
    with pytest.raises(InputError, match="'score'"):
        Desk(path, source())


def test_the_estimate_says_why_there_is_none(path):
    """Without answers, and when they contradict those of an earlier round."""
    desk = Desk(path, source())
    estimator = Estimator(source(), [])
    assert "first answer" in estimator.compute(desk.entries, 1).reason
    earlier = [desk.entries[0]._replace(answer=0)]
    desk.answer(ROWS[0], 1, "")
    contradicted = Estimator(source(), earlier).compute(desk.entries, 2)
    assert contradicted.findings is None
    assert "different ones" in contradicted.reason
    assert estimator.compute(desk.entries, 2).findings.checked == 1
