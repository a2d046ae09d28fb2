"""The outcome of every claim under every setting, from the stored cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd
from joblib import Parallel, delayed

from lwcal_study.cell_store import CellStore
from lwcal_study.paper.cells import LEARNERS
from lwcal_study.paper.grid import ROBUSTNESS_RATES
from lwcal_study.paper.results import COORDINATES, Results
from lwcal_study.paper.sensitivity.cells import VariedCell, shared_cells
from lwcal_study.paper.sensitivity.choices import CLIPS, MODELS, REFERENCE, VARIANTS
from lwcal_study.paper.sensitivity.settings import PAIRS, SETTINGS, Setting
from lwcal_study.paper.tested_claims.listed import tested_claims


class ModelResults(NamedTuple):
    """Everything measured with one choice of models: one row per cell, variant and method."""

    results: pd.DataFrame
    scalars: pd.DataFrame
    reliability: pd.DataFrame


def load_model(store: CellStore, model: str, *, quick: bool) -> ModelResults:
    """Read the cells of a choice of models. Cells that it does not change are the reference's."""
    changes = MODELS[model].changes
    stored = [
        store.load(VariedCell(cell, model if changes(cell) else REFERENCE))
        for cell in shared_cells(quick=quick)
    ]
    results = [{**_place(cell), **row} for cell in stored for row in cell["results"]]
    reliability = [
        (*_place(cell).values(), method, *values)
        for cell in stored
        for method, bins in cell["reliability"].items()
        for values in bins
    ]
    columns = [*COORDINATES, "method", "bin", "rows", "positives", "probability"]
    return ModelResults(
        pd.DataFrame(results),
        pd.DataFrame([{**_place(cell), **cell["scalars"]} for cell in stored]),
        pd.DataFrame(reliability, columns=columns),
    )


def _place(stored: dict[str, Any]) -> dict[str, Any]:
    return {name: stored["cell"][name] for name in COORDINATES}


def results_of(measured: ModelResults, setting: Setting) -> Results:
    """What the claims are tested on under one setting."""
    frame = measured.results
    replaced = list(VARIANTS.get(setting.variant, {}))
    of_reference = (frame["variant"] == REFERENCE) & ~frame["method"].isin(replaced)
    chosen = frame[of_reference | (frame["variant"] == setting.variant)]
    if not replaced:
        chosen = frame[frame["variant"] == REFERENCE]
    chosen = chosen.assign(nll=chosen["nll_by_clip"].str[CLIPS.index(setting.clip)])
    chosen = chosen.drop(columns=["variant", "nll_by_clip"])
    forests = chosen[chosen["learner"] == LEARNERS[0]]
    families = {name: part.drop(columns="family") for name, part in forests.groupby("family")}
    moderate = (chosen["family"] == "main") & chosen["rate"].isin(ROBUSTNESS_RATES)
    return Results(
        main_results=families["main"],
        oracle_results=families["oracle"],
        gate_results=families["gate"],
        trimming_results=families["trim"],
        robustness_results=chosen[moderate].drop(columns="family"),
        scalars=_forests(measured.scalars),
        reliability=_forests(measured.reliability),
    )


def _forests(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["learner"] == LEARNERS[0]]


def tried(*, quick: bool) -> list[Setting]:
    """Settings of a run. A quick one has every choice alone, without pairs.

    >>> len(tried(quick=False)), len(tried(quick=True))
    (54, 24)
    """
    return [setting for setting in SETTINGS if not (quick and setting.choice.startswith(PAIRS))]


def outcomes(store: CellStore, *, quick: bool, n_jobs: int = -1) -> pd.DataFrame:
    """One row per setting and claim."""
    models = list(dict.fromkeys(setting.model for setting in tried(quick=quick)))
    found = Parallel(n_jobs=n_jobs)(
        delayed(_outcomes_of_model)(store, model, quick=quick) for model in models
    )
    rows = pd.DataFrame([row for part in found for row in part])
    order = {setting.name: place for place, setting in enumerate(SETTINGS)}
    return rows.sort_values(
        "setting", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def _outcomes_of_model(store: CellStore, model: str, *, quick: bool) -> list[dict[str, Any]]:
    measured = load_model(store, model, quick=quick)
    return [
        {
            "setting": setting.name,
            "choice": setting.choice,
            "value": setting.value,
            "claim": claim.text,
            "outcome": claim.outcome,
            "parts": len(claim.parts),
            "held": len(claim.held),
        }
        for setting in tried(quick=quick)
        if setting.model == model
        for claim in tested_claims(results_of(measured, setting))
    ]
