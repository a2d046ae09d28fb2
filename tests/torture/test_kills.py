"""A command that is killed leaves the old result or the new one, and nothing else for long."""

import os
import time

import numpy as np
import pytest

from tests.torture.victim import COMMANDS, contents, copy, targets

KILLS = int(os.environ.get("LWCAL_KILLS", "26"))
"""Kills over all commands; ``make torture`` asks for more."""
OLD = b"the old result\n"
SHARE_WHILE_WRITING = 0.7
DONE = (0, 1)
"""Exit codes of commands that did their job; 1 is a negative verdict."""


@pytest.mark.parametrize("name", COMMANDS)
def test_the_old_result_or_the_new_one(name, victim, inputs, tmp_path):
    """Whole, whenever the command is killed; the next run removes what the killed one left."""
    rng = np.random.default_rng(sum(name.encode()))
    line, written = COMMANDS[name][0], targets(name)
    folder = _with_old_results(inputs, tmp_path / "here", written)
    started = time.perf_counter()
    code, said = victim.run(line, folder)
    seconds = time.perf_counter() - started
    assert code in DONE, said
    expected = contents(folder)
    assert expected.keys() == {*contents(inputs), *written}
    killed = 0
    for _ in range(max(KILLS // len(COMMANDS), 1)):
        _with_old_results(inputs, folder, written)
        writing = rng.random() < SHARE_WHILE_WRITING
        after = rng.random() * (0.3 if writing else 1.0) * seconds
        killed += victim.kill(line, folder, after, writing=writing)
        found = contents(folder)
        for file in written:
            assert found[file] == OLD or _alike(found[file], expected[file], file), file
        code, said = victim.run(line, folder)
        assert code in DONE, said
        found = contents(folder)
        assert found.keys() == expected.keys()
        assert all(_alike(found[file], expected[file], file) for file in written)
        assert {path.name for path in folder.iterdir()} == found.keys()  # no empty folders either
    assert killed or KILLS < 100  # at least some came before the end


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_leaves_the_old_result(name, victim, inputs, tmp_path):
    """The limit of the size of files stands for it: a write fails after some bytes."""
    line, written = COMMANDS[name][0], targets(name)
    folder = _with_old_results(inputs, tmp_path / "here", written)
    code, said = victim.run(line, folder, limit=100)
    assert code not in (0, 1, 70), said
    assert said.count("\n") <= 3, said
    assert "Traceback" not in said
    found = contents(folder)
    assert found.keys() == {*contents(inputs), *written}
    assert any(found[file] == OLD for file in written)


def _alike(found, expected, file):
    """Whether two files are the same; a report tells when it was written."""
    if not file.endswith(".html"):
        return found == expected
    return found.rstrip().endswith(b"</html>") and abs(len(found) - len(expected)) < 10


def _with_old_results(inputs, folder, written):
    copy(inputs, folder)
    for file in written:
        (folder / file).write_bytes(OLD)
    return folder
