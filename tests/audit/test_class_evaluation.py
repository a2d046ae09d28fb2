"""Calibrators of several classes, evaluated on checked rows."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.audit import AuditedClassEvaluation, evaluate_audited
from lwcal.errors import InputError, ParameterError
from tests.multiclass.simulated import even_noise, noisy_rows


def sample(seed, n=600, checks=60, power=2):
    """Overconfident scores, truths, labels, checked labels, and chances that grow with doubt."""
    scores, true, labels = noisy_rows(n, even_noise(3, 0.15), seed)
    rng = np.random.default_rng([seed, 1])
    chances = 0.5 + (1.0 - scores.max(axis=1))
    chances *= checks / chances.sum()
    checked = np.where(rng.random(n) < chances, true, np.nan)
    sharp = scores**power
    return sharp / sharp.sum(axis=1, keepdims=True), true, labels, checked, chances


def test_intervals_hold_the_true_losses():
    """14 samples, rows checked with unequal chances, level 90%: of 42 intervals, 36 or more.

    Measured: 40.
    """
    inside = []
    for seed in range(14):
        scores, true, labels, checked, chances = sample(seed)
        found = evaluate_audited(
            lwcal.Identity().fit(scores, labels), scores, labels, checked, chances
        )
        rows = np.arange(len(true))
        brier = ((scores - np.eye(3)[true]) ** 2).sum(axis=1).mean()
        truth = {
            "nll": -np.log(scores[rows, true]).mean(),
            "brier": brier,
            "accuracy": (scores.argmax(axis=1) == true).mean(),
        }
        for name, value in truth.items():
            one = getattr(found.raw, name)
            inside.append(one.low <= value <= one.high)
    assert sum(inside) >= 36


def test_labels_as_they_are_mislead_and_checked_rows_do_not():
    """By the labels, the raw scores look far worse than they are."""
    scores, _, labels, checked, chances = sample(3, n=2000, checks=200)
    found = evaluate_audited(lwcal.Identity().fit(scores, labels), scores, labels, checked, chances)
    labelled = -np.log(scores[np.arange(2000), labels]).mean()
    assert labelled > found.raw.nll.high
    assert found.raw == found.calibrated
    assert found.nll_less_raw.value == found.brier_less_raw.value == 0.0
    assert not found.cross_fitted
    assert isinstance(found, AuditedClassEvaluation)
    json.dumps(found.to_dict())


def test_what_learns_from_checked_rows_is_refitted_without_them():
    """Its gain is that on rows it has not seen; and names of columns tell their order."""
    scores, _, labels, checked, chances = sample(0, n=1500, checks=120, power=4)
    names = np.array(["cat", "dog", "bird"])
    truths = np.full(1500, None, dtype=object)
    truths[~np.isnan(checked)] = names[checked[~np.isnan(checked)].astype(int)]
    given = (names[labels], truths, chances)
    audited = lwcal.Audited().fit(
        scores, given[0], y_audited=truths, audit_probability=chances, classes=names
    )
    found = evaluate_audited(audited, scores, *given)
    assert found.cross_fitted
    assert found.brier_less_raw.high < 0.0
    assert found.checked == (~np.isnan(checked)).sum()
    frame = pd.DataFrame(scores, columns=[f"p_{name}" for name in names])
    turned = evaluate_audited(audited, frame[["p_dog", "p_bird", "p_cat"]], *given)
    assert turned.calibrated.nll == pytest.approx(found.calibrated.nll, abs=1e-8)
    assert turned.raw.brier == pytest.approx(found.raw.brier, abs=1e-8)


def test_what_cannot_be_evaluated_is_refused():
    """Few checks, two classes, and what one column has."""
    scores, _, labels, checked, _ = sample(0)
    fitted = lwcal.Identity().fit(scores, labels)
    few = np.where(np.cumsum(~np.isnan(checked)) < 10, checked, np.nan)
    with pytest.raises(InputError, match="at least 10 checked labels in y_audited, got 9"):
        evaluate_audited(fitted, scores, labels, few)
    with pytest.raises(ParameterError, match="pos_label"):
        evaluate_audited(fitted, scores, labels, checked, pos_label=1)
    with pytest.raises(ParameterError, match="scale='percent'"):
        evaluate_audited(fitted, scores, labels, checked, scale="percent")
    two = np.column_stack([1.0 - scores[:, 0], scores[:, 0]])
    both = lwcal.Identity().fit(two, labels == 0)
    with pytest.raises(InputError, match="the column of the positive class"):
        evaluate_audited(both, two, labels == 0, checked)
    with pytest.raises(InputError, match="one column"):
        evaluate_audited(lwcal.Platt().fit(scores[:, 0], labels == 0), scores, labels, checked)
