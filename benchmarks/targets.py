"""The targets of the speed benchmark."""

from benchmarks import commands, grid, jobs, noise_models, segments, threads
from benchmarks.fitting import ONE_OF_ARRAY, ONE_OF_LIST
from benchmarks.methods import (
    AUDITED,
    AUTO,
    BETA,
    COPY,
    INTERP,
    ISOTONIC,
    LWCAL,
    NOISE_AWARE,
    PLATT,
    PURE,
    REVIEWED,
    SKLEARN,
    SORT,
)
from benchmarks.promises import Aim, Measure, Promise, WorstPromise
from benchmarks.results import (
    APPLY,
    APPLY_CLASSES,
    APPLY_FILE,
    EVALUATE,
    FIT,
    HELP,
    IMPORT,
    MEMORY,
    NOISE_MODELS,
    ONE_SCORE,
    REPORT,
    SEGMENTS,
    THREADS,
    Results,
)

MILLION, MANY = 1_000_000, 10_000_000
TWO_FITS = (
    "LWCal fits twice, with two medians of the losses in between. At 2,000 rows that is more than "
    "50 µs. From about 50,000 rows on it no longer fits the cache of a core, and sorting in two "
    "threads gains little yet."
)
"""Why a fit of LWCal takes longer than a sort."""
FASTER, TIMES = "times as fast", "times as long"
RANGES = ((200, 1_000, 8), (2_000, 20_000, 6), (50_000, MILLION, 8), (MANY, MANY, 16))
"""Fewest and most rows, and how many times as fast as scikit-learn a fit must be."""


def _ratio(task: str, scores: str, upper: str, lower: str) -> Measure:
    return lambda results, rows: results.ratio(task, scores, rows, upper, lower)


def _grid_ratio(upper: str, lower: str) -> Measure:
    return lambda results, rows: grid.ratio(results, rows, upper, lower)


def _time(task: str, scores: str, contender: str, unit: float) -> Measure:
    def measure(results: Results, rows: int) -> float | None:
        seconds = results.value(task, scores, rows, contender)
        return None if seconds is None else seconds / unit

    return measure


def _memory(results: Results, rows: int) -> float | None:
    return results.value(MEMORY, "continuous", rows, LWCAL)


def _sklearn_memory(results: Results, rows: int) -> str:
    value = results.value(MEMORY, "continuous", rows, SKLEARN)
    return "" if value is None else f" (scikit-learn {value:.1f})"


def _slower_kind_of_one(results: Results, rows: int) -> float | None:
    kinds = [_time(ONE_SCORE, "continuous", kind, 1e-6) for kind in (ONE_OF_ARRAY, ONE_OF_LIST)]
    found = [measure(results, rows) for measure in kinds]
    return max((value for value in found if value is not None), default=None)


def _segments(method: str) -> Measure:
    return lambda results, rows: segments.excess(results, rows, method)


def _against_sklearn(fewest: int, most: int, target: float) -> list[Aim]:
    where = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return [
        WorstPromise(
            f"{name} fit, {where} rows, against scikit-learn's isotonic fit",
            target, True, FASTER, _grid_ratio(SKLEARN, name), grid.within(fewest, most),
            why=TWO_FITS if name != ISOTONIC else "",
        )
        for name in grid.OWN
    ]  # fmt: skip


TARGETS: tuple[Aim, ...] = (
    *(aim for limits in RANGES for aim in _against_sklearn(*limits)),
    *(
        WorstPromise(
            f"{name} fit, 1,000,000 and 10,000,000 rows, against np.sort of the scores",
            2, False, TIMES, _grid_ratio(name, SORT), (MILLION, MANY),
            why=TWO_FITS if name != ISOTONIC else "",
        )
        for name in grid.OWN
    ),
    WorstPromise(
        "LWCal fit at each number of rows, against what its two neighbours predict",
        1.5, False, "times the prediction", grid.excess, grid.SIZES[1:-1],
    ),
    Promise(
        "LWCal fit, 161 distinct scores, 10,000,000 rows, against scikit-learn's",
        40, True, FASTER, _ratio(FIT, "161 values", SKLEARN, LWCAL), FIT, MANY,
    ),
    Promise(
        "LWCal fit, 1,000 distinct scores, 10,000,000 rows, against scikit-learn's",
        40, True, FASTER, _ratio(FIT, "1,000 values", SKLEARN, LWCAL), FIT, MANY,
    ),
    Promise(
        "LWCal fit without compiled kernels, 10,000,000 rows, against scikit-learn's",
        3, True, FASTER, _ratio(FIT, "continuous", SKLEARN, PURE), FIT, MANY,
    ),
    Promise(
        "extra memory during LWCal fit, continuous scores, 10,000,000 rows",
        16, False, "bytes per row", _memory, MEMORY, MANY, _sklearn_memory,
    ),
    *(
        WorstPromise(
            f"{name} fit, continuous scores, 1,000,000 and 10,000,000 rows, against LWCal's",
            2, False, TIMES, _ratio(FIT, "continuous", name, LWCAL), (MILLION, MANY),
        )
        for name in (PLATT, BETA)
    ),
    Promise(
        "NoiseAware fit, continuous scores, 10,000,000 rows, against LWCal's",
        3, False, TIMES, _ratio(FIT, "continuous", NOISE_AWARE, LWCAL), FIT, MANY,
    ),
    *(
        WorstPromise(
            f"{name} fit, {rows:,} rows",
            target, False, "ms", _time(NOISE_MODELS, "continuous", name, 1e-3), (rows,),
            why="Few rows take nearly as long as many: half a dozen explanations are fitted, and "
            "averaged over some 1,200 draws at some hundred scores.",
        )
        for rows, target in ((noise_models.FEW, 4), (noise_models.MANY, 12))
        for name in (NOISE_AWARE, AUTO)
    ),
    WorstPromise(
        f"Audited fit, {noise_models.AUDITED_ROWS:,} rows, {noise_models.CHECKED} of them checked",
        12, False, "ms", _time(NOISE_MODELS, "continuous", AUDITED, 1e-3),
        (noise_models.AUDITED_ROWS,),
        why="Audited infers three noise models, each as long as NoiseAware: from all labels, from "
        "labels and checks, and from checks alone. A fourth lets flip rates depend on the score.",
    ),
    *(
        WorstPromise(
            f"NoiseAware fit, {rows:,} rows, {classes} classes",
            target, False, "s",
            _time(NOISE_MODELS, noise_models.described(classes), NOISE_AWARE, 1), (rows,),
        )
        for (rows, classes), target in zip(noise_models.CLASSES, (0.15, 1.5, 5), strict=True)
    ),
    WorstPromise(
        f"Reviewed fit, {noise_models.REVIEWED_ROWS:,} rows, {noise_models.REVIEWERS} reviewers",
        1, False, "s",
        _time(NOISE_MODELS, f"{noise_models.REVIEWERS} reviewers", REVIEWED, 1),
        (noise_models.REVIEWED_ROWS,),
    ),
    Promise(
        "applying LWCal's map to 10,000,000 scores, against np.interp",
        12, True, FASTER, _ratio(APPLY, "continuous", INTERP, LWCAL), APPLY, MANY,
    ),
    Promise(
        "applying LWCal's map to 10,000,000 scores, against a copy of the scores",
        1.5, False, TIMES, _ratio(APPLY, "continuous", LWCAL, COPY), APPLY, MANY,
    ),
    Promise(
        "applying LWCal's map to one score, in an array or in a list, the slower of both",
        6, False, "µs", _slower_kind_of_one, ONE_SCORE, 1,
    ),
    Promise(
        f"applying NoiseAware's map of {noise_models.APPLIED_CLASSES} classes to "
        f"{noise_models.APPLIED_ROWS:,} rows, against a softmax in numpy",
        3, False, TIMES,
        _ratio(
            APPLY_CLASSES, noise_models.described(noise_models.APPLIED_CLASSES),
            NOISE_AWARE, noise_models.SOFTMAX,
        ),
        APPLY_CLASSES, noise_models.APPLIED_ROWS,
    ),
    Promise(
        "1,000 segments of 2,000 rows with LWCal, each alone, against their sorts and 50 µs each",
        1.3, False, TIMES, _segments(segments.ALONE), SEGMENTS, segments.SIZES[-1], why=TWO_FITS,
    ),
    WorstPromise(
        "10, 100 and 1,000 such segments that borrow from all rows, against the same",
        1.3, False, TIMES, _segments(segments.SHARED), segments.SIZES,
        why="A fit to all rows and the differences between segments come first, and ten segments "
        "pay for both. Then each curve is fitted to its own rows and to a thousand borrowed ones.",
    ),
    Promise(
        "evaluate with all metrics, 1,000,000 rows, against np.sort",
        3, False, TIMES, _ratio(EVALUATE, "continuous", jobs.METRICS, SORT), EVALUATE, MILLION,
    ),
    Promise(
        "the HTML report of 1,000,000 rows",
        5, False, "s", _time(REPORT, "continuous", jobs.PAGE, 1), REPORT, MILLION,
    ),
    Promise(
        "eight threads that fit eight tables of 100,000 to 1,000,000 rows, against two processes",
        1.1, False, TIMES,
        _ratio(THREADS, "continuous", threads.EIGHT_THREADS, threads.TWO_PROCESSES), THREADS,
        MILLION,
        why="Kernels and sorts let other threads run, and the Python between them does not.",
    ),
    Promise(
        "import lwcal, beyond numpy, scipy.special and sklearn.base",
        50, False, "ms", _time(IMPORT, "", "lwcal", 1e-3), IMPORT, 0,
    ),
    Promise(
        "lwcal --help, against a Python process that imports typer and rich",
        2, False, TIMES, _ratio(HELP, "", commands.LWCAL_HELP, commands.IMPORTS), HELP, 0,
    ),
    Promise(
        f"lwcal apply to a CSV file of {commands.ROWS:,} rows, against a Python process in which "
        "DuckDB reads and writes it",
        1.5, False, TIMES, _ratio(APPLY_FILE, "", commands.LWCAL_APPLY, commands.DUCKDB),
        APPLY_FILE, commands.ROWS,
        why="Most of the command is its start: Python, numpy, DuckDB, and the command line.",
    ),
)  # fmt: skip
