"""What the tests of all commands use."""

import os
import subprocess
import sys
from pathlib import Path

from lwcal.cli.app import run
from tests import untraced


def call(line):
    """Run one command line as the shell would."""
    return run(line.split())


def files(folder):
    """Names of all files, hidden ones too."""
    return sorted(path.name for path in Path(folder).iterdir())


def shell(line):
    """Run a line in a shell that finds the command; exit code, standard output and error."""
    folder = Path(sys.executable).parent
    environment = untraced.environment(PATH=f"{folder}{os.pathsep}{os.environ['PATH']}")
    finished = subprocess.run(["bash", "-c", line], env=environment, capture_output=True, text=True)
    return finished.returncode, finished.stdout, finished.stderr


def done(line):
    """Whether a command did its job, which for diagnose may be a negative verdict."""
    return call(line) in ((0, 1) if line.startswith("diagnose") else (0,))
