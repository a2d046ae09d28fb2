"""What a shell offers for options that take one of some names."""

from collections.abc import Callable, Iterable


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Complete one name.

    >>> one_of(["platt", "isotonic"])("pl")
    ['platt']
    """
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        return [name for name in known if name.startswith(incomplete)]

    return complete


def some_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Complete the last of several names with commas between them.

    >>> some_of(["platt", "isotonic"])("platt,is")
    ['platt,isotonic']
    """
    last = one_of(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, begun = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in last(begun)]

    return complete
