"""The commands, and what the process answers when one of them fails.

Exit codes: 0 done; 1 done, and the verdict is negative; 2 the call or the input is wrong;
3 an engine or the machine failed (Spark, disk full, no permission); 130 interrupted.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

import typer

from lwcal._version import __version__
from lwcal.cli.apply import apply
from lwcal.cli.audit.merge import merge
from lwcal.cli.audit.plan import plan
from lwcal.cli.audit.serve import serve
from lwcal.cli.compare import compare
from lwcal.cli.console import fail
from lwcal.cli.demo import demo
from lwcal.cli.diagnose import diagnose
from lwcal.cli.evaluate import evaluate
from lwcal.cli.export import export
from lwcal.cli.fit import fit
from lwcal.cli.monitor import monitor
from lwcal.cli.report import report
from lwcal.cli.table import table
from lwcal.errors import EngineError, LwcalError

app = typer.Typer(
    name="lwcal",
    help="Trustworthy probabilities from untrusted labels.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
COMMANDS = (
    diagnose,
    fit,
    apply,
    evaluate,
    compare,
    report,
    export,
    monitor,
    demo,
)
for command in COMMANDS:
    app.command()(command)
for name in ("reproduce", "leaderboard"):
    app.command()(getattr(import_module(f"lwcal_study.commands.{name}"), name))
app.add_typer(table, name="table")

audit = typer.Typer(
    name="audit",
    help="Check some labels, and fit a calibrator with them.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
AUDIT_COMMANDS: tuple[Callable[..., Any], ...] = (plan, merge, serve)
for audit_command in AUDIT_COMMANDS:
    audit.command()(audit_command)
app.add_typer(audit)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"lwcal {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Trustworthy probabilities from untrusted labels."""


def run(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code: a user's mistake is one line, no traceback."""
    try:
        result: Any = app(arguments, prog_name="lwcal", standalone_mode=False)
        sys.stdout.flush()  # a full disk behind standard output shows only now
        return result if isinstance(result, int) else 0
    except typer.Abort:
        return _fail("interrupted", 3)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except EngineError as error:
        return _fail(str(error), 3)
    except (LwcalError, FileNotFoundError, IsADirectoryError) as error:
        return _fail(_one_line(error), 2)
    except SystemExit as stop:
        # typer ends so after printing a completion script, and with 1 when the reader of a pipe
        # has left; 1 means something else here
        return 3 if stop.code == 1 else int(stop.code or 0)
    except OSError as error:
        _give_up_standard_output()
        # who closed the pipe has seen enough, and is not to be bothered
        return 3 if isinstance(error, BrokenPipeError) else _fail(_one_line(error), 3)
    except Exception as error:
        # typer reports wrong options by its own exceptions, which know what to say
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _usage(error)
        raise


def _usage(error: Any) -> int:
    said = error.format_message().rstrip(".")
    if said:  # without any argument the help was printed, and there is nothing to add
        where = error.ctx.command_path if getattr(error, "ctx", None) else "lwcal"
        hint = "quote a pattern of several files; " if "extra argument" in said else ""
        fail(f"{said} ({hint}see {where} --help)")
    return int(error.exit_code)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _fail(reason: str, code: int) -> int:
    fail(reason)
    return code


def _give_up_standard_output() -> None:
    """Throw away what could not be written: Python would try again at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
