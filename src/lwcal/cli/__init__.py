"""The ``lwcal`` command. It needs an extra: ``pip install "lwcal[cli]"``.

Exit codes: 0 done; 1 done, and the verdict is negative; 2 the call or the input is wrong; 3 an
engine, the machine or the program failed; 130 interrupted; 141 the reader of the output left.
"""

import gc
import os
import sys
from contextlib import suppress

NEGATIVE, MISTAKE, FAILURE, INTERRUPTED, NO_READER = 1, 2, 3, 130, 141
TRACEBACK = "LWCAL_TRACEBACK"
"""Variable of the environment that asks for the traceback of an unexpected error."""
GARBAGE = 50_000
"""Objects after which Python looks for garbage. By default it looks after 700, which slows the
imports, where there is none."""


def main() -> None:
    """Run the command line; report a missing package or an unexpected error in one line."""
    _replace_closed_streams()
    gc.set_threshold(GARBAGE)
    try:
        sys.exit(_run())
    except KeyboardInterrupt:  # during the imports; commands handle their own interruption
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.exit(NO_READER)
    except Exception as error:  # Python would exit with 1, which means a negative verdict
        complain(unexpected(error))
        sys.exit(FAILURE)
    finally:
        _skip_collections()


def _skip_collections() -> None:
    """Let Python look for less garbage when it ends.

    DuckDB complains about objects that are not freed then. So all collections are left out only if
    no such library was imported, as with ``--help``.
    """
    gc.disable()
    if "numpy" not in sys.modules:
        gc.freeze()


def complain(reason: str) -> None:
    """Print an error, if somebody still reads standard error."""
    with suppress(OSError):
        print(f"Error: {reason}", file=sys.stderr)


def _replace_closed_streams() -> None:
    """Discard what goes to a stream that was closed before the start, as with ``2>&-``."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115


def main_on_spark() -> None:
    """Run the command line under ``spark-submit``: Spark reads the rows by default."""
    os.environ.setdefault("LWCAL_ENGINE", "spark")
    main()


def unexpected(error: Exception) -> str:
    """Describe an unexpected error in one line, and print its traceback if that was asked for."""
    if os.environ.get(TRACEBACK):
        import traceback

        traceback.print_exception(error)
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return f"unexpected {said} (please report it; {TRACEBACK}=1 shows the traceback)"


def _run() -> int:
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        from lwcal.errors import missing_extra

        complain(str(missing_extra(str(error.name), "cli", "the lwcal command")))
        return MISTAKE
    from lwcal.cli.app import run

    return run()
