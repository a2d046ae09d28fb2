"""The settings under which every claim is tested: one choice changed, or two together."""

from __future__ import annotations

from typing import NamedTuple

from lwcal_study.paper.sensitivity.choices import CLIPS, MODELS, REFERENCE, VARIANTS

STRICTEST = CLIPS[-1]
PAIRS = "pairs with"
WIDELY_KEPT = "keep 90%"


class Setting(NamedTuple):
    """Models, calibrators and clip. ``choice`` is the group that it is shown in."""

    choice: str
    value: str
    model: str = REFERENCE
    variant: str = REFERENCE
    clip: float = CLIPS[0]

    @property
    def name(self) -> str:
        """Choice and value."""
        return f"{self.choice}: {self.value}"


def _group(name: str) -> str:
    """The choice of a model or variant: its name without the value.

    >>> _group("extra trees leaf 5"), _group("asymmetric 1.3/0.7"), _group("free slopes")
    ('extra trees leaf', 'asymmetric', 'free slopes')
    """
    return " ".join(word for word in name.split() if not word[0].isdigit())


def _value(name: str) -> str:
    return " ".join(word for word in name.split() if word[0].isdigit()) or "yes"


def _single() -> list[Setting]:
    models = [Setting(_group(m), _value(m), model=m) for m in MODELS if m != REFERENCE]
    variants = [Setting(_group(v), _value(v), variant=v) for v in VARIANTS]
    clips = [Setting("clip", f"{clip:g}", clip=clip) for clip in CLIPS[1:]]
    return [*models, *variants, *clips]


def _pairs() -> list[Setting]:
    """Every choice with the strictest clip, and every choice of models with 90% kept."""
    others = [s for s in _single() if s.clip == CLIPS[0] and not s.variant.startswith("epsilon")]
    strict = [
        Setting(f"{PAIRS} clip 1e-06", f"{s.choice} {s.value}", s.model, s.variant, STRICTEST)
        for s in others
    ]
    kept = [
        Setting(f"{PAIRS} {WIDELY_KEPT}", f"{s.choice} {s.value}", s.model, WIDELY_KEPT)
        for s in others
        if s.model != REFERENCE
    ]
    return [*strict, *kept]


SETTINGS = [Setting("reference", "as in the study"), *_single(), *_pairs()]
"""Every setting, the reference first."""

MEANINGS = {
    "reference": "the choices of the study",
    "asymmetric": "asymmetric noise flips positives and negatives at these multiples of the stated "
    "rate; in the study 1.25/0.35",
    "split": "share of the rows for training; in the study 50%",
    "generators": "the synthetic tasks drawn again, with their seeds raised by this much",
    "extra trees leaf": "smallest leaf of extra trees; in the study 2",
    "boosting": "rounds of gradient boosting; in the study 100",
    "keep": "share of the rows that hard trimming keeps; in the study 83%",
    "epsilon": "added to the scale of the weights; in the study 1e-06",
    "free slopes": "Platt and beta calibration may rank backwards, as the paper's AUCs need",
    "Platt on scores": "Platt scaling on the scores, not on their logits",
    "clip": "of the log loss; in the study 0.005",
    "pairs with clip 1e-06": "every choice together with the strictest clip",
    "pairs with keep 90%": "every choice of data and models together with 90% of the rows kept",
}
"""What each choice is about."""

FITTED_CHOICES = frozenset({"asymmetric", "clip", "keep", "generators"})
"""Choices that were fitted to the paper's tables."""
