"""Commands that write, started in a folder of their own and stopped from outside."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests import untraced

COMMANDS = {
    "fit": ("fit rows.csv --score s --label y --method lwcal --out new.json --force", ["new.json"]),
    "label weights": (
        "fit rows.csv --score s --label y --method lwcal --out new.json --audit new.csv --force",
        ["new.json", "new.csv", "new.summary.json"],
    ),
    "apply to CSV": ("apply c.json rows.csv --score s --out new.csv --force", ["new.csv"]),
    "apply to Parquet": ("apply c.json rows.csv --score s --out new.parquet --force", None),
    "apply to Arrow": ("apply c.json rows.csv --score s --out new.arrow --force", None),
    "apply to JSON lines": ("apply c.json rows.csv --score s --out new.jsonl.gz --force", None),
    "table": ("table reduce rows.csv --score s --label y --out new.parquet --force", None),
    "report": ("report c.json few.csv --score s --label y --out new.html --force", None),
    "export": ("export c.json --to python --out new.py --force", None),
    "plan": ("audit plan rows.csv --score s --label y --budget 40 --out new.csv --force", None),
    "opinions": ("opinions read answers.csv --out new.parquet --force", None),
    "plan of opinions": (
        "opinions plan rows.csv --score s --label y --n 40 --out new.csv --force",
        None,
    ),
    "merge of opinions": (
        "opinions merge few.csv opinions.csv --score s --label y --id id --out new.parquet --force",
        None,
    ),
    "merge": (
        "audit merge few.csv answered.csv --score s --label y --id id --out new.json "
        "--out-scores new.csv --force",
        ["new.json", "new.csv"],
    ),
    "merge of reviewers": (
        "audit merge few.csv reviewers.csv --score s --label y --id id --out-scores new.csv "
        "--force",
        ["new.csv"],
    ),
    "plan of classes": (
        "audit plan classes.csv --score p_* --label y --budget 40 --out new.csv --force",
        None,
    ),
    "merge of classes": (
        "audit merge classes.csv class_answers.csv --score p_* --label y --id id --out new.json "
        "--out-scores new.csv --force",
        ["new.json", "new.csv"],
    ),
}
"""Each command, and the files that it writes: by default the one named by ``--out``."""


def targets(name):
    """Files that a command writes."""
    line, written = COMMANDS[name]
    words = line.split()
    return written or [words[words.index("--out") + 1]]


class Victim:
    """A process that runs commands one after the other, each of which can be killed."""

    def __init__(self):
        program = [sys.executable, "-m", "tests.torture.forking"]
        self._process = subprocess.Popen(
            program,
            cwd=Path(__file__).parents[2],
            env=untraced.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def run(self, line, folder, *, limit=None):
        """Run a command to its end; return its exit code, and its error messages."""
        process = self._start(line, folder, limit)
        return self._ended(), Path(f"{folder}-{process}.said").read_text()

    def kill(self, line, folder, seconds, *, writing, into=None):
        """Start a command and kill it; if ``writing``, count the seconds from its first file on.

        The command writes into the folder ``into``, or else beside its inputs. Returns whether it
        was still running.
        """
        target = Path(into or folder)
        before = set(target.iterdir())
        process = self._start(line, folder, None)
        end = time.monotonic() + 60
        while writing and set(target.iterdir()) == before and time.monotonic() < end:
            if not Path(f"/proc/{process}").exists():
                break
        time.sleep(seconds)
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        return self._ended() == -signal.SIGKILL

    def _start(self, line, folder, limit):
        self._process.stdin.write(json.dumps([str(folder), limit, line.split()]) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def _ended(self):
        return os.waitstatus_to_exitcode(int(self._process.stdout.readline()))


def contents(folder):
    """All files of a folder, hidden ones too, with their contents."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


def copy(folder, target):
    """Copy a folder, in place of what was there."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target
