"""Evaluation on checked labels: unbiased for any model, and never on the rows of the fit."""

import json

import numpy as np
import pytest
from benchmarks.simulated_audits import draw_audit

import lwcal
from lwcal.audit import evaluate_audited, plan_audit
from lwcal.audit.difference_estimator import HeldOutRows, brier_loss, mean_loss
from lwcal.errors import InputError
from lwcal.metrics import brier, nll
from lwcal.noise.checked.checked_rows import split_checked
from lwcal.noise.checked.posterior import infer_audited
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.rows import as_checked_labels
from lwcal.table import ScoreTable


def test_the_estimate_is_unbiased_even_if_the_model_is_wrong():
    """The model inverts every label, and the mean over 400 plans is still right.

    It lies within four standard errors. Every plan picks from the same rows.
    """
    audit = draw_audit(1, n=600)
    everything = ScoreTable.from_arrays(audit.scores, audit.noisy)
    labels = as_checked_labels(audit.noisy, np.where(np.arange(600) < 60, ~audit.noisy, np.nan))
    table, checked = split_checked(audit.scores, labels)
    opposite = infer_audited(pool_by_logit(table), checked, hypotheses())
    true = brier(audit.truth, audit.scores)
    columns = audit.scores, audit.noisy.astype(np.uint8), audit.truth.astype(np.uint8)
    whole = HeldOutRows.from_posterior(opposite, everything, *columns, np.ones(600))
    loss = brier_loss(lambda scores: scores)
    found = []
    for seed in range(400):
        rows = plan_audit(audit.scores, audit.noisy, 40, random_state=seed).rows
        part = HeldOutRows(whole.everywhere, *(column[rows] for column in whole[1:]))
        found.append(mean_loss([part], [loss], everything, 0.9).value)
    assert np.mean(found) == pytest.approx(true, abs=4 * np.std(found) / 20)


def test_intervals_contain_the_truth_about_as_often_as_they_claim():
    """Brier score and log loss of the raw score and of Platt's map, over 60 audits."""
    held = []
    for seed in range(60):
        audit = draw_audit(seed, n=1500, budget=80)
        platt = lwcal.Platt().fit(audit.scores, audit.noisy)
        found = evaluate_audited(platt, audit.scores, audit.noisy, audit.audited, audit.probability)
        p = platt.predict(audit.scores)
        truths = [
            (found.raw.brier, brier(audit.truth, audit.scores)),
            (found.raw.nll, nll(audit.truth, audit.scores)),
            (found.calibrated.brier, brier(audit.truth, p)),
            (found.nll_less_raw, nll(audit.truth, p) - nll(audit.truth, audit.scores)),
        ]
        held.append([interval.low <= truth <= interval.high for interval, truth in truths])
        assert not found.cross_fitted
    assert np.mean(held) == pytest.approx(0.92, abs=0.06)


def test_an_audited_calibrator_is_not_evaluated_on_the_rows_of_its_fit():
    """With random true labels, its own rows would make it look better than it is."""
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    truth, labels = rng.random((2, 400)) < 0.5
    checked = np.where(np.arange(400) < 20, truth, np.nan)
    fitted = lwcal.Audited().fit(scores, labels, y_audited=checked)
    found = evaluate_audited(fitted, scores, labels, checked)
    assert found.cross_fitted
    own = nll(truth[:20], fitted.predict(scores[:20]))
    assert found.calibrated.nll.value > own


def test_a_model_makes_the_interval_narrower_than_the_checked_rows_alone():
    """With few wrong labels, most of the loss is known before a row is checked."""
    audit = draw_audit(0, n=3000, budget=100)
    rng = np.random.default_rng(0)
    noisy = audit.truth ^ (rng.random(3000) < 0.03)
    platt = lwcal.Platt().fit(audit.scores, noisy)
    interval = evaluate_audited(platt, audit.scores, noisy, audit.audited).raw.brier
    checked = ~np.isnan(audit.audited)
    alone = (audit.scores[checked] - audit.truth[checked]) ** 2
    assert interval.high - interval.low < 0.6 * 2 * 1.66 * alone.std() / 10


def test_unequal_probabilities_of_being_checked_are_corrected():
    """Low scores are checked ten times as often, and the estimate is still that of all rows."""
    rng = np.random.default_rng(3)
    audit = draw_audit(5, n=5000)
    chance = np.where(audit.scores < 0.5, 0.2, 0.02)
    checked = np.where(rng.random(5000) < chance, audit.truth, np.nan)
    identity = lwcal.Identity().fit(audit.scores, audit.noisy)
    found = evaluate_audited(identity, audit.scores, audit.noisy, checked, chance)
    assert found.raw.brier.low < brier(audit.truth, audit.scores) < found.raw.brier.high


def test_everything_is_json():
    """Curves contain only bins with rows."""
    audit = draw_audit(2)
    fitted = lwcal.Audited().fit(audit.scores, audit.noisy, y_audited=audit.audited)
    found = evaluate_audited(fitted, audit.scores, audit.noisy, audit.audited)
    document = json.loads(json.dumps(found.to_dict()))
    assert document["calibrated"]["nll"]["value"] == found.calibrated.nll.value
    curve = document["raw"]["curve"]
    assert len(curve["score"]) == len(curve["value"]) <= 15
    table = pool_by_logit(ScoreTable.from_arrays(audit.scores, audit.noisy))
    assert min(curve["score"]) >= table.scores.min()


def test_few_checked_rows_are_refused():
    """Nine are not enough."""
    audit = draw_audit(2, budget=9)
    platt = lwcal.Platt().fit(audit.scores, audit.noisy)
    with pytest.raises(InputError, match=r"at least 10 .* 9"):
        evaluate_audited(platt, audit.scores, audit.noisy, audit.audited)
