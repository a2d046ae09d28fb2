"""The parts of an exported Python file: its docstring, its constants, the source of functions."""

import inspect
from collections.abc import Callable, Sequence
from pprint import pformat
from types import ModuleType
from typing import Any

END = """\
if __name__ == "__main__":
    raise SystemExit(self_test(calibrate, EXAMPLES))
"""


def python_file(*sections: str) -> str:
    """Join the sections of a file, which defines ``calibrate``, ``EXAMPLES`` and ``self_test``."""
    return "\n\n".join(section.strip("\n") for section in (*sections, END)) + "\n"


def docstring(purpose: str, description: Sequence[str]) -> str:
    """Write the docstring of the file."""
    text = "\n".join(["Calibrated probabilities.", "", purpose, *description, ""])
    return f'"""{inside_docstring(text)}"""'


def inside_docstring(text: str) -> str:
    r"""Escape what would end a docstring.

    >>> print(inside_docstring('say "no"'))
    say \"no\"
    """
    return text.replace("\\", "\\\\").replace('"', '\\"')


def assignment(name: str, values: list[Any]) -> str:
    """Write a constant.

    >>> assignment("KNOTS", [0.0, 0.5])
    'KNOTS = [0.0, 0.5]'
    """
    return f"{name} = {pformat(values, width=98, compact=True)}"


def sources(module: ModuleType) -> list[str]:
    """Return the source of the functions of a module, without annotations and examples."""
    functions = [f for _, f in inspect.getmembers(module, inspect.isfunction)]
    return [plain_source(f) for f in functions if f.__module__ == module.__name__]


def plain_source(function: Callable[..., Any]) -> str:
    """Return the source of a function, without annotations and examples."""
    names = ", ".join(inspect.signature(function).parameters)
    summary = (function.__doc__ or "").split("\n")[0]
    body = inspect.getsource(function).split('"""', 2)[2].rstrip()
    return f'def {function.__name__}({names}):\n    """{summary}"""{body}'
