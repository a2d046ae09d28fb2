"""Give a command the options that say which rows it works on."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from lwcal.cli.options import RowOptions

TIMES = ("time", "label_matures", "as_of")
"""Fields about the times of the rows, for commands that ask for them."""


def takes_rows(
    *without: str, needs_source: bool = True, timed: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of :class:`RowOptions` in place of its parameter ``rows``.

    The command gets them as one :class:`~lwcal.cli.request.RowsRequest`.

    Parameters
    ----------
    *without : str
        Fields that the command has no use for.
    needs_source : bool
        Whether the rows must be named. Without them, ``rows`` is None.
    timed : bool
        Whether the command uses the times of rows.
    """
    unused = without if timed else (*without, *TIMES)
    used = [field for field in fields(RowOptions) if field.name not in unused]
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field, needs_source),
            annotation=field.type,
        )
        for field in used
    ]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(**values: Any) -> Any:
            from lwcal.cli.request import RowsRequest

            given = {field.name: values.pop(field.name) for field in used}
            rows = None if given["source"] is None else RowsRequest(**given)
            return command(rows=rows, **values)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command).parameters.values():
            own = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)]
            parameters += shared if parameter.name == "rows" else own
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {p.name: p.annotation for p in parameters}
        return wrapped

    return decorate


def _default(field: Any, needs_source: bool) -> Any:
    if field.default is not MISSING:
        return field.default
    return inspect.Parameter.empty if needs_source else None
