"""Recommend an action: deploy, keep the raw score, check labels first, or check the scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import ceil, log
from typing import Any, Literal, NamedTuple, TypeAlias

from lwcal.calibrators.decision import LEAST_GAIN, RECALIBRATED_FROM, Decision
from lwcal.diagnosis.class_readings import ClassReading, ClassReadings
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Reading, Readings
from lwcal.diagnosis.wording import SAME, area_of, change_of
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import NoiseEstimate

Action: TypeAlias = Literal["deploy", "keep raw", "audit", "check scores"]
Method: TypeAlias = Literal["auto", "noise-aware", "audited", "reviewed"]
Evidence: TypeAlias = Literal["labels", "known rates", "checked labels", "opinions"]

AnyReading: TypeAlias = Reading | ClassReading

LEAST_ROWS = 100
LEAST_OF_CLASS = 10
"""Fewer rows, or fewer of the rarer class, say nothing about a map."""
LEAST_CHECKED = 10
"""Fewer checked labels say nothing about the others."""
HARM = 0.02
"""Increase of the log loss from which on a reading is not acceptable."""
WORTHWHILE = 0.002
"""Gain by checked labels or known rates from which on a map is deployed."""
FEWEST_CHECKS, MOST_CHECKS = 25, 150
OPINIONS_FOR_A_CHECK = 2
"""Rows with a second opinion that tell as much about two classes as one checked row."""
SURE = 0.95
"""Probability with which the proposed checks show a wrong label, if the noise estimate holds."""
NEGLIGIBLE = 0.05
"""Share of the wrong labels that a sentence leaves out."""
TOO_SMALL = f"A fall below {WORTHWHILE:.1%} is not worth a change."
NOT_ENOUGH = (
    f"No map within the bound on possible harm is expected to lower log loss by {LEAST_GAIN:.1%}."
)


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


def recommend(found: Findings) -> Recommendation:
    """Turn findings about two classes into an action."""
    refused = refuse_rows(
        found.n,
        found.rarer,
        found.ranking,
        checked=found.checked,
        by_labels=found.evidence == "labels",
    )
    if refused is not None:
        return refused
    return with_doubt(advise_with_veto(found), found.ranking)


def advise_with_veto(found: Findings | ClassFindings) -> Recommendation:
    """Turn findings into an action that does no harm to scores that may be right.

    The noise estimate cannot tell whether they are: it expects a model that was trained on labels
    as noisy as these.
    """
    advised = _unless_checked_rows_lose(advise(found), found)
    right = found.readings.scores_right
    if right is None or right.gain.low > -HARM:
        return advised
    if advised.action == "audit":
        return replace(advised, calibrator="identity")
    if advised.action != "deploy":
        return advised
    missed, wrong = _missed(found)
    reading = f"If the raw scores are right, and {missed} wrong, it {change_of(right.gain)}."
    if found.evidence == "labels":
        first = _both(found.readings.labels_right, None)
        readings = f"{first} {reading} The labels fit that, too."
        # what one reviewer misses, another may miss for the same reason
        return _checks("identity", readings, checks_for(wrong), by_opinions=False)
    if found.readings.scores_are_better:
        reason = f"{advised.reason} {reading} Labels and checks fit that far better."
        return Recommendation("keep raw", "identity", reason)
    return _check_more(f"{advised.reason} {reading} Labels and checks fit that, too.", found)


def _unless_checked_rows_lose(
    advised: Recommendation, found: Findings | ClassFindings
) -> Recommendation:
    """Do not deploy what loses on the checked rows, which it was even fitted to."""
    gain = found.readings.on_checked
    if advised.action != "deploy" or gain is None or gain.value > -HARM:
        return advised
    reason = f"{advised.reason} But on the checked rows themselves, it {change_of(gain)}."
    if gain.high < 0.0 or found.checked >= found.n:
        return Recommendation("keep raw", "identity", reason)
    return _check_more(reason, found)


def _check_more(reason: str, found: Findings | ClassFindings) -> Recommendation:
    """Recommend to check as many labels again."""
    more = min(max(ceil(found.checked), FEWEST_CHECKS), MOST_CHECKS)
    return Recommendation("audit", "identity", f"{reason} {more} more checks would tell.", more)


def _missed(found: Findings | ClassFindings) -> tuple[str, float]:
    """Which labels are wrong if the scores are right, in words, and their share."""
    if isinstance(found, ClassFindings):
        wrong = float(found.readings.missed or 0.0)
        return f"{wrong:.0%} of the labels are", wrong
    right, rates = found.readings.scores_right, found.readings.missed
    assert right is not None  # both are known, or none
    assert rates is not None
    of_negatives, of_positives = (
        rates.negative * (1.0 - right.positives),
        rates.positive * right.positives,
    )
    wrong = of_negatives + of_positives
    if of_negatives < NEGLIGIBLE * wrong:
        return f"labels of {rates.positive:.0%} of the positives are", wrong
    if of_positives < NEGLIGIBLE * wrong:
        return f"labels of {rates.negative:.0%} of the negatives are", wrong
    return f"{wrong:.0%} of the labels are", wrong


def with_doubt(advised: Recommendation, ranking: Ranking) -> Recommendation:
    """Add to "deploy" that the scores may rank nothing, if so."""
    if advised.action != "deploy" or not ranking.is_doubtful:
        return advised
    doubt = (
        f" Whether the scores rank these labels at all is not sure (AUC {area_of(ranking.auc)})."
    )
    return replace(advised, reason=advised.reason + doubt)


def advise(found: Findings | ClassFindings) -> Recommendation:
    """Turn findings about rows that can be judged into an action.

    "deploy" is earned. By the labels alone it needs a gain that is sure if every label is right,
    and no harm if the noise estimate holds. Known rates decide alone, and so do checked labels of
    which some were wrong. If all were right, every label may be: then there must be no harm if so.
    """
    return _by_labels(found) if found.evidence == "labels" else _by_outside_evidence(found)


def _by_labels(found: Findings | ClassFindings) -> Recommendation:
    right, noisy = found.readings.labels_right, found.readings.noise_holds
    if found.method != "auto":
        return _of_full_correction(found, right, noisy)
    gains, harmless = right.gain.low > 0.0, noisy is None or noisy.gain.low > -HARM
    if gains and harmless:
        return Recommendation("deploy", "auto", _both(right, noisy))
    if noisy is None:
        reason = f"{_both(right, noisy)} These rows are too few to be sure."
        return Recommendation("keep raw", "identity", reason)
    # until labels are checked, nothing changes if the better guess is that the map would harm
    until_then = "auto" if noisy.gain.value >= 0.0 else "identity"
    return _check_first(until_then, "", found, right, noisy)


def _of_full_correction(
    found: Findings | ClassFindings, right: AnyReading, noisy: AnyReading | None
) -> Recommendation:
    """Keep the raw score, unless the correction is acceptable, or refused only for its risk."""
    sure = right.gain.low > 0.0 and right.gain.value >= LEAST_GAIN
    if sure and (noisy is None or noisy.gain.low > -HARM):
        return Recommendation("deploy", found.method, _both(right, noisy))
    likely = found.noise.probability_clean < RECALIBRATED_FROM
    if noisy is not None and likely and noisy.gain.low > HARM:
        return _check_first(
            "identity", "A full correction for noise is risky: ", found, right, noisy
        )
    bounded = f"{NOT_ENOUGH} " if found.decision.choice == "raw" else ""
    reason = f"{bounded}Of a full correction: {_lowered(_both(right, noisy))}"
    return Recommendation("keep raw", "identity", reason)


def _check_first(
    until_then: str,
    why: str,
    found: Findings | ClassFindings,
    right: AnyReading,
    noisy: AnyReading,
) -> Recommendation:
    readings = f"{why}{_lowered(_both(right, noisy))}" if why else _both(right, noisy)
    return _checks(until_then, readings, found.checks, by_opinions=isinstance(found, Findings))


def _checks(until_then: str, readings: str, checks: int, *, by_opinions: bool) -> Recommendation:
    """Recommend to check labels that can be read in two ways."""
    reason = (
        f"The labels can be read in two ways. {readings} No number of unchecked labels decides "
        f"between the two; {checks} checked ones often do."
    )
    if not by_opinions:
        return Recommendation("audit", until_then, reason, checks)
    opinions = OPINIONS_FOR_A_CHECK * checks
    reason += f" So do second opinions, by other reviewers, on about {opinions} rows."
    return Recommendation("audit", until_then, reason, checks, second_opinions=opinions)


def _lowered(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def refuse_rows(
    n: float, rarer: float, ranking: Ranking, *, checked: float = 0.0, by_labels: bool = False
) -> Recommendation | None:
    """Say what is wrong with rows of two classes, if anything is.

    Parameters
    ----------
    n, rarer : float
        Number of rows, and of rows labelled with the rarer class.
    ranking : Ranking
    checked : float
        Number of checked labels.
    by_labels : bool
        Whether nothing but one label a row is known.
    """
    # few rows of which many are checked have an interval for the gain that says how few they are
    few = n < LEAST_ROWS and checked < FEWEST_CHECKS
    if few or rarer < LEAST_OF_CLASS:
        reason = (
            f"{n:,.0f} rows, {rarer:,.0f} of the rarer class, are too few to judge any "
            f"map. Collect at least {LEAST_ROWS} rows, {LEAST_OF_CLASS} of each class."
        )
        return Recommendation("keep raw", "identity", reason, refuses_rows=True)
    if ranking.is_constant:
        reason = "Every row has the same score, so it says nothing about any of them."
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_reversed:
        reason = (
            "The scores rank the wrong way: rows of the positive class have the lower scores "
            f"(AUC {area_of(ranking.auc)}). Either the other class is the positive one, or "
            "the score belongs to the other class."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_idle and by_labels:
        reason = (
            f"The scores say next to nothing about the labels (AUC {area_of(ranking.auc)}). "
            "Either the labels are nearly random, or the score belongs to something else."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    if ranking.is_perfect:
        reason = (
            "The scores separate the labels perfectly. Are these rows that the model was trained "
            "on? Scores of such rows say nothing about new rows."
        )
        return Recommendation("check scores", "identity", reason, refuses_rows=True)
    return None


def _by_outside_evidence(found: Findings | ClassFindings) -> Recommendation:
    noisy = found.readings.noise_holds
    known = found.evidence == "known rates"
    assert noisy is not None  # outside evidence always has a second reading
    if not known and found.checked < LEAST_CHECKED:
        reason = f"{found.checked:.0f} checked labels say too little about the others."
        return Recommendation("audit", "auto", reason, FEWEST_CHECKS)
    by = "By the known rates" if known else f"By the {found.checked:,.0f} checked labels"
    more = "" if known or found.checked >= found.n else " More checked labels would narrow this."
    reason = change_by(by, noisy, more)
    but = _but(found)
    if noisy.gain.value >= WORTHWHILE and not but:
        return Recommendation("deploy", found.method, reason)
    return Recommendation("keep raw", "identity", f"{reason}{but}")


def change_by(evidence: str, reading: AnyReading, more: str = "") -> str:
    """Say how log loss changes by some evidence, and how surely it falls if that is open."""
    changed = f"{evidence}, log loss {change_of(reading.gain)}."
    if reading.gain.low < -SAME and reading.gain.high > SAME:
        return f"{changed} The probability that it falls is {reading.likely_gain:.0%}.{more}"
    return changed


def _but(found: Findings | ClassFindings) -> str:
    """Say why an expected gain is not enough; empty if it is, or if there is none."""
    right, noisy = found.readings.labels_right.gain, found.readings.noise_holds
    if noisy is None or noisy.gain.value <= 0.0:
        return ""
    if noisy.gain.value < WORTHWHILE:
        return f" {TOO_SMALL}"
    if found.evidence == "checked labels" and not found.wrong and right.low <= -HARM:
        return f" But none of them was wrong, and if every label is right, it {change_of(right)}."
    return ""


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


def checks_for(wrong: float) -> int:
    """Number of checks for a share of wrong labels, within what people can do.

    Examples
    --------
    >>> checks_for(0.2), checks_for(0.05), checks_for(0.001)
    (25, 59, 150)
    """
    possible = min(max(wrong, 0.001), 0.999)
    return min(max(ceil(log(1.0 - SURE) / log(1.0 - possible)), FEWEST_CHECKS), MOST_CHECKS)


def _both(right: AnyReading, noisy: AnyReading | None) -> str:
    if_right = f"If every label is right, log loss {change_of(right.gain)}."
    if noisy is None:
        return if_right
    return f"{if_right} If the noise estimate holds, it {change_of(noisy.gain)}."
