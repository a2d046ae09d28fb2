"""Time that ``import lwcal`` adds to the imports of its dependencies."""

import subprocess
import sys
from statistics import median

from benchmarks.timing import Timing

PROGRAM = """
import numpy, scipy.special, sklearn.base
from time import perf_counter
start = perf_counter()
import lwcal
print(perf_counter() - start)
"""


def time_import(runs: int) -> Timing:
    """Import in new processes."""
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(runs)
    ]
    return Timing(min(times), median(times), runs)
