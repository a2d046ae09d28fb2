"""The tables of the leaderboard of several opinions."""

from __future__ import annotations

import pandas as pd

from lwcal_study.leaderboard.classes.losses import by_cell, to_raw
from lwcal_study.leaderboard.grid import OPINION_KINDS
from lwcal_study.leaderboard.opinions.losses import (
    MANY,
    TWO,
    by_task,
    cells_of,
    gap_closed,
    gap_intervals,
    share_of_rows,
)
from lwcal_study.leaderboard.opinions.methods import (
    AUTO,
    CLEAN,
    RAW_SCORES,
    THRICE,
    TWICE,
    TWICE_SHOWN,
    consensus,
    reviewed,
    voted,
)
from lwcal_study.leaderboard.opinions.run import OF_REVIEWERS
from lwcal_study.leaderboard.opinions.ways import Asked
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS

CONSENSUS = {
    asked: (voted(asked).name, consensus(asked).name, reviewed(asked).name)
    for asked in (TWICE, THRICE)
}
"""Methods that make consensus labels, by how often rows are labelled."""
OF_PEOPLE = (
    RAW_SCORES.name,
    AUTO.name,
    voted(THRICE).name,
    consensus(THRICE).name,
    reviewed(TWICE).name,
    reviewed(THRICE).name,
    CLEAN.name,
)
"""Methods in the table of real people."""


def gap_table(cells: pd.DataFrame) -> pd.DataFrame:
    """Share of the gap with its interval, metrics, harm and cost. Oracles are last."""
    losses = by_cell(cells, "nll")
    intervals, found = gap_intervals(losses), {"gap closed": gap_closed(losses)}
    if intervals is not None:
        ends = zip(intervals.lower, intervals.upper, strict=True)
        texts = [f"{lower:.2f} to {upper:.2f}" for lower, upper in ends]
        found["95% interval"] = pd.Series(texts, losses.columns)
    methods = cells.groupby("contender", sort=False)
    table = pd.DataFrame(
        {
            **found,
            "log loss": losses.mean(),
            "top-label ECE": by_cell(cells, "top_label_ece").mean(),
            "log loss / raw, worst cell": _worst(to_raw(losses)),
            "further labels": by_cell(cells, "extra").mean().round().astype(int),
            "fit": by_cell(cells, "seconds").mean(),
            "failures": methods["failure"].agg(lambda reasons: int((reasons != "").sum())),
        }
    )
    oracle = methods["oracle"].first()
    order = table.assign(oracle=oracle).sort_values(
        ["oracle", "gap closed"], ascending=[True, False]
    )
    return table.loc[order.index]


def _worst(ratios: pd.DataFrame) -> pd.Series:
    places = {name: ratios[name].idxmax() for name in ratios}
    texts = {
        name: f"{ratios[name].max():.2f} ({place[1]}, {place[2]})" for name, place in places.items()
    }
    return pd.Series(texts)


def reviewer_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the intervals of simulated reviewers, and warnings, by kind and labels."""
    rows = {}
    for kind in (INDEPENDENT, HARD):
        for classes in (TWO, MANY):
            cells = cells_of(frame, OPINION_KINDS[kind][0], classes)
            for asked in (Asked(), Asked(TWICE_SHOWN), TWICE, THRICE):
                name = reviewed(asked).name
                chosen = cells[cells["contender"] == name]
                if len(chosen):
                    shares = [share_of_rows(cells, name, metric) for metric in OF_REVIEWERS]
                    place = f"{OPINION_KINDS[kind][0]}, {classes}, {asked.title}"
                    rows[place] = [len(chosen), *shares]
    titles = ["data sets", "coverage, share wrong", "coverage, each true class", "warnings"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=titles)


def people_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Log loss of tasks with real people. Columns are methods."""
    losses = by_task(cells_of(frame, OPINION_KINDS[RATERS][0]), "nll")
    return losses[[name for name in OF_PEOPLE if name in losses]]


def consensus_table(frame: pd.DataFrame, asked: Asked) -> pd.DataFrame:
    """Accuracy and log loss of the consensus on each task, simulated and real people."""
    found = {}
    for metric, title in (("consensus_accuracy", "accuracy"), ("consensus_nll", "log loss")):
        kinds = [cells_of(frame, OPINION_KINDS[kind][0]) for kind in (INDEPENDENT, RATERS)]
        values = pd.concat([by_task(cells, metric) for cells in kinds if len(cells)])
        for name in CONSENSUS[asked]:
            if name in values:
                found[f"{title}: {name.partition(',')[0]}"] = values[name]
    return pd.DataFrame(found).dropna(how="all")


def lost_cells(frame: pd.DataFrame) -> pd.DataFrame:
    """How often Reviewed has a higher log loss than others, and by how much at worst."""
    rows = {}
    for kind, _ in OPINION_KINDS.values():
        cells = cells_of(frame, kind)
        losses = by_cell(cells, "nll") if len(cells) else pd.DataFrame()
        for asked in (TWICE, THRICE):
            for rival in (RAW_SCORES, AUTO, voted(asked), consensus(asked)):
                if rival.name in losses:
                    ratios = (losses[reviewed(asked).name] / losses[rival.name]).rename("ratio")
                    rows[f"{kind}, {asked.title}, against {rival.way}"] = [
                        f"{int((ratios > 1).sum())} of {len(ratios)}",
                        _worst(ratios.to_frame())["ratio"],
                    ]
    return pd.DataFrame.from_dict(rows, orient="index", columns=["cells lost", "worst ratio"])
