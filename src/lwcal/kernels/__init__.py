"""The inner loops, compiled to machine code where possible.

Every function in :data:`KERNELS` exists twice: in ``pure`` (numpy) and in ``compiled`` (C++, if
the extension was built). The names here refer to the compiled one if it can be imported. Set the
environment variable ``LWCAL_PURE=1`` before the import to force numpy.

Kernels do not check values. Callers pass scores in [0, 1] and labels 0 or 1.
"""

import os
from types import ModuleType

from lwcal.kernels import pure

KERNELS = (
    "average_sigmoid",
    "count_distinct",
    "count_on_grid",
    "flipped_derivatives",
    "flipped_log_likelihood",
    "interpolate",
    "isotonic",
    "label_keys",
    "log_losses",
    "loss_weighted_isotonic",
    "median_and_mad",
    "pool_sorted_keys",
)


def available_backends() -> dict[str, ModuleType]:
    """Return every backend that can be imported, by name."""
    backends: dict[str, ModuleType] = {"pure": pure}
    try:
        from lwcal.kernels import compiled
    except ImportError:  # the extension was not built, for lack of a C++ compiler
        return backends
    return {"compiled": compiled, **backends}


def _preferred_backend() -> tuple[str, ModuleType]:
    backends = available_backends()
    name = "pure" if os.environ.get("LWCAL_PURE") == "1" else next(iter(backends))
    return name, backends[name]


backend_name, _backend = _preferred_backend()
average_sigmoid = _backend.average_sigmoid
count_distinct = _backend.count_distinct
count_on_grid = _backend.count_on_grid
flipped_derivatives = _backend.flipped_derivatives
flipped_log_likelihood = _backend.flipped_log_likelihood
interpolate = _backend.interpolate
isotonic = _backend.isotonic
label_keys = _backend.label_keys
log_losses = _backend.log_losses
loss_weighted_isotonic = _backend.loss_weighted_isotonic
median_and_mad = _backend.median_and_mad
pool_sorted_keys = _backend.pool_sorted_keys
