"""Which of the two implementations of the kernels is used."""

import os
from types import ModuleType

from lwcal.kernels import pure


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


backend_name, backend = _preferred_backend()
