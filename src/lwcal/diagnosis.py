"""Whether to deploy: the paper's protocol on the disagreement statistic d."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

from lwcal import kernels
from lwcal.calibrators.gated_lwcal import GATE_CENTER, GATE_WIDTH, gate
from lwcal.errors import ParameterError, message
from lwcal.inputs import ArrayLike
from lwcal.parameters import SHARE, check_parameter
from lwcal.table import ScoreTable

Level: TypeAlias = Literal["calibrate", "gate", "audit"]

CAVEAT = (
    "d is an alarm, not an estimate of label noise: a hard task raises it too, "
    "because a model that is often wrong contradicts correct labels."
)


@dataclass(frozen=True)
class Verdict:
    """What the deployment protocol advises (paper, Table of d thresholds).

    Attributes
    ----------
    level : {"calibrate", "gate", "audit"}
        Low, middle or high contradiction.
    recommended_score : str
        The score to use.
    operator_action : str
        What to do next.
    d : float
        Share of labels that contradict the model's decision.
    thresholds : tuple of two floats
        The values of d at which the level changes.
    """

    level: Level
    recommended_score: str
    operator_action: str
    d: float
    thresholds: tuple[float, float]

    @property
    def sentence(self) -> str:
        """Say it all in plain words."""
        return (
            f"{self.d:.1%} of the labels contradict the model's decision "
            f"({self._range()}): use {self.recommended_score}. {self.operator_action} {CAVEAT}"
        )

    def _range(self) -> str:
        lower, upper = self.thresholds
        if self.level == "calibrate":
            return f"below {lower:.0%}"
        return f"{lower:.0%} to {upper:.0%}" if self.level == "gate" else f"{upper:.0%} or more"


def deployment_protocol(
    d: float, *, lower: float = GATE_CENTER, upper: float = GATE_CENTER + GATE_WIDTH
) -> Verdict:
    """Turn the disagreement statistic into advice.

    Parameters
    ----------
    d : float
        Share of labels that contradict the model's decision.
    lower, upper : float, default 0.29 and 0.41
        Where the advice changes: the gate opens at ``lower`` and is fully open at ``upper``.

    Examples
    --------
    >>> deployment_protocol(0.35).recommended_score
    'GatedLWCal'
    >>> deployment_protocol(0.45).operator_action
    'Audit labels before setting new thresholds.'
    """
    check_parameter("d", d, SHARE)
    if not 0.0 <= lower <= upper <= 1.0:
        raise ParameterError(message("0 <= lower <= upper <= 1", f"{lower!r} and {upper!r}"))
    if d < lower:
        return Verdict("calibrate", "LWCal", "Use calibrated thresholds.", d, (lower, upper))
    if d < upper:
        return Verdict("gate", "GatedLWCal", "Log the gate, monitor drift.", d, (lower, upper))
    action = "Audit labels before setting new thresholds."
    return Verdict("audit", "the raw score or GatedLWCal", action, d, (lower, upper))


@dataclass(frozen=True)
class Diagnosis:
    """What scores and noisy labels say about each other, and the verdict on it.

    Attributes
    ----------
    n : int or float
        Number of rows, or their total weight.
    base_rate : float
        Share of positive labels.
    m, s : float
        Median loss of the labels under the scores, and their median absolute deviation.
    d, rho : float
        Share of labels that contradict the model, and the share of the raw score that
        Gated-LWCal keeps for it.
    verdict : Verdict
    """

    n: float
    base_rate: float
    m: float
    s: float
    d: float
    rho: float
    verdict: Verdict

    def to_dict(self) -> dict[str, Any]:
        """Everything as types that JSON knows."""
        document = asdict(self)
        document["verdict"]["thresholds"] = list(self.verdict.thresholds)
        document["verdict"]["sentence"] = self.verdict.sentence
        return document

    def __str__(self) -> str:
        return self.verdict.sentence


def diagnose(
    scores: ArrayLike,
    y_noisy: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    pos_label: Any = None,
) -> Diagnosis:
    """Say whether calibrating on these labels is safe, and which score to use.

    Parameters
    ----------
    scores : one-dimensional, in [0, 1]
        Scores of a model on rows it was not trained on.
    y_noisy : one-dimensional, two classes
        Labels of the same rows, possibly wrong.
    sample_weight : one-dimensional, optional
        Frequencies: a row of weight 2 equals that row twice.
    pos_label : optional
        The positive class, when it is not obvious from the labels.

    Examples
    --------
    >>> diagnosis = diagnose([0.1, 0.2, 0.7, 0.9], [0, 0, 1, 1])
    >>> diagnosis.verdict.level, diagnosis.d
    ('calibrate', 0.0)
    """
    table = ScoreTable.from_arrays(scores, y_noisy, sample_weight, pos_label=pos_label)
    return diagnose_table(table)


def diagnose_table(table: ScoreTable) -> Diagnosis:
    """Diagnose pooled counts; see :func:`diagnose`."""
    table.require_both_classes()
    m, s = kernels.median_and_mad(table.scores, table.negatives, table.positives)
    d = table.disagreement()
    return Diagnosis(table.n, table.base_rate, m, s, d, gate(d), deployment_protocol(d))
