"""What the tests of all commands use."""

from pathlib import Path

from lwcal.cli.app import run


def call(line):
    """Run one command line as the shell would."""
    return run(line.split())


def files(folder):
    """Names of all files, hidden ones too."""
    return sorted(path.name for path in Path(folder).iterdir())
