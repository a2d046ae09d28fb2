"""The measurements of one run."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from benchmarks.timing import Timing

FIT, APPLY, KNOTS, MEMORY, IMPORT = "fit", "apply", "knots", "memory", "import"
GRID = "fit, all sizes"
NOISE_MODELS = "fit with a noise model"
ONE_SCORE = "apply to one score"
APPLY_CLASSES = "apply to several classes"
SEGMENTS, EVALUATE, REPORT = "fit segments", "evaluate", "write a report"
HELP, APPLY_FILE = "print the help", "apply to a CSV file"
THREADS = "fit eight tables"


@dataclass(frozen=True)
class Measurement:
    """One line of the CSV file."""

    task: str
    scores: str
    rows: int
    contender: str
    value: float
    unit: str
    median: float
    runs: int

    def __str__(self) -> str:
        where = f"{self.task}, {self.scores}, {self.rows:,} rows" if self.rows else self.task
        return f"{where}: {self.contender}: {self.value:.6g} {self.unit}, best of {self.runs}"


COLUMNS = tuple(field.name for field in fields(Measurement))


class Results:
    """Measurements in the order of the run. Each is printed when it is added."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, str], Measurement] = {}

    def add(self, measurement: Measurement) -> None:
        """Store a measurement and print it."""
        m = measurement
        self._found[m.task, m.scores, m.rows, m.contender] = m
        print(m, flush=True)

    def add_timing(self, task: str, scores: str, rows: int, contender: str, time: Timing) -> None:
        """Store a wall time."""
        self.add(Measurement(task, scores, rows, contender, time.best, "s", time.median, time.runs))

    def value(self, task: str, scores: str, rows: int, contender: str) -> float | None:
        """A measured value, or None if it was not measured."""
        found = self._found.get((task, scores, rows, contender))
        return None if found is None else found.value

    def ratio(self, task: str, scores: str, rows: int, upper: str, lower: str) -> float | None:
        """Time of one method divided by the time of another."""
        top = self.value(task, scores, rows, upper)
        bottom = self.value(task, scores, rows, lower)
        return None if top is None or bottom is None else top / bottom

    def sizes(self, task: str) -> list[int]:
        """Numbers of rows of the measurements of a task."""
        return sorted({m.rows for m in self if m.task == task})

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._found.values())
