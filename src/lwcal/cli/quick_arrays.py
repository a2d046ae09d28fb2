"""Import numpy and pyarrow without what a short command can do without."""

import gc
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

BLAS_THREADS = "OPENBLAS_NUM_THREADS"


def with_quick_arrays(command: Callable[..., Any]) -> Callable[..., Any]:
    """Make a command import numpy and pyarrow before anything else, if nobody did so before.

    By default numpy starts a thread for each core, to multiply matrices. Each waits busily for a
    moment, and together they take as much time as the import itself. So this is for commands that
    multiply none. What was imported is also kept out of the collections at the end of the process.
    """

    @wraps(command)
    def wrapped(**values: Any) -> Any:
        if "numpy" not in sys.modules:
            _import_arrays()
        return command(**values)

    return wrapped


def _import_arrays() -> None:
    wanted = os.environ.get(BLAS_THREADS)
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        import pyarrow  # noqa: F401  # it imports numpy
    finally:
        if wanted is None:
            del os.environ[BLAS_THREADS]
    gc.freeze()  # not later: DuckDB complains at the end about its objects that are not freed
