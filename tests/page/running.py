"""Start the real server in its own process, as users do."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

LWCAL = Path(sys.executable).parent / "lwcal"


class Running:
    """A running server, and the address that it printed."""

    def __init__(self, folder, *arguments):
        command = [LWCAL, "audit", "serve", *arguments, "--no-browser"]
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, "COLUMNS": "80"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = self.process.stdout.readline()
        found = re.search(r"http://\S+", said)
        assert found, said + self.process.stderr.read()
        self.said = said
        self.address = found[0]
        self.origin, _, self.token = self.address.partition("/?token=")

    def interrupt(self):
        """Press Ctrl-C; return the exit code and the output."""
        self.process.send_signal(signal.SIGINT)
        out, error = self.process.communicate(timeout=60)
        return self.process.returncode, out, error

    def kill(self):
        """Kill the process, as a power cut would."""
        self.process.kill()
        self.process.communicate(timeout=60)


@contextmanager
def serving(folder, *arguments):
    """Start the server, and stop it in any case."""
    running = Running(folder, *arguments)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.interrupt()  # not killed, so that coverage is recorded
