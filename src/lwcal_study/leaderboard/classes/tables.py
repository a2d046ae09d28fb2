"""The tables of the leaderboard of many classes: one row per method, oracles last."""

from __future__ import annotations

import pandas as pd

from lwcal_study.leaderboard.classes.losses import (
    best_scaling,
    by_cell,
    gap_closed,
    gap_intervals,
    to_best_scaling,
    to_one_against_rest,
    to_raw,
    worst,
)
from lwcal_study.leaderboard.classes.methods import AUTO, NOISE_AWARE, ONE_AGAINST_REST
from lwcal_study.leaderboard.classes.run import EVALUATED

TITLES = dict(zip(EVALUATED, ("log loss", "Brier", "top-label ECE", "mean class ECE"), strict=True))
BY_TASK = (NOISE_AWARE, AUTO, ONE_AGAINST_REST, "MatrixScaling")
"""Methods of the table by task: the models of noise, and the scaling that takes labels as right."""


def noisy_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Share of the gap with its interval, metrics, harm and cost, on cells with noise."""
    losses = by_cell(frame, "nll")
    intervals = gap_intervals(losses)
    found = {"gap closed": gap_closed(losses)}
    if intervals is not None:
        ends = zip(intervals.lower, intervals.upper, strict=True)
        texts = [f"{lower:.2f} to {upper:.2f}" for lower, upper in ends]
        found["95% interval"] = pd.Series(texts, losses.columns)
    return _table(frame, found, "gap closed", ascending=False)


def clean_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Ratios to the best scaling on the same labels, metrics, harm and cost, on clean cells."""
    losses = by_cell(frame, "nll")
    ratios, mean = to_best_scaling(losses), "log loss / best scaling, mean"
    found = {
        mean: ratios.mean(),
        "of sums": losses.sum() / best_scaling(losses).sum(),
        "worst": _worst(ratios),
    }
    return _table(frame, found, mean, ascending=True)


def _table(
    frame: pd.DataFrame, first: dict[str, pd.Series], order: str, *, ascending: bool
) -> pd.DataFrame:
    methods = frame.groupby("contender")
    errors = by_cell(frame, "top_label_ece")
    table = pd.DataFrame(
        {
            **first,
            **{title: by_cell(frame, metric).mean() for metric, title in TITLES.items()},
            "ECE to one against the rest": to_one_against_rest(errors),
            "log loss / raw, worst": _worst(to_raw(by_cell(frame, "nll"))),
            "fit": by_cell(frame, "seconds").mean(),
            "failures": methods["failure"].agg(lambda reasons: int((reasons != "").sum())),
        }
    )
    table = table.sort_values(order, ascending=ascending, kind="stable")
    return table.loc[methods["oracle"].first()[table.index].sort_values(kind="stable").index]


def _worst(ratios: pd.DataFrame) -> pd.Series:
    found = {name: worst(ratios[name]) for name in ratios}
    return pd.Series({name: f"{one.ratio:.2f} ({one.place})" for name, one in found.items()})
