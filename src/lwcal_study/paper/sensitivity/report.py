"""The table of claims by choice, and its headline."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pandas as pd

from lwcal_study.environment import machine
from lwcal_study.files import write_csv, write_json
from lwcal_study.paper.report_parts import Grid, Section
from lwcal_study.paper.sensitivity.settings import FITTED_CHOICES, MEANINGS, PAIRS
from lwcal_study.paper.tested_claims.parts import OUTCOMES

FOLDER = "sensitivity"
OUTCOMES_FILE, RUN_FILE = "outcomes.csv", "run.json"
LETTERS = dict(zip(OUTCOMES, "HPN", strict=True))
"""One letter for each outcome: holds, in part, not."""


def write_outcomes(
    found: pd.DataFrame, out: Path, *, cells: int, seeds: int, cpu_seconds: float, quick: bool
) -> None:
    """Write the outcomes, and what is to be said about the run."""
    write_csv(found, out / FOLDER / OUTCOMES_FILE)
    run = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "machine": machine(),
        "cells": cells,
        "seeds": seeds,
        "cpu_minutes": round(cpu_seconds / 60, 1),
        "quick": quick,
    }
    write_json(run, out / FOLDER / RUN_FILE)


def read_section(out: Path) -> Section | None:
    """The section of the report, or None if the sensitivity was not studied."""
    folder = out / FOLDER
    if not (folder / OUTCOMES_FILE).exists():
        return None
    run = json.loads((folder / RUN_FILE).read_text(encoding="utf-8"))
    return section(pd.read_csv(folder / OUTCOMES_FILE), run)


def headline(found: pd.DataFrame) -> str:
    """How many claims hold under every setting.

    >>> frame = pd.DataFrame({"claim": ["a", "a", "b", "b"], "setting": [1, 2, 1, 2],
    ...                       "outcome": ["holds", "holds", "holds", "does not hold"]})
    >>> headline(frame).partition(". ")[0]
    'Of 2 claims, 1 holds under every one of 2 settings'
    """
    kinds = found.groupby("claim", sort=False)["outcome"].agg(set)
    always = sum(kind == {"holds"} for kind in kinds)
    never = sum("holds" not in kind for kind in kinds)
    depend = len(kinds) - always - never
    return (
        f"Of {len(kinds)} claims, {_counted(always, 'holds', 'hold')} under every one of "
        f"{found['setting'].nunique()} settings. {_counted(depend, 'depends', 'depend')} on the "
        f"setting. {_counted(never, 'holds', 'hold')} in full under no setting."
    )


def _counted(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def section(found: pd.DataFrame, run: dict[str, Any]) -> Section:
    """Headline, legend and table."""
    choices = list(dict.fromkeys(found["choice"]))
    grouped = found.groupby(["claim", "choice"], sort=False)["outcome"].agg(
        lambda outcomes: "".join(LETTERS[outcome] for outcome in outcomes)
    )
    claims = list(dict.fromkeys(found["claim"]))
    always = found.groupby("claim")["outcome"].agg(lambda outcomes: set(outcomes) == {"holds"})
    rows = [
        [claim, "yes" if always[claim] else "no", *(grouped[(claim, choice)] for choice in choices)]
        for claim in claims
    ]
    header = ["claim", "holds everywhere", *map(_marked, choices)]
    return Section(
        "What depends on choices that the paper leaves open",
        [
            headline(found),
            "Every choice was changed alone, and in the pairs that matter. A letter is a "
            "setting: H "
            "holds, P holds in part, N does not hold. The order of the letters is that of the "
            "values below. † marks choices that were fitted to the paper's tables.",
            _about(run),
        ],
        [Grid("", header, rows, prose=True)],
        points=_values(found, choices),
    )


def _about(run: dict[str, Any]) -> str:
    quick = "QUICK RUN: do not cite. " if run["quick"] else ""
    return (
        f"{quick}`lwcal reproduce --sensitivity` ran on {run['date']}: {run['cells']:,} cells of "
        f"{run['seeds']} of the study's six seeds, {run['cpu_minutes']:g} minutes of "
        "processor time. "
        f"Machine: {run['machine']}. The reference differs from the claims above, because it has "
        "fewer seeds."
    )


def _marked(choice: str) -> str:
    words = set(choice.removeprefix(PAIRS).split())
    return f"{choice} †" if words & FITTED_CHOICES else choice


def _values(found: pd.DataFrame, choices: list[str]) -> list[str]:
    values = found.groupby("choice", sort=False)["value"].unique()
    return [
        f"{_marked(choice)} ({MEANINGS[choice]}): {', '.join(map(str, values[choice]))}."
        for choice in choices
    ]
