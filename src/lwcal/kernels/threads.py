"""How many threads a call may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

from lwcal.errors import ParameterError, message
from lwcal.kernels.backend import backend

VARIABLE = "LWCAL_NUM_THREADS"
OF_OTHERS = "OMP_NUM_THREADS"
"""joblib sets it in its workers, so that their threads do not multiply."""
MOST = 8
"""More threads would only wait for memory."""

_of_this_thread = local()


def default_limit() -> int:
    """Threads of a call where nothing else was chosen: the environment, or the usable cores."""
    chosen = os.environ.get(VARIABLE, "")
    if chosen:
        if not (chosen.isdecimal() and int(chosen) >= 1):
            raise ParameterError(message(f"{VARIABLE} to be a whole number above 0", repr(chosen)))
        return int(chosen)
    of_others = os.environ.get(OF_OTHERS, "")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(int(of_others) if of_others.isdecimal() and int(of_others) else MOST, cores or 1)


PROCESS_LIMIT = default_limit()
backend.set_thread_limit(PROCESS_LIMIT, True)


def limit() -> int:
    """Number of threads that a call of this thread may use.

    >>> with thread_limit(1):
    ...     limit()
    1
    """
    return getattr(_of_this_thread, "limit", 0) or PROCESS_LIMIT


@contextmanager
def thread_limit(threads: int) -> Iterator[None]:
    """Limit the threads that calls of this thread use.

    By default a call uses as many threads as there are cores for this process, and at most 8. The
    environment variable ``LWCAL_NUM_THREADS`` sets another default. Results do not depend on the
    number of threads.

    Parameters
    ----------
    threads : int
        At least 1.

    Examples
    --------
    >>> import lwcal
    >>> with lwcal.thread_limit(1):
    ...     calibrator = lwcal.LWCal().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    """
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ParameterError(message("threads to be a whole number above 0", repr(threads)))
    before = getattr(_of_this_thread, "limit", 0)
    _choose(threads)
    try:
        yield
    finally:
        _choose(before)


def _choose(threads: int) -> None:
    """Set the limit of this thread; 0: that of the process."""
    _of_this_thread.limit = threads
    backend.set_thread_limit(threads, False)
