"""Measure calibrators that are adapted to another base rate: ``python -m benchmarks.base_rates``.

Fits at a base rate of 30% with noisy labels, adapts to scores at another one, and compares with
calibrators that were fitted there to right labels. The same with several classes. Rewrites the
tables of docs/guide/base-rates.md. Use ``--quick`` and ``--page`` for a quick run, and ``--only``
for one part.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import special
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks import base_rate_pairs, class_base_rates
from benchmarks.base_rate_tasks import (
    CHECKED,
    FITTED,
    JUDGED_SEED,
    NOISES,
    ROWS,
    TASKS,
    Draw,
    Scores,
    flipped,
    log_loss,
    with_checked,
)
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal.shift import adapt
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "base-rates.md"
HOLDS = "<!-- where the assumption holds -->", "<!-- end of where it holds -->"
FAILS = "<!-- where the assumption fails -->", "<!-- end of where it fails -->"
PAIRS = "<!-- rising and falling -->", "<!-- end of rising and falling -->"
SEVERAL = "<!-- several classes -->", "<!-- end of several classes -->"
DEPLOYED = 0.03
TEST_ROWS = 50_000
CHANGED_TEST_ROWS, POPULATION = 20_000, 200_000
SEEDS = range(5)
METHODS = {
    "not adapted": "NoiseAware, not adapted",
    "EM, trusted": "Platt, EM (Saerens)",
    "EM": "NoiseAware, EM (Saerens)",
    "trusted": "Platt, adapted",
    "adapted": "NoiseAware, adapted",
    "checked": f"Audited ({CHECKED} checked labels), adapted",
    "rates known": "NoiseAware, flip rates known, adapted",
    "base rate known": "NoiseAware, base rate known",
}


class Result(NamedTuple):
    """A method on one task: log loss relative to the best, and the estimate."""

    part: str
    task: str
    noise: tuple[float, float]
    method: str
    ratio: float
    base_rate: float
    covered: float
    refused: float


def with_odds(probability: Scores, factor: float) -> Scores:
    """Multiply odds."""
    return np.asarray(factor * probability / (factor * probability + 1.0 - probability))


def saerens(probability: Scores, before: float) -> float:
    """Base rate by EM on calibrated probabilities (Saerens, Latinne and Decaestecker, 2002)."""
    rate = before
    for _ in range(2000):
        factor = rate / (1.0 - rate) * (1.0 - before) / before
        new = float(np.clip(with_odds(probability, factor).mean(), 1e-6, 1.0 - 1e-6))
        if abs(new - rate) < 1e-7:
            break
        rate = new
    return rate


def best_in_deployment(new: Scores, truth: Scores, test: Scores, outcome: Scores) -> float:
    """Log loss of the better of beta and isotonic calibration, fitted there to right labels."""
    candidates = (lwcal.Beta(), lwcal.Isotonic())
    return min(log_loss(one.fit(new, truth).predict(test), outcome) for one in candidates)


def measure(part: str, task: str, noise: tuple[float, float], seed: int) -> list[Result]:
    """Every method, where only the base rate differs."""
    with threadpool_limits(1):
        draw = TASKS[part][task]()
        rng = np.random.default_rng(seed + JUDGED_SEED * (part == "judged"))
        scores, truth = draw(rng, ROWS, FITTED)
        labels = flipped(rng, truth, noise)
        new, new_truth = draw(rng, ROWS, DEPLOYED)
        test, outcome = draw(rng, TEST_ROWS, DEPLOYED)
        best = best_in_deployment(new, new_truth, test, outcome)
        fits = _fits(rng, scores, labels, truth, noise)
        return [
            Result(part, task, noise, name, log_loss(p, outcome) / best, *found)
            for name, p, found in _methods(fits, new, test)
        ]


def _fits(
    rng: np.random.Generator,
    scores: Scores,
    labels: Scores,
    truth: Scores,
    noise: tuple[float, float],
) -> dict[str, Any]:
    checked = with_checked(rng, scores, labels, truth)
    return {
        "adapted": lwcal.NoiseAware().fit(scores, labels),
        "rates known": lwcal.NoiseAware(noise_rates=noise).fit(scores, labels),
        "checked": lwcal.Audited().fit(scores, labels, y_audited=checked),
        "trusted": lwcal.Platt().fit(scores, labels),
    }


def _methods(
    fits: dict[str, Any], new: Scores, test: Scores
) -> Iterator[tuple[str, Scores, tuple[float, float, float]]]:
    nan = float("nan")
    yield "not adapted", fits["adapted"].predict(test), (nan, nan, nan)
    for name, used in (("EM, trusted", "trusted"), ("EM", "adapted")):
        fitted = fits[used]
        before = float(lwcal.shift.adapt(fitted, new).before)
        rate = saerens(fitted.predict(new), before)
        factor = rate / (1.0 - rate) * (1.0 - before) / before
        yield name, with_odds(fitted.predict(test), factor), (rate, nan, nan)
    for name in ("trusted", "adapted", "checked", "rates known"):
        found = adapt(fits[name], new)
        if found.base_rate is None or found.calibrator is None:
            yield name, np.full(len(test), nan), (nan, nan, 1.0)
            continue
        rate, low, high = found.base_rate
        covered = float(low <= DEPLOYED <= high)
        yield name, found.calibrator.predict(test), (rate, covered, 0.0)
    known = lwcal.shift.to_base_rate(fits["adapted"], DEPLOYED)
    yield "base rate known", known.predict(test), (DEPLOYED, nan, nan)


class Change(NamedTuple):
    """A change of the scores besides the base rate."""

    kind: str
    size: float


CHANGES = {
    "none": Change("none", 0.0),
    "negatives score higher by 0.5 logits": Change("negatives", 0.5),
    "negatives score higher by 1 logit": Change("negatives", 1.0),
    "positives score lower by 1 logit": Change("positives", -1.0),
    "a tenth of the rows scores near 0.4": Change("cluster", 0.1),
    "scores are sharper by a third": Change("sharper", 1.0 / 3.0),
    "equal scores mean what they meant": Change("population", 0.0),
}
BASE_RATES = (0.03, 0.15, 0.6)


class Refusal(NamedTuple):
    """What happened to one changed sample."""

    change: str
    base_rate: float
    rows: int
    refused: float
    ratio: float
    unadapted: float


def changed(
    rng: np.random.Generator, draw: Draw, n: int, base_rate: float, change: Change
) -> tuple[Scores, Scores]:
    """New rows at another base rate of which the scores changed, too."""
    if change.kind == "population":  # scores are drawn, and truth keeps its share at each score
        many, outcome = draw(rng, POPULATION, FITTED)
        target = rng.permutation(draw(rng, n, base_rate)[0])
        order = np.argsort(many)
        place = np.clip(np.searchsorted(many[order], target), 0, len(many) - 1)
        return many[order][place], outcome[order][place]
    scores, truth = draw(rng, n, base_rate)
    z = special.logit(np.clip(scores, 1e-9, 1.0 - 1e-9))
    if change.kind == "negatives":
        z = z + change.size * ~truth
    if change.kind == "positives":
        z = z + change.size * truth
    if change.kind == "sharper":
        z = z * (1.0 + change.size)
    if change.kind == "cluster":
        z = np.where(rng.random(n) < change.size, rng.normal(-0.4, 0.2, n), z)
    return special.expit(z), truth


def measure_change(task: str, name: str, base_rate: float, rows: int, seed: int) -> Refusal:
    """Whether a change is refused, and what it would have cost."""
    with threadpool_limits(1):
        draw, change = TASKS["judged"][task](), CHANGES[name]
        rng = np.random.default_rng(seed + JUDGED_SEED)
        scores, truth = draw(rng, rows, FITTED)
        fitted = lwcal.NoiseAware().fit(scores, flipped(rng, truth, (0.1, 0.1)))
        new, new_truth = changed(rng, draw, rows, base_rate, change)
        test, outcome = changed(rng, draw, CHANGED_TEST_ROWS, base_rate, change)
        best = best_in_deployment(new, new_truth, test, outcome)
        found = adapt(fitted, new)
        unadapted = log_loss(fitted.predict(test), outcome) / best
        if found.calibrator is None:
            return Refusal(name, base_rate, rows, 1.0, float("nan"), unadapted)
        ratio = log_loss(found.calibrator.predict(test), outcome) / best
        return Refusal(name, base_rate, rows, 0.0, ratio, unadapted)


def shown(frame: pd.DataFrame, part: str) -> str:
    """The table of one part: log loss by noise, then coverage and refusals over all."""
    frame = frame[frame.part == part]
    header = ["", *(_noise(noise) for noise in NOISES), "in the interval", "refused"]
    body = []
    for method, title in METHODS.items():
        rows = frame[frame.method == method]
        by_noise = (rows[rows.noise == noise].ratio for noise in NOISES)
        cells = [_ratio(one.mean()) for one in by_noise]
        body.append(
            [title, *cells, *(_share(rows[name].mean()) for name in ("covered", "refused"))]
        )
    return pipe_table(header, body)


def shown_changes(frame: pd.DataFrame) -> str:
    """Refusals by kind of change; and the log loss where it was not refused."""
    header = ["change", *(f"{rate:.0%}, {rows:,} rows" for rate in BASE_RATES for rows in SIZES)]
    body = []
    for name in CHANGES:
        cells = []
        for rate, rows in product(BASE_RATES, SIZES):
            found = frame[(frame.change == name) & (frame.base_rate == rate) & (frame.rows == rows)]
            loss = "" if found.ratio.isna().all() else f"; {_ratio(found.ratio.mean())}"
            cells.append(f"{found.refused.mean():.0%}{loss} ({_ratio(found.unadapted.mean())})")
        body.append([name, *cells])
    return pipe_table(header, body)


SIZES = (5000, 50_000)


def _noise(noise: tuple[float, float]) -> str:
    r0, r1 = noise
    return f"noise {r0:.0%}" if r0 == r1 else f"noise {r0:.0%} / {r1:.0%}"


def _ratio(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


def _share(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.0%}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one seed, one task of each part")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only", choices=("two", "several"), help="classes that are measured")
    options = parser.parse_args(arguments)
    if options.only != "several":
        measure_two_classes(options.page, quick=options.quick)
    if options.only != "two":
        measure_several_classes(options.page, quick=options.quick)


def measure_several_classes(page: Path, *, quick: bool) -> None:
    """Measure, and rewrite the table of several classes."""
    holds, fails, fits = class_base_rates.sections(quick=quick)
    text = f"{holds}\nOther changes:\n\n{fails}"
    fill_between(page, *SEVERAL, f"{text}\n{fits:,} fits, {note()}")
    print(text)


def note() -> str:
    """When and where it was measured, and how."""
    today = datetime.now(UTC).date().isoformat()
    return f"on {today}, {machine()}; by `python -m benchmarks.base_rates`.\n"


def measure_two_classes(page: Path, *, quick: bool) -> None:
    """Measure, and rewrite the tables of two classes."""
    seeds = SEEDS[:1] if quick else SEEDS
    tasks = {part: list(names)[: 1 if quick else None] for part, names in TASKS.items()}
    cells = [
        (part, task, noise, seed)
        for part, names in tasks.items()
        for task, noise, seed in product(names, NOISES, seeds)
    ]
    sizes = SIZES[:1] if quick else SIZES
    changes = list(product(tasks["judged"], CHANGES, BASE_RATES, sizes, seeds[:3]))
    run = Parallel(n_jobs=-1)
    found = pd.DataFrame([one for many in run(delayed(measure)(*c) for c in cells) for one in many])
    refused = pd.DataFrame(run(delayed(measure_change)(*one) for one in changes))
    holds = "\n".join(
        f"{part.capitalize()} tasks ({', '.join(TASKS[part])}):\n\n{shown(found, part)}"
        for part in ("judged", "development")
    )
    fails = shown_changes(refused)
    fill_between(page, *HOLDS, f"{holds}\n{len(cells):,} fits, {note()}")
    pairs, fits = base_rate_pairs.section(quick=quick)
    fill_between(page, *FAILS, f"{fails}\n{len(changes):,} fits, {note()}")
    fill_between(page, *PAIRS, f"{pairs}\n{fits:,} fits, {note()}")
    print(holds, fails, pairs, sep="\n")


if __name__ == "__main__":
    main()
