"""Names of a package that are imported on first use, so that importing it is quick."""

from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, public: Iterable[str], modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the functions ``__getattr__`` and ``__dir__`` of a package.

    Parameters
    ----------
    package : str
        Its ``__name__``.
    public : iterable of str
        Its ``__all__``.
    modules : mapping of str to str
        The module of each name that is imported on first use; one of this package begins with a
        dot.

    Examples
    --------
    >>> get, names = lazy_names("json", ["JSONDecoder"], {"JSONDecoder": ".decoder"})
    >>> get("JSONDecoder").__module__, names()
    ('json.decoder', ['JSONDecoder'])
    >>> get("other")
    Traceback (most recent call last):
    AttributeError: module 'json' has no attribute 'other'
    """

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name], package), name)

    return get, lambda: sorted(public)
