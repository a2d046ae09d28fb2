"""Metrics of several classes: against scikit-learn, by hand, and with weights."""

from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import accuracy_score, log_loss

import lwcal
from lwcal import metrics
from lwcal.errors import InputError
from tests.multiclass.test_joint_fit import rows_of

OPTIONS = {"classes": range(4)}


def test_log_loss_is_scikit_learns():
    """With weights too."""
    p, y = rows_of(500)
    p = np.clip(p, 1e-5, None)
    p /= p.sum(axis=1, keepdims=True)
    w = np.random.default_rng(0).random(500)
    expected = log_loss(y, p, sample_weight=w)
    assert metrics.class_nll(y, p, sample_weight=w) == pytest.approx(expected, rel=1e-9)


def test_brier_by_hand():
    """The squared distance to the label's corner; twice that of one class if there are two."""
    p, y = rows_of(500)
    expected = ((p - np.eye(4)[y]) ** 2).sum(axis=1).mean()
    assert metrics.class_brier(y, p) == pytest.approx(expected)
    p, y = rows_of(500, n_classes=2)
    assert metrics.class_brier(y, p) == pytest.approx(2 * metrics.brier(y, p[:, 1]))


def test_evaluate_gives_the_same_values():
    """Each value is that of the function, or of its table."""
    p, y = rows_of(500)
    found = metrics.class_evaluate(y, p)
    top = metrics.top_label(y, p)
    each = [metrics.ece(metrics.one_class(y, p, k)) for k in range(4)]
    assert found == pytest.approx(
        {
            "nll": metrics.class_nll(y, p),
            "brier": metrics.class_brier(y, p),
            "accuracy": accuracy_score(y, p.argmax(axis=1)),
            "top_label_ece": metrics.ece(top),
            "top_label_adaptive_ece": metrics.adaptive_ece(top),
            "top_label_smooth_ece": metrics.smooth_ece(top),
            "mean_class_ece": np.mean(each),
        }
    )


def test_top_label_by_hand():
    """The table holds the highest probability, and whether that class is right."""
    p, y = rows_of(200)
    expected = lwcal.ScoreTable.from_arrays(p.max(axis=1), y == p.argmax(axis=1))
    assert metrics.ece(metrics.top_label(y, p)) == pytest.approx(metrics.ece(expected))


@pytest.mark.parametrize("table_of", [metrics.top_label, partial(metrics.one_class, label=2)])
def test_tables_take_every_calibration_metric(table_of):
    """Errors in bins of equal width and weight, the smooth one, and both curves."""
    p, y = rows_of(500)
    table = table_of(y, p)
    if table_of is metrics.top_label:
        right, score = y == p.argmax(axis=1), p.max(axis=1)
    else:
        right, score = y == 2, p[:, 2]
    for metric in (metrics.ece, metrics.adaptive_ece, metrics.smooth_ece):
        assert metric(table) == pytest.approx(metric(right, score))
    for strategy in ("uniform", "quantile"):
        curve = metrics.reliability_curve(table, strategy=strategy)
        assert curve.weight.sum() == 500
        assert curve.observed @ curve.weight == pytest.approx(right.sum())
    drawn = lwcal.plots.ReliabilityDisplay.from_predictions(table, ax=Figure().add_subplot())
    assert len(drawn.line_.get_xdata()) > 5


def test_weights_are_frequencies():
    """A row of weight 2 counts twice."""
    p, y = rows_of(60)
    w = np.random.default_rng(1).integers(1, 4, 60)
    weighted = metrics.class_evaluate(y, p, sample_weight=w, **OPTIONS)
    repeated = metrics.class_evaluate(np.repeat(y, w), np.repeat(p, w, axis=0), **OPTIONS)
    assert weighted == pytest.approx(repeated)


def test_a_scaling_improves_calibration():
    """Overconfident rows that it has not seen."""
    p, y = rows_of(4000)
    fitted = lwcal.Temperature().fit(p[:2000], y[:2000])
    before = metrics.class_evaluate(y[2000:], p[2000:])
    after = metrics.class_evaluate(y[2000:], fitted.predict(p[2000:]))
    for name in ("nll", "brier", "top_label_ece", "mean_class_ece"):
        assert after[name] < before[name]
    assert after["accuracy"] == before["accuracy"]


def test_refused():
    """An unknown class, and columns of different length."""
    p, y = rows_of(50)
    with pytest.raises(InputError, match="9 is not among the classes"):
        metrics.one_class(y, p, 9, **OPTIONS)
    with pytest.raises(InputError, match="50 scores but 49 labels"):
        metrics.class_nll(y[1:], p)
