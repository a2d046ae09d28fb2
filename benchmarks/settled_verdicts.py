"""How often more evidence decides "check labels first": ``python -m benchmarks.settled_verdicts``.

Simulated tables whose verdict asks for checked labels are given checked labels, second opinions,
or two more opinions. Rewrites a table of docs/theory/verdict.md. Use ``--quick`` and ``--page`` for
a quick run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from joblib import Parallel, delayed
from scipy import special
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.engine_report import fill_between
from benchmarks.report import table as pipe_table
from lwcal_study.environment import machine

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "verdict.md"
MARKS = "<!-- settled -->", "<!-- end of settled -->"
TABLES, QUICK_TABLES = 120, 6
ROWS = (500, 2000, 5000)
CHECKED = 25
OPINIONS = (50, 200)
"""Rows with more opinions."""
HARM = 1.02
Column: TypeAlias = np.ndarray


class Table(NamedTuple):
    """Scores, labels by one reviewer, and the truth with its probability."""

    scores: Column
    labels: Column
    truth: Column
    probability: Column
    others: Column


def draw(seed: int) -> Table:
    """Scores that are right, too sure or not sure enough, and labels with up to 30% errors."""
    rng = np.random.default_rng(seed)
    n, share = int(rng.choice(ROWS)), rng.choice([0.1, 0.3, 0.5])
    truth = rng.random(n) < share
    distance, sharpness = rng.choice([0.7, 1.0, 1.5]), rng.choice([0.5, 1.0, 2.0])
    evidence = 2.0 * distance * (rng.normal(size=n) + distance * np.where(truth, 1.0, -1.0))

    def reviewer(most: Sequence[float]) -> Column:
        negative, positive = rng.choice(most, 2)
        draws = rng.random(n)
        return np.where(truth, draws >= positive, draws < negative).astype(float)

    labels = reviewer([0.0, 0.05, 0.1, 0.2, 0.3])
    others = np.stack([reviewer([0.05, 0.1, 0.2]) for _ in range(2)], axis=1)
    probability = special.expit(evidence + special.logit(share))
    return Table(
        special.expit(sharpness * evidence + special.logit(share)),
        labels,
        truth,
        probability,
        others,
    )


def by_checks(table: Table, seed: int) -> tuple[str, Callable[[], lwcal.Calibrator]]:
    """The verdict after an audit, and what it deploys."""
    plan = lwcal.plan_audit(table.scores, table.labels, budget=CHECKED, random_state=seed)
    checked = np.full(len(table.truth), np.nan)
    checked[plan.rows] = table.truth[plan.rows]
    found = lwcal.diagnose(table.scores, table.labels, y_audited=checked, methods=[])
    return found.recommendation.action, lambda: lwcal.Audited().fit(
        table.scores, table.labels, y_audited=checked
    )


def by_opinions(
    table: Table, seed: int, reviewers: int, rows: int
) -> tuple[str, Callable[[], lwcal.Calibrator]]:
    """The verdict with more opinions on some rows, and what it deploys."""
    chosen = np.random.default_rng(seed).permutation(len(table.truth))[:rows]
    labels = np.full((len(table.truth), 1 + reviewers), np.nan)
    labels[:, 0] = table.labels
    labels[chosen, 1:] = table.others[chosen, :reviewers]
    found = lwcal.diagnose(table.scores, labels)
    return found.recommendation.action, lambda: lwcal.Reviewed().fit(table.scores, labels)


WAYS: dict[str, Callable[[Table, int], tuple[str, Callable[[], lwcal.Calibrator]]]] = {
    f"{CHECKED} checked labels": by_checks,
    **{
        f"a second opinion on {rows} rows": lambda t, s, rows=rows: by_opinions(t, s, 1, rows)
        for rows in OPINIONS
    },
    **{
        f"two more opinions on {rows} rows": lambda t, s, rows=rows: by_opinions(t, s, 2, rows)
        for rows in OPINIONS
    },
}


def judge(seed: int) -> dict[str, tuple[str, float]] | None:
    """What each way leads to, and the log loss of what is deployed; None if nothing was open."""
    table = draw(seed)
    with threadpool_limits(1), lwcal.thread_limit(1):
        first = lwcal.diagnose(table.scores, table.labels, methods=[]).recommendation
        if first.action != "audit" or first.second_opinions is None:
            return None
        found = {}
        for name, way in WAYS.items():
            action, fit = way(table, seed)
            ratio = _ratio(table, fit()) if action == "deploy" else 1.0
            found[name] = action, ratio
        return found


def _ratio(table: Table, fitted: lwcal.Calibrator) -> float:
    """Expected log loss, divided by that of the raw scores."""
    q = table.probability

    def loss(p: Column) -> float:
        p = np.clip(p, 1e-6, 1.0 - 1e-6)
        return float(-(q * np.log(p) + (1.0 - q) * np.log(1.0 - p)).mean())

    return loss(fitted.predict(table.scores)) / loss(table.scores)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and rewrite the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few tables")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    tables = QUICK_TABLES if options.quick else TABLES
    judged = Parallel(n_jobs=-1)(delayed(judge)(seed) for seed in range(tables))
    opened = [one for one in judged if one is not None]
    body = []
    for name in WAYS:
        actions = [one[name][0] for one in opened]
        ratios = [ratio for action, ratio in (one[name] for one in opened) if action == "deploy"]
        body.append(
            [
                name,
                *(str(actions.count(action)) for action in ("deploy", "keep raw", "audit")),
                str(sum(ratio > HARM for ratio in ratios)),
            ]
        )
    header = [
        f"{len(opened)} tables, given",
        "deploy",
        "keep raw",
        "still open",
        "of the deployed, over 2% worse",
    ]
    text = pipe_table(header, body)
    print(text)
    today = datetime.now(UTC).date().isoformat()
    command = "`python -m benchmarks.settled_verdicts`"
    note = f"{tables} tables were drawn, on {today}, {machine()}; by {command}."
    fill_between(options.page, *MARKS, f"{text}\n{note}\n")


if __name__ == "__main__":
    main()
