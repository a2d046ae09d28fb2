"""Where a run was made: enough to compare, nothing that tells whose machine it is."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from lwcal import kernels

PACKAGES = ("numpy", "scipy", "scikit-learn", "betacal", "venn-abers", "lwcal")


def cpu_model() -> str:
    """Name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def describe_machine() -> str:
    """Processor, cores and system, in a sentence's worth of words."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cpu_model()}, {cores} cores, {platform.system()} {platform.machine()}"


def describe_versions() -> str:
    """Python, the packages measured, and the kernels in use."""
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"Python {platform.python_version()}, {packages} ({kernels.backend_name} kernels)"


def describe_load() -> str:
    """Say how busy the machine was with other work."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
