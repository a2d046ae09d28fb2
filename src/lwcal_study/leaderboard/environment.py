"""Where, when and how a leaderboard was run: enough to compare, nothing that tells whose it is."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import Any

from lwcal_study.leaderboard.run import PACKAGES
from lwcal_study.package import installed_versions

ENVIRONMENT = "environment.json"


def describe_run(command: str, *, quick: bool, cells: int) -> dict[str, Any]:
    """Date, command, machine and versions."""
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "command": command,
        "quick": quick,
        "cells": cells,
        "machine": machine(),
        "python": platform.python_version(),
        "packages": installed_versions(dict.fromkeys(PACKAGES)),
    }


def machine() -> str:
    """Processor, cores and system."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{_processor()}, {cores} cores, {platform.system()} {platform.machine()}"


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
