"""Calibrators of several classes at other base rates: a part of ``benchmarks.base_rates``."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import softmax
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.report import table as pipe_table
from lwcal.shift import adapt

ROWS, TEST_ROWS, POPULATION = 3000, 20_000, 100_000
CLASSES = (3, 5, 10)
NOISES = (0.0, 0.1, 0.3)
SEEDS = range(2)
JUDGED_SEED = 1000
"""Added to the seeds of the judged tasks; the methods were chosen on the development tasks."""
FEATURES = 6
NAN = float("nan")
Scores: TypeAlias = np.ndarray
Draw: TypeAlias = Callable[[np.random.Generator, int, Scores], tuple[Scores, Scores]]


def fitted_rates(k: int) -> Scores:
    """Base rates of the fit: the last class is three times as frequent as the first."""
    rates = np.linspace(1.0, 3.0, k)
    return rates / rates.sum()


def _noise_of_shape(shape: str, rng: np.random.Generator, size: tuple[int, int]) -> Scores:
    if shape == "normal":
        return rng.normal(size=size)
    if shape == "heavy tails":
        return rng.standard_t(4, size=size)
    return (rng.gamma(2.0, 1.0, size=size) - 2.0) / np.sqrt(2.0)


def simulated(shape: str, k: int, seed: int) -> Draw:
    """Scores of a model that takes every shape for normal: the development tasks."""
    centre = np.random.default_rng(seed).normal(size=(k, 4)) * 1.15

    def draw(rng: np.random.Generator, n: int, rates: Scores) -> tuple[Scores, Scores]:
        truth = rng.choice(k, n, p=rates)
        x = centre[truth] + _noise_of_shape(shape, rng, (n, 4))
        logits = -0.65 * ((x[:, None] - centre) ** 2).sum(axis=2) + np.log(fitted_rates(k))
        return softmax(logits, axis=1), truth

    return draw


def trained(model: Any, k: int, seed: int) -> Draw:
    """Scores of a model that was trained at the base rates of the fit: the judged tasks.

    The features of the classes differ in place, spread and correlation.
    """
    rng = np.random.default_rng(seed)
    place = rng.normal(size=(k, FEATURES))
    spread = np.stack([np.linalg.qr(rng.normal(size=(FEATURES, FEATURES)))[0] for _ in range(k)])
    spread *= rng.uniform(0.8, 1.4, size=(k, 1, FEATURES))

    def features(rng: np.random.Generator, truth: Scores) -> Scores:
        mixed = np.einsum("nij,nj->ni", spread[truth], rng.normal(size=(len(truth), FEATURES)))
        return np.asarray(place[truth] + mixed)

    known = rng.choice(k, 4000, p=fitted_rates(k))
    model.fit(features(rng, known), known)

    def draw(rng: np.random.Generator, n: int, rates: Scores) -> tuple[Scores, Scores]:
        truth = rng.choice(k, n, p=rates)
        return model.predict_proba(features(rng, truth)), truth

    return draw


TASKS: dict[str, dict[str, Callable[[int, int], Draw]]] = {
    "development": {
        shape: (lambda k, seed, shape=shape: simulated(shape, k, seed))
        for shape in ("normal", "heavy tails", "skewed")
    },
    "judged": {
        "logistic regression": lambda k, seed: trained(LogisticRegression(max_iter=500), k, seed),
        "random forest": lambda k, seed: trained(
            RandomForestClassifier(50, min_samples_leaf=5, random_state=0), k, seed
        ),
        "naive Bayes": lambda k, seed: trained(GaussianNB(), k, seed),
    },
}
METHODS = {
    "not adapted": "NoiseAware, not adapted",
    "EM": "NoiseAware, EM (Saerens)",
    "trusted": "VectorScaling, adapted",
    "adapted": "NoiseAware, adapted",
    "matrix known": "NoiseAware, noise matrix known, adapted",
    "base rates known": "NoiseAware, base rates known",
}


class Result(NamedTuple):
    """A method on one task: log loss relative to the best, and the estimate."""

    part: str
    k: int
    noise: float
    method: str
    ratio: float
    covered: float
    refused: float


def even_noise(k: int, rate: float) -> Scores:
    """A noise matrix: wrong labels are of any other class."""
    return np.full((k, k), rate / (k - 1)) + (1.0 - rate - rate / (k - 1)) * np.eye(k)


def relabelled(rng: np.random.Generator, truth: Scores, noise: Scores) -> Scores:
    """Labels that are wrong as the matrix says."""
    return (rng.random((len(truth), 1)) > noise[truth].cumsum(axis=1)[:, :-1]).sum(axis=1)


def log_loss(probabilities: Scores, truth: Scores) -> float:
    """Mean log loss."""
    found = probabilities[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(found, 1e-6, 1.0)).mean())


def reweighted(probabilities: Scores, ratios: Scores) -> Scores:
    """Probabilities after each class became so many times more frequent."""
    found = probabilities * ratios
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def saerens(probabilities: Scores, before: Scores) -> Scores:
    """Base rates by EM on calibrated probabilities (Saerens, Latinne and Decaestecker, 2002)."""
    rates = before
    for _ in range(1000):
        new = reweighted(probabilities, rates / before).mean(axis=0)
        if np.abs(new - rates).max() < 1e-6:
            break
        rates = new
    return rates


def best_in_deployment(new: Scores, truth: Scores, test: Scores, outcome: Scores) -> float:
    """Log loss of the better of vector and matrix scaling, fitted there to right labels."""
    classes = range(new.shape[1])
    return min(
        log_loss(one.fit(new, truth, classes=classes).predict(test), outcome)
        for one in (lwcal.VectorScaling(), lwcal.MatrixScaling())
    )


def measure(part: str, task: str, k: int, noise: float, seed: int) -> list[Result]:
    """Every method, where only the base rates differ."""
    with threadpool_limits(1):
        start = seed + JUDGED_SEED * (part == "judged")
        draw, rng = TASKS[part][task](k, start), np.random.default_rng(start)
        matrix = even_noise(k, noise)
        scores, truth = draw(rng, ROWS, fitted_rates(k))
        labels = relabelled(rng, truth, matrix)
        now = rng.dirichlet(np.ones(k))
        new, new_truth = draw(rng, ROWS, now)
        test, outcome = draw(rng, TEST_ROWS, now)
        best = best_in_deployment(new, new_truth, test, outcome)
        fits = {
            "adapted": lwcal.NoiseAware(),
            "matrix known": lwcal.NoiseAware(noise_matrix=matrix),
            "trusted": lwcal.VectorScaling(),
        }
        for one in fits.values():
            one.fit(scores, labels, classes=range(k))
        aware = fits["adapted"]
        before = np.array(lwcal.shift.adapt(aware, new).before)
        rates = saerens(aware.predict(new), before)
        plain = aware.predict(test)
        known = lwcal.shift.to_base_rate(aware, np.maximum(now, 1e-6) / np.maximum(now, 1e-6).sum())
        found = {
            "not adapted": (log_loss(plain, outcome), NAN, NAN),
            "EM": (log_loss(reweighted(plain, rates / before), outcome), NAN, NAN),
            "base rates known": (log_loss(known.predict(test), outcome), NAN, NAN),
            **{name: _adapted(one, new, now, test, outcome) for name, one in fits.items()},
        }
        return [
            Result(part, k, noise, name, loss / best, covered, refused)
            for name, (loss, covered, refused) in found.items()
        ]


def _adapted(
    fitted: Any, new: Scores, now: Scores, test: Scores, outcome: Scores
) -> tuple[float, float, float]:
    """Log loss, share of the classes whose interval holds the base rate, and whether refused."""
    found = adapt(fitted, new)
    if found.calibrator is None:
        return NAN, NAN, 1.0
    pairs = zip(found.base_rates, now, strict=True)
    covered = float(np.mean([one.low <= share <= one.high for one, share in pairs]))
    return log_loss(found.calibrator.predict(test), outcome), covered, 0.0


CHANGES = {
    "none": "none",
    "the base rates did not change": "same",
    "the first class looks more like the second, by 1 logit": "class",
    "a tenth of the rows is unclear": "unclear",
    "scores are sharper by a third": "sharper",
    "equal scores mean what they meant": "population",
}


class Refusal(NamedTuple):
    """What happened to one changed sample."""

    change: str
    k: int
    verdict: str
    ratio: float
    unadapted: float


def changed(
    rng: np.random.Generator, draw: Draw, n: int, rates: Scores, kind: str
) -> tuple[Scores, Scores]:
    """New rows at other base rates of which the scores changed, too."""
    k = len(rates)
    if kind == "population":  # rows are chosen by their scores, so equal scores mean the same
        scores, truth = draw(rng, POPULATION, fitted_rates(k))
        weights = scores @ (rates / fitted_rates(k))
        chosen = rng.choice(len(scores), n, p=weights / weights.sum())
        return scores[chosen], truth[chosen]
    scores, truth = draw(rng, n, rates)
    z = np.log(np.clip(scores, 1e-9, 1.0))
    if kind == "class":
        z[truth == 0, 1] += 1.0
    if kind == "unclear":
        hit = rng.random(n) < 0.1
        z[hit] = np.log(rng.dirichlet(np.full(k, 30.0), int(hit.sum())))
    if kind == "sharper":
        z = z * (4.0 / 3.0)
    return softmax(z, axis=1), truth


def measure_change(task: str, name: str, k: int, seed: int) -> Refusal:
    """Whether a change is refused, and what it would have cost."""
    with threadpool_limits(1):
        kind = CHANGES[name]
        draw = TASKS["judged"][task](k, seed + JUDGED_SEED)
        rng = np.random.default_rng(seed + JUDGED_SEED)
        scores, truth = draw(rng, ROWS, fitted_rates(k))
        labels = relabelled(rng, truth, even_noise(k, 0.1))
        fitted = lwcal.NoiseAware().fit(scores, labels, classes=range(k))
        now = rng.dirichlet(np.ones(k))
        now = fitted_rates(k) if kind == "same" else now
        new, new_truth = changed(rng, draw, ROWS, now, kind)
        test, outcome = changed(rng, draw, TEST_ROWS, now, kind)
        best = best_in_deployment(new, new_truth, test, outcome)
        found = adapt(fitted, new)
        unadapted = log_loss(fitted.predict(test), outcome) / best
        ratio = NAN
        if found.calibrator is not None:
            ratio = log_loss(found.calibrator.predict(test), outcome) / best
        return Refusal(name, k, found.verdict, ratio, unadapted)


def shown(frame: pd.DataFrame, part: str, classes: tuple[int, ...]) -> str:
    """The table of one part: log loss by noise, then coverage and refusals over all."""
    header = ["classes", "", *(f"noise {noise:.0%}" for noise in NOISES)]
    body = []
    for k, (method, title) in product(classes, METHODS.items()):
        rows = frame[(frame.part == part) & (frame.k == k) & (frame.method == method)]
        losses = [f"{rows[rows.noise == noise].ratio.mean():.3f}" for noise in NOISES]
        shares = [
            "" if rows[name].isna().all() else f"{rows[name].mean():.0%}"
            for name in ("covered", "refused")
        ]
        body.append([str(k), title, *(loss.replace("nan", "") for loss in losses), *shares])
    return pipe_table([*header, "in the interval", "refused"], body)


def shown_changes(frame: pd.DataFrame, classes: tuple[int, ...]) -> str:
    """Refusals by kind of change; and the log loss where it was not refused."""
    body = []
    for name in CHANGES:
        cells = []
        for k in classes:
            found = frame[(frame.change == name) & (frame.k == k)]
            refused = found.ratio.isna()
            kept = found[~refused]
            loss = "" if kept.empty else f"; {kept.ratio.mean():.3f} ({kept.unadapted.mean():.3f})"
            cells.append(f"{refused.mean():.0%}{loss}")
        body.append([name, *cells])
    return pipe_table(["change", *(f"{k} classes" for k in classes)], body)


def sections(*, quick: bool) -> tuple[str, str, int]:
    """Both tables in the words of the page, and the number of fits behind them."""
    seeds = SEEDS[:1] if quick else SEEDS
    classes = CLASSES[:1] if quick else CLASSES
    tasks = {part: list(names)[: 1 if quick else None] for part, names in TASKS.items()}
    cells = [
        (part, *cell)
        for part, names in tasks.items()
        for cell in product(names, classes, NOISES, seeds)
    ]
    changes = list(product(tasks["judged"], CHANGES, classes, seeds))
    run = Parallel(n_jobs=-1)
    found = pd.DataFrame([one for many in run(delayed(measure)(*c) for c in cells) for one in many])
    refused = pd.DataFrame(run(delayed(measure_change)(*one) for one in changes))
    holds = "\n".join(
        f"{part.capitalize()} tasks ({', '.join(TASKS[part])}):\n\n{shown(found, part, classes)}"
        for part in ("judged", "development")
    )
    return holds, shown_changes(refused, classes), len(cells) + len(changes)
