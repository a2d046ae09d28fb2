"""Files are complete or not there."""

import errno
import os
import stat
from pathlib import Path

import pytest

from lwcal.atomic_files import check_writable, replacing, write_json
from lwcal.errors import OutputError


def test_a_failed_write_leaves_the_old_file(tmp_path):
    """An exception half-way neither changes the target nor leaves debris."""
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail_half_way():
        with replacing(target, overwrite=True) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_half_way()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_finished_write_replaces_the_file_with_ordinary_permissions(tmp_path):
    """The new file is readable as any other the user makes."""
    target = tmp_path / "a.txt"
    with replacing(target) as temporary:
        assert temporary.suffix == ".txt"
        temporary.write_text("new")
    assert target.read_text() == "new"
    plain = tmp_path / "plain"
    plain.touch()
    assert target.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize(
    ("name", "expected"),
    [(".", "is a folder"), ("no/where.txt", "no such folder")],
)
def test_impossible_targets_are_refused(tmp_path, name, expected):
    """Folders, and folders that are not there."""
    with pytest.raises(OutputError, match=expected), replacing(tmp_path / name):
        pass


def test_an_existing_file_keeps_its_permissions(tmp_path, monkeypatch):
    """What was private stays private, also while it is written; the umask is not touched."""
    target = tmp_path / "a.txt"
    target.write_text("secret")
    target.chmod(0o600)
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("other threads see this"))
    with replacing(target, overwrite=True) as temporary:
        temporary.write_text("new secret")
        assert stat.S_IMODE(temporary.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_text() == "new secret"


def test_a_link_is_followed(tmp_path):
    """The file that it points to is replaced, there or not; the link stays."""
    (tmp_path / "real").mkdir()
    real, link = tmp_path / "real" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(real)
    for content in ("first", "second"):
        with replacing(link, overwrite=True) as temporary:
            temporary.write_text(content)
        assert real.read_text() == content
        assert link.is_symlink()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "link.txt", "real"]


def test_devices_and_read_only_files_are_refused(tmp_path, monkeypatch):
    """Replacing /dev/null would break the machine."""
    with pytest.raises(OutputError, match="a device or a pipe"), replacing("/dev/null"):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="pipe"), replacing(tmp_path / "pipe", overwrite=True):
        pass
    (tmp_path / "a.txt").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(OutputError, match="read-only"):
        check_writable(tmp_path / "a.txt", overwrite=True)


def test_what_another_process_wrote_in_the_meantime_is_kept(tmp_path):
    """Unless overwriting was asked for."""
    target = tmp_path / "a.txt"

    def write_while_another_does():
        with replacing(target) as temporary:
            temporary.write_text("mine")
            target.write_text("theirs")

    with pytest.raises(OutputError, match="exists"):
        write_while_another_does()
    assert target.read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [target]


def test_file_systems_without_links_are_written_too(tmp_path, monkeypatch):
    """By a rename; other errors are told."""
    target = tmp_path / "a.txt"

    def refuse(number):
        def link(path, other):
            raise OSError(number, os.strerror(number), str(other))

        return link

    monkeypatch.setattr(Path, "hardlink_to", refuse(errno.EPERM))
    with replacing(target) as temporary:
        temporary.write_text("whole")
    assert target.read_text() == "whole"
    monkeypatch.setattr(Path, "hardlink_to", refuse(errno.ENOSPC))
    with pytest.raises(OSError, match="No space") as caught, replacing(tmp_path / "b.txt") as other:
        other.write_text("whole")
    assert caught.value.filename == str(tmp_path / "b.txt")


def test_names_may_be_as_long_as_the_system_allows(tmp_path):
    """The temporary folder shortens them."""
    target = tmp_path / ("ä" * 100 + "x" * 51 + ".csv")
    with replacing(target) as temporary:
        temporary.write_text("whole")
    assert target.read_text() == "whole"


def test_json_is_strict(tmp_path):
    """NaN is not JSON, and nothing is written for it."""
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json({"a": float("nan")}, tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_errors_of_the_system_speak_of_the_target(tmp_path):
    """Nobody knows the temporary file; errors about other files stay as they are."""
    target = tmp_path / "a.txt"
    with pytest.raises(OSError, match="No space left") as caught, replacing(target):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(target)
    with pytest.raises(FileNotFoundError) as caught, replacing(target):
        (tmp_path / "other").read_text()
    assert caught.value.filename == str(tmp_path / "other")
    assert list(tmp_path.iterdir()) == []


def test_a_durable_write_reaches_the_disk_before_its_name_changes(tmp_path, monkeypatch):
    """First the content, then the name: watched, since a power cut cannot be had."""
    target, steps = tmp_path / "a.txt", []
    flush, rename = os.fsync, Path.replace

    def watched_flush(handle):
        steps.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        flush(handle)

    def watched_rename(path, new):
        steps.append("rename")
        return rename(path, new)

    monkeypatch.setattr(os, "fsync", watched_flush)
    monkeypatch.setattr(Path, "replace", watched_rename)
    with replacing(target, overwrite=True, durable=True) as temporary:
        temporary.write_text("whole")
    assert steps == ["file", "rename", "folder"]
    assert target.read_text() == "whole"


def test_a_file_is_replaced_on_request_only(tmp_path):
    """Also as JSON."""
    target = tmp_path / "a.json"
    write_json({"a": 1}, target)
    with pytest.raises(OutputError, match="overwrite=True"):
        write_json({"a": 2}, target)
    with pytest.raises(OutputError, match="overwrite=True"), replacing(target):
        pass
    assert '"a": 1' in target.read_text()
    write_json({"a": 2}, target, overwrite=True)
    assert '"a": 2' in target.read_text()
