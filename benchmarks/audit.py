"""Measure the value of an audit on simulated tables: ``python -m benchmarks.audit [--quick]``.

Measures the coverage of the intervals, and compares plans at equal budget. The truth is known,
because the tables are simulated. Rewrites the two tables of docs/theory/audit.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.special import expit, logit
from threadpoolctl import threadpool_limits

import lwcal
from benchmarks.simulated_audits import binned_error, draw_audit
from lwcal.audit import estimate_from_audit
from lwcal_study.markdown import pipe_table

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "audit.md"
AUDITS, QUICK_AUDITS = 500, 40
BUDGETS = (50, 100)
NAMES = {
    "wrong_share": "share of wrong labels",
    "negative": "flip rate of negatives",
    "positive": "flip rate of positives",
    "ece_raw": "ECE of the raw score",
    "ece_calibrated": "ECE of Audited",
}


def covered(seed: int, budget: int) -> dict[str, float]:
    """Whether each interval of one audit contains the truth."""
    audit = draw_audit(seed, budget=budget)
    findings = estimate_from_audit(audit.scores, audit.noisy, audit.audited, audit.probability)
    fitted = lwcal.Audited().fit(audit.scores, audit.noisy, y_audited=audit.audited)
    truths = {
        "wrong_share": audit.wrong,
        "negative": audit.rates[0],
        "positive": audit.rates[1],
        "ece_raw": binned_error(audit.posterior, audit.scores),
        "ece_calibrated": binned_error(audit.posterior, fitted.predict(audit.scores)),
    }
    intervals = {name: getattr(findings, name) for name in NAMES}
    inside = {
        name: intervals[name].low <= truth <= intervals[name].high for name, truth in truths.items()
    }
    noise = "by class and score" if seed % 2 else "by class"
    return {"noise": noise, "budget": budget, **inside}


def coverage(audits: int) -> str:
    """One row per quantity: how often its 90% interval contains the truth."""
    jobs = (delayed(covered)(seed, budget) for budget in BUDGETS for seed in range(audits))
    frame = pd.DataFrame(Parallel(n_jobs=-1, backend="multiprocessing")(jobs))
    means = frame.groupby(["noise", "budget"])[list(NAMES)].mean()
    header = ["", "all", *(f"{budget} checked, flips {noise}" for noise, budget in means.index)]
    rows = [
        [NAMES[name], f"{frame[name].mean():.3f}", *(f"{value:.3f}" for value in means[name])]
        for name in NAMES
    ]
    return pipe_table(header, rows)


Choose = Callable[[np.random.Generator, np.ndarray, np.ndarray, int], np.ndarray]


def planned(rng, scores, labels, budget):
    """Pick rows with plan_audit."""
    return lwcal.plan_audit(scores, labels, budget, random_state=int(rng.integers(2**31))).rows


def at_random(rng, scores, labels, budget):
    """Draw rows at random with equal probabilities."""
    return rng.permutation(len(scores))[:budget]


def balanced(rng, scores, labels, budget):
    """Draw half of the rows from each label."""
    positive, negative = (rng.permutation(np.flatnonzero(labels == k)) for k in (1, 0))
    few = min(budget // 2, len(positive))
    return np.concatenate([positive[:few], negative[: budget - few]])


def suspicious(rng, scores, labels, budget):
    """Pick the labels that contradict the score most."""
    return np.argsort(np.where(labels == 1, scores, 1 - scores))[:budget]


PLANS: dict[str, Choose] = {
    "plan_audit": planned,
    "at random": at_random,
    "half of each label": balanced,
    "most suspicious only": suspicious,
}


def audited_with(plan: str, seed: int, positives: float) -> dict[str, float]:
    """Excess log loss and error of the estimated share of wrong labels, with 50 checked rows."""
    rng = np.random.default_rng(seed)
    n = 3000
    z = rng.normal(1.15 * logit(positives), 1.6, n)
    clean = expit(rng.uniform(0.6, 1.6) * z + rng.normal(0, 0.5))
    truth = rng.random(n) < clean
    steep = rng.normal(0, 0.4)
    missed = expit(logit(rng.uniform(0.1, 0.5)) - steep * (z - z.mean()))
    false_alarm = positives * rng.uniform(0.01, 0.2)
    labels = np.where(truth, rng.random(n) > missed, rng.random(n) < false_alarm).astype(int)
    labels[:2] = [0, 1]  # a table needs both classes
    scores = expit(z)
    audited = np.full(n, np.nan)
    rows = PLANS[plan](rng, scores, labels, 50)
    audited[rows] = truth[rows]
    fitted = lwcal.Audited().fit(scores, labels, y_audited=audited)
    p = fitted.predict(scores)

    def loss(q):
        return -np.mean(clean * np.log(q) + (1 - clean) * np.log1p(-q))

    wrong = np.mean(labels != truth)
    return {
        "plan": plan,
        "positives": positives,
        "excess": loss(p) / loss(clean) - 1,
        "raw": loss(np.clip(scores, 1e-6, 1 - 1e-6)) / loss(clean) - 1,
        "wrong": fitted.diagnostics_["wrong"] / wrong,
    }


def plans(audits: int) -> str:
    """One row per plan: excess log loss, and bias of the share of wrong labels."""
    shares = (0.02, 0.2)
    jobs = (
        delayed(audited_with)(plan, seed, share)
        for share in shares
        for plan in PLANS
        for seed in range(audits // 5)
    )
    frame = pd.DataFrame(Parallel(n_jobs=-1, backend="multiprocessing")(jobs))
    means = frame.groupby(["plan", "positives"])[["excess", "wrong"]].mean()
    raw = frame.groupby("positives")["raw"].mean()
    header = [
        "50 rows checked",
        *(f"excess log loss, {share:.0%} positives" for share in shares),
        *(f"estimated / true share of wrong labels, {share:.0%} positives" for share in shares),
    ]
    rows = [
        [
            plan,
            *(f"{means.loc[(plan, share), 'excess']:.1%}" for share in shares),
            *(f"{means.loc[(plan, share), 'wrong']:.2f}" for share in shares),
        ]
        for plan in PLANS
    ]
    none = ["none (raw score)", *(f"{raw[share]:.1%}" for share in shares), "", ""]
    return pipe_table(header, [*rows, none])


TABLES = {"coverage": coverage, "plans": plans}


def put(text: str, name: str, table: str) -> str:
    """Replace the table between its marks."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    pattern = f"{re.escape(begin)}.*?{re.escape(end)}"
    return re.sub(pattern, lambda _: f"{begin}\n{table}\n{end}", text, flags=re.DOTALL)


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="few audits; prints the tables without writing them"
    )
    quick = parser.parse_args().quick
    text = PAGE.read_text(encoding="utf-8")
    for name, measure in TABLES.items():
        with threadpool_limits(1):  # one core per audit: the matrices are small
            table = measure(QUICK_AUDITS if quick else AUDITS)
        print(table, end="\n\n")
        text = put(text, name, table)
    if not quick:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
