"""The targets of the speed benchmark, and whether a run met them."""

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.methods import INTERP, LWCAL, NOISE_AWARE, PURE, SKLEARN, SORT
from benchmarks.results import APPLY, FIT, IMPORT, MEMORY, Results

MANY = 10_000_000
FEW = 500


@dataclass(frozen=True)
class Promise:
    """A measurement that must be at least, or at most, a target at a number of rows."""

    what: str
    target: float
    at_least: bool
    unit: str
    measure: Callable[[Results, int], float | None]
    task: str
    rows: int = MANY
    beside: Callable[[Results, int], str] = lambda results, rows: ""

    def describe_target(self) -> str:
        """The target in words."""
        return f"at {'least' if self.at_least else 'most'} {self.target:g} {self.unit}"

    def describe_measured(self, results: Results) -> str:
        """The measured value, with a verdict if the number of rows is that of the target."""
        rows = self._rows_measured(results)
        value = None if rows is None else self.measure(results, rows)
        if value is None:
            return "not measured"
        text = f"{value:.1f} {self.unit}{self.beside(results, rows)}"
        if rows != self.rows:
            return f"{text} at {rows:,} rows; not measured at {self.rows:,}"
        return f"{text}: {'met' if self._is_met(value) else '**missed**'}"

    def _is_met(self, value: float) -> bool:
        return value >= self.target if self.at_least else value <= self.target

    def _rows_measured(self, results: Results) -> int | None:
        sizes = results.sizes(self.task)
        return self.rows if self.rows in sizes else max(sizes, default=None)


def _ratio(task: str, scores: str, upper: str, lower: str):
    return lambda results, rows: results.ratio(task, scores, rows, upper, lower)


def _memory(results: Results, rows: int) -> float | None:
    return results.value(MEMORY, "continuous", rows, LWCAL)


def _sklearn_memory(results: Results, rows: int) -> str:
    value = results.value(MEMORY, "continuous", rows, SKLEARN)
    return "" if value is None else f" (scikit-learn {value:.1f})"


def _import_ms(results: Results, rows: int) -> float | None:
    seconds = results.value(IMPORT, "", rows, "lwcal")
    return None if seconds is None else seconds * 1000


def _noise_aware_ms(results: Results, rows: int) -> float | None:
    seconds = results.value(FIT, "continuous", rows, NOISE_AWARE)
    return None if seconds is None else seconds * 1000


FASTER = "times as fast"
PROMISES = (
    Promise(
        "LWCal fit, continuous scores, 10,000,000 rows, against scikit-learn's isotonic fit",
        10, True, FASTER, _ratio(FIT, "continuous", SKLEARN, LWCAL), FIT,
    ),
    Promise(
        "LWCal fit, continuous scores, 10,000,000 rows, against np.sort of the scores",
        3, False, "times its time", _ratio(FIT, "continuous", LWCAL, SORT), FIT,
    ),
    Promise(
        "LWCal fit, 161 distinct scores, 10,000,000 rows, against scikit-learn's",
        40, True, FASTER, _ratio(FIT, "161 values", SKLEARN, LWCAL), FIT,
    ),
    Promise(
        "LWCal fit, 1,000 distinct scores, 10,000,000 rows, against scikit-learn's",
        40, True, FASTER, _ratio(FIT, "1,000 values", SKLEARN, LWCAL), FIT,
    ),
    Promise(
        "LWCal fit, 500 rows, against scikit-learn's",
        4, True, FASTER, _ratio(FIT, "continuous", SKLEARN, LWCAL), FIT, rows=FEW,
    ),
    Promise(
        "applying LWCal's map to 10,000,000 scores, against np.interp",
        12, True, FASTER, _ratio(APPLY, "continuous", INTERP, LWCAL), APPLY,
    ),
    Promise(
        "extra memory during LWCal fit, continuous scores, 10,000,000 rows",
        40, False, "bytes per row", _memory, MEMORY, beside=_sklearn_memory,
    ),
    Promise(
        "LWCal fit without compiled kernels, 10,000,000 rows, against scikit-learn's",
        3, True, FASTER, _ratio(FIT, "continuous", SKLEARN, PURE), FIT,
    ),
    Promise(
        "NoiseAware fit, continuous scores, 10,000,000 rows, against LWCal's",
        3, False, "times its time", _ratio(FIT, "continuous", NOISE_AWARE, LWCAL), FIT,
    ),
    Promise(
        "NoiseAware fit, 500 rows",
        10, False, "ms", _noise_aware_ms, FIT, rows=FEW,
    ),
    Promise(
        "import lwcal, beyond numpy, scipy.special and sklearn.base",
        50, False, "ms", _import_ms, IMPORT, rows=0,
    ),
)  # fmt: skip
