"""Run cells on all cores or on a Dask cluster, and store each result when it is ready."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from joblib import Parallel, delayed, parallel_config

from lwcal.errors import missing_extra
from lwcal_study.cell_store import AnyCell, CellStore


def run_cells(
    wanted: list[AnyCell],
    store: CellStore,
    run: Callable[[AnyCell], dict[str, Any]],
    *,
    n_jobs: int = -1,
    dask_scheduler: str | None = None,
    on_finished: Callable[[], None] = lambda: None,
) -> None:
    """Run the cells that have no stored result.

    Parameters
    ----------
    wanted : list of cells
    store : CellStore
    run : callable
        Runs one cell and returns the result to store.
    n_jobs : int, default -1
        Number of processes; -1 uses one per core. Results do not depend on it.
    dask_scheduler : str, optional
        Address of a running Dask scheduler. The cells then run on its workers.
    on_finished : callable
        Called after each stored result.
    """
    with _backend(dask_scheduler):
        parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        for cell, result in parallel(delayed(_run)(run, cell) for cell in store.missing(wanted)):
            store.save(cell, result)
            on_finished()


def _run(run: Callable[[AnyCell], dict[str, Any]], cell: AnyCell) -> tuple[AnyCell, dict[str, Any]]:
    # a cell is one task: otherwise a cluster would distribute the forest tree by tree
    with parallel_config(backend="sequential"):
        return cell, run(cell)


def _backend(dask_scheduler: str | None) -> AbstractContextManager[Any]:
    return nullcontext() if dask_scheduler is None else _on_dask(dask_scheduler)


@contextmanager
def _on_dask(address: str) -> Iterator[None]:
    try:
        from distributed import Client
    except ImportError:
        raise missing_extra("distributed", "dask", "--dask-scheduler") from None
    with Client(address), parallel_config(backend="dask"):
        yield
