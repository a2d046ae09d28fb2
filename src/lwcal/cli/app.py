"""The commands, and what the process answers when one of them fails.

Exit codes: 0 done; 1 done, and the verdict is negative; 2 the call or the input is wrong;
3 the machine failed (disk full, no permission).
"""

import sys
from typing import Any

import typer
from rich.console import Console

from lwcal._version import __version__
from lwcal.cli.apply import apply
from lwcal.cli.demo import demo
from lwcal.cli.diagnose import diagnose
from lwcal.cli.export import export
from lwcal.cli.fit import fit
from lwcal.cli.leaderboard import leaderboard
from lwcal.cli.report import report
from lwcal.cli.reproduce import reproduce
from lwcal.errors import LwcalError

app = typer.Typer(
    name="lwcal",
    help="Trustworthy probabilities from untrusted labels.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
for command in (fit, apply, export, diagnose, report, demo, reproduce, leaderboard):
    app.command()(command)


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
        return result if isinstance(result, int) else 0
    except typer.Abort:
        return _fail("interrupted", 3)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except (LwcalError, FileNotFoundError, IsADirectoryError) as error:
        return _fail(_one_line(error), 2)
    except OSError as error:
        return _fail(_one_line(error), 3)
    except Exception as error:
        # typer reports wrong options by its own exceptions, which know how to show themselves
        if hasattr(error, "show") and hasattr(error, "exit_code"):
            error.show()
            return int(error.exit_code)
        raise


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _fail(reason: str, code: int) -> int:
    console = Console(stderr=True, highlight=False, soft_wrap=True, markup=False)
    console.print(f"Error: {reason}", style="red" if sys.stderr.isatty() else None)
    return code
