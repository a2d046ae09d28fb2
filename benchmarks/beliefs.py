"""What beliefs about noise are worth, and knowledge of it: ``python -m benchmarks.beliefs``.

Development tasks only: the paper's under seeds that its study does not use, and those real ones
that are not kept for judging. Rewrites a table of docs/theory/noise-aware.md. ``--quick`` and
``--page`` are for a quick look.
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
from benchmarks.machine import describe_machine
from benchmarks.report import table as pipe_table
from lwcal.calibrators.posterior_map import posterior_map
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.inference import apparent_log_slope, infer
from lwcal.noise.logit_counts import pool_by_logit
from lwcal_study.cells import NEGATIVE_FACTOR, POSITIVE_FACTOR, Cell, Scored
from lwcal_study.grid import KINDS, QUICK_TREES, RATES, TREES
from lwcal_study.leaderboard.grid import AnyCell, coordinates, suite_cells
from lwcal_study.leaderboard.run import fit_and_score
from lwcal_study.real.noise import INSTANCE, NOISES
from lwcal_study.scores import score
from lwcal_study.tasks import LOADERS

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "noise-aware.md"
BEGIN, END = "<!-- beliefs -->", "<!-- end of beliefs -->"
SEEDS = (101, 102)
"""Of the paper's tasks; its study has 0 to 5."""
MOST_ROWS = 8000
PAPER, BY_CLASS, BY_INSTANCE, CLEAN = (
    "paper's tasks",
    "real, noise by class",
    "real, by instance",
    "real, clean",
)
SUITES = (PAPER, BY_CLASS, BY_INSTANCE, CLEAN)
RAW, ORACLE = "raw", "isotonic on clean labels"
ROWS = {
    "Platt": "Platt",
    "NoiseAware": "NoiseAware",
    "unhedged": "the same, evidence in full",
    "Auto": "Auto",
    "told": "NoiseAware, told the flip rates",
    "Platt, clean": "*Platt on clean labels*",
}


def cells(*, quick: bool) -> Iterator[tuple[str, AnyCell]]:
    """Every cell, with the suite that it counts for."""
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
    """Flip rates that were injected; None where they differ from row to row."""
    if isinstance(cell, Cell):
        if cell.kind == "symmetric":
            return cell.rate, cell.rate
        return NEGATIVE_FACTOR * cell.rate, POSITIVE_FACTOR * cell.rate
    noise = NOISES[cell.noise]
    return None if noise.kind == INSTANCE else (noise.of_negatives, noise.of_positives)


def measure(suite: str, cell: AnyCell) -> dict[str, Any]:
    """NLL of every row of the table, Brier scores, and the slopes of noisy and of true labels."""
    with threadpool_limits(1):
        rows = fit_and_score(cell)
        losses = {name: score(rows.y_test, p) for name, p in probabilities(cell, rows)}
    scores = np.concatenate([rows.calibration, rows.test])
    truths = np.concatenate([rows.y_clean, rows.y_test])
    return {
        "suite": suite,
        **{f"nll {name}": found["nll_strict"] for name, found in losses.items()},
        **{f"brier {name}": found["brier"] for name, found in losses.items()},
        "shown": apparent_log_slope(lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)),
        "true": apparent_log_slope(lwcal.ScoreTable.from_arrays(scores, truths)),
    }


def probabilities(cell: AnyCell, rows: Scored) -> Iterator[tuple[str, Any]]:
    """Test probabilities of everything that is compared."""
    table = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_noisy)
    clean = lwcal.ScoreTable.from_arrays(rows.calibration, rows.y_clean)
    rates = true_rates(cell)
    yield RAW, rows.test
    yield ORACLE, lwcal.Isotonic().fit_table(clean).predict(rows.test)
    yield "Platt", lwcal.Platt().fit_table(table).predict(rows.test)
    yield "NoiseAware", lwcal.NoiseAware().fit_table(table).predict(rows.test)
    yield "unhedged", posterior_map(infer(pool_by_logit(table), hypotheses()))(rows.test)
    yield "Auto", lwcal.Auto().fit_table(table).predict(rows.test)
    if rates is not None:
        told = lwcal.NoiseAware(noise_rates=rates).fit_table(table)
        yield "told", told.predict(rows.test)
    yield "Platt, clean", lwcal.Platt().fit_table(clean).predict(rows.test)


def shown(frame: pd.DataFrame) -> str:
    """The table, and what the slopes say."""
    means = frame.groupby("suite").mean()
    header = ["", *(f"NLL to raw, {suite}" for suite in SUITES), "Brier to oracle, paper's tasks"]
    body = []
    for name, title in ROWS.items():
        ratios = means[f"nll {name}"] / means[f"nll {RAW}"]
        to_oracle = means[f"brier {name}"][PAPER] / means[f"brier {ORACLE}"][PAPER]
        found = [*(ratios[suite] for suite in SUITES), to_oracle]
        body.append([title, *("" if np.isnan(value) else f"{value:.3f}" for value in found)])
    return pipe_table(header, body) + "\n" + _slopes(frame[frame["suite"].isin([PAPER, BY_CLASS])])


def _slopes(noisy: pd.DataFrame) -> str:
    """How the slope that true labels show follows the one that noisy labels show."""
    weights = 1.0 / noisy.groupby("suite")["suite"].transform("size")  # both suites count alike
    x, y = noisy["shown"], noisy["true"]
    coefficient, constant = np.polyfit(x, y, 1, w=np.sqrt(weights))
    left = np.average((y - constant - coefficient * x) ** 2, weights=weights) ** 0.5
    spread = np.average((y - np.average(y, weights=weights)) ** 2, weights=weights) ** 0.5
    return (
        f"Slopes under noise by class: log(slope of true labels) = {constant:.2f} + "
        f"{coefficient:.2f} log(slope that noisy labels show), which leaves a standard deviation "
        f"of {left:.2f} out of {spread:.2f}.\n"
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
    told = (
        f"\n{len(frame):,} cells, on {datetime.now(UTC).date().isoformat()}, {describe_machine()}; "
        "made by `python -m benchmarks.beliefs`.\n"
    )
    fill_between(options.page, BEGIN, END, found + told)
    print(found)


if __name__ == "__main__":
    main()
