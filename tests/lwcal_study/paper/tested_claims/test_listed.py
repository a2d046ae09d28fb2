"""Claims: decided by their parts, which follow the numbers in both directions."""

import re

import numpy as np
import pytest

from lwcal_study.paper.tested_claims import gating, listed, main_result, noise, protocol, stability
from lwcal_study.paper.tested_claims.listed import CLAIMS, UNTESTED
from lwcal_study.paper.tested_claims.parts import Part, outcome_of


def held(parts):
    """Whether each part holds."""
    return [part.holds for part in parts]


def with_values(frame, metric, values):
    """The frame with one metric set by method, or left as it is."""
    known = frame["method"].map(values)
    return frame.assign(**{metric: known.where(known.notna(), frame[metric])})


def test_claims_are_decided_by_their_parts(analysis):
    """All, some or none; every part has numbers behind it."""
    yes, no = Part("a", True, "1"), Part("b", False, "0")
    assert outcome_of([yes, yes]) == "holds"
    assert outcome_of([yes, no]) == "holds in part"
    assert outcome_of([no]) == "does not hold"
    tested = analysis.claims
    assert len(tested) == len(CLAIMS)
    for claim in tested:
        assert claim.parts, claim.text
        assert claim.outcome == outcome_of(claim.parts)
        assert all(re.search(r"\d", part.measured) for part in claim.parts), claim.text
    assert len({claim.text for claim in tested}) == len(tested)
    assert not set(UNTESTED) & {claim.text for claim in tested}


def test_a_claim_follows_the_numbers(results, monkeypatch):
    """Exchange two methods and the outcome turns."""
    monkeypatch.setattr(listed, "CLAIMS", CLAIMS[:1])
    frame = results.main_results.copy()
    frame["ece"] = np.where(frame["method"] == "LWCal", 0.01, 0.2)
    (first,) = listed.tested_claims(results._replace(main_results=frame))
    assert first.outcome == "holds"
    frame["ece"] = np.where(frame["method"] == "Raw", 0.001, frame["ece"])
    (first,) = listed.tested_claims(results._replace(main_results=frame))
    assert first.outcome == "does not hold"


def test_intervals_are_decided_by_data_sets(results):
    """A gain on one data set only: the cells are sure of it, the data sets are not."""
    frame = results.main_results.copy()
    ours = (frame["method"] == "Gated-LWCal") & (frame["dataset"] == "Digits High")
    for metric in ("ece", "brier", "nll"):
        frame[metric] = np.where(ours, 0.0, 0.2)
    parts = main_result.intervals(results._replace(main_results=frame))
    assert held(parts) == [False] * 12
    by_cell = [part.measured.partition("by cell")[2] for part in parts]
    assert all(re.match(r" \[-0\.\d+, -0\.\d+\]", text) for text in by_cell)


def test_platt_that_helps_by_ece_is_noticed(results):
    """Its log loss alone would not show it."""
    frame = with_values(results.main_results, "ece", {"Platt": 0.1, "Raw": 0.2, "Beta": 0.3})
    frame = with_values(frame, "nll", {"Platt": 0.5, "Raw": 0.4, "Beta": 0.6})
    frame = with_values(frame, "brier", {"Platt": 0.2, "Raw": 0.1, "Beta": 0.2})
    parts = main_result.platt_and_beta_do_not_help(results._replace(main_results=frame))
    assert held(parts) == [False, True, True, True, True, True]


def test_below_the_oracle_means_lower(results):
    """A method that is worse than clean labels is not below them."""
    frame = results.main_results.assign(brier=0.3, nll=0.3)
    oracle = results.oracle_results.assign(brier=0.1, nll=0.4)
    found = results._replace(main_results=frame, oracle_results=oracle)
    assert held(main_result.below_the_oracle(found)) == [False, True]


@pytest.mark.parametrize(("observed", "expected"), [(0.3, True), (0.05, False)])
def test_overconfidence_has_a_direction(results, observed, expected):
    """Scores of 0.1 are overconfident where 30% are positive, and not where 5% are."""
    bins = results.reliability.assign(rows=100, probability=10.0, positives=100 * observed)
    (part,) = gating.raw_is_overconfident(results._replace(reliability=bins))
    assert part.holds == expected


def test_the_gate_has_a_direction(results):
    """Log loss that falls with the centre is smooth, but in the wrong direction."""
    frame = results.gate_results
    center = frame["method"].str.partition(" / ")[0].astype(float)
    wrong = frame.assign(nll=1 - center / 20, ece=0.5 - center / 20)
    found = results._replace(gate_results=wrong)
    assert held(gating.gate_is_smooth(found)) == [True, True, True]
    assert held(gating.gate_direction(found)) == [False, True] * 3


def test_a_step_of_the_gate_that_is_large_is_not_smooth(results):
    """One brittle gate among twelve."""
    frame = results.gate_results
    brittle = np.where(frame["method"] == "0.29 / 0.12", 0.9, 0.4)
    parts = gating.gate_is_smooth(results._replace(gate_results=frame.assign(nll=brittle)))
    assert held(parts)[1:] == [False, False]


def test_failing_data_sets_are_named(results):
    """Eight of nine improve, but the one that does not is not a stress case of the paper."""
    frame = with_values(results.main_results, "ece", {"LWCal": 0.1, "Raw": 0.2})
    worse = (frame["dataset"] == "Digits Even") & (frame["method"] == "LWCal")
    frame["ece"] = np.where(worse, 0.3, frame["ece"])
    parts = stability.datasets(results._replace(main_results=frame))
    assert held(parts)[:2] == [True, False]
    assert "Digits Even" in parts[1].measured


def test_soft_weights_are_compared_on_every_metric(results):
    """Equal values are not better."""
    frame = results.main_results.assign(ece=0.1, brier=0.1, nll=0.1)
    trims = results.trimming_results.assign(ece=0.2, brier=0.1, nll=0.05)
    found = results._replace(main_results=frame, trimming_results=trims)
    parts = stability.soft_beats_hard(found)
    assert held(parts) == [True, False, False] * 6


def test_asymmetric_noise_is_compared_by_method_and_metric(results):
    """Four methods, two metrics."""
    frame = results.main_results
    frame = frame.assign(ece=np.where(frame["kind"] == "asymmetric", 0.2, 0.1), nll=0.3)
    parts = noise.asymmetric_is_harder(results._replace(main_results=frame))
    assert held(parts) == [True, False] * 4


def test_the_alarm_is_counted_by_kind(results):
    """It fires under one kind of noise, and is silent under the other."""
    scalars = results.scalars
    d = np.where(scalars["kind"] == "symmetric", 0.5, 0.2)
    parts = protocol.alarm_fires(results._replace(scalars=scalars.assign(d=d)))
    assert held(parts) == [True, False]
    assert parts[1].measured == "in 0 of 9"


def test_the_committed_claims_are_what_they_are(committed):
    """The findings that the documentation rests on, from the committed cells."""
    claims = {claim.text: claim for claim in committed.claims}
    overconfident = claims["The raw curve is overconfident in several bins."]
    assert overconfident.outcome == "does not hold"
    oracle = claims["Gated-LWCal remains below the oracle on proper scores."]
    assert oracle.outcome == "does not hold"
    alarm = claims["A large d is an alarm that fires at extreme noise."]
    assert [part.measured for part in alarm.failed] == ["in 3 of 54"]
    main = next(claim for claim in claims.values() if "no paired interval" in claim.text)
    assert {part.text.rpartition(" ")[2] for part in main.failed} == {"Isotonic", "Beta"}
