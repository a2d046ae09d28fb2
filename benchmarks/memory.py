"""Peak memory of one fit, in its own process.

``python -m benchmarks.memory lwcal 1000000`` prints the extra bytes per row.
"""

import subprocess
import sys
from pathlib import Path

from benchmarks.data import make_rows

ROOT = Path(__file__).resolve().parents[1]
STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")
WARM_UP_ROWS = 1000


def _fit_lwcal(scores, labels):
    import lwcal

    return lwcal.LWCal().fit(scores, labels)


def _fit_sklearn(scores, labels):
    from sklearn.isotonic import IsotonicRegression

    return IsotonicRegression(out_of_bounds="clip").fit(scores, labels)


# imports inside of the functions, so that each process loads only one library
FITS = {"lwcal": _fit_lwcal, "sklearn": _fit_sklearn}


def _status_bytes(name: str) -> int:
    """Read a line such as ``VmHWM:  1234 kB``."""
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no {name} in {STATUS}")


def _highest_so_far() -> int:
    """Peak of this process since its start, on systems without /proc."""
    import resource  # does not exist on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def start_of_peak() -> int:
    """Reset the peak if the system can, and return the bytes in use."""
    try:
        CLEAR_REFS.write_text("5", encoding="ascii")  # resets the high-water mark
        return _status_bytes("VmRSS")
    except OSError:
        return _highest_so_far()


def peak() -> int:
    """Largest number of bytes in use since :func:`start_of_peak`."""
    try:
        return _status_bytes("VmHWM")
    except OSError:
        return _highest_so_far()


def bytes_per_row(who: str, rows: int) -> float:
    """Extra memory of a fit, without its input arrays and imports."""
    fit = FITS[who]
    fit(*make_rows(WARM_UP_ROWS, "continuous"))
    scores, labels = make_rows(rows, "continuous")
    before = start_of_peak()
    fitted = fit(scores, labels)
    extra = peak() - before
    del fitted
    return extra / rows


def bytes_per_row_in_new_process(who: str, rows: int) -> float | None:
    """Measure in a new process; None if the system cannot measure memory."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", who, str(rows)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return None
    return float(done.stdout)


if __name__ == "__main__":
    print(bytes_per_row(sys.argv[1], int(sys.argv[2])))
