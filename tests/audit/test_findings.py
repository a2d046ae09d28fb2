"""What an audit has shown: intervals that hold the truth as often as they say."""

import json

import numpy as np
import pytest
from benchmarks.simulated_audits import binned_error, draw_audit

import lwcal
from lwcal.audit import audit_findings
from lwcal.errors import InputError

AUDITS = 240


def test_intervals_hold_the_truth_nine_times_in_ten():
    """0.87 to 0.93, give or take what 240 audits can tell (two standard errors are 0.04).

    ``python -m benchmarks.audit`` tells it more closely.
    """
    held = [_held(draw_audit(seed)) for seed in range(AUDITS)]
    shares = {name: np.mean([one[name] for one in held]) for name in held[0]}
    assert min(shares.values()) >= 0.86, shares
    assert max(shares.values()) <= 0.95, shares


def _held(audit):
    """Whether each interval held the truth."""
    findings = audit_findings(audit.scores, audit.noisy, audit.audited, audit.probability)
    fitted = lwcal.Audited().fit(audit.scores, audit.noisy, y_audited=audit.audited)
    calibrated = fitted.predict(audit.scores)
    truths = {
        "wrong_share": audit.wrong,
        "negative": audit.rates[0],
        "positive": audit.rates[1],
        "ece_raw": binned_error(audit.posterior, audit.scores),
        "ece_calibrated": binned_error(audit.posterior, calibrated),
    }
    return {name: _holds(getattr(findings, name), truth) for name, truth in truths.items()}


def _holds(interval, truth):
    assert interval.low <= interval.value <= interval.high
    return interval.low <= truth <= interval.high


@pytest.mark.parametrize(("checked", "enough"), [(10, False), (400, True)])
def test_it_says_when_to_stop(checked, enough):
    """Not after ten rows, but after four hundred."""
    audit = draw_audit(2, budget=checked)
    findings = audit_findings(audit.scores, audit.noisy, audit.audited)
    assert findings.enough is enough
    assert ("You can stop now" in str(findings)) is enough
    assert findings.checked == checked
    right = audit.audited[~np.isnan(audit.audited)] != audit.noisy[~np.isnan(audit.audited)]
    assert findings.wrong == right.sum()


def test_it_says_to_go_on_while_much_is_open():
    """Thirty rows under heavy noise."""
    rng = np.random.default_rng(0)
    scores = rng.uniform(0.3, 0.7, 500)
    truth = rng.random(500) < 0.5
    labels = truth ^ (rng.random(500) < 0.4)
    findings = audit_findings(scores, labels, np.where(np.arange(500) < 30, truth, np.nan))
    assert not findings.enough
    assert findings.sentence.startswith("Go on:")


def test_everything_is_json():
    """Curve and intervals included."""
    audit = draw_audit(3)
    findings = audit_findings(audit.scores, audit.noisy, audit.audited)
    document = json.loads(json.dumps(findings.to_dict()))
    assert document["wrong_share"]["low"] == findings.wrong_share.low
    assert len(document["curve"]["score"]) == len(document["curve"]["high"]) == 51
    assert document["enough"] is findings.enough


def test_the_curve_follows_the_truth():
    """Its interval holds the clean posterior almost everywhere; it never falls."""
    audit = draw_audit(4, n=4000, budget=300)
    curve = audit_findings(audit.scores, audit.noisy, audit.audited).curve
    assert (np.diff(curve.value) >= 0).all()
    expected = np.interp(curve.score, np.sort(audit.scores), np.sort(audit.posterior))
    inside = (curve.low <= expected) & (expected <= curve.high)
    assert inside[3:-3].mean() > 0.8


def test_without_a_checked_row_there_is_nothing_to_say():
    """One clear line."""
    with pytest.raises(InputError, match="at least one checked label"):
        audit_findings([0.1, 0.9], [0, 1], [np.nan, np.nan])
