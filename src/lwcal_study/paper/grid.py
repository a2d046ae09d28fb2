"""The cells of the main study and of the robustness study."""

from itertools import product

from lwcal_study.paper.cells import LEARNERS, TREES, Cell
from lwcal_study.paper.tasks import LOADERS

KINDS = ("symmetric", "asymmetric")
RATES = (0.0, 0.1, 0.2, 0.3, 0.4)
SEEDS = tuple(range(6))
ROBUSTNESS_RATES = (0.2, 0.3)
ROBUSTNESS_SEEDS = SEEDS[:3]
QUICK_TREES = 24


def main_cells(*, quick: bool = False) -> list[Cell]:
    """Random forests on all tasks: 432 noisy cells and 108 clean ones.

    >>> len(main_cells()), sum(cell.rate > 0 for cell in main_cells())
    (540, 432)
    """
    seeds, trees = (SEEDS[:1], QUICK_TREES) if quick else (SEEDS, TREES)
    return [
        Cell(dataset, LEARNERS[0], kind, rate, seed, trees)
        for dataset, seed, kind, rate in product(LOADERS, seeds, KINDS, RATES)
    ]


def robustness_cells(*, quick: bool = False) -> list[Cell]:
    """Three learners at moderate noise. The main study contains the random-forest cells too.

    >>> len(robustness_cells())
    324
    """
    seeds, trees = (SEEDS[:1], QUICK_TREES) if quick else (ROBUSTNESS_SEEDS, TREES)
    return [
        Cell(dataset, learner, kind, rate, seed, trees)
        for dataset, learner, seed, kind, rate in product(
            LOADERS, LEARNERS, seeds, KINDS, ROBUSTNESS_RATES
        )
    ]


def all_cells(*, quick: bool = False) -> list[Cell]:
    """Cells of both studies, without duplicates."""
    return list(dict.fromkeys(main_cells(quick=quick) + robustness_cells(quick=quick)))
