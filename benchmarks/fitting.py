"""Times of all fits by kind of scores, and of applying their maps."""

from benchmarks.data import make_rows
from benchmarks.methods import FITTERS, LWCAL, VENN_ABERS, Fitter, apply_runs
from benchmarks.results import APPLY, FIT, KNOTS, ONE_SCORE, Measurement, Results
from benchmarks.timing import time_in_turns, undisturbed

SIZES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
RUN_LIMIT = 20.0
"""A run that is expected to take more seconds is skipped; a quick run has a limit of its own."""
REFIT_LIMIT = 5.0
"""A method that takes more seconds is not fitted again to time its map."""
ONE_OF_ARRAY, ONE_OF_LIST = "array of one", "list of one"


def measure_rows(
    results: Results, rows: int, kind: str, *, budget: float, limit: float = RUN_LIMIT
) -> None:
    """Time all fits to the same rows, then the application of the maps to as many new scores."""
    print(f"{kind}, {rows:,} rows ...", flush=True)
    scores, labels = make_rows(rows, kind)
    fits = {
        fitter.name: fitter.prepare(scores, labels)
        for fitter in FITTERS
        if is_feasible(fitter, results, rows, kind, limit)
    }
    for name, timing in time_in_turns(fits, budget=budget).items():
        results.add_timing(FIT, kind, rows, name, timing)

    points, _ = make_rows(rows, kind, seed=1)
    seconds = results.value(FIT, kind, rows, VENN_ABERS)
    with undisturbed():
        runs, knots = apply_runs(
            scores, labels, points, with_venn_abers=seconds is not None and seconds < REFIT_LIMIT
        )
    results.add(Measurement(KNOTS, kind, rows, LWCAL, knots, "knots", knots, 1))
    for name, timing in time_in_turns(runs, budget=budget).items():
        results.add_timing(APPLY, kind, rows, name, timing)


def is_feasible(
    fitter: Fitter, results: Results, rows: int, kind: str, limit: float = RUN_LIMIT
) -> bool:
    """Whether a fit is made for so many rows and, judging by fewer rows, is fast enough."""
    if rows > fitter.most_rows:
        return False
    if not fitter.may_be_slow or rows == SIZES[0]:
        return True
    fewer = SIZES[SIZES.index(rows) - 1]
    seconds = results.value(FIT, kind, fewer, fitter.name)
    return seconds is not None and seconds * rows / fewer <= limit


def measure_one_score(results: Results, *, budget: float) -> None:
    """Time ``predict`` of a single score, which arrives in an array or in a list."""
    scores, labels = make_rows(10_000, "continuous")
    predict = FITTERS[0].prepare(scores, labels)().predict
    array, values = scores[:1].copy(), scores[:1].tolist()
    runs = {ONE_OF_ARRAY: lambda: predict(array), ONE_OF_LIST: lambda: predict(values)}
    for name, timing in time_in_turns(runs, budget=budget).items():
        results.add_timing(ONE_SCORE, "continuous", 1, name, timing)
