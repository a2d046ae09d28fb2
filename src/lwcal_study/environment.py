"""The machine and the package versions of a run. Nothing identifies the owner."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Versions of those packages that are installed.

    >>> list(installed_versions(["numpy", "no-such-package"]))
    ['numpy']
    """
    found = {}
    for name in dict.fromkeys(packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """Processor, cores and operating system."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor()}, {cores} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
