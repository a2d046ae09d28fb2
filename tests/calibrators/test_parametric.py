"""Platt, beta and trimming against other libraries and by hand."""

import numpy as np
import pytest
from betacal import BetaCalibration
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal.calibrators.trimmed import trim
from tests import reference

GRID = np.linspace(0.001, 0.999, 200)


def clean_rows(seed, n=2_000):
    """Overconfident scores with labels drawn from the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.beta(1.2, 1.5, n)
    logit = np.log(truth / (1 - truth))
    return 1 / (1 + np.exp(-2 * logit - 0.3)), (rng.random(n) < truth).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_platt_on_scores_is_scikit_learns(seed):
    """Same smoothed targets, same line, as CalibratedClassifierCV(method="sigmoid")."""
    scores, labels = clean_rows(seed)

    class Score(LogisticRegression):
        """A model whose decision value is its only feature."""

        def decision_function(self, X):
            """Return the score itself."""
            return X[:, 0]

    base = Score().fit(scores[:, None], labels)
    from sklearn.frozen import FrozenEstimator

    theirs = CalibratedClassifierCV(FrozenEstimator(base), method="sigmoid", ensemble=False)
    theirs.fit(scores[:, None], labels)
    ours = lwcal.Platt(space="score").fit(scores, labels)
    expected = theirs.predict_proba(GRID[:, None])[:, 1]
    np.testing.assert_allclose(ours.predict(GRID), expected, atol=2e-5)


def test_platt_on_logits_is_a_line_on_the_logits():
    """Against scikit-learn's logistic regression of the labels on the logits, unpenalised."""
    scores, labels = clean_rows(1, n=50_000)
    logit = np.log(scores / (1 - scores))[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(logit, labels)
    found = lwcal.Platt().fit(scores, labels).diagnostics_
    # the smoothed targets differ from the labels by about one row in n
    assert found["slope"] == pytest.approx(model.coef_[0, 0], abs=1e-3)
    assert found["intercept"] == pytest.approx(model.intercept_[0], abs=1e-3)


@pytest.mark.parametrize("seed", range(3))
def test_beta_is_betacals(seed):
    """Same three parameters as the authors' package."""
    scores, labels = clean_rows(seed)
    expected = BetaCalibration("abm").fit(scores[:, None], labels).predict(GRID)
    np.testing.assert_allclose(lwcal.Beta().fit(scores, labels).predict(GRID), expected, atol=1e-4)


def test_slopes_are_not_negative():
    """Scores that rank backwards give a constant, the base rate."""
    rng = np.random.default_rng(0)
    scores = rng.random(500)
    labels = (rng.random(500) > scores).astype(int)
    for calibrator in (lwcal.Platt(), lwcal.Platt(space="score"), lwcal.Beta()):
        values = calibrator.fit(scores, labels).predict(GRID)
        np.testing.assert_allclose(values, labels.mean(), atol=2e-3)


def test_beta_fixes_one_slope_at_zero_when_only_one_would_be_negative():
    """The constrained optimum, checked against a fit without that feature."""
    rng = np.random.default_rng(3)
    scores = rng.random(4_000)
    labels = (rng.random(4_000) < np.where(scores > 0.5, 0.6, scores)).astype(int)
    found = lwcal.Beta().fit(scores, labels).diagnostics_
    assert found["b"] == 0.0
    feature = np.log(scores)[:, None]
    model = LogisticRegression(C=np.inf, tol=1e-10).fit(feature, labels)
    assert found["a"] == pytest.approx(model.coef_[0, 0], rel=1e-4)


@pytest.mark.parametrize("calibrator", [lwcal.Platt(), lwcal.Platt(space="score"), lwcal.Beta()])
def test_separable_labels_stay_finite(calibrator):
    """Perfect scores give a steep, finite map."""
    scores = np.array([0.1, 0.2, 0.499999, 0.500001, 0.8, 0.9])
    calibrator.fit(scores, [0, 0, 0, 1, 1, 1])
    assert np.isfinite(list(calibrator.diagnostics_.values())).all()
    low, high = calibrator.predict([0.1, 0.9])
    assert low < 0.2
    assert high > 0.8


def test_trimming_drops_the_highest_losses():
    """The rows kept are those a quantile over the rows keeps."""
    rng = np.random.default_rng(4)
    scores = rng.random(1_000)
    labels = rng.integers(0, 2, 1_000)
    kept = trim(lwcal.ScoreTable.from_arrays(scores, labels), 0.8)
    loss = reference.losses(scores, labels)
    best = np.argsort(loss)[:800]
    expected = lwcal.ScoreTable.from_arrays(scores[best], labels[best])
    np.testing.assert_array_equal(kept.scores, expected.scores)
    np.testing.assert_array_equal(kept.positives, expected.positives)


def test_trimmed_calibrators_are_the_plain_ones_on_the_rows_kept(noisy_rows):
    """Trim, then fit."""
    table = lwcal.ScoreTable.from_arrays(*noisy_rows)
    for trimmed, plain in (
        (lwcal.TrimmedIsotonic(keep=0.7), lwcal.Isotonic()),
        (lwcal.TrimmedBeta(keep=0.7), lwcal.Beta()),
    ):
        expected = plain.fit_table(trim(table, 0.7)).predict(GRID)
        np.testing.assert_array_equal(trimmed.fit_table(table).predict(GRID), expected)
        assert trimmed.diagnostics_["kept"] == pytest.approx(0.7, abs=0.002)


def test_keeping_everything_trims_nothing(noisy_rows):
    """keep=1 is the untrimmed calibrator."""
    a = lwcal.TrimmedIsotonic(keep=1.0).fit(*noisy_rows).predict(GRID)
    np.testing.assert_array_equal(a, lwcal.Isotonic().fit(*noisy_rows).predict(GRID))


def test_trimming_never_removes_a_class():
    """When only one class would be left, nothing is trimmed."""
    calibrator = lwcal.TrimmedBeta(keep=0.5).fit([0.1, 0.1, 0.1, 0.2], [0, 0, 0, 1])
    assert calibrator.diagnostics_["kept"] == 1.0


@pytest.mark.parametrize(
    ("calibrator", "expected"),
    [
        (lwcal.Platt(space="probit"), "space to be one of 'logit', 'score', got 'probit'"),
        (lwcal.TrimmedBeta(keep=0.0), "keep to be a number above 0, up to 1, got 0.0"),
    ],
)
def test_bad_parameters_are_refused(calibrator, expected):
    """With the allowed values in the message."""
    with pytest.raises(ValueError, match=expected):
        calibrator.fit([0.2, 0.8], [0, 1])


@pytest.mark.parametrize("keep", [0.5, 0.8, 0.83, 0.9, 1.0])
@pytest.mark.parametrize("decimals", [1, 2, 15])
def test_trimming_keeps_as_many_rows_as_a_plain_numpy_version(keep, decimals):
    """Also on ties: rows of one score and label stay or go together."""
    rng = np.random.default_rng(decimals)
    scores = rng.uniform(0.01, 0.99, 400).round(decimals)
    y = (rng.random(400) < scores).astype(int)
    losses = -np.log(np.clip(np.where(y == 1, scores, 1 - scores), 2.0**-40, 1 - 2.0**-40))
    limit = np.quantile(losses, keep, method="inverted_cdf")
    expected = np.sum(losses <= limit)
    for method in (lwcal.TrimmedIsotonic, lwcal.TrimmedBeta):
        kept = method(keep=keep).fit(scores, y).diagnostics_["kept"]
        assert round(kept * 400) == expected
