"""ReliabilityDisplay draws the numbers it was given, in the manner of scikit-learn's displays."""

import sys

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import lwcal
from lwcal.errors import InputError, MissingExtraError, ParameterError
from lwcal.metrics import corrected_reliability_curve, ece, reliability_curve
from lwcal.plots import ReliabilityDisplay
from lwcal.plots.reliability import COLOURS, REFERENCE, new_axes

BINS = {"n_bins": 10, "strategy": "quantile", "confidence": 0.9}


@pytest.fixture(autouse=True)
def no_windows():
    """Draw without windows, and close the figures."""
    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.fixture
def features(noisy_rows):
    """Return two features, of which the first is the score, and named labels."""
    scores, labels = noisy_rows
    return np.column_stack([scores, 1 - scores]), np.array(["ham", "spam"])[labels]


def test_the_line_is_the_curve(noisy_rows):
    """The legend shows the name and the calibration error."""
    scores, labels = noisy_rows
    display = ReliabilityDisplay.from_predictions(labels, scores, name="raw")
    curve = reliability_curve(labels, scores, **BINS)
    np.testing.assert_array_equal(display.line_.get_xdata(), curve.predicted)
    np.testing.assert_array_equal(display.line_.get_ydata(), curve.observed)
    band = display.band_.get_paths()[0].vertices
    assert {*curve.lower, *curve.upper} <= set(band[:, 1])
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == [REFERENCE, f"raw (ECE {ece(labels, scores):.3f})"]
    assert display.ax_.get_xlabel() == "predicted probability"
    assert display.figure_ is display.ax_.figure is plt.gcf()


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_options_reach_the_curve(noisy_rows, strategy):
    """Bins, confidence, weights and the positive class count."""
    scores, labels = noisy_rows
    options = {"n_bins": 4, "strategy": strategy, "confidence": 0.5, "sample_weight": scores + 1}
    named = np.array(["ham", "spam"])[labels]
    display = ReliabilityDisplay.from_predictions(named, scores, pos_label="spam", **options)
    expected = reliability_curve(labels, scores, **options)
    for column in ("predicted", "observed", "weight", "lower", "upper"):
        np.testing.assert_array_equal(getattr(display.curve, column), getattr(expected, column))
    assert display.error == ece(labels, scores, sample_weight=scores + 1)


def test_noise_rates_correct_the_curve(noisy_rows):
    """With a fifth of the labels wrong, the corrected error is smaller."""
    scores, labels = noisy_rows
    rates = (0.2, 0.2)
    display = ReliabilityDisplay.from_predictions(labels, scores, noise_rates=rates)
    expected = corrected_reliability_curve(labels, scores, noise_rates=rates, **BINS)
    for column in ("predicted", "observed", "weight", "lower", "upper"):
        np.testing.assert_array_equal(getattr(display.curve, column), getattr(expected, column))
    assert display.error < ece(labels, scores) / 2


@pytest.mark.parametrize("rates", [None, (0.2, 0.2)])
def test_a_table_stands_in_for_the_rows(noisy_rows, rates):
    """It holds labels, probabilities and weights."""
    scores, labels = noisy_rows
    table = lwcal.ScoreTable.from_arrays(scores, labels)
    of_table = ReliabilityDisplay.from_predictions(table, noise_rates=rates)
    of_rows = ReliabilityDisplay.from_predictions(labels, scores, noise_rates=rates)
    assert of_table.error == pytest.approx(of_rows.error)
    np.testing.assert_allclose(of_table.curve.observed, of_rows.curve.observed)
    np.testing.assert_allclose(of_table.curve.weight, of_rows.curve.weight)
    with pytest.raises(InputError):
        ReliabilityDisplay.from_predictions(table, scores)
    with pytest.raises(InputError, match="y_prob"):
        ReliabilityDisplay.from_predictions(labels)


def test_several_curves_share_axes(noisy_rows):
    """Each has a colour and marker of its own, and there is one reference line."""
    scores, labels = noisy_rows
    ax = Figure().subplots()
    ax.plot([0, 1], [1, 0])  # a line of somebody else
    displays = [
        ReliabilityDisplay.from_predictions(labels, p, name=name, ax=ax)
        for name, p in {"raw": scores, "flat": scores * 0 + 0.5}.items()
    ]
    assert [to_hex(display.line_.get_color()) for display in displays] == list(COLOURS[:2])
    assert len({display.line_.get_marker() for display in displays}) == 2
    assert all(display.ax_ is ax for display in displays)
    labels_of_lines = [line.get_label() for line in ax.lines]
    assert labels_of_lines.count(REFERENCE) == 1
    assert len(ax.lines) == 4


def test_plot_draws_again_under_another_name(noisy_rows):
    """plot returns the display, and takes options of the line."""
    scores, labels = noisy_rows
    display = ReliabilityDisplay.from_predictions(labels, scores, name="raw")
    first = display.line_
    ax = Figure().subplots()
    assert display.plot(ax=ax, name="again", ref_line=False, c="red", ls=":") is display
    assert display.line_ is not first
    assert display.line_.get_label().startswith("again")
    assert (display.line_.get_color(), display.line_.get_linestyle()) == ("red", ":")
    assert len(ax.lines) == 1
    bare = ReliabilityDisplay(display.curve).plot(ax=Figure().subplots(), ref_line=False)
    assert bare.ax_.get_legend() is None


def test_curve_of_a_classifier(features):
    """As scikit-learn's display has it, for the same bins."""
    X, y = features
    model = LogisticRegression().fit(X, y)
    ours = ReliabilityDisplay.from_estimator(model, X, y, strategy="uniform", n_bins=5)
    theirs = CalibrationDisplay.from_estimator(model, X, y, strategy="uniform", n_bins=5)
    np.testing.assert_allclose(ours.curve.predicted, theirs.prob_pred)
    np.testing.assert_allclose(ours.curve.observed, theirs.prob_true)
    assert ours.name == "LogisticRegression"
    other = ReliabilityDisplay.from_estimator(model, X, y, pos_label="ham", name="ham")
    assert other.name == "ham"
    np.testing.assert_allclose(other.curve.weight.sum(), len(y))
    assert other.error == pytest.approx(ece(y == "ham", model.predict_proba(X)[:, 0]))


@pytest.mark.parametrize("pos_label", [None, "spam"])
def test_curve_of_a_calibrator(noisy_rows, pos_label):
    """Its features are scores. Its positive class is that of the curve."""
    scores, labels = noisy_rows
    y = labels if pos_label is None else np.array(["ham", "spam"])[labels]
    calibrator = lwcal.Beta(pos_label=pos_label).fit(scores, y)
    display = ReliabilityDisplay.from_estimator(calibrator, scores, y, noise_rates=(0.2, 0.2))
    by_hand = calibrator.predict(scores)
    expected = corrected_reliability_curve(labels, by_hand, noise_rates=(0.2, 0.2), **BINS)
    np.testing.assert_array_equal(display.curve.observed, expected.observed)
    assert display.name == "Beta"


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LinearSVC(), "predict_proba.*LinearSVC"),
        (LogisticRegression(max_iter=1000), "two classes.*3"),
    ],
)
def test_other_estimators_are_refused(model, words):
    """Without probabilities, or with more than two classes."""
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ParameterError, match=words):
        ReliabilityDisplay.from_estimator(model.fit(X, y), X, y)


def test_an_unknown_positive_class_is_refused(features):
    """The message lists the classes."""
    X, y = features
    with pytest.raises(ParameterError, match=r"\['ham', 'spam'\].*'eggs'"):
        ReliabilityDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, pos_label="eggs")


@pytest.mark.parametrize(
    ("module", "draw"),
    [
        ("pyplot", lambda: ReliabilityDisplay.from_predictions([0, 1], [0.2, 0.9])),
        ("figure", new_axes),
    ],
)
def test_without_matplotlib_the_error_names_the_extra(module, draw, monkeypatch):
    """The message holds the command that installs it."""
    monkeypatch.setitem(sys.modules, f"matplotlib.{module}", None)
    monkeypatch.delattr(f"matplotlib.{module}")
    with pytest.raises(MissingExtraError, match=r'pip install "lwcal\[report\]"'):
        draw()
