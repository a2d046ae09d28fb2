"""One holder at a time, in this process or another."""

import threading
import time

import pytest

from lwcal.file_locks import locked, try_lock


def test_a_second_holder_waits(tmp_path):
    """And no lock file stays."""
    path, steps = tmp_path / "lock", []

    def second():
        with locked(path):
            steps.append("second")

    waiting = threading.Thread(target=second)
    with locked(path):
        waiting.start()
        time.sleep(0.1)
        assert try_lock(path) is None
        steps.append("first")
    waiting.join()
    assert steps == ["first", "second"]
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_cannot_be_made_is_an_error(tmp_path):
    """Of the system, which says why."""
    with pytest.raises(FileNotFoundError), locked(tmp_path / "no" / "lock"):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="link"), locked(tmp_path / "link"):
        pass
    assert not (tmp_path / "elsewhere").exists()
