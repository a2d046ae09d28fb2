"""What the appendix shows, in sentences: which baselines beat Gated-LWCal, and where."""

from __future__ import annotations

import pandas as pd

from lwcal_study.paper.appendix.methods import BASELINES
from lwcal_study.paper.appendix.tables import REFERENCE, AppendixTable

USABLE = list(BASELINES)
"""Baselines that a user can have. The others choose their weight with the test labels."""
TITLES = {
    "ece": "ECE",
    "brier": "Brier score",
    "nll": "log loss†",
    "nll_strict": "log loss with the clip at 1e-6",
}


def headline(tables: list[AppendixTable]) -> str:
    """How many baselines are better on average, by metric, and which one wins in most places."""
    shown = {table.name: table.measured for table in tables}
    means, noise, datasets = (
        shown[name] for name in ("baselines", "baseline_noise", "baseline_datasets")
    )
    lower = {
        metric: int((means.loc[USABLE, metric] < means.loc[REFERENCE, metric]).sum())
        for metric in TITLES
    }
    counted = ", ".join(f"{n or 'none'} in {TITLES[metric]}" for metric, n in lower.items())
    strongest = max(USABLE, key=lambda name: _wins(noise, name) + _wins(datasets, name))
    return (
        f"The appendix runs {len(USABLE)} baselines that the paper mentions but does not run. "
        f"Better than {REFERENCE} on average: {counted}. {strongest} wins most often: it has the "
        f"lower log loss† in {_wins(noise, strongest)} of {noise.shape[1]} noise settings and on "
        f"{_wins(datasets, strongest)} of {datasets.shape[1]} data sets. The next section "
        "explains †."
    )


def _wins(table: pd.DataFrame, name: str) -> int:
    return int((table.loc[name] < table.loc[REFERENCE]).sum())


def findings(tables: list[AppendixTable]) -> list[str]:
    """Every finding, from the tables of the appendix."""
    shown = {table.name: table.measured for table in tables}
    return [
        *(_against(shown["baselines"], shown["baseline_deltas"], metric) for metric in TITLES),
        _where(shown["baseline_noise"], "noise settings"),
        _where(shown["baseline_datasets"], "data sets"),
        _learners(shown["baseline_learners"]),
        _perfect_gate(shown["baselines"]),
        _suspicion(shown["suspicion"]),
    ]


def _against(means: pd.DataFrame, deltas: pd.DataFrame, metric: str) -> str:
    values = means[metric]
    ordered = values[USABLE].sort_values()
    lower = [name for name in ordered.index if values[name] < values[REFERENCE]]
    title = TITLES[metric][0].upper() + TITLES[metric][1:]
    if not lower:
        nearest = ordered.index[0]
        return (
            f"{title}: no baseline is lower than {REFERENCE} ({values[REFERENCE]:.3f}). The lowest "
            f"is {_with_difference(nearest, values, deltas, metric)}."
        )
    listed = "; ".join(_with_difference(name, values, deltas, metric) for name in lower)
    return f"{title}: lower than {REFERENCE} ({values[REFERENCE]:.3f}) on average: {listed}."


def _with_difference(name: str, values: pd.Series, deltas: pd.DataFrame, metric: str) -> str:
    """Value of a baseline, and the difference in the direction of the table."""
    row = deltas.loc[f"{metric} {name}"]
    low, high = row["lower by data set"], row["upper by data set"]
    unsure = ", zero included" if low <= 0 <= high else ""
    return f"{name} {values[name]:.3f} ({row['delta']:+.3f} [{low:+.3f}, {high:+.3f}]{unsure})"


def _where(table: pd.DataFrame, places: str) -> str:
    """Where the best baseline wins. It is picked place by place, so no single one does as well."""
    best = table.loc[USABLE].idxmin()
    lost = [place for place in table if table.loc[best[place], place] < table.loc[REFERENCE, place]]
    counted = "; ".join(f"{name} in {_wins(table, name)}" for name in USABLE)
    start = f"Lower log loss† than {REFERENCE}, of {table.shape[1]} {places}: {counted}."
    if not lost:
        return start
    listed = "; ".join(
        f"{place}, {best[place]} {table.loc[best[place], place]:.3f} against "
        f"{table.loc[REFERENCE, place]:.3f}"
        for place in lost
    )
    return f"{start} Where {REFERENCE} loses, the best baseline is: {listed}."


def _learners(table: pd.DataFrame) -> str:
    parts = []
    for column in table:
        metric, learner = str(column).split(" ", 1)
        better = [name for name in USABLE if table.loc[name, column] < table.loc[REFERENCE, column]]
        parts.append(f"{learner}, {TITLES[metric]}: {', '.join(better) or 'none'}")
    return f"At 20% to 30% noise, lower than {REFERENCE} on average are, by base learner: " + (
        "; ".join(parts) + "."
    )


def _perfect_gate(means: pd.DataFrame) -> str:
    """How much of what the weight of the blend can gain the gate gains."""
    nll = means["nll"]
    best, raw, ours = nll["Hindsight: raw + LWCal"], nll["Raw"], nll[REFERENCE]
    return (
        f"{REFERENCE} is a blend of the raw score and LWCal. With the best weight in every cell, "
        f"the blend would have a log loss† of {best:.3f}. The gate reaches {ours:.3f}, from "
        f"{raw:.3f} of the raw score: {(raw - ours) / (raw - best):.0%} of the possible gain. No "
        "rule for the weight can reach a lower log loss† on these cells."
    )


def _suspicion(table: pd.DataFrame) -> str:
    right, seen = table["wrong, of the suspected"], table["suspected, of the wrong"]
    sentence = (
        f"Of the labels that confident learning suspects, {right.min():.0%} to {right.max():.0%} "
        f"are wrong, depending on the noise. Of the wrong labels, it suspects {seen.min():.0%} to "
        f"{seen.max():.0%}; fewest at {seen.idxmin()} noise."
    )
    unmade, of = int(table["repairs not made"].sum()), int(table["of repairs"].sum())
    if not unmade:
        return sentence
    return (
        f"{sentence} In {unmade} of {of} repairs, only one class would have remained, so every "
        "label was kept."
    )
