"""Measure the value of priors and of known flip rates: ``python -m benchmarks.prior_knowledge``.

Uses development tasks only: the paper's tasks with seeds that its study does not use, and the real
tasks that are not judged. Rewrites a table of docs/theory/noise-aware.md. Use ``--quick`` and
``--page`` for a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.inference import apparent_log_slope, infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal_study.environment import machine
from lwcal_study.evaluation import evaluate
from lwcal_study.leaderboard.grid import AnyCell, coordinates, suite_cells
from lwcal_study.leaderboard.run import fit_and_score
from lwcal_study.paper.cells import TREES, Cell
from lwcal_study.paper.grid import KINDS, QUICK_TREES, RATES
from lwcal_study.paper.open_choices import REFERENCE
from lwcal_study.paper.tasks import LOADERS
from lwcal_study.real.noise import INSTANCE, NOISES
from lwcal_study.scored_rows import ScoredRows

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "noise-aware.md"
BEGIN, END = "<!-- prior knowledge -->", "<!-- end of prior knowledge -->"
SEEDS = (101, 102)
"""Seeds of the paper's tasks. Its study uses 0 to 5."""
MOST_ROWS = 8000
PAPER, BY_CLASS, BY_INSTANCE, CLEAN = (
    "paper's tasks",
    "real, class-dependent noise",
    "real, instance-dependent noise",
    "real, clean",
)
SUITES = (PAPER, BY_CLASS, BY_INSTANCE, CLEAN)
RAW, ORACLE = "raw", "isotonic on clean labels"
BRIER = "Brier score / isotonic on clean labels, paper's tasks"
ROWS = {
    "Platt": "Platt",
    "NoiseAware": "NoiseAware",
    "untempered": "NoiseAware, posterior not tempered",
    "Auto": "Auto",
    "known rates": "NoiseAware, flip rates known",
    "Platt, clean": "*Platt on clean labels*",
}


def cells(*, quick: bool) -> Iterator[tuple[str, AnyCell]]:
    """Every cell, with its suite."""
    seeds, trees = (SEEDS[:1], QUICK_TREES) if quick else (SEEDS, TREES)
    for dataset, seed, kind, rate in product(LOADERS, seeds, KINDS, RATES[1:]):
        yield PAPER, Cell(dataset, "Random Forest", kind, rate, seed, trees)
    for cell in suite_cells("real", quick=quick) + suite_cells("real-clean", quick=quick):
        assert not isinstance(cell, Cell)
        if coordinates(cell)["part"] == "development":
            kind = NOISES[cell.noise].kind
            suite = {"clean": CLEAN, INSTANCE: BY_INSTANCE}.get(kind, BY_CLASS)
            yield suite, replace(cell, rows=MOST_ROWS)


def true_rates(cell: AnyCell) -> tuple[float, float] | None:
    """The injected flip rates, or None if they differ between rows."""
    if isinstance(cell, Cell):
        if cell.kind == "symmetric":
            return cell.rate, cell.rate
        return REFERENCE.negative_factor * cell.rate, REFERENCE.positive_factor * cell.rate
    noise = NOISES[cell.noise]
    return None if noise.kind == INSTANCE else (noise.of_negatives, noise.of_positives)


def measure(suite: str, cell: AnyCell) -> dict[str, Any]:
    """Log losses, Brier scores, and the slopes for noisy and for true labels."""
    with threadpool_limits(1):
        rows = fit_and_score(cell)
        losses = {name: evaluate(rows.y_test, p) for name, p in probabilities(cell, rows)}
    scores = np.concatenate([rows.calibration, rows.test])
    truths = np.concatenate([rows.y_clean, rows.y_test])
    return {
        "suite": suite,
        **{f"nll {name}": found["nll_strict"] for name, found in losses.items()},
        **{f"brier {name}": found["brier"] for name, found in losses.items()},
        "shown": apparent_log_slope(lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)),
        "true": apparent_log_slope(lwcal.ScoreTable.from_arrays(scores, truths)),
    }


def probabilities(cell: AnyCell, rows: ScoredRows) -> Iterator[tuple[str, Any]]:
    """Test probabilities of every method."""
    table = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)
    clean = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_clean)
    rates = true_rates(cell)
    yield RAW, rows.test
    yield ORACLE, lwcal.Isotonic().fit_table(clean).predict(rows.test)
    yield "Platt", lwcal.Platt().fit_table(table).predict(rows.test)
    yield "NoiseAware", lwcal.NoiseAware().fit_table(table).predict(rows.test)
    full = infer(pool_by_logit(table), hypotheses(), rows_of_evidence=float("inf"))
    yield "untempered", posterior_map(full.believed)(rows.test)
    yield "Auto", lwcal.Auto().fit_table(table).predict(rows.test)
    if rates is not None:
        informed = lwcal.NoiseAware(noise_rates=rates).fit_table(table)
        yield "known rates", informed.predict(rows.test)
    yield "Platt, clean", lwcal.Platt().fit_table(clean).predict(rows.test)


def shown(frame: pd.DataFrame) -> str:
    """The table, and the relation of the slopes."""
    means = frame.groupby("suite").mean()
    header = ["", *(f"relative log loss, {suite}" for suite in SUITES), BRIER]
    body = []
    for name, title in ROWS.items():
        ratios = means[f"nll {name}"] / means[f"nll {RAW}"]
        to_oracle = means[f"brier {name}"][PAPER] / means[f"brier {ORACLE}"][PAPER]
        found = [*(ratios[suite] for suite in SUITES), to_oracle]
        body.append([title, *("" if np.isnan(value) else f"{value:.3f}" for value in found)])
    return pipe_table(header, body) + "\n" + _slopes(frame[frame["suite"].isin([PAPER, BY_CLASS])])


def _slopes(noisy: pd.DataFrame) -> str:
    """Regression of the slope for true labels on the slope for noisy labels."""
    weights = 1.0 / noisy.groupby("suite")["suite"].transform(
        "size"
    )  # both suites have the same weight
    x, y = noisy["shown"], noisy["true"]
    coefficient, constant = np.polyfit(x, y, 1, w=np.sqrt(weights))
    left = np.average((y - constant - coefficient * x) ** 2, weights=weights) ** 0.5
    spread = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights) ** 0.5
    return (
        f"Slopes under class-dependent noise: log(slope for true labels) = {constant:.2f} + "
        f"{coefficient:.2f} log(slope for noisy labels). The residual standard deviation is "
        f"{left:.2f}, out of {spread:.2f}.\n"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few tasks, small forests")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    work = list(cells(quick=options.quick))
    frame = pd.DataFrame(Parallel(n_jobs=-1)(delayed(measure)(*one) for one in work))
    found = shown(frame)
    note = (
        f"\n{len(frame):,} cells, on {datetime.now(UTC).date().isoformat()}, {machine()}; "
        "by `python -m benchmarks.prior_knowledge`.\n"
    )
    fill_between(options.page, BEGIN, END, found + note)
    print(found)


if __name__ == "__main__":
    main()
