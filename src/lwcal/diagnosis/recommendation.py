"""The recommended action: deploy, keep the raw score, check labels first, or check the scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

Action: TypeAlias = Literal["deploy", "keep raw", "audit", "check scores"]


@dataclass(frozen=True)
class Recommendation:
    """The recommended action.

    Attributes
    ----------
    action : {"deploy", "keep raw", "audit", "check scores"}
        Deploy the calibrator; keep the raw score; check some labels first; or check the scores
        first, because something is wrong with them.
    calibrator : str
        The calibrator to use now, by its name on the command line; ``identity`` is the raw score.
    reason : str
        Why, in a few sentences.
    checks : int or None
        Number of labels to check; with "audit" only.
    refuses_rows : bool
        Whether the rows themselves are the reason: they are too few, or ranked the wrong way, not
        at all, or perfectly.
    second_opinions : int or None
        Number of rows on which second opinions would tell as much as these checks; None if that
        is not known.
    """

    action: Action
    calibrator: str
    reason: str
    checks: int | None = None
    refuses_rows: bool = False
    second_opinions: int | None = None

    @property
    def is_settled(self) -> bool:
        """Whether nothing has to be checked first."""
        return self.action in ("deploy", "keep raw")

    @property
    def headline(self) -> str:
        """The action in a few words."""
        if self.action == "audit":
            return f"Check {self.checks} labels first"
        return {
            "deploy": f"Deploy {self.calibrator}",
            "keep raw": "Keep the raw score",
            "check scores": "Check the scores first",
        }[self.action]

    @property
    def until_then(self) -> str:
        """What to use while labels are checked; empty if none are."""
        if self.action != "audit":
            return ""
        used = "the raw score" if self.calibrator == "identity" else self.calibrator
        return f"Until then, use {used}."

    def to_dict(self) -> dict[str, Any]:
        """Everything in types that JSON knows."""
        return {**asdict(self), "sentence": self.sentence}

    @property
    def sentence(self) -> str:
        """Action, reason, and what to use until then, in plain words."""
        return " ".join(
            part for part in (f"{self.headline}.", self.reason, self.until_then) if part
        )
