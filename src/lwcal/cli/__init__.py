"""The ``lwcal`` command. Needs the extra: ``pip install "lwcal[cli]"``."""

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:  # while the commands were being imported; they see to their own
        sys.exit(INTERRUPTED)


def _run() -> int | str:
    try:
        import pyarrow  # noqa: F401  # every command reads or writes tables
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        from lwcal.errors import missing_extra

        return str(missing_extra(str(error.name), "cli", "the lwcal command"))
    from lwcal.cli.app import run

    return run()
