"""Which of the two implementations of the kernels is used."""

import os
import warnings
from types import ModuleType

from lwcal.kernels import pure

KERNELS = (
    "add_tables",
    "add_to_each",
    "average_entropy",
    "average_sigmoid",
    "block_sums",
    "class_errors",
    "class_likelihood",
    "class_totals",
    "count_at_nodes",
    "count_distinct",
    "count_on_grid",
    "group_keys",
    "interpolate",
    "isotonic",
    "label_keys",
    "log_loss",
    "log_losses",
    "logistic_loss",
    "loss_weighted_isotonic",
    "loss_weighted_isotonics",
    "median_and_mad",
    "noise_draws",
    "noise_mode",
    "offset_curvature",
    "pool_sorted_groups",
    "pool_sorted_keys",
    "ranked_pairs",
    "regression_draws",
    "regression_mode",
    "sigmoid_sums",
    "sigmoids",
    "spread_labels",
    "spread_residuals",
    "within",
)
"""Functions that every backend has."""


def available_backends() -> dict[str, ModuleType]:
    """Return every backend that can be imported, by name."""
    backends: dict[str, ModuleType] = {"pure": pure}
    try:
        from lwcal.kernels import compiled
    except ImportError:  # the extension was not built, for lack of a C++ compiler
        return backends
    missing = [name for name in KERNELS if not hasattr(compiled, name)]
    if missing:  # the source of an editable installation was updated, and not built again
        warnings.warn(
            f"The compiled kernels are older than the source: {missing[0]} is missing. The slower "
            "numpy kernels are used. Install lwcal again (pip install).",
            stacklevel=2,
        )
        return backends
    return {"compiled": compiled, **backends}


def _preferred_backend() -> tuple[str, ModuleType]:
    backends = available_backends()
    name = "pure" if os.environ.get("LWCAL_PURE") == "1" else next(iter(backends))
    return name, backends[name]


backend_name, backend = _preferred_backend()
