"""Compare the time of the study with the time to fit its forests: ``python benchmarks/study.py``.

Every cell of one seed of the main study runs completely (split, corrupt, fit, score, calibrate
with every method, evaluate, store), and its forest is fitted alone. Both run in turns, in one
process.
"""

import argparse
import datetime
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # so that `python benchmarks/study.py` works

from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from lwcal_study.cell_store import CellStore
from lwcal_study.environment import machine
from lwcal_study.files import write_text
from lwcal_study.paper.cells import corrupt, make_learner, run_cell
from lwcal_study.paper.grid import main_cells
from lwcal_study.paper.tasks import load_task
from lwcal_study.scored_rows import TRAIN_SHARE

TARGET = 1.15


def fit_seconds(cell):
    """Time to fit the model of a cell."""
    task = load_task(cell.dataset)
    X, _, y, _ = train_test_split(
        task.X, task.y, train_size=TRAIN_SHARE, stratify=task.y, random_state=cell.seed
    )
    labels = corrupt(y, cell, "train")
    start = time.perf_counter()
    make_learner(cell).fit(X, labels)
    return time.perf_counter() - start


def whole_seconds(cell, store):
    """Time to run a cell and store its result."""
    start = time.perf_counter()
    store.save(cell, run_cell(cell))
    return time.perf_counter() - start


def measure(cells):
    """Total of both times over the cells."""
    fits, wholes = 0.0, 0.0
    with tempfile.TemporaryDirectory() as folder, threadpool_limits(1):
        store = CellStore(Path(folder), "benchmark")
        for cell in cells:
            load_task(cell.dataset)
            fits += fit_seconds(cell)
            wholes += whole_seconds(cell, store)
    return fits, wholes


def main(arguments=None):
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--quick", action="store_true", help="small forests")
    options = parser.parse_args(arguments)
    cells = [cell for cell in main_cells(quick=options.quick) if cell.seed == 0]
    fits, wholes = measure(cells)
    ratio = wholes / fits
    verdict = "met" if ratio <= TARGET else "**missed**"
    lines = [
        "# Cost of the study",
        "",
        f"`make bench` wrote this page on {datetime.datetime.now(datetime.UTC).date()}.",
        "",
        f"- machine: {machine()}",
        f"- {len(cells)} cells of the main study, one seed"
        + (", small forests (quick run)" if options.quick else ""),
        "",
        f"Running and storing the cells took {ratio:.2f} times as long as fitting their forests. "
        f"The target is at most {TARGET}: {verdict}.",
        "",
    ]
    print("\n".join(lines))
    options.out.mkdir(parents=True, exist_ok=True)
    write_text("\n".join(lines), options.out / "study.md")


if __name__ == "__main__":
    main()
