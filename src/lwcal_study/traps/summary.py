"""Reduce the results of the trap suite to a few figures, each with what it should reach."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import pandas as pd

from lwcal_study.traps.cells import NOISES
from lwcal_study.traps.judging import AUDITED, AUTO, CLEAN_PLATT, METHODS, PLATT, RAW

LEAST_LOSS = 0.02
"""Cells in which the raw score loses less than this are left out: a ratio to almost nothing says
nothing, and nobody calibrates a score that is nearly perfect."""
HARM = 1.02
"""A method harms a cell if its log loss exceeds that of the raw score by more than 2%."""
LIKELY = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Bins of the probability of a gain that the diagnosis states after the audit."""


def tidy(results: Iterable[dict[str, Any]]) -> pd.DataFrame:
    """One row per cell and size: coordinates, verdicts, and the log loss of every method."""
    rows = [
        {
            **stored["cell"],
            **{name: one[name] for name in ("n", "verdict", "audit_verdict", "likely_gain")},
            **one["nll"],
        }
        for stored in results
        for one in stored["results"]
    ]
    return pd.DataFrame(rows)


def judged(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out the cells whose raw score is nearly perfect."""
    return frame[frame[RAW] > LEAST_LOSS]


class Figure(NamedTuple):
    """One figure of the suite.

    Attributes
    ----------
    noise : {"clean", "flips", "late"}
        Labels of the cells.
    what : str
    aim : str
        What it should reach.
    met : callable
        Whether a value reaches the aim.
    measure : callable
        Computes it from the cells with these labels.
    """

    noise: str
    what: str
    aim: str
    met: Callable[[float], bool]
    measure: Callable[[pd.DataFrame], float]


def to_platt(cells: pd.DataFrame, method: str = AUTO) -> float:
    """Log loss to that of Platt, as a ratio of sums."""
    return float(cells[method].sum() / cells[PLATT].sum())


def worst(cells: pd.DataFrame, method: str = AUTO) -> float:
    """Largest ratio to the raw score."""
    return float((cells[method] / cells[RAW]).max())


def harmed(cells: pd.DataFrame, method: str = AUTO) -> float:
    """Share of cells that lose more than 2% by the method."""
    return float((cells[method] / cells[RAW] > HARM).mean())


def gap_closed(cells: pd.DataFrame, method: str = AUTO) -> float:
    """Share of the gap from Platt on noisy labels to Platt on clean labels that is closed."""
    ours, platt, best = (cells[name].sum() for name in (method, PLATT, CLEAN_PLATT))
    return float((platt - ours) / (platt - best))


def verdict_right(cells: pd.DataFrame, indifferent: float = 0.0) -> float:
    """Share of verdicts after the audit that follow the sign of the true gain.

    Where the gain is smaller than ``indifferent``, either verdict is right.
    """
    gain = 1.0 - cells[AUDITED] / cells[RAW]
    deploy = cells["audit_verdict"] == "deploy"
    return float(((deploy == (gain > 0)) | (gain.abs() < indifferent)).mean())


def verdict_shares(cells: pd.DataFrame) -> pd.DataFrame:
    """Share of each verdict, from labels alone and after the audit."""
    names = {"verdict": "labels alone", "audit_verdict": "after 25 checks"}
    shares = {title: cells[name].value_counts(normalize=True) for name, title in names.items()}
    return pd.DataFrame(shares).fillna(0.0)


def gains_by_probability(cells: pd.DataFrame) -> pd.DataFrame:
    """What the diagnosis says of a gain after the audit, and what the truth says.

    Returns
    -------
    DataFrame
        One row for each bin of the stated probability: number of cells, mean probability, share
        of cells with a true gain, mean true gain, and the lowest.
    """
    gain = 1.0 - cells[AUDITED] / cells[RAW]
    bins = pd.cut(cells["likely_gain"], list(LIKELY), include_lowest=True)
    found = pd.DataFrame({"said": cells["likely_gain"], "gained": gain > 0.0, "gain": gain})
    return found.groupby(bins, observed=True).agg(
        cells=("gain", "size"),
        said=("said", "mean"),
        gained=("gained", "mean"),
        mean=("gain", "mean"),
        lowest=("gain", "min"),
    )


def _deployed(measure: Callable[[pd.DataFrame], float]) -> Callable[[pd.DataFrame], float]:
    return lambda cells: measure(cells[cells["verdict"] == "deploy"])


def harmed_after_audit(cells: pd.DataFrame) -> float:
    """Share of the cells deployed after the audit that lose more than 2%."""
    return harmed(cells[cells["audit_verdict"] == "deploy"], AUDITED)


def _at_most(limit: float) -> tuple[str, Callable[[float], bool]]:
    return f"at most {limit:g}", lambda value: value <= limit


def _at_least(limit: float) -> tuple[str, Callable[[float], bool]]:
    return f"at least {limit:g}", lambda value: value >= limit


def _right_within_a_percent(cells: pd.DataFrame) -> float:
    return verdict_right(cells, indifferent=0.01)


HARMED_AFTER_AUDIT = "deployed after 25 checks, worse than raw by over 2%"
RIGHT = "verdict after 25 checks follows the sign of the true gain"


def _figures() -> Iterable[Figure]:
    for noise, what, (aim, met), measure in (
        ("clean", "log loss to Platt", _at_most(1.02), to_platt),
        ("clean", "worst cell to raw", _at_most(1.15), worst),
        ("clean", "cells worse than raw by over 2%", _at_most(0.08), harmed),
        ("clean", "deployed cells worse than raw by over 2%", _at_most(0.03), _deployed(harmed)),
        ("clean", "worst deployed cell to raw", _at_most(1.10), _deployed(worst)),
        ("flips", "gap closed", _at_least(0.7), gap_closed),
        ("flips", "worst cell to raw", _at_most(1.5), worst),
        ("flips", "deployed cells worse than raw by over 2%", _at_most(0.03), _deployed(harmed)),
        ("flips", "worst deployed cell to raw", _at_most(1.10), _deployed(worst)),
        ("late", "worst cell to raw", _at_most(1.5), worst),
        ("late", "deployed cells worse than raw by over 2%", _at_most(0.03), _deployed(harmed)),
        ("late", "worst deployed cell to raw", _at_most(1.10), _deployed(worst)),
    ):
        yield Figure(noise, what, aim, met, measure)
    for noise in NOISES:
        yield Figure(noise, RIGHT, *_at_least(0.95), verdict_right)
        yield Figure(noise, f"{RIGHT}, or within 1%", *_at_least(0.95), _right_within_a_percent)
        yield Figure(noise, HARMED_AFTER_AUDIT, *_at_most(0.03), harmed_after_audit)


FIGURES = tuple(_figures())
"""The figures of Auto and of its verdict."""


def by_method(cells: pd.DataFrame, noise: str) -> pd.DataFrame:
    """Every method's figures on cells with these labels."""
    chosen = cells[cells["noise"] == noise]
    measures: dict[str, Callable[[pd.DataFrame, str], float]] = {
        "log loss to Platt": to_platt,
        "worst cell to raw": worst,
        "worse than raw by over 2%": harmed,
    }
    if noise != "clean":
        measures["gap closed"] = gap_closed
    return pd.DataFrame(
        {
            name: {method: measure(chosen, method) for method in METHODS}
            for name, measure in measures.items()
        }
    )
