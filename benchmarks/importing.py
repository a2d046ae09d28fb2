"""Time of ``import lwcal``, without the imports of its dependencies.

lwcal imports its names at first use. The benchmark uses the default calibrator, which imports most.
"""

import compileall
import subprocess
import sys
from pathlib import Path
from statistics import median

import lwcal
from benchmarks.timing import Timing

PROGRAM = """
import numpy, scipy.special, sklearn.base
from time import perf_counter
start = perf_counter()
import lwcal
lwcal.Auto
print(perf_counter() - start)
"""


def time_import(runs: int) -> Timing:
    """Import in new processes, from bytecode, as after an installation with pip."""
    compileall.compile_dir(str(Path(lwcal.__file__).parent), quiet=1)
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(runs)
    ]
    return Timing(min(times), median(times), runs)
