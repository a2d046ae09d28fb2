"""The choices that the paper leaves open, and the values tried for each.

A choice of models (:data:`MODELS`) needs new models for some cells. A choice of calibrators
(:data:`VARIANTS`) or of the clip (:data:`CLIPS`) is tried on the same scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from typing import Any, NamedTuple

import lwcal
from lwcal_study.evaluation import PAPER_CLIP
from lwcal_study.paper.cells import Cell
from lwcal_study.paper.methods import GATE_CENTERS, GATE_WIDTHS, KEEP, Method
from lwcal_study.paper.open_choices import FitChoices
from lwcal_study.paper.sensitivity.unconstrained import FreeBeta, FreePlatt
from lwcal_study.paper.tasks import GENERATORS

CLIPS = (PAPER_CLIP, 1e-3, 1e-6)
"""Clips of the log loss. The first one was fitted to the paper's tables."""
KEPT = (0.80, KEEP, 0.85, 0.90, 0.95)
"""Shares that hard trimming keeps. One of them was fitted to the paper's tables."""


class ModelChoice(NamedTuple):
    """Other models: what is chosen, and the cells whose scores it changes."""

    choices: FitChoices
    changes: Callable[[Cell], bool]


def _asymmetric(cell: Cell) -> bool:
    return cell.kind == "asymmetric"


def _every(_: Cell) -> bool:
    return True


def _synthetic(cell: Cell) -> bool:
    return cell.dataset in GENERATORS


def _extra_trees(cell: Cell) -> bool:
    return cell.learner == "Extra Trees"


def _boosting(cell: Cell) -> bool:
    return cell.learner == "Gradient Boosting"


REFERENCE = "reference"
MODELS: dict[str, ModelChoice] = {
    REFERENCE: ModelChoice(FitChoices(), _every),
    **{
        f"asymmetric {positive:g}/{negative:g}": ModelChoice(
            FitChoices(positive_factor=positive, negative_factor=negative),
            _asymmetric,
        )
        for positive, negative in ((1.3, 0.7), (1.5, 0.5), (1.0, 0.35))
    },
    **{
        f"split {share:.0%}": ModelChoice(
            FitChoices(train_share=share),
            _every,
        )
        for share in (0.4, 0.6)
    },
    **{
        f"generators {seed}": ModelChoice(
            FitChoices(generator_seed=seed),
            _synthetic,
        )
        for seed in (100, 200, 300)
    },
    **{
        f"extra trees leaf {leaf}": ModelChoice(
            FitChoices(extra_trees_leaf=leaf),
            _extra_trees,
        )
        for leaf in (1, 5)
    },
    **{
        f"boosting {rounds}": ModelChoice(
            FitChoices(boosting_rounds=rounds),
            _boosting,
        )
        for rounds in (50, 200)
    },
}
"""Choices about data and models, by name."""


def _kept(keep: float) -> dict[str, Method]:
    return {
        "TrimCal-Iso": partial(lwcal.TrimmedIsotonic, keep=keep),
        "TrimCal-Beta": partial(lwcal.TrimmedBeta, keep=keep),
    }


def _epsilon(epsilon: float) -> dict[str, Method]:
    gates: dict[str, Method] = {
        f"{c:.2f} / {w:.2f}": partial(
            lwcal.GatedLWCal, gate_center=c, gate_width=w, epsilon=epsilon
        )
        for c in GATE_CENTERS
        for w in GATE_WIDTHS
    }
    ours: dict[str, Method] = {
        "LWCal": partial(lwcal.LWCal, epsilon=epsilon),
        "Gated-LWCal": partial(lwcal.GatedLWCal, epsilon=epsilon),
    }
    return {**ours, **gates}


VARIANTS: dict[str, Mapping[str, Method]] = {
    **{f"keep {keep:.0%}": _kept(keep) for keep in KEPT if keep != KEEP},
    **{f"epsilon {epsilon:g}": _epsilon(epsilon) for epsilon in (1e-12, 1e-3, 1e-1)},
    "free slopes": {"Platt": FreePlatt, "Beta": FreeBeta},
    "Platt on scores": {"Platt": partial(lwcal.Platt, space="score")},
}
"""Calibrators that replace those of the study, by choice."""
ALONE = tuple(name for name in VARIANTS if name.startswith("epsilon"))
"""Tried with the models of the study only: alone they change next to nothing."""


def variants_of(model: str) -> dict[str, Mapping[str, Method]]:
    """Calibrators to try on the scores of these models.

    >>> "epsilon 0.1" in variants_of(REFERENCE), "epsilon 0.1" in variants_of("split 60%")
    (True, False)
    """
    return {name: v for name, v in VARIANTS.items() if model == REFERENCE or name not in ALONE}


def described_choices() -> dict[str, Any]:
    """Everything that a result depends on besides the settings of the paper's study."""
    return {
        "models": {name: asdict(choice.choices) for name, choice in MODELS.items()},
        "variants": {
            name: {method: repr(maker()) for method, maker in variant.items()}
            for name, variant in VARIANTS.items()
        },
        "clips": CLIPS,
    }
