"""One action with its reason, from what was found."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lwcal.calibrators.decision import Decision
from lwcal.diagnosis.findings import (
    FEWEST_CHECKS,
    MOST_CHECKS,
    Checks,
    Findings,
    checks_for,
    checks_needed,
)
from lwcal.diagnosis.ranking import Ranking
from lwcal.diagnosis.readings import Reading, Readings
from lwcal.diagnosis.rules import HARM, LEAST_CHECKED
from lwcal.diagnosis.unusable_rows import LEAST_OF_CLASS, LEAST_ROWS
from lwcal.diagnosis.vetoes import recommend
from lwcal.estimates import Estimate
from lwcal.noise.estimate import UNKNOWN, NoiseEstimate, RateEstimate
from lwcal.noise.rates import FlipRates, as_rate_posterior

RATE = RateEstimate(0.2, 0.15, 0.25, clear_cases=0.5)
NOISE = NoiseEstimate(RATE, RATE, 0.2, 0.9, as_rate_posterior((0.16, 0.16)))
MISFIT = NoiseEstimate(UNKNOWN, UNKNOWN, 0.8, 0.9, as_rate_posterior((0.0, 0.0)))
GOOD, SLIGHT_HARM, BAD = (0.1, 0.05, 0.15), (0.02, -HARM / 2, 0.06), (-0.1, -0.2, -0.01)
UNSURE = (0.01, -0.01, 0.03)


def reading(gain):
    """A reading with that gain."""
    likely = float(gain[0] > 0)
    return Reading(0.4, 0.5, 0.5 * (1 - gain[0]), Estimate(*gain), likely, 0.2, 0.2)


def ranked(auc, low, high):
    """An area with one interval for everything."""
    return Ranking(Estimate(auc, low, high), Estimate(auc, low, high))


def findings(right, noisy, *, choice="noise-aware", noise=NOISE, auc=0.8, **changed):
    """What a recommendation rests on."""
    found = Findings(
        n=1000,
        rarer=300,
        ranking=ranked(auc, auc - 0.02, min(auc + 0.02, 1.0)),
        decision=Decision(choice, 0.3, 0.05, 0.1, 0.08),
        noise=noise,
        method="noise-aware" if choice == "raw" else "auto",
        readings=Readings(
            0.5, 0.4, 0.42, 12, 3, reading(right), None if noisy is None else reading(noisy)
        ),
        evidence="labels",
    )
    return found._replace(**changed)


@pytest.mark.parametrize(("rarer", "told"), [(300, False), (10, False), (9.9, False), (30, True)])
def test_checks_of_a_rare_class_may_not_suffice(rarer, told):
    """Of 10,000 rows, 30 are rare; rows that are refused get no advice on checks."""
    n = 10_000 if told else 1000
    found = recommend(findings(GOOD, BAD, n=n, rarer=rarer))
    assert ("several times as many may be needed" in found.reason) == told


@pytest.mark.parametrize("noisy", [GOOD, SLIGHT_HARM, None])
def test_a_sure_gain_without_harm_in_the_other_reading_is_deployed(noisy):
    """The reason names both readings, where there are two."""
    found = recommend(findings(GOOD, noisy))
    assert (found.action, found.calibrator) == ("deploy", "auto")
    assert found.headline == "Deploy auto"
    assert "If every label is right, log loss falls by 10% (5.0% to 15%)." in found.reason
    assert ("If the noise estimate holds" in found.reason) == (noisy is not None)


@pytest.mark.parametrize(("right", "noisy"), [(GOOD, BAD), (BAD, GOOD), (UNSURE, GOOD), (BAD, BAD)])
def test_readings_that_differ_call_for_checks(right, noisy):
    """With their number, and what to use until then: nothing new if noise would make it harm."""
    found = recommend(findings(right, noisy))
    used = "auto" if noisy == GOOD else "identity"
    assert (found.action, found.calibrator, found.checks) == ("audit", used, 25)
    assert found.sentence.startswith("Check 25 labels first. ")
    named = {"auto": "auto", "identity": "the raw score"}[used]
    assert found.sentence.endswith(f"Until then, use {named}.")
    assert "If every label is right" in found.reason
    assert "If the noise estimate holds" in found.reason
    assert found.second_opinions == 50
    assert "Second opinions on about 50 rows, by other reviewers" in found.reason


def test_a_gain_that_is_not_sure_is_not_deployed_where_noise_does_not_fit():
    """More rows would tell, more checks would not."""
    found = recommend(findings(UNSURE, None, noise=MISFIT))
    assert (found.action, found.calibrator) == ("keep raw", "identity")
    assert "too few to be sure" in found.reason


@pytest.mark.parametrize("noisy", [UNSURE, BAD, None])
def test_the_raw_score_is_kept_when_nothing_is_gained(noisy):
    """With both readings of the best candidate."""
    found = recommend(findings(UNSURE, noisy, choice="raw"))
    assert (found.action, found.calibrator, found.checks) == ("keep raw", "identity", None)
    assert found.second_opinions is None
    assert "0.5%" in found.reason
    assert "if every label is right" in found.reason


def test_a_full_correction_that_both_readings_accept_is_deployed():
    """Even where Auto, which knows less of the rows left out, keeps the raw score."""
    found = recommend(findings(GOOD, GOOD, choice="raw"))
    assert (found.action, found.calibrator) == ("deploy", "noise-aware")


def test_a_correction_that_is_refused_for_its_risk_calls_for_checks():
    """Until then nothing changes. Labels that look right are no reason to check."""
    found = recommend(findings(BAD, GOOD, choice="raw"))
    assert (found.action, found.calibrator) == ("audit", "identity")
    assert found.sentence.endswith("Until then, use the raw score.")
    right = NOISE.__class__(RATE, RATE, 0.95, 0.9, NOISE.rates_posterior)
    assert recommend(findings(BAD, GOOD, choice="raw", noise=right)).action == "keep raw"


@pytest.mark.parametrize("evidence", ["labels", "known rates", "checked labels"])
@pytest.mark.parametrize(
    "few",
    [
        {"n": LEAST_ROWS - 1, "checks": Checks(FEWEST_CHECKS - 1)},
        {"rarer": LEAST_OF_CLASS - 1, "checks": Checks(50)},
    ],
)
def test_nothing_is_deployed_on_a_handful_of_rows(few, evidence):
    """Whatever they seem to say."""
    found = recommend(findings(GOOD, GOOD, evidence=evidence, **few))
    assert (found.action, found.refuses_rows) == ("keep raw", True)
    assert "too few" in found.reason
    assert found.until_then == ""


def test_few_rows_are_judged_if_many_of_them_are_checked():
    """The interval for the gain says how few they are."""
    few = {"n": LEAST_ROWS - 1, "checks": Checks(FEWEST_CHECKS), "evidence": "checked labels"}
    assert recommend(findings(GOOD, GOOD, **few)).action == "deploy"
    assert recommend(findings(BAD, BAD, **few)).action == "keep raw"


def test_scores_that_rank_the_wrong_way_are_named():
    """Only where that is sure; a score that says nothing is no reversed score."""
    found = recommend(findings(GOOD, GOOD, auc=0.3))
    assert (found.action, found.refuses_rows) == ("check scores", True)
    assert "positive class" in found.reason
    assert "lower scores" in found.reason
    assert "next to nothing" in recommend(findings(GOOD, GOOD, auc=0.49)).reason


def test_scores_that_say_nothing_are_named():
    """Where that is sure."""
    found = recommend(findings(GOOD, GOOD, auc=0.5))
    assert (found.action, found.refuses_rows) == ("check scores", True)
    assert recommend(findings(GOOD, GOOD, ranking=ranked(0.53, 0.51, 0.57))).action == "deploy"


@pytest.mark.parametrize("evidence", ["labels", "known rates"])
def test_where_scores_may_say_nothing_labels_are_checked_first(evidence):
    """A map of labels of other rows is a constant, whatever it seems to gain."""
    doubt = {"ranking": ranked(0.53, 0.49, 0.57), "evidence": evidence}
    weak = recommend(findings(GOOD, GOOD, **doubt))
    assert (weak.action, weak.calibrator, weak.checks) == ("audit", "identity", FEWEST_CHECKS)
    assert "may say nothing about these labels (AUC 0.53, 0.49 to 0.57)" in weak.reason
    assert weak.sentence.endswith("25 checked labels often tell. Until then, use the raw score.")
    assert recommend(findings(BAD, BAD, **doubt)).action in ("keep raw", "audit")


def test_checked_labels_decide_about_scores_that_may_say_nothing():
    """If a gain is very likely by them. The sentence still says so."""
    checked = {"evidence": "checked labels", "checks": Checks(30, wrong=1), "method": "audited"}
    given = findings(GOOD, GOOD, ranking=ranked(0.53, 0.49, 0.57), **checked)
    found = recommend(given)
    assert found.action == "deploy"
    assert "nothing about these labels (AUC 0.53, 0.49 to 0.57)." in found.reason
    unsure = replace(given.readings.noise_holds, likely_gain=0.9)
    found = recommend(given._replace(readings=replace(given.readings, noise_holds=unsure)))
    assert (found.action, found.calibrator, found.checks) == ("audit", "identity", 30)
    assert "30 more checked labels may tell" in found.reason
    agreeing = given._replace(
        readings=replace(given.readings, noise_holds=unsure), checks=Checks(30, agree=True, wrong=1)
    )
    assert recommend(agreeing).action == "deploy"  # so labels and scores are of the same rows


def test_what_is_less_likely_than_not_to_gain_is_not_deployed():
    """Though the expected gain is worth a change: a few draws may gain much."""
    given = findings(
        GOOD, GOOD, evidence="checked labels", checks=Checks(30, wrong=1), method="audited"
    )
    unlikely = replace(given.readings.noise_holds, likely_gain=0.45)
    found = recommend(given._replace(readings=replace(given.readings, noise_holds=unlikely)))
    assert (found.action, found.calibrator) == ("keep raw", "identity")
    assert found.reason.endswith("A fall is less likely than not.")


def test_scores_that_separate_the_labels_raise_a_question():
    """A model knows the rows that it was trained on."""
    found = recommend(findings(GOOD, GOOD, auc=1.0))
    assert found.action == "check scores"
    assert "trained on?" in found.reason
    assert recommend(findings(GOOD, GOOD, auc=0.999)).action == "deploy"


@pytest.mark.parametrize(
    ("evidence", "method"), [("known rates", "noise-aware"), ("checked labels", "audited")]
)
def test_outside_evidence_decides_alone(evidence, method):
    """Whatever the labels say if they are right, which a wrong one rules out."""
    outside = {"evidence": evidence, "checks": Checks(30, wrong=1), "method": method}
    found = recommend(findings(BAD, GOOD, **outside))
    assert (found.action, found.calibrator) == ("deploy", method)
    assert "falls by 10%" in found.reason
    assert recommend(findings(GOOD, BAD, **outside)).action == "keep raw"
    unsure = recommend(findings(GOOD, (0.03, -0.05, 0.1), **outside))
    assert unsure.action == "deploy"
    assert "falls by 3.0% (from a fall of 10% to a rise of 5.0%)" in unsure.reason
    assert "The probability that it falls is 100%." in unsure.reason
    assert recommend(findings(GOOD, GOOD, auc=0.5, **outside)).action == "deploy"
    little = recommend(findings(GOOD, (0.001, 0.0005, 0.002), **outside))
    assert little.action == "keep raw"
    assert "not worth a change" in little.reason


def test_more_checks_are_proposed_where_they_would_narrow_the_gain():
    """But not where it is clear, and not for rates that are known."""
    wide = (0.05, -0.1, 0.2)
    audited = {"evidence": "checked labels", "checks": Checks(30)}
    assert "More checked labels" in recommend(findings(GOOD, wide, **audited)).reason
    assert "More checked labels" not in recommend(findings(GOOD, GOOD, **audited)).reason
    known = recommend(findings(GOOD, wide, evidence="known rates"))
    assert "More checked labels" not in known.reason


def test_a_few_checked_labels_are_not_enough():
    """They say too little about the others."""
    few = {"evidence": "checked labels", "checks": Checks(LEAST_CHECKED - 1)}
    found = recommend(findings(GOOD, GOOD, **few))
    assert (found.action, found.checks) == ("audit", FEWEST_CHECKS)


@given(wrong=st.floats(0, 1))
def test_checks_show_a_wrong_label_unless_there_would_be_too_many(wrong):
    """With a probability of 95%, within what people can do."""
    n = checks_for(wrong)
    assert FEWEST_CHECKS <= n <= MOST_CHECKS
    if FEWEST_CHECKS < n < MOST_CHECKS:
        assert (1 - wrong) ** n <= 0.05 < (1 - wrong) ** (n - 1)


def test_the_share_to_look_for_is_that_given_noise():
    """Rates that include the chance of no noise are divided by that of noise."""
    few = NoiseEstimate(RATE, RATE, 0.5, 0.9, as_rate_posterior((0.02, 0.02)))
    assert checks_needed(few, 0.3) == checks_for(0.04)


def test_a_constant_score_is_named():
    """Also after an audit: there is nothing to calibrate."""
    alike = replace(ranked(0.5, 0.4, 0.6), is_constant=True)
    for outside in ({}, {"evidence": "checked labels", "checks": Checks(30), "method": "audited"}):
        found = recommend(findings(GOOD, GOOD, ranking=alike, **outside))
        assert (found.action, found.refuses_rows) == ("check scores", True)
        assert "same score" in found.reason


def test_checks_that_found_nothing_leave_both_readings():
    """Every label may be right, so the map must not harm if so."""
    confirmed = {"evidence": "checked labels", "checks": Checks(30), "method": "audited"}
    assert recommend(findings(SLIGHT_HARM, GOOD, **confirmed)).action == "deploy"
    found = recommend(findings(BAD, GOOD, **confirmed))
    assert (found.action, found.calibrator) == ("keep raw", "identity")
    assert "none of them was wrong, and if every label is right, it rises by 10%" in found.reason


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        ((0.2, 0.1, 0.3), "falls by 20% (10% to 30%)"),
        ((-0.2, -0.3, -0.1), "rises by 20% (10% to 30%)"),
        ((0.02, -0.01, 0.05), "falls by 2.0% (from a fall of 5.0% to a rise of 1.0%)"),
        ((0.0001, -0.01, 0.012), "stays the same (from a fall of 1.2% to a rise of 1.0%)"),
        ((0.0, 0.0, 0.0), "stays the same."),
    ],
)
def test_a_change_has_a_direction_and_an_interval(gain, words):
    """In words, never by a sign."""
    assert f"log loss {words}" in recommend(findings(gain, None)).reason


def with_third(found, gain, **changed):
    """The same findings, if the scores are right and half of the positives are missed."""
    readings = replace(
        found.readings, missed=FlipRates(0.0, 0.5), scores_right=reading(gain), **changed
    )
    return found._replace(readings=readings)


def test_right_scores_stop_a_deployment():
    """By labels alone and with checks; not if they would not be harmed."""
    alone = recommend(with_third(findings(GOOD, GOOD), BAD))
    assert (alone.action, alone.calibrator, alone.second_opinions) == ("audit", "identity", None)
    assert "labels of 50% of the positives are wrong, it rises by 10%" in alone.reason
    assert recommend(with_third(findings(GOOD, GOOD), SLIGHT_HARM)).action == "deploy"
    checked = {"evidence": "checked labels", "checks": Checks(40.0, wrong=3.0), "method": "audited"}
    audited = findings(GOOD, GOOD, **checked)
    assert recommend(audited).action == "deploy"
    more = recommend(with_third(audited, BAD))
    assert (more.action, more.checks, more.calibrator) == ("audit", 40, "identity")
    kept = recommend(with_third(audited, BAD, scores_are_better=True))
    assert (kept.action, kept.calibrator) == ("keep raw", "identity")


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        ((0.01, -0.12, 0.14), "it may rise by 12%."),
        ((-0.03, -0.06, 0.01), "it may rise by 6.0%."),
        ((0.0, -20.0, 0.3), "it may rise more than tenfold."),
    ],
)
def test_right_scores_are_never_said_to_gain(gain, words):
    """No map is better than right scores; what chance in the labels shows is no gain."""
    reason = recommend(with_third(findings(GOOD, GOOD), gain)).reason
    assert f"labels of 50% of the positives are wrong, {words}" in reason


def test_until_labels_are_checked_right_scores_stay():
    """Auto would be used otherwise."""
    found = findings(UNSURE, GOOD)
    assert recommend(found).calibrator == "auto"
    assert recommend(with_third(found, BAD)).calibrator == "identity"


@pytest.mark.parametrize(
    ("gain", "action"), [((-0.1, -0.3, 0.1), "audit"), (BAD, "keep raw"), (GOOD, "deploy")]
)
def test_checked_rows_that_lose_stop_a_deployment(gain, action):
    """They are the only rows whose truth is known, and the calibrator was fitted to them."""
    checked = {"evidence": "checked labels", "checks": Checks(40.0, wrong=3.0), "method": "audited"}
    found = findings(GOOD, GOOD, **checked)
    readings = replace(found.readings, on_checked=Estimate(*gain))
    advised = recommend(found._replace(readings=readings))
    assert advised.action == action
    assert ("on the checked rows themselves, it rises" in advised.reason) == (action != "deploy")
