"""Tables and lists in Markdown."""

from collections.abc import Iterable


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
