"""What a recommendation rests on, and how many checks it asks for."""

from __future__ import annotations

from math import ceil, log
from typing import Literal, NamedTuple, TypeAlias

from lwcal.calibrators.decision import Decision
from lwcal.diagnosis.class_readings import ClassReading, ClassReadings
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Reading, Readings
from lwcal.diagnosis.table_faults import NO_FAULTS, TableFaults
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import NoiseEstimate

Method: TypeAlias = Literal["auto", "noise-aware", "audited", "reviewed"]
Evidence: TypeAlias = Literal["labels", "known rates", "checked labels", "opinions"]
AnyReading: TypeAlias = Reading | ClassReading
FEWEST_CHECKS, MOST_CHECKS = 25, 150
SURE = 0.95
"""Probability with which the proposed checks show a wrong label, if the noise estimate holds."""


class Findings(NamedTuple):
    """What a recommendation rests on.

    Attributes
    ----------
    n, rarer : float
        Number of rows, and of rows labelled with the rarer class.
    ranking : Ranking
    decision : Decision
        Of :class:`lwcal.Auto`, from the labels alone.
    noise : NoiseEstimate
    method : str
        The calibrator that is judged: a full correction, if ``Auto`` keeps the raw score.
    readings : Readings
        Of its map.
    evidence : str
        Where the noise estimate comes from.
    checked, wrong : float
        Number of checked labels, and of those among them that were wrong.
    faults : TableFaults
        What may be wrong with rows and labels themselves.
    """

    n: float
    rarer: float
    ranking: Ranking
    decision: Decision
    noise: NoiseEstimate
    method: Method
    readings: Readings
    evidence: Evidence
    checked: float = 0.0
    wrong: float = 0.0
    faults: TableFaults = NO_FAULTS

    @property
    def checks(self) -> int:
        """Number of checks that show a wrong label, if the noise estimate holds."""
        noisy = self.readings.noise_holds
        return checks_needed(
            self.noise, self.readings.labels_right.positives if noisy is None else noisy.positives
        )


class ClassFindings(NamedTuple):
    """What a recommendation for several classes rests on; see :class:`Findings`."""

    n: float
    decision: Decision
    noise: ClassNoiseEstimate
    method: Method
    readings: ClassReadings
    evidence: Evidence
    checked: float = 0.0
    wrong: float = 0.0

    @property
    def checks(self) -> int:
        """Number of checks that show a wrong label, if the noise estimate holds."""
        wrong = self.noise.wrong
        return checks_for(0.5 * (wrong.low + wrong.high) if wrong.value is None else wrong.value)


def checks_needed(noise: NoiseEstimate, positives: float) -> int:
    """Number of random checks that show a wrong label with a probability of 95%, if some are.

    Parameters
    ----------
    noise : NoiseEstimate
    positives : float
        Share of true positives, if the estimate holds.
    """
    r0, r1 = noise.rates_posterior.mean()
    given_noise = max(1.0 - noise.probability_clean, 0.01)
    return checks_for((r0 * (1.0 - positives) + r1 * positives) / given_noise)


def checks_again(checked: float) -> int:
    """Number of further checks where some have not decided: as many again.

    >>> checks_again(0), checks_again(40)
    (25, 40)
    """
    return min(max(ceil(checked), FEWEST_CHECKS), MOST_CHECKS)


def checks_for(wrong: float) -> int:
    """Number of checks for a share of wrong labels, within what people can do.

    Examples
    --------
    >>> checks_for(0.2), checks_for(0.05), checks_for(0.001)
    (25, 59, 150)
    """
    possible = min(max(wrong, 0.001), 0.999)
    return min(max(ceil(log(1.0 - SURE) / log(1.0 - possible)), FEWEST_CHECKS), MOST_CHECKS)
