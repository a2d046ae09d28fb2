"""The noise-corrected scorer works in scikit-learn's cross-validation and search."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.svm import LinearSVC

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.metrics import corrected_evaluate, corrected_scorer
from lwcal.noise import FlipRates, RatePosterior, flip_labels

RATES = FlipRates(0.1, 0.3)
CLEAN = {"brier": "neg_brier_score", "nll": "neg_log_loss", "auc": "roc_auc"}
METRICS = ("brier", "nll", "auc", "ece")
every_metric = pytest.mark.parametrize("metric", METRICS)


@pytest.fixture(scope="module")
def rows():
    """Return features, true labels and noisy labels."""
    X, y = make_classification(6000, n_informative=4, flip_y=0.2, random_state=0)
    rates = {"negative_rate": RATES.negative, "positive_rate": RATES.positive}
    noisy = flip_labels(y, kind="asymmetric", **rates, random_state=0).labels
    return X, y, noisy


@pytest.fixture(scope="module")
def model(rows):
    """Return a model of the first third."""
    X, y, _ = rows
    return LogisticRegression().fit(X[:2000], y[:2000])


@every_metric
def test_the_score_is_the_corrected_metric(metric, rows, model):
    """Losses are negated, so that greater is better."""
    X, _, noisy = rows
    weights = np.linspace(0.5, 1.5, len(noisy))
    scorer = corrected_scorer(metric, noise_rates=RATES)
    sign = 1.0 if metric == "auc" else -1.0
    columns = noisy, model.predict_proba(X)[:, 1]
    options = {"noise_rates": RATES, "which": [metric], "n_resamples": 1}
    plain = corrected_evaluate(*columns, **options)[metric]
    assert scorer(model, X, noisy) == sign * plain.value
    weighted = corrected_evaluate(*columns, **options, sample_weight=weights)[metric]
    assert scorer(model, X, noisy, sample_weight=weights) == sign * weighted.value
    assert weighted.value != plain.value


@pytest.mark.parametrize("metric", CLEAN)
def test_cross_validation_estimates_the_score_against_true_labels(metric, rows, model):
    """Much closer than the score against noisy labels."""
    X, y, noisy = rows
    frozen = FrozenEstimator(model)
    scorer = corrected_scorer(metric, noise_rates=RATES)
    corrected = cross_val_score(frozen, X[2000:], noisy[2000:], cv=3, scoring=scorer).mean()
    true, naive = (get_scorer(CLEAN[metric])(model, X[2000:], with_[2000:]) for with_ in (y, noisy))
    assert abs(corrected - true) < abs(naive - true) / 4


def test_several_scorers_at_once(rows):
    """cross_validate takes a dictionary of them, and processes get them by pickle."""
    X, _, noisy = rows
    scoring = {name: corrected_scorer(name, noise_rates=RATES) for name in METRICS}
    copies = pickle.loads(pickle.dumps(scoring))
    found, again = (
        cross_validate(LogisticRegression(), X, noisy, cv=2, scoring=given)
        for given in (scoring, copies)
    )
    for name in METRICS:
        assert np.isfinite(found[f"test_{name}"]).all()
        np.testing.assert_array_equal(found[f"test_{name}"], again[f"test_{name}"])


def test_search_prefers_what_is_right_by_true_labels(rows, model):
    """By noisy labels Identity loses against a calibrator that repeats their noise."""
    X, _, noisy = rows
    classifier = lwcal.CalibratedClassifier(FrozenEstimator(model), lwcal.Identity())
    grid = {"calibrator": [lwcal.Identity(), lwcal.Platt()]}
    best = {
        name: GridSearchCV(classifier, grid, cv=2, scoring=scoring, error_score="raise")
        .fit(X[2000:], noisy[2000:])
        .best_params_["calibrator"]
        for name, scoring in {
            "naive": "neg_brier_score",
            "corrected": corrected_scorer("brier", noise_rates=RATES),
        }.items()
    }
    assert isinstance(best["naive"], lwcal.Platt)
    assert isinstance(best["corrected"], lwcal.Identity)


def test_weights_are_routed(rows):
    """The scorer gets weights that it requests."""
    X, _, noisy = rows
    weights = np.where(np.arange(len(noisy)) % 2, 1.0, 3.0)
    folds = [(np.arange(3000), np.arange(3000, 6000))]
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        scorer = corrected_scorer("brier", noise_rates=RATES).set_score_request(sample_weight=True)
        params = {"sample_weight": weights}
        (score,) = cross_val_score(model, X, noisy, cv=folds, scoring=scorer, params=params)
    fitted = LogisticRegression().fit(X[:3000], noisy[:3000])
    plain = corrected_scorer("brier", noise_rates=RATES)
    held_out = X[3000:], noisy[3000:]
    assert score == plain(fitted, *held_out, sample_weight=weights[3000:])
    assert score != plain(fitted, *held_out)


def test_rates_may_be_uncertain(rows, model):
    """The score then uses their expected value."""
    X, _, noisy = rows
    posterior = RatePosterior([[0.05, 0.25], [0.15, 0.35]], [0.5, 0.5])
    uncertain, known = (
        corrected_scorer("nll", noise_rates=rates)(model, X, noisy) for rates in (posterior, RATES)
    )
    assert uncertain == pytest.approx(known)


@pytest.mark.parametrize("positive", ["ham", "spam"])
def test_texts_need_the_positive_class(rows, positive):
    """Without it the order of the alphabet would decide whose flip rate is whose."""
    X, _, noisy = rows
    names = np.array(["spam", "ham"] if positive == "ham" else ["ham", "spam"])
    labels = names[noisy]
    model = LogisticRegression().fit(X, labels)
    scorer = corrected_scorer("brier", noise_rates=RATES, pos_label=positive)
    coded = corrected_scorer("brier", noise_rates=RATES)
    expected = coded(LogisticRegression().fit(X, noisy), X, noisy)
    assert scorer(model, X, labels) == pytest.approx(expected)
    with pytest.raises(ParameterError, match="pos_label"):
        coded(model, X, labels)


def test_bad_parameters_are_refused_at_once():
    """Not only in the first fold."""
    with pytest.raises(ParameterError, match=r"metric.*'f1'"):
        corrected_scorer("f1", noise_rates=RATES)
    with pytest.raises(ParameterError, match=r"0\.6"):
        corrected_scorer("brier", noise_rates=(0.6, 0.6))


def test_other_models_are_refused():
    """The scorer needs probabilities of two classes."""
    X, y = load_iris(return_X_y=True)
    scorer = corrected_scorer("brier", noise_rates=RATES)
    with pytest.raises(AttributeError, match="predict_proba"):
        scorer(LinearSVC().fit(X, y), X, y)
    with pytest.raises(InputError):
        scorer(LogisticRegression(max_iter=1000).fit(X, y), X, y)
