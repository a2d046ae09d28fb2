"""Results of runs that never happened, for the tests of targets, tables and pictures."""

from benchmarks.data import KINDS
from benchmarks.methods import (
    AUDITED,
    AUTO,
    BETA,
    COPY,
    INTERP,
    LWCAL,
    NOISE_AWARE,
    PLATT,
    PURE,
    REVIEWED,
    SKLEARN,
    SORT,
)
from benchmarks.results import Measurement, Results
from benchmarks.timing import Timing

from benchmarks import commands, fitting, grid, jobs, noise_models, results, segments, threads


def grid_results(*, slow=None, faster=20.0, sizes=grid.SIZES):
    """Fits whose time is proportional to the rows; `slow` multiplies some: {(rows, name): factor}.

    `faster` is how many times as fast as scikit-learn the own methods are.
    """
    made = Results()
    seconds = {SKLEARN: 1.0, SORT: 1 / faster, **dict.fromkeys(grid.OWN, 1 / faster)}
    for rows in sizes:
        for name, unit in seconds.items():
            time = 1e-7 * rows * unit * (slow or {}).get((rows, name), 1.0)
            add(made, results.GRID, "continuous", rows, {name: time})
    return made


def whole_run(*, good):
    """A run of every size in which every target is far from its limit, on the right side or not."""
    odd = {(700, LWCAL): 2.0, (1_000_000, SORT): 0.1, (10_000_000, SORT): 0.1}
    made = grid_results(slow={} if good else odd, faster=20.0 if good else 2.0)
    ours, theirs = (1.0, 100.0) if good else (100.0, 1.0)
    for rows in fitting.SIZES:
        for kind in KINDS:
            others = dict.fromkeys((PLATT, BETA, NOISE_AWARE, PURE), ours)
            add(made, results.FIT, kind, rows, {LWCAL: 1.0, SKLEARN: theirs, **others})
            applied = {LWCAL: ours, INTERP: theirs, COPY: theirs}
            add(made, results.APPLY, kind, rows, applied)
            made.add(Measurement(results.KNOTS, kind, rows, LWCAL, 9, "knots", 9, 1))
    few, scale = results.NOISE_MODELS, 1e-3 if good else 1.0
    for rows in (noise_models.FEW, noise_models.MANY):
        add(made, few, "continuous", rows, {NOISE_AWARE: scale, AUTO: scale})
    add(made, few, "continuous", noise_models.AUDITED_ROWS, {AUDITED: scale})
    for rows, classes in noise_models.CLASSES:
        add(made, few, noise_models.described(classes), rows, {NOISE_AWARE: 10 * scale})
    reviewers = f"{noise_models.REVIEWERS} reviewers"
    add(made, few, reviewers, noise_models.REVIEWED_ROWS, {REVIEWED: 10 * scale})
    one = {fitting.ONE_OF_ARRAY: 1e-6, fitting.ONE_OF_LIST: 1e-6 if good else 1e-3}
    add(made, results.ONE_SCORE, "continuous", 1, one)
    many = {NOISE_AWARE: ours, noise_models.SOFTMAX: theirs}
    of = noise_models.described(noise_models.APPLIED_CLASSES)
    add(made, results.APPLY_CLASSES, of, noise_models.APPLIED_ROWS, many)
    for rows in segments.SIZES:
        both = dict.fromkeys((segments.ALONE, segments.SHARED), ours)
        add(made, results.SEGMENTS, "continuous", rows, {SORT: theirs, **both})
    add(made, results.EVALUATE, "continuous", jobs.ROWS, {jobs.METRICS: ours, SORT: theirs})
    add(made, results.REPORT, "continuous", jobs.ROWS, {jobs.PAGE: ours})
    both = {threads.EIGHT_THREADS: ours, threads.TWO_PROCESSES: theirs}
    add(made, results.THREADS, "continuous", threads.ROWS[0], both)
    add(made, results.HELP, "", 0, {commands.LWCAL_HELP: ours, commands.IMPORTS: theirs})
    applied = {commands.LWCAL_APPLY: ours, commands.DUCKDB: theirs}
    add(made, results.APPLY_FILE, "", commands.ROWS, applied)
    add(made, results.IMPORT, "", 0, {"lwcal": scale})
    for name, value in ((LWCAL, 8.0 if good else 80.0), (SKLEARN, 80.0)):
        rows = fitting.SIZES[-1]
        memory = Measurement(
            results.MEMORY, "continuous", rows, name, value, "bytes per row", value, 1
        )
        made.add(memory)
    return made


def add(made, task, scores, rows, seconds):
    """Add the times of several contenders."""
    for name, value in seconds.items():
        made.add_timing(task, scores, rows, name, Timing(value, value, 3))
