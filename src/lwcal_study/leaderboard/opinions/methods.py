"""Every method of the leaderboard of several opinions, with what it is told."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple

from lwcal_study.leaderboard.methods import RAW
from lwcal_study.leaderboard.opinions import ways
from lwcal_study.leaderboard.opinions.ways import EVERY, Asked, Fit
from lwcal_study.opinions.cells import HARD, INDEPENDENT, RATERS, OpinionScores

CROWD_KIT = "crowd-kit"
ONE, TWICE, THRICE = Asked(), Asked(EVERY), Asked(EVERY, EVERY)
SOME = (50, 100, 200, 400)
"""Numbers of rows with a second opinion."""
BUDGETS = (25, 50, 100, 200)
"""Numbers of rows that an expert checks."""
TWICE_SHOWN, CHECKED_SHOWN = 100, 50
"""Those that cells of many classes run too. The others are for the picture, of two classes."""
EVERYWHERE, SIMULATED = (INDEPENDENT, HARD, RATERS), (INDEPENDENT,)
LABELS = (INDEPENDENT, RATERS)


class OpinionMethod(NamedTuple):
    """One line of the leaderboard.

    Attributes
    ----------
    way : str
        How it calibrates.
    asked : Asked
        The labels that it sees.
    fit : callable
    source, note : str
        The package that contains it, and an explanation for the reader.
    kinds : tuple of str
        Kinds of reviewers on which it is run.
    oracle : bool
        Whether it sees what nobody has: all clean labels, or the true matrices.
    two_classes : bool
        Whether it is run on two classes only.
    """

    way: str
    asked: Asked
    fit: Callable[[OpinionScores, Asked], Fit]
    source: str = "lwcal"
    note: str = ""
    kinds: tuple[str, ...] = EVERYWHERE
    oracle: bool = False
    two_classes: bool = False

    @property
    def name(self) -> str:
        """Name on the page."""
        return self.way if self.oracle or self.way == RAW else f"{self.way}, {self.asked.title}"


REVIEWED, ANONYMOUS, VOTED = "Reviewed", "Reviewed without names", "Majority vote and scaling"
DAWID_SKENE, AUDITED = "Dawid-Skene and scaling", "Audited"
RAW_SCORES = OpinionMethod(RAW, ONE, ways.raw)
AUTO = OpinionMethod("Auto", ONE, ways.automatic)
CLEAN = OpinionMethod("Scaling on clean labels", ONE, ways.clean, oracle=True)
TOLD = OpinionMethod(
    "Scaling with the true matrices, every row twice",
    TWICE,
    ways.told,
    note="by maximum likelihood; nobody knows these matrices",
    kinds=SIMULATED,
    oracle=True,
)


def reviewed(asked: Asked) -> OpinionMethod:
    """``Reviewed`` with these labels."""
    rare = asked != Asked(TWICE_SHOWN) and asked not in (TWICE, THRICE)
    kinds = EVERYWHERE if asked in (TWICE, THRICE) else SIMULATED
    return OpinionMethod(REVIEWED, asked, ways.reviewed, kinds=kinds, two_classes=rare)


def voted(asked: Asked) -> OpinionMethod:
    """Majority vote and scaling with these labels."""
    note = "the first label decides if all differ; of two labels, it is the first"
    return OpinionMethod(VOTED, asked, ways.voted, note=note, kinds=LABELS)


def consensus(asked: Asked) -> OpinionMethod:
    """Dawid-Skene and scaling with these labels."""
    return OpinionMethod(DAWID_SKENE, asked, ways.dawid_skene, CROWD_KIT, kinds=LABELS)


def audited(checked: int) -> OpinionMethod:
    """``Audited`` with so many checked labels."""
    return OpinionMethod(
        AUDITED,
        Asked(checked=checked),
        ways.audited,
        note="one label a row; an expert checks rows drawn by chance",
        kinds=SIMULATED,
        two_classes=checked != CHECKED_SHOWN,
    )


def has_crowd_kit() -> bool:
    """Whether crowd-kit, which is optional, is installed."""
    return find_spec("crowdkit") is not None


def opinion_methods() -> dict[str, OpinionMethod]:
    """Every method by name. Those of crowd-kit are left out if it is not installed."""
    found = [
        RAW_SCORES,
        AUTO,
        reviewed(ONE),
        *(reviewed(Asked(rows)) for rows in SOME),
        *(reviewed(asked) for asked in (TWICE, THRICE)),
        *(
            OpinionMethod(
                ANONYMOUS, asked, ways.anonymous, note="nobody knows who said what", kinds=SIMULATED
            )
            for asked in (TWICE, THRICE)
        ),
        *map(voted, (TWICE, THRICE)),
        *(consensus(asked) for asked in (TWICE, THRICE) if has_crowd_kit()),
        *map(audited, BUDGETS),
        TOLD,
        CLEAN,
    ]
    return {method.name: method for method in found}


def methods_of(kind: str, n_classes: int) -> list[OpinionMethod]:
    """Methods that are run on cells with these reviewers and so many classes."""
    return [
        method
        for method in opinion_methods().values()
        if kind in method.kinds and (n_classes == 2 or not method.two_classes)
    ]
