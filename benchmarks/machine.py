"""The machine, versions and load of a run. Nothing identifies the owner."""

import os
import platform

from lwcal import kernels
from lwcal_study.environment import installed_versions

PACKAGES = ("numpy", "scipy", "scikit-learn", "betacal", "venn-abers", "lwcal")


def describe_versions() -> str:
    """Python, the measured packages and the kernels in use."""
    packages = ", ".join(
        f"{name} {number}" for name, number in installed_versions(PACKAGES).items()
    )
    return f"Python {platform.python_version()}, {packages} ({kernels.backend_name} kernels)"


def describe_load() -> str:
    """Load average of the machine."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
