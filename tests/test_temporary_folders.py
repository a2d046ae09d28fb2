"""Folders of killed processes are removed, those of others are not."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lwcal import temporary_folders
from lwcal.temporary_folders import temporary_folder
from tests import untraced

HOLD = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from lwcal.temporary_folders import temporary_folder
with temporary_folder(Path(sys.argv[1]), "out.csv") as folder:
    (folder / "part").write_text("x")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that has such a folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        env=untraced.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    yield process, Path(process.stdout.readline().strip())
    process.kill()
    process.communicate()


def test_only_folders_of_dead_processes_are_removed(tmp_path, holder):
    """However the process ended; and only those of the same name."""
    process, theirs = holder
    with temporary_folder(tmp_path, "out.csv") as own:
        assert own.is_dir()
        assert (theirs / "part").exists()
    assert not own.exists()
    process.kill()
    process.wait()
    assert theirs.exists()
    with temporary_folder(tmp_path, "other.csv"):
        assert theirs.exists()
    with temporary_folder(tmp_path, "out.csv"):
        assert not theirs.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_taken_for_abandoned_before_it_is_locked_is_made_again(
    tmp_path, monkeypatch
):
    """Another process may clear between the two steps."""
    make, made = temporary_folders.mkdtemp, []

    def cleared_once(**options):
        made.append(make(**options))
        if len(made) == 1:
            temporary_folders.clear_abandoned(tmp_path, "a")
        return made[-1]

    monkeypatch.setattr(temporary_folders, "mkdtemp", cleared_once)
    with temporary_folder(tmp_path, "a") as folder:
        assert str(folder) == made[1]
    assert list(tmp_path.iterdir()) == []


def test_folders_come_and_go_while_others_look(tmp_path):
    """Each caller gets a folder of its own, and none stays."""

    def come_and_go(_):
        with temporary_folder(tmp_path, "a") as folder:
            (folder / "part").write_text("x")
            return folder.name

    with ThreadPoolExecutor(8) as pool:
        names = list(pool.map(come_and_go, range(800)))
    assert all(name.startswith(".a-") for name in names)
    assert list(tmp_path.iterdir()) == []


def test_what_anybody_may_have_put_there_is_left_alone(tmp_path, monkeypatch):
    """Links are not followed, and folders of other users not touched."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / ".a-1.lwcal").symlink_to(outside)
    bait = tmp_path / ".a-2.lwcal"
    bait.mkdir()
    (bait / temporary_folders.LOCK).symlink_to(outside / "new")
    with temporary_folder(tmp_path, "a"):
        pass
    assert outside.is_dir()
    assert not (outside / "new").exists()
    assert bait.exists()
    (bait / temporary_folders.LOCK).unlink()
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    temporary_folders.clear_abandoned(tmp_path, "a")
    assert bait.exists()
    monkeypatch.undo()
    temporary_folders.clear_abandoned(tmp_path, "a")
    assert not bait.exists()
