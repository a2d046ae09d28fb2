"""The numbers of one run, and how to find them again."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

from benchmarks.timing import Timing

FIT, APPLY, KNOTS, MEMORY, IMPORT = "fit", "apply", "knots", "memory", "import"


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
    """Measurements in the order they were made; each is printed as it comes."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, str], Measurement] = {}

    def add(self, measurement: Measurement) -> None:
        """Keep a measurement and show it."""
        m = measurement
        self._found[m.task, m.scores, m.rows, m.contender] = m
        print(m, flush=True)

    def add_timing(self, task: str, scores: str, rows: int, contender: str, time: Timing) -> None:
        """Keep a wall time."""
        self.add(Measurement(task, scores, rows, contender, time.best, "s", time.median, time.runs))

    def value(self, task: str, scores: str, rows: int, contender: str) -> float | None:
        """Look up a number; None where it was not measured."""
        found = self._found.get((task, scores, rows, contender))
        return None if found is None else found.value

    def ratio(self, task: str, scores: str, rows: int, upper: str, lower: str) -> float | None:
        """Time of one contender in units of another's."""
        top = self.value(task, scores, rows, upper)
        bottom = self.value(task, scores, rows, lower)
        return None if top is None or bottom is None else top / bottom

    def sizes(self, task: str) -> list[int]:
        """Numbers of rows at which a task was measured."""
        return sorted({m.rows for m in self if m.task == task})

    def __iter__(self) -> Iterator[Measurement]:
        return iter(self._found.values())
