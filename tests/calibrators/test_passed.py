"""What is no calibrator is refused with its type, and with what to pass."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import lwcal
from lwcal.errors import InputTypeError, ParameterError
from lwcal.mlflow import log_calibrator
from lwcal.monitoring import monitor_periods
from lwcal.report import write_report
from lwcal.shift import adapt, to_base_rate, undo_sampling

RNG = np.random.default_rng(0)
SCORES = RNG.random(600)
LABELS = (RNG.random(600) < SCORES).astype(int)
DAYS = np.datetime64("2024-01-01") + np.arange(600) // 10
CALLS = {
    "undo_sampling": lambda given: undo_sampling(given, 0.1),
    "to_base_rate": lambda given: to_base_rate(given, 0.1),
    "adapt": lambda given: adapt(given, SCORES),
    "monitor": lambda given: lwcal.monitor(given, SCORES, LABELS),
    "monitor_periods": lambda given: monitor_periods(given, SCORES, LABELS, times=DAYS),
    "decide": lambda given: lwcal.decide(given, SCORES, LABELS),
    "write_report": lambda given: write_report(given, SCORES, LABELS, path="page.html"),
}


@pytest.fixture(scope="module")
def classifier():
    """A model with its calibrators."""
    features = SCORES[:, None]
    model = FrozenEstimator(LogisticRegression().fit(features, LABELS))
    return lwcal.CalibratedClassifier(model, lwcal.Platt()).fit(features, LABELS)


@pytest.fixture(scope="module")
def segments():
    """Calibrators of two segments."""
    halves = {"a": slice(0, 300), "b": slice(300, 600)}
    tables = {
        name: lwcal.ScoreTable.from_arrays(SCORES[part], LABELS[part])
        for name, part in halves.items()
    }
    return lwcal.fit_segments(tables, lwcal.Platt())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_holds_several_calibrators_is_refused(call, classifier, segments):
    """And the message leads to one that is accepted."""
    with pytest.raises(InputTypeError, match=r"calibrated_classifiers_\[0\].calibrators\[0\]"):
        call(classifier)
    with pytest.raises(
        InputTypeError, match=r"got Segments; .* segments.segments\[name\].calibrator"
    ):
        call(segments)
    with pytest.raises(InputTypeError, match="got LogisticRegression"):
        call(LogisticRegression())
    with pytest.raises(InputTypeError, match=r"got the class Platt; make .* Platt\(\).fit"):
        call(lwcal.Platt)


def test_what_the_message_names_is_accepted(classifier, segments):
    """By every function of those above that writes no file."""
    held = classifier.calibrated_classifiers_[0].calibrators[0]
    for one in (held, segments.segments["a"].calibrator, segments.pooled):
        assert undo_sampling(one, 0.1).predict([0.5]) < one.predict([0.5])


def test_mlflow_gives_the_same_advice(segments, classifier):
    """Segments are no CalibratedClassifier."""
    with pytest.raises(
        ParameterError, match=r"got Segments; .* segments.segments\[name\].calibrator"
    ):
        log_calibrator(segments)
    with pytest.raises(ParameterError, match=r"calibrated_classifiers_\[0\].calibrators\[0\]"):
        log_calibrator(classifier)
