"""Commands that take seconds are killed, too: only ``make torture`` has the time.

``lwcal reproduce`` and ``lwcal audit serve`` have tests of their own.
"""

import os
import shutil
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.torture.victim import contents

KILLS = max(int(os.environ.get("LWCAL_KILLS", "100")) // 100, 1)
"""Kills of each command."""
SHARE_WHILE_WRITING = 0.7
OLD = b"the old result\n"
OUT = "new"
COMMANDS = {
    "demo": "demo --force",
    "traps": "traps --quick --jobs 1",
    "leaderboard": "leaderboard --quick --suite natural --jobs 1",
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_old_files_or_the_new_ones(name, victim, tmp_path):
    """Each file is whole, whenever the command is killed; the next run ends as if none had been."""
    rng = np.random.default_rng(sum(name.encode()))
    line = f"{COMMANDS[name]} --out {OUT}"
    whole, folder = tmp_path / "whole", tmp_path / "here"
    whole.mkdir()
    seconds = _timed(victim, line, whole)
    expected = contents(whole)
    killed = 0
    for _ in range(KILLS):
        shutil.rmtree(folder, ignore_errors=True)
        for file in expected:
            if "/cells/" not in file:  # a stored cell is not done again
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_bytes(OLD)
        killed += _kill(victim, line, folder, rng, seconds)
        found = contents(folder)
        for file in expected.keys() & found.keys():
            assert found[file] in (OLD, expected[file]), file
        _timed(victim, line, folder)
        assert contents(folder) == expected
    assert killed


def test_the_old_rows_or_the_new_ones_on_spark(victim, inputs, tmp_path):
    """Spark writes folders of files, whose names differ from run to run."""
    rng = np.random.default_rng(0)
    line = (
        "apply c.json rows.csv --score s --engine spark --master local[2] --force "
        f"--out {OUT}/rows.parquet"
    )
    folder = tmp_path / "here"
    old = pa.table({"old": [1.0]})
    expected, seconds, killed = None, 0.0, 0
    for turn in range(KILLS + 1):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(inputs, folder)
        (folder / OUT / "rows.parquet").mkdir(parents=True)
        pq.write_table(old, folder / OUT / "rows.parquet" / "part-0.parquet")
        if turn:
            killed += _kill(victim, line, folder, rng, seconds)
            if (folder / OUT / "rows.parquet").exists():
                assert _rows(folder) in (old, expected)
        seconds = _timed(victim, line, folder)
        expected = expected or _rows(folder)
        assert _rows(folder) == expected
        assert [path.name for path in (folder / OUT).iterdir()] == ["rows.parquet"]
    assert expected.num_rows == 20_000
    assert killed


def _kill(victim, line, folder, rng, seconds):
    writing = rng.random() < SHARE_WHILE_WRITING
    after = rng.random() * (0.1 if writing else 1.0) * seconds
    return victim.kill(line, folder, after, writing=writing, into=folder / OUT)


def _timed(victim, line, folder):
    started = time.perf_counter()
    code, said = victim.run(line, folder)
    assert code == 0, said
    return time.perf_counter() - started


def _rows(folder):
    table = pq.read_table(folder / OUT / "rows.parquet")
    return table.sort_by("id") if "id" in table.column_names else table
