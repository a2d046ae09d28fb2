"""Measure what segments gain by borrowing from all rows: ``python -m benchmarks.pooling``.

Compares calibrators of segments with right probabilities. Rewrites the tables of
docs/guide/segments.md. Use ``--quick`` and ``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import special
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "segments.md"
MARKS = "<!-- what borrowing gains -->", "<!-- end of what borrowing gains -->"
SEGMENTS, LARGEST, TEST_ROWS, BEST_ROWS = 30, 10_000, 2000, 20_000
BORROWED = 1000
SEEDS = range(5)
JUDGED_SEED = 1000
"""Added to the seeds of the judged tasks; the method was chosen on the development tasks."""
SIZES = {"5 to 99 rows": (0, 100), "100 to 999": (100, 1000), "1,000 or more": (1000, 1 << 30)}
Scores: TypeAlias = np.ndarray
Rows: TypeAlias = Callable[[int], tuple[Scores, Scores]]


class Kind(NamedTuple):
    """How segments differ: standard deviations of their log-odds, slopes and noise; the noise."""

    offset: float = 0.0
    slope: float = 0.0
    noise: float = 0.0
    noise_spread: float = 0.0


KINDS = {
    "nothing": Kind(),
    "base rates": Kind(offset=0.5),
    "base rates and slopes": Kind(offset=0.5, slope=0.25),
    "nothing; 20% noise": Kind(noise=0.2),
    "base rates; 20% noise": Kind(offset=0.5, noise=0.2),
    "base rates and slopes; 20% noise": Kind(offset=0.5, slope=0.25, noise=0.2),
    "noise only": Kind(noise=0.15, noise_spread=0.08),
}
METHODS = {
    "pooled": "one calibrator for all",
    "alone": "each segment alone",
    "borrowed": f"{BORROWED:,} rows of all added",
    "segments": "`fit_segments`",
}
CALIBRATORS = {"NoiseAware": lwcal.NoiseAware, "Isotonic": lwcal.Isotonic}


def one_feature(rng: np.random.Generator, kind: Kind) -> Iterator[Rows]:
    """Normal log-odds, distorted: the development tasks."""
    while True:
        offset, slope = rng.normal(0.0, kind.offset), 1.0 + rng.normal(0.0, kind.slope)

        def rows(n: int, offset: float = offset, slope: float = slope) -> tuple[Scores, Scores]:
            t = rng.normal(-1.0, 1.5, n)
            return special.expit(1.5 * t + 0.5), special.expit(offset + slope * t)

        yield rows


def trained(model: Any) -> Callable[[np.random.Generator, Kind], Iterator[Rows]]:
    """Scores of a model that does not know the segment: the judged tasks.

    Offsets have heavy tails, and all weights of the features differ between segments.
    """

    def segments(rng: np.random.Generator, kind: Kind) -> Iterator[Rows]:
        weights = np.array([1.2, -0.8, 0.6, 0.0, 0.4])
        x = rng.normal(size=(3000, 5))
        model.fit(x, rng.random(3000) < special.expit(x @ weights - 1.5 + 0.5 * x[:, 3] ** 2))
        while True:
            offset = kind.offset * rng.standard_t(3) / np.sqrt(3.0)
            own = weights * (1.0 + kind.slope * rng.normal(size=5))

            def rows(n: int, offset: float = offset, own: Scores = own) -> tuple[Scores, Scores]:
                x = rng.normal(size=(n, 5))
                truth = special.expit(x @ own - 1.5 + 0.5 * x[:, 3] ** 2 + offset)
                return model.predict_proba(x)[:, 1], truth

            yield rows

    return segments


TASKS: dict[str, dict[str, Any]] = {
    "development": {"one feature": one_feature},
    "judged": {
        "logistic regression": trained(LogisticRegression()),
        "boosted trees": trained(HistGradientBoostingClassifier(max_iter=60, random_state=0)),
    },
}


class Result(NamedTuple):
    """Log loss of a method in a segment, above that of the best; and how much segments differ."""

    part: str
    kind: str
    calibrator: str
    method: str
    n: int
    excess: float
    spread: float


def log_loss(probability: Scores, truth: Scores) -> float:
    """Expected log loss, given the true probabilities."""
    clipped = np.clip(probability, 1e-6, 1.0 - 1e-6)
    return float(-(truth * np.log(clipped) + (1.0 - truth) * np.log1p(-clipped)).mean())


def measure(part: str, task: str, kind_name: str, calibrator: str, seed: int) -> list[Result]:
    """All methods on the segments of one task."""
    with threadpool_limits(1):
        kind = KINDS[kind_name]
        rng = np.random.default_rng(seed + JUDGED_SEED * (part == "judged"))
        sizes = np.exp(rng.uniform(np.log(5), np.log(LARGEST), SEGMENTS)).astype(int)
        segments = TASKS[part][task](rng, kind)
        tables, tests, best = {}, {}, {}
        for name, n in enumerate(sizes.tolist()):
            rows = next(segments)
            scores, truth = rows(n)
            wrong = np.clip(kind.noise + kind.noise_spread * rng.normal(), 0.0, 0.4)
            labels = (rng.random(n) < truth) ^ (rng.random(n) < wrong * (kind.noise > 0.0))
            tables[name] = lwcal.ScoreTable.from_arrays(scores, labels)
            tests[name] = rows(TEST_ROWS)
            best[name] = _best(rng, rows, *tests[name])
        fitted, methods = _methods(tables, CALIBRATORS[calibrator])
        return [
            Result(
                part,
                kind_name,
                calibrator,
                method,
                int(sizes[name]),
                log_loss(predict(name, tests[name][0]), tests[name][1]) - best[name],
                fitted.spread.value,
            )
            for method, predict in methods.items()
            for name in tables
        ]


def _best(rng: np.random.Generator, rows: Rows, test: Scores, truth: Scores) -> float:
    """Log loss of a calibrator that was fitted to many right labels of the segment."""
    scores, probability = rows(BEST_ROWS)
    fitted = lwcal.Beta().fit(scores, rng.random(BEST_ROWS) < probability)
    return log_loss(fitted.predict(test), truth)


def _methods(
    tables: dict[int, lwcal.ScoreTable], make: Callable[[], Any]
) -> tuple[lwcal.segments.Segments, dict[str, Callable[[int, Scores], Scores]]]:
    everything = lwcal.ScoreTable.merge(tables.values())
    pooled = make().fit_table(everything)
    borrowed = everything.scaled(BORROWED / everything.n)
    fitted = lwcal.fit_segments(tables, make())

    def alone(name: int, scores: Scores) -> Scores:
        table = tables[name]
        both = table.negatives.sum() > 0 and table.positives.sum() > 0
        return np.asarray((make().fit_table(table) if both else pooled).predict(scores))

    return fitted, {
        "pooled": lambda name, scores: pooled.predict(scores),
        "alone": alone,
        "borrowed": lambda name, scores: make().fit_table(tables[name] + borrowed).predict(scores),
        "segments": lambda name, scores: fitted.calibrator_of(name).predict(scores),
    }


def shown(frame: pd.DataFrame, part: str, calibrator: str) -> str:
    """Mean log loss above the best, in thousandths: all methods, by size of the segment."""
    frame = frame[(frame.part == part) & (frame.calibrator == calibrator)]
    body = []
    for kind in KINDS:
        cells = []
        for low, high in SIZES.values():
            chosen = frame[(frame.kind == kind) & (frame.n >= low) & (frame.n < high)]
            means = chosen.groupby("method").excess.mean()
            cells.append(" / ".join(f"{1000 * means[method]:.1f}" for method in METHODS))
        body.append([kind, *cells])
    return pipe_table(["segments differ in", *SIZES], body)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one seed")
    parser.add_argument("--part", choices=list(TASKS), help="only these tasks; writes nothing")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    seeds = SEEDS[:1] if options.quick else SEEDS
    parts = [options.part] if options.part else list(TASKS)
    cells = [
        (part, task, *rest)
        for part in parts
        for task, *rest in product(TASKS[part], KINDS, CALIBRATORS, seeds)
    ]
    found = Parallel(n_jobs=-1)(delayed(measure)(*cell) for cell in cells)
    frame = pd.DataFrame([one for many in found for one in many])
    text = "\n".join(
        f"{part.capitalize()} tasks ({', '.join(TASKS[part])}), {calibrator}:\n\n"
        f"{shown(frame, part, calibrator)}"
        for part, calibrator in product(reversed(parts), CALIBRATORS)
    )
    print(text)
    print(frame.groupby(["part", "kind"]).spread.mean().round(2))
    if not options.part:
        today = datetime.now(UTC).date().isoformat()
        note = f"on {today}, {machine()}; by `python -m benchmarks.pooling`.\n"
        fill_between(options.page, *MARKS, f"{text}\n{len(cells):,} fits, {note}")


if __name__ == "__main__":
    main()
