"""The ``lwcal`` command. Needs the extra: ``pip install "lwcal[cli]"``."""

import sys


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    try:
        import duckdb  # noqa: F401  # every command reads or writes tables
        import pyarrow  # noqa: F401
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        from lwcal.errors import missing_extra

        sys.exit(str(missing_extra(str(error.name), "cli", "the lwcal command")))
    from lwcal.cli.app import run

    sys.exit(run())
