"""Tables and lists in Markdown."""

from __future__ import annotations

import re
from math import isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import pandas as pd


def pipe_table(header: list[str], rows: list[list[str]]) -> str:
    r"""Write a table. Bars inside of texts are escaped.

    >>> print(pipe_table(["name", "value"], [["a|b", "1"]]))
    | name | value |
    | --- | --- |
    | a\|b | 1 |
    """
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines
    )


def bullets(sentences: Iterable[str]) -> str:
    """Write a list.

    >>> print(bullets(["first", "second"]))
    - first
    - second
    """
    return "\n".join(f"- {sentence}" for sentence in sentences)


def replace_between(text: str, begin: str, content: str, end: str) -> str:
    """Replace what is between two marks, which stay.

    >>> print(replace_between("a <!-- b -->old<!-- e --> z", "<!-- b -->", "new", "<!-- e -->"))
    a <!-- b -->
    new
    <!-- e --> z
    """
    block = f"{begin}\n{content}\n{end}"
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    return re.sub(pattern, lambda _: block, text, flags=re.DOTALL)


def methods_table(table: pd.DataFrame, oracles: Collection[str], missing: str) -> str:
    """Numbers by method, with three digits; methods that know the truth are in italics.

    >>> import pandas as pd
    >>> print(methods_table(pd.DataFrame({"gap": [0.5, float("nan")]}, ["a", "b"]), {"b"}, "none"))
    |  | gap |
    | --- | --- |
    | a | 0.500 |
    | *b* | none |
    """
    rows = [
        [f"*{name}*" if name in oracles else str(name), *(_number(v, missing) for v in values)]
        for name, *values in table.itertuples()
    ]
    return pipe_table(["", *map(str, table.columns)], rows)


def _number(value: Any, missing: str) -> str:
    if not isinstance(value, float):
        return str(value)
    return missing if isnan(value) else f"{value:.3f}"
