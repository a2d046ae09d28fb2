"""Array mathematics with no opinion about calibration.

The functions in :data:`KERNELS` exist twice, in ``pure`` (numpy) and in ``compiled``
(C++, when the extension was built); the names here are those of the faster one present.
Set the environment variable ``LWCAL_PURE=1`` before importing to force the numpy path.
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
    """Every backend that can be imported here, by name."""
    backends: dict[str, ModuleType] = {"pure": pure}
    try:
        from lwcal.kernels import compiled
    except ImportError:  # built without a C++ compiler: the numpy path does the work
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
