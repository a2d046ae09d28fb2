"""The paper's deployment protocol, evaluated: what d says, and how methods do at each level."""

from __future__ import annotations

import pandas as pd

import lwcal
from lwcal_study.paper import tables
from lwcal_study.paper.results import COORDINATES, Results

LEVELS = ("calibrate", "gate", "audit")
"""Levels of the protocol, from low to high d."""
RANGES = {"calibrate": "d < 0.29", "gate": "0.29 ≤ d < 0.41", "audit": "d ≥ 0.41"}
KINDS_SHOWN = ("symmetric", "asymmetric", "all")
MEASURED = ("ece", "brier", "nll")


def cells_with_levels(results: Results) -> pd.DataFrame:
    """Noisy cells of the main study with d, rho, the share of flipped labels, and the level."""
    scalars = results.scalars[results.scalars["rate"] > 0]
    levels = [lwcal.diagnosis.deployment_protocol(d).level for d in scalars["d"]]
    return scalars.assign(level=levels)


def at_level(results: Results, level: str) -> pd.DataFrame:
    """Results of the noisy cells at one level."""
    cells = cells_with_levels(results)
    chosen = cells.loc[cells["level"] == level, COORDINATES]
    return results.main_results.merge(chosen, on=COORDINATES)


def by_level(results: Results) -> pd.DataFrame:
    """Means of the four methods by level and kind of noise, with the number of cells."""
    rows = {}
    for level in LEVELS:
        frame = at_level(results, level)
        for kind in KINDS_SHOWN:
            part = frame if kind == "all" else frame[frame["kind"] == kind]
            if part.empty:
                continue
            means = part.groupby("method")[list(MEASURED)].mean()
            rows[f"{RANGES[level]}, {kind}"] = {
                "cells": len(part) / part["method"].nunique(),
                **{f"{m} {name}": means.loc[name, m] for m in MEASURED for name in tables.FOUR},
            }
    return pd.DataFrame.from_dict(rows, orient="index")


def disagreement(results: Results) -> pd.DataFrame:
    """d, rho and the share of flipped labels by rate and kind; how often each level is reached."""
    cells = cells_with_levels(results)
    rows = {}
    for (rate, kind), part in cells.groupby(["rate", "kind"], sort=False):
        share = part["level"].value_counts()
        rows[f"{rate:.0%} {kind}"] = {
            "cells": len(part),
            "flipped": part["flipped"].mean(),
            "d": part["d"].mean(),
            "lowest d": part["d"].min(),
            "highest d": part["d"].max(),
            "rho": part["rho"].mean(),
            **{RANGES[level]: float(share.get(level, 0)) for level in LEVELS},
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def rate_by_kind(results: Results) -> pd.DataFrame:
    """ECE and log loss of the four methods, by noise rate crossed with kind."""
    frame = results.main_results
    noisy = frame[frame["rate"] > 0]
    crossed = noisy["rate"].map("{:.0%}".format) + " " + noisy["kind"]
    wide = noisy.assign(noise=crossed).pivot_table(
        index="noise", columns="method", values=["ece", "nll"], sort=False
    )
    return pd.DataFrame(
        {f"{m} {name}": wide[(m, name)] for m in ("ece", "nll") for name in tables.FOUR}
    )


def one_decision(results: Results) -> str:
    """The finding that the protocol and the gate are one decision, with the cells that show it."""
    cells = cells_with_levels(results)
    low, middle, high = (cells[cells["level"] == level] for level in LEVELS)
    return (
        "The protocol and Gated-LWCal are one decision. Below 0.29, rho is 0 and Gated-LWCal is "
        f"LWCal: so in {int((low['rho'] == 0).sum())} of {len(low)} cells. From 0.41 on, rho is 1 "
        f"and Gated-LWCal is the raw score: so in {int((high['rho'] == 1).sum())} of {len(high)} "
        "cells. The advice to use the raw score or Gated-LWCal there names one score twice. Only "
        f"the {len(middle)} cells in between differ."
    )


def findings(results: Results) -> list[str]:
    """What the evaluated protocol shows, in sentences."""
    cells = cells_with_levels(results)
    return [one_decision(results), *_alarm(cells), *_high_disagreement(results), _tracking(cells)]


def _alarm(cells: pd.DataFrame) -> list[str]:
    extreme = cells[cells["rate"] == cells["rate"].max()]
    counts = {
        kind: (int((part["level"] == "audit").sum()), len(part))
        for kind, part in extreme.groupby("kind", sort=False)
    }
    shown = " and ".join(f"{n} of {total} {kind} cells" for kind, (n, total) in counts.items())
    return [
        f"At {extreme['rate'].iloc[0]:.0%} noise, the alarm (d of 0.41 or more) fires in {shown}. "
        "Asymmetric noise is where the methods lose most, and there the alarm is nearly silent: "
        "a model that was trained on the same missed positives agrees with them."
    ]


def _high_disagreement(results: Results) -> list[str]:
    frame = at_level(results, "audit")
    sentences = []
    for kind in ("symmetric", "asymmetric"):
        part = frame[frame["kind"] == kind]
        if part.empty:
            continue
        values = tables.cell_values(part, "nll")
        better = int((values["LWCal"] < values["Raw"]).sum())
        means = values.mean()
        sentences.append(
            f"Where d is 0.41 or more under {kind} noise, LWCal has a mean log loss of "
            f"{means['LWCal']:.3f}†, the raw score {means['Raw']:.3f}†. LWCal is better in "
            f"{better} "
            f"of {len(values)} cells."
        )
    return sentences


def _tracking(cells: pd.DataFrame) -> str:
    correlation = {
        kind: part["d"].corr(part["flipped"]) for kind, part in cells.groupby("kind", sort=False)
    }
    shown = ", ".join(f"{value:.2f} under {kind} noise" for kind, value in correlation.items())
    gap = (cells["d"] - cells["flipped"]).abs().mean()
    return (
        f"Over the noisy cells, the correlation of d with the share of flipped labels is {shown}. "
        f"On average, d and this share are {gap:.3f} apart."
    )
