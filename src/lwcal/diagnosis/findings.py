"""What a recommendation rests on, and how many checks it asks for."""

from __future__ import annotations

from math import ceil, log, sqrt
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from lwcal.arrays import FloatArray
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
BETTER_THAN_CHANCE = 1.645
"""Standard errors by which checked labels agree better: a level of 95%."""
FEWEST_OTHERS = 10
"""Checked rows labelled as other classes, of which chance finds hardly ever all wrong."""
SURE = 0.95
"""Probability with which the proposed checks show a wrong label, if the noise estimate holds."""


class Checks(NamedTuple):
    """What checked labels say about the labels, whatever the scores are.

    Attributes
    ----------
    n : float
        Number of checked labels.
    agree : bool
        Whether they agree with the labels better than by chance, so that both belong to the same
        rows.
    astray : bool
        Whether they agree neither with the labels nor, far worse than the labels do, with the
        scores: as answers do that were shifted, inverted or given to another question.
    wrong : float
        Number of labels that were wrong.
    """

    n: float = 0.0
    agree: bool = False
    astray: bool = False
    wrong: float = 0.0

    @classmethod
    def of_counts(cls, counts: FloatArray) -> Checks:
        """Compare the agreement with that of labels and truths that have nothing in common.

        Parameters
        ----------
        counts : float64 array of shape (K, K)
            Weight of checked rows by true class (row) and label (column).

        Examples
        --------
        >>> Checks.of_counts(np.array([[12.0, 3.0], [2.0, 8.0]]))
        Checks(n=25.0, agree=True, astray=False, wrong=5.0)
        >>> Checks.of_counts(np.array([[10.0, 5.0], [7.0, 3.0]])).agree
        False
        """
        n = float(counts.sum())
        if not n:
            return NO_CHECKS
        by_chance = float(counts.sum(axis=0) @ counts.sum(axis=1)) / n**2
        error = sqrt(by_chance * (1.0 - by_chance) / n)
        right = float(np.trace(counts))
        agree = right / n - by_chance > BETTER_THAN_CHANCE * error > 0.0
        return cls(n, agree, wrong=n - right)


NO_CHECKS = Checks()


def answers_are_alike(counts: FloatArray) -> bool:
    """Whether all checked rows have one true class, though many have other labels.

    >>> answers_are_alike(np.array([[40.0, 20.0], [0.0, 0.0]]))
    True
    >>> answers_are_alike(np.array([[58.0, 2.0], [0.0, 0.0]]))  # rare positives
    False
    """
    given = counts.sum(axis=1)
    only = int(given.argmax())
    others = float(counts.sum() - counts[:, only].sum())
    return bool(given[only] == counts.sum()) and others >= FEWEST_OTHERS


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
    checks : Checks
        What checked labels say of the labels.
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
    checks: Checks = NO_CHECKS
    faults: TableFaults = NO_FAULTS

    @property
    def more_checks(self) -> int:
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
    checks: Checks = NO_CHECKS

    @property
    def more_checks(self) -> int:
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
