"""Drift of several classes: rarely reported where there is none, mostly found where there is."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.monitoring import class_comparison, class_permutation
from lwcal.monitoring.class_permutation import with_confirmed_p
from lwcal.monitoring.class_verdict import MOST_NAMED, Compared
from lwcal.monitoring.label_tests import Labels
from lwcal.monitoring.permutation import Counted
from lwcal.monitoring.statistics import Found
from tests.artifact.make_golden import CLASSES
from tests.monitoring.test_monitor import QUIET
from tests.multiclass.simulated import drawn, even_noise, noisy_rows


def draw(rng, n, k=4, *, clarity=0.3, power=1.0, noise=0.1, swap=False):
    """Scores and noisy labels. Each argument causes a different drift."""
    truth = rng.dirichlet(np.full(k, clarity), n)
    labels = drawn(rng, even_noise(k, noise)[drawn(rng, truth)])
    scores = (truth + 1e-9) ** power
    names = np.arange(k) if not swap else np.array([1, 0, *range(2, k)])
    return scores / scores.sum(axis=1, keepdims=True), names[labels]


def verdicts(runs, n_fit, n_new, k=4, *, labels=True, **drift):
    """The verdicts on many batches, each compared with a fit of its own."""
    rng = np.random.default_rng(20261117)
    found = []
    for _ in range(runs):
        calibrator = lwcal.Identity().fit(*draw(rng, n_fit, k), classes=range(k))
        scores, y = draw(rng, n_new, k, **drift)
        found.append(lwcal.monitor(calibrator, scores, y if labels else None).verdict)
    return np.array(found)


@pytest.fixture
def without_intervals(monkeypatch):
    """Skip the intervals of losses, which the verdict does not use."""
    monkeypatch.setattr("lwcal.monitoring.class_comparison._estimates", lambda judged: (None, None))


@pytest.mark.parametrize(
    ("n_fit", "n_new", "k"), [(300, 100, 3), (500, 50, 20), (300, 2000, 10), (2000, 200, 40)]
)
def test_without_drift_there_is_hardly_a_false_alarm(without_intervals, n_fit, n_new, k):
    """At most 5% of 100 batches, however many classes are looked at."""
    assert np.mean(~np.isin(verdicts(100, n_fit, n_new, k), QUIET)) <= 0.05


def rare_rows(rng, n, k):
    """The first class is frequent, and the others are rare."""
    chances = rng.dirichlet(np.append(0.3, np.full(k - 1, 0.015)), n) + 1e-4
    chances /= chances.sum(axis=1, keepdims=True)
    return chances, drawn(rng, chances)


def test_rare_classes_raise_no_false_alarms(without_intervals):
    """Chi-square alone raised an alarm in 4% of such batches; at most 1% is promised."""
    rng, verdicts, by_chi_square = np.random.default_rng(0), [], []
    for _ in range(8):
        calibrator = lwcal.Identity().fit(*rare_rows(rng, 1000, 10), classes=range(10))
        for _ in range(20):
            rows = rare_rows(rng, 30, 10)
            found = lwcal.monitor(calibrator, *rows)
            verdicts.append(found.verdict not in QUIET)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(class_comparison, "with_confirmed_p", lambda compared, _: compared)
                by_chi_square.append(lwcal.monitor(calibrator, *rows).verdict not in QUIET)
    assert np.mean(verdicts) <= 0.015 < 0.03 <= np.mean(by_chi_square)


def test_only_what_could_raise_an_alarm_is_confirmed(monkeypatch):
    """The smallest p-values first, and no more after five were confirmed."""
    asked = []
    monkeypatch.setattr(
        class_permutation, "exact_p", lambda name, test, counted, n: asked.append(test) or 1e-6
    )
    few = Counted(Labels(np.full(4, 20.0), np.full(4, 5.0)), np.full(4, 5.0))
    many = Counted(Labels(np.full(4, 2000.0), np.full(4, 500.0)), np.full(4, 500.0))
    found = [Found(1.0, 10.0**-p, 0.5) for p in range(12, 4, -1)]
    tests = [Compared("scores", p, one) for p, one in enumerate(reversed(found))]
    confirmed = with_confirmed_p(tests, [few] * len(tests))
    assert asked == found[:5]
    assert [one.found.p_value for one in confirmed[-5:]] == [1e-6] * 5
    assert confirmed[:3] == tests[:3]
    asked.clear()
    small = [
        Compared("scores", 0, Found(1.0, 1e-9, 0.01)),
        Compared("labels", 0, Found(1.0, 0.2, 0.9)),
    ]
    assert with_confirmed_p(small, [few, few]) == small
    assert with_confirmed_p(tests, [many] * len(tests)) == tests
    assert not asked


DRIFTS = {
    "scores": ({"power": 2.0}, ("check labels", "refit")),
    "scores without labels": ({"power": 2.0, "labels": False}, ("check labels",)),
    "clearer cases": ({"clarity": 0.1, "labels": False}, ("check labels",)),
    "more noise": ({"noise": 0.4}, ("refit",)),
    "two classes swapped": ({"swap": True}, ("refit",)),
}


@pytest.mark.parametrize(("drift", "alarms"), DRIFTS.values(), ids=DRIFTS.keys())
def test_a_clear_drift_is_found(without_intervals, drift, alarms):
    """In at least nine of ten batches of 500 rows against a fit of 1000."""
    assert np.mean(np.isin(verdicts(40, 1000, 500, **drift), alarms)) >= 0.9


def test_scores_that_mean_something_else_call_for_a_refit(without_intervals):
    """Enough labels show it, however far the scores moved."""
    assert np.mean(verdicts(20, 2000, 2000, power=2.0) == "refit") >= 0.9


def test_clearer_cases_of_which_the_map_still_holds_are_no_reason_for_a_refit(without_intervals):
    """Enough labels at equal scores are as before."""
    found = verdicts(20, 4000, 4000, k=3, clarity=0.1)
    assert np.mean(found == "watch") >= 0.9


def test_many_rows_do_not_raise_trifles(without_intervals):
    """The changes are highly significant, but too small to matter."""
    rng = np.random.default_rng(1)
    calibrator = lwcal.Identity().fit(*draw(rng, 100_000))
    found = lwcal.monitor(calibrator, *draw(rng, 100_000, power=1.05, noise=0.11))
    assert min(test.p_adjusted for test in found.tests) < 1e-4
    assert found.verdict == "no drift"


@pytest.fixture(scope="module")
def fitted():
    """A calibrator with a noise model, and rows."""
    scores, _, labels = noisy_rows(1500, even_noise(3, 0.2))
    names = np.array(["ant", "bee", "cat"])[labels]
    return lwcal.NoiseAware().fit(scores, names), scores, names


def test_the_evidence_is_all_there(fitted, tmp_path):
    """Two snapshots, tests of the highest score and of each class, and one sentence.

    Also as JSON, and the same after the calibrator was saved.
    """
    calibrator, scores, names = fitted
    found = lwcal.monitor(calibrator, scores, names)
    assert (found.fitted.n, found.new.n) == (1500, 1500)
    assert found.fitted.d == pytest.approx(found.new.d)
    assert found.fitted.shares == pytest.approx(found.new.shares)
    assert tuple(found.fitted.nll) == pytest.approx(tuple(found.new.nll))
    assert tuple(found.fitted.top_label_ece) == pytest.approx(tuple(found.new.top_label_ece))
    assert str(found).startswith("No drift: 1,500 new rows")
    tested = [(test.name, test.label) for test in found.tests]
    each = [None, "ant", "bee", "cat"]
    assert set(tested) == {("disagreement", None)} | {
        (name, label) for name in ("scores", "labels") for label in each
    }
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(document["thresholds"]) == {"scores", "disagreement", "labels", "label_odds"}
    assert document["classes"] == ["ant", "bee", "cat"]
    lwcal.save(calibrator, tmp_path / "c.json")
    assert lwcal.monitor(lwcal.load(tmp_path / "c.json"), scores, names).to_dict() == document


def test_losses_are_those_against_the_true_classes():
    """Within their intervals, although every third label is wrong."""
    noise = even_noise(3, 0.33)
    scores, _, labels = noisy_rows(4000, noise)
    calibrator = lwcal.NoiseAware(noise_matrix=noise).fit(scores, labels)
    new, true, noisy = noisy_rows(4000, noise, seed=1)
    found = lwcal.monitor(calibrator, new, noisy)
    p = calibrator.predict(new)
    assert found.new.nll.low <= lwcal.metrics.class_nll(true, p) <= found.new.nll.high
    assert found.new.top_label_ece.high < 0.1 < lwcal.metrics.ece(lwcal.metrics.top_label(noisy, p))


def test_labels_of_another_quality_are_not_corrected_by_the_noise_of_the_fit():
    """The matrix of the fit would say of right labels that log loss is below 0."""
    noise = even_noise(3, 0.33)
    scores, _, labels = noisy_rows(2000, noise)
    new, true, noisy = noisy_rows(2000, noise, seed=1)
    calibrator = lwcal.NoiseAware(noise_matrix=noise).fit(scores, labels)
    found = lwcal.monitor(calibrator, new, true)
    assert found.verdict == "refit"
    assert (found.new.nll, found.new.top_label_ece) == (None, None)
    assert found.new.d < found.fitted.d
    assert found.fitted.nll is not None
    assert lwcal.monitor(calibrator, new, noisy).new.nll is not None
    # a calibrator that takes labels as right corrects nothing
    scaling = lwcal.Temperature().fit(scores, labels)
    assert lwcal.monitor(scaling, new, true).new.nll is not None


def test_no_log_loss_is_below_0():
    """A correction by a noise matrix can be, where labels are right by chance."""
    noise = even_noise(3, 0.33)
    scores, _, labels = noisy_rows(2000, noise)
    calibrator = lwcal.NoiseAware(noise_matrix=noise).fit(scores, labels)
    few, true, _ = noisy_rows(12, noise, seed=1)
    nll = lwcal.monitor(calibrator, few, true).new.nll
    assert nll.low == 0.0 <= nll.value <= nll.high


def test_the_sentence_names_what_moved(fitted):
    """The most serious changes, and how many more there are."""
    calibrator, scores, names = fitted
    swapped = np.where(names == "ant", "bee", np.where(names == "bee", "ant", names))
    said = str(lwcal.monitor(calibrator, scores, swapped))
    assert said.startswith("Refit the calibrator: in 1,500 new rows")
    assert "labels 'ant' at equal scores" in said
    found = lwcal.monitor(
        calibrator, scores[:, ::-1] ** 3 / (scores**3).sum(axis=1)[:, None], names
    )
    assert len(found.changed) > MOST_NAMED
    assert f"and {len(found.changed) - MOST_NAMED} other comparisons found drift." in str(found)


def test_without_labels_only_the_scores_are_compared(fitted):
    """And little is known of the new rows."""
    calibrator, scores, _ = fitted
    found = lwcal.monitor(calibrator, scores)
    assert {test.name for test in found.tests} == {"scores"}
    assert len(found.tests) == 4
    assert (found.new.shares, found.new.d, found.new.nll, found.fitted.nll) == (None,) * 4
    assert found.verdict == "cannot tell"
    assert "only labels say whether the calibrator still holds" in found.sentence


def test_weights_are_frequencies(fitted):
    """A row of weight 2 equals that row twice, with labels and without."""
    calibrator, scores, names = fitted
    for y in (None, names[:300]):
        twice = None if y is None else np.repeat(y, 2)
        weighted = lwcal.monitor(calibrator, scores[:300], y, np.full(300, 2.0))
        repeated = lwcal.monitor(calibrator, np.repeat(scores[:300], 2, axis=0), twice)
        for a, b in zip(weighted.tests, repeated.tests, strict=True):
            assert (a.p_value, a.effect) == pytest.approx((b.p_value, b.effect))
        if y is not None:
            assert tuple(weighted.new.nll) == pytest.approx(tuple(repeated.new.nll))


def test_columns_are_found_by_their_names(fitted):
    """As predict does."""
    calibrator, _, names = fitted
    rng = np.random.default_rng(0)
    scores = rng.multinomial(64, [0.1, 0.2, 0.7], len(names)) / 64  # sums that are exactly 1
    frame = pd.DataFrame(scores, columns=["ant", "bee", "cat"])[["cat", "ant", "bee"]]
    found = lwcal.monitor(calibrator, frame, names)
    assert found.verdict == "refit"
    assert found.to_dict() == lwcal.monitor(calibrator, scores, names).to_dict()


def test_one_new_row_is_too_few_for_any_verdict(fitted):
    """A single row, and labels of a single class, are no errors."""
    calibrator, scores, names = fitted
    found = lwcal.monitor(calibrator, scores[:1], names[:1])
    assert found.verdict == "cannot tell"
    assert "no drift shows in 1 new row, but" in str(found)


def test_calibrators_of_two_columns_compare_the_second(noisy_rows):
    """With the result of that column alone."""
    scores, labels = noisy_rows
    both = np.column_stack([1.0 - scores, scores])
    names = np.array(["no", "yes"])[labels]
    calibrator = lwcal.Temperature().fit(both, names)
    for y in (None, names):
        alone = None if y is None else labels
        found = lwcal.monitor(calibrator, both, y)
        assert found.to_dict() == lwcal.monitor(calibrator, both[:, 1], alone).to_dict()


def test_refused(fitted):
    """What would be misunderstood, and what was not kept."""
    calibrator, scores, names = fitted
    for one in (scores[:, 0], lwcal.ScoreTable.from_arrays([0.2, 0.8], [0, 1])):
        with pytest.raises(InputError, match="The calibrator has 3 classes, got"):
            lwcal.monitor(calibrator, one)
    with pytest.raises(InputError, match="2 columns"):
        lwcal.monitor(calibrator, scores[:, :2] / scores[:, :2].sum(axis=1, keepdims=True))
    with pytest.raises(InputError, match="'dog', which is not among the classes"):
        lwcal.monitor(calibrator, scores[:2], ["ant", "dog"])
    with pytest.raises(ParameterError, match="pos_label"):
        lwcal.monitor(calibrator, scores, names, pos_label="ant")
    with pytest.raises(ParameterError, match="scale"):
        lwcal.monitor(calibrator, scores, scale="percent")
    with pytest.raises(InputError, match="no reference"):
        lwcal.monitor(lwcal.load(CLASSES / "temperature.json"), np.full((2, 4), 0.25))


def test_a_small_change_of_the_scores_is_told_but_no_alarm():
    """What chance does not explain does not look like the rows of the fit."""
    rng = np.random.default_rng(5)
    calibrator = lwcal.Identity().fit(*draw(rng, 4000), classes=range(4))
    scores, y = draw(rng, 20_000)
    kept = rng.random(20_000) < np.where(scores[:, 0] > 0.5, 1.0, 0.75)
    quiet = lwcal.monitor(calibrator, scores[kept], y[kept])
    assert quiet.verdict == "no drift"
    assert "too little for an alarm" in quiet.sentence
    without = lwcal.monitor(calibrator, scores[kept])
    assert without.verdict == "cannot tell"
    assert "lwcal adapt" in without.sentence
    assert "look like those of the fit" not in quiet.sentence + without.sentence
