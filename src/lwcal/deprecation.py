"""Rename a public parameter without breaking the code of users at once.

A renamed parameter keeps its old name for one minor version. Until then the old name works and
gives a ``FutureWarning``, which Python shows by default. The next minor version removes it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def deprecated_parameter(
    old: str, new: str, *, since: str, removed_in: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept the old keyword of a function, warn, and pass its value under the new name.

    Parameters
    ----------
    old, new : str
        Name of the parameter before and now.
    since : str
        Version that renamed it.
    removed_in : str
        Version that stops accepting the old name.

    Examples
    --------
    >>> import warnings
    >>> @deprecated_parameter("labels", "y", since="0.2", removed_in="0.3")
    ... def count(y):
    ...     return len(y)
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     count(labels=[0, 1])
    2
    >>> print(caught[0].message)
    count: parameter 'labels' is called 'y' since lwcal 0.2. Version 0.3 removes the old name.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        text = (
            f"{function.__qualname__}: parameter {old!r} is called {new!r} since lwcal {since}. "
            f"Version {removed_in} removes the old name."
        )

        @wraps(function)
        def renamed(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                if new in kwargs:
                    raise TypeError(f"{function.__qualname__}() got both {old!r} and {new!r}")
                warnings.warn(text, FutureWarning, stacklevel=2)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return renamed

    return decorate
