"""The options that say which rows a command works on: declared once, and given to each command."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any

from lwcal.cli import options


@dataclass(frozen=True)
class RowOptions:
    """Which rows to read, from where, and how; each field is an option of the command line."""

    source: options.ScoresFile
    score: options.Score = None
    score_scale: options.ScoreScale = None
    label: options.Label = None
    weight: options.Weight = None
    pos_label: options.PosLabel = None
    id: options.Id = None
    form: options.InputFormat = None
    table: options.DatabaseTable = None
    engine: options.Engine = options.DUCKDB
    master: options.Master = None
    drop_invalid: options.DropInvalid = False
    allow_drop_share: options.AllowDropShare = None
    time: options.Time = None
    label_matures: options.LabelMatures = None
    as_of: options.AsOf = None


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
