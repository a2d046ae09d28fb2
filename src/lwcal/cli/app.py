"""The commands, and the exit code of the process when one of them fails.

The call of a command is imported when the command is named. Its work is imported when it runs. So
help and completion are quick.
"""

import os
import sys
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import Any

import typer

from lwcal._version import __version__
from lwcal.cli import FAILURE, MISTAKE, NO_READER, unexpected
from lwcal.cli.plugins import find_plugins, load_plugin
from lwcal.cli.quick_typer import QuickCommand, QuickGroup
from lwcal.errors import EngineError, LwcalError, missing_extra

COMMANDS = {
    "diagnose": "Judge whether it is safe to calibrate on these labels.",
    "fit": "Fit a calibrator to scores and noisy labels.",
    "apply": "Add a column of calibrated probabilities to rows of scores.",
    "evaluate": "Measure the quality of raw and calibrated probabilities, with intervals.",
    "compare": "Cross-fit several calibrators, and compare them with the raw score.",
    "report": "Write an HTML page about a calibrator.",
    "export": "Export a calibrator to SQL, ONNX, Python or dbt with the same values.",
    "monitor": "Compare new rows with the rows of the fit.",
    "adapt": "Adapt a calibrator to the base rate of new rows.",
    "decide": "Choose thresholds by costs, and the rows that people should review.",
    "demo": "Show the whole job on fictional data: verdict, checked labels, and the truth.",
    "table": "Reduce rows to tables of counts, and merge such tables.",
    "audit": "Check some labels, and fit a calibrator with the answers.",
    "opinions": "Work with the labels of several reviewers.",
}
"""The commands with their first line of help; each has a module and a function of its name."""
PACKAGES = ("duckdb", "pyarrow", "rich", "typer")
"""What the extra ``cli`` installs."""


def load_command(name: str) -> Any:
    """Import the function, or the typer app, of a command."""
    return getattr(import_module(f"lwcal.cli.calls.{name}"), name)


class LazyGroup(QuickGroup):
    """Group that imports a command when it is named; until then it knows the first line of help."""

    @cached_property
    def plugins(self) -> dict[str, Any]:
        """The entry points of other packages, by name."""
        return find_plugins(COMMANDS)

    def list_commands(self, ctx: Any) -> list[str]:
        """List the built-in commands and those of other packages."""
        return [*COMMANDS, *self.plugins]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command, or something with its first line of help if it was not called."""
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        if cmd_name in COMMANDS:
            return QuickCommand(name=cmd_name, help=COMMANDS[cmd_name])
        if cmd_name not in self.plugins:
            return None
        try:
            return as_command(cmd_name, load_plugin(self.plugins[cmd_name]))
        except Exception as error:  # a broken package must not break the help of the others
            from rich.markup import escape  # an extra in brackets is no style

            return QuickCommand(name=cmd_name, help=escape(f"Not available: {error}"))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Load the command that was called."""
        name = args[0]
        if name in COMMANDS:
            self.commands[name] = as_command(name, load_command(name))
        elif name in self.plugins:
            self.commands[name] = as_command(name, load_plugin(self.plugins[name]))
        else:  # typer suggests a similar name
            self.commands.update({known: self.get_command(ctx, known) for known in COMMANDS})
        return super().resolve_command(ctx, args)


def as_command(name: str, target: Any) -> Any:
    """Make a command of a function or of a typer app."""
    parent = typer.Typer(add_completion=False, rich_markup_mode="rich")
    parent.callback()(_nothing)
    if isinstance(target, typer.Typer):
        parent.add_typer(target, name=name)
    else:
        parent.command(name, cls=QuickCommand)(target)
    group: Any = typer.main.get_command(parent)
    return group.commands[name]


def _nothing() -> None:
    """Make typer build a group."""


app = typer.Typer(
    name="lwcal",
    cls=LazyGroup,
    help="Trustworthy probabilities from untrusted labels.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)


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
    """Run one command and return its exit code; errors are one line without a traceback."""
    try:
        result: Any = app(arguments, prog_name="lwcal", standalone_mode=False)
        sys.stdout.flush()  # a full disk behind standard output shows only now
        return result if isinstance(result, int) else 0
    except typer.Abort:
        return _fail("interrupted", FAILURE)
    except typer.Exit as stop:
        return int(stop.exit_code)
    except EngineError as error:
        return _fail(str(error), FAILURE)
    except (LwcalError, FileNotFoundError, IsADirectoryError) as error:
        return _fail(_one_line(error), MISTAKE)
    except ImportError as error:
        if error.name not in PACKAGES:
            return _fail(unexpected(error), FAILURE)
        return _fail(str(missing_extra(error.name, "cli", "the lwcal command")), MISTAKE)
    except SystemExit as stop:
        # typer exits after printing a completion script, and with 1 when the reader of a pipe
        # leaves; but 1 means a negative verdict here
        if isinstance(stop.__context__, BrokenPipeError):
            return NO_READER
        return FAILURE if stop.code == 1 else int(stop.code or 0)
    except OSError as error:
        _give_up_standard_output()
        # whoever closed the pipe has seen enough, and needs no message
        is_closed = isinstance(error, BrokenPipeError)
        return NO_READER if is_closed else _fail(_one_line(error), FAILURE)
    except MemoryError as error:
        reason = " ".join(str(error).split())
        return _fail(f"not enough memory{reason and f' ({reason})'}", FAILURE)
    except Exception as error:
        # typer reports wrong options by its own exceptions, which carry a message
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            return _usage(error)
        return _fail(unexpected(error), FAILURE)


def _usage(error: Any) -> int:
    reason = error.format_message().rstrip(".")
    if reason:  # it is empty when no argument was given, and the help was printed
        command = error.ctx.command_path if getattr(error, "ctx", None) else "lwcal"
        hint = "quote a pattern of several files; " if "extra argument" in reason else ""
        _fail(f"{reason} ({hint}see {command} --help)", MISTAKE)
    return int(error.exit_code)


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def _fail(reason: str, code: int) -> int:
    from lwcal.cli.console import fail

    with suppress(OSError, SystemExit):  # rich exits if nobody is left to read it
        fail(reason)
    return code


def _give_up_standard_output() -> None:
    """Discard unwritten output: Python would try to write it again at exit, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError), open(os.devnull, "w") as nowhere:  # noqa: PTH123
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
