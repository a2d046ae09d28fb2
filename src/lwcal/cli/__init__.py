"""The ``lwcal`` command. Needs the extra: ``pip install "lwcal[cli]"``."""

import os
import sys

MISTAKE = 2
"""Exit code when the call, the input or the installation is wrong."""
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    try:
        sys.exit(_run())
    except KeyboardInterrupt:  # while the commands were being imported; they see to their own
        sys.exit(INTERRUPTED)


def main_on_spark() -> None:
    """Run the command line as ``spark-submit`` starts it: rows are Spark's by default."""
    os.environ.setdefault("LWCAL_ENGINE", "spark")
    main()


def _run() -> int:
    try:
        import duckdb  # noqa: F401  # every command reads or writes tables
        import pyarrow  # noqa: F401
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        from lwcal.errors import missing_extra

        reason = missing_extra(str(error.name), "cli", "the lwcal command")
        print(f"Error: {reason}", file=sys.stderr)
        return MISTAKE
    from lwcal.cli.app import run

    return run()
