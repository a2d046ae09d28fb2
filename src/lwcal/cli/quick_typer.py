"""Commands of typer that import only what a call needs.

typer converts every value with pydantic, and its help imports a parser of Markdown and a printer of
tracebacks. Each takes longer to import than typer itself, and lwcal hardly needs them: most values
are texts and paths, help is written in rich's markup, and errors are one line.

This module knows how typer works inside. With a version of typer that works in another way,
commands do the same, only slower, and a test notices.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from typer.core import TyperCommand, TyperGroup

UNUSED = {"rich.markdown": "Markdown", "rich.traceback": "Traceback"}
"""Classes that typer's help imports, by module. They are for other styles of help and errors."""
COMPLETION = "_LWCAL_COMPLETE"
"""Variable of the environment by which a shell asks for completions."""


class QuickValue:
    """Converts the values of one parameter as typer does, but texts and paths without pydantic.

    Parameters
    ----------
    kind : TypeDescriptor
        What typer knows about the type of the parameter.
    """

    def __init__(self, kind: Any) -> None:
        from typer._coercion import build_runtime_param
        from typer._param_types import coerce_cli_path

        self._kind = kind
        self._of_typer, self._checked_path = build_runtime_param, coerce_cli_path

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Convert a value of the command line, or a default."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        kind, info = self._kind.annotation, self._kind.parameter_info
        if info.parser is None and isinstance(value, str | Path):
            if kind is str:
                return str(value)
            # typer itself refuses a path with a zero byte; asking the system about it fails
            if kind is Path and info.path_type is None and "\0" not in str(value):
                return self._checked_path(Path(value), info, path_type=Path, param=param, ctx=ctx)
        return self._of_typer(self._kind).coerce(value, param=param, ctx=ctx)


class Quick:
    """What commands and groups share."""

    def get_params(self, ctx: Any) -> list[Any]:
        """List the parameters, also the option ``--help``, with a quick conversion of values."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            with suppress(AttributeError, ImportError):  # this typer converts values in another way
                param._runtime_param = QuickValue(param.type_descriptor)
        return params

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help."""
        import_rich_help()
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """List completions; all shells but bash show them with their help."""
        if os.environ.get(COMPLETION) != "complete_bash":
            import_rich_help()
        return super().shell_complete(ctx, incomplete)  # type: ignore[misc]


class QuickCommand(Quick, TyperCommand):
    """A command that imports only what its call needs."""


class QuickGroup(Quick, TyperGroup):
    """A group of commands that imports only what its call needs."""


def import_rich_help() -> None:
    """Import what typer prints help with, except for the classes that are not used."""
    with _standing_in(), suppress(ImportError):  # typer will import it in its own way
        import_module("typer.rich_utils")


@contextmanager
def _standing_in() -> Iterator[None]:
    """Replace modules that were not imported yet, until the block ends."""
    replaced = [name for name in UNUSED if name not in sys.modules]
    for name in replaced:
        module: Any = ModuleType(name)
        setattr(module, UNUSED[name], OnUse(UNUSED[name], (), {"__module__": name}))
        sys.modules[name] = module
    try:
        yield
    finally:
        for name in replaced:
            del sys.modules[name]


class OnUse(type):
    """Class that stands for another one of its name and module, which is imported when used.

    >>> OnUse("Fraction", (), {"__module__": "fractions"})(1, 2)
    Fraction(1, 2)
    """

    def __call__(cls, *args: Any, **options: Any) -> Any:
        """Make an object of the real class."""
        return cls._real()(*args, **options)

    def __getattr__(cls, name: str) -> Any:
        """Look up what the real class has."""
        return getattr(cls._real(), name)

    def _real(cls) -> Any:
        return getattr(import_module(cls.__module__), cls.__name__)
