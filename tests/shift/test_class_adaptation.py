"""Adapting several classes to new scores: what they say, and when they are refused."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.multiclass.class_cells import MOST_CLASSES
from lwcal.shift import adapt
from tests.artifact.make_golden import CLASSES
from tests.multiclass.simulated import even_noise
from tests.shift.simulated import class_log_loss, class_rows, relabelled

BEFORE = np.array([0.2, 0.3, 0.5])
NOW = np.array([0.6, 0.3, 0.1])


@pytest.fixture(scope="module")
def fitted():
    """A calibrator of three classes that trusts its labels."""
    scores, truth = class_rows(np.random.default_rng(0), 3000, BEFORE)
    return lwcal.VectorScaling().fit(scores, np.array(["ant", "bee", "cat"])[truth])


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_base_rates_are_found_through_noise(k, rate):
    """Nearly as good as a fit to right labels of the new rows, and better than before."""
    rng = np.random.default_rng(k)
    before, now = np.arange(1.0, k + 1), np.arange(k, 0.0, -1) ** 2
    before, now = before / before.sum(), now / now.sum()
    scores, truth = class_rows(rng, 3000, before)
    labels = relabelled(rng, truth, even_noise(k, rate))
    calibrator = lwcal.NoiseAware().fit(scores, labels, classes=range(k))
    new, new_truth = class_rows(rng, 2000, now)
    found = adapt(calibrator, new)
    assert found.verdict == "adapted"
    inside = [
        one.low <= share <= one.high for one, share in zip(found.base_rates, now, strict=True)
    ]
    assert np.mean(inside) >= 0.7
    assert sum(one.value for one in found.base_rates) == pytest.approx(1.0)
    later, outcome = class_rows(rng, 5000, now)
    best = lwcal.VectorScaling().fit(new, new_truth, classes=range(k)).predict(later)
    best = class_log_loss(best, outcome)
    assert class_log_loss(found.calibrator.predict(later), outcome) < 1.1 * best
    assert class_log_loss(calibrator.predict(later), outcome) > 1.15 * best
    assert found.calibrator.adjustments_[-1].reason == "new scores"


def test_unchanged_base_rates_change_nothing(fitted):
    """The calibrator itself is returned: of 40 samples, at most one is adapted."""
    verdicts = []
    for seed in range(40):
        found = adapt(fitted, class_rows(np.random.default_rng(seed), 500, BEFORE)[0])
        verdicts.append(found.verdict)
    assert verdicts.count("no change") >= 39
    assert found.calibrator is fitted
    assert "stays as it is" in found.sentence


def test_few_new_rows_change_nothing(fitted):
    """However far their scores are."""
    for n in (1, 20, 99):
        found = adapt(fitted, class_rows(np.random.default_rng(n), n, [0.98, 0.01, 0.01])[0])
        assert found.verdict == "no change"
        assert "too few to change the base rates" in found.sentence


@pytest.mark.parametrize("given", [None, NOW])
def test_scores_that_moved_are_refused(fitted, given):
    """Even if the base rates are known."""
    new, _ = class_rows(np.random.default_rng(1), 4000, NOW)
    sharper = new**1.5 / (new**1.5).sum(axis=1, keepdims=True)
    found = adapt(fitted, sharper, base_rate=given)
    assert found.verdict == "scores moved"
    assert (found.calibrator, found.base_rates) == (None, None)
    assert "fit a calibrator to them" in found.sentence


def test_wrong_labels_that_were_trusted_are_refused():
    """A class that hardly exists any more would need a base rate below 0."""
    rng = np.random.default_rng(2)
    scores, truth = class_rows(rng, 4000, BEFORE)
    labels = relabelled(rng, truth, even_noise(3, 0.3))
    new, _ = class_rows(rng, 4000, [0.01, 0.01, 0.98])
    found = adapt(lwcal.VectorScaling().fit(scores, labels), new)
    assert found.verdict == "labels contradict"
    assert "NoiseAware" in found.sentence
    found = adapt(lwcal.NoiseAware(noise_matrix=even_noise(3, 0.3)).fit(scores, labels), new)
    assert found.verdict == "adapted"
    assert found.base_rates[2].low <= 0.98 <= found.base_rates[2].high


def test_classes_that_look_alike_are_not_told_apart():
    """The scores say that something changed, not what; the two are named."""
    rng = np.random.default_rng(3)
    scores, truth = class_rows(rng, 2000, BEFORE, alike=1.0)
    calibrator = lwcal.VectorScaling().fit(scores, np.array(["ant", "bee", "cat"])[truth])
    found = adapt(calibrator, class_rows(rng, 1000, [0.1, 0.8, 0.1], alike=1.0)[0])
    assert found.verdict == "cannot tell"
    assert found.calibrator is None
    assert found.unclear == ("bee", "cat")
    assert "'bee' and 'cat' are too alike" in found.sentence


def test_a_class_with_few_labels_cannot_be_estimated():
    """Nor tested: known base rates are used, and that is said."""
    rng = np.random.default_rng(4)
    scores, truth = class_rows(rng, 500, [0.5, 0.5, 0.0])
    calibrator = lwcal.VectorScaling().fit(scores, truth, classes=range(3))
    new, _ = class_rows(rng, 500, NOW)
    found = adapt(calibrator, new)
    assert (found.verdict, found.unclear) == ("cannot tell", (2,))
    assert "Fewer than 10 rows of the fit have the label 2" in found.sentence
    assert adapt(calibrator, new[:50]).verdict == "no change"
    known = adapt(calibrator, new, base_rate=NOW)
    assert known.verdict == "adapted"
    assert "were not tested" in known.sentence


def test_a_class_that_is_gone_stays_possible(fitted):
    """Its base rate is small, and not 0."""
    found = adapt(fitted, class_rows(np.random.default_rng(5), 3000, [0.5, 0.5, 0.0])[0])
    assert found.verdict == "adapted"
    assert 0.0 < found.base_rates[2].value < 0.03
    assert found.base_rates[2].low == pytest.approx(0.0, abs=1e-3)
    assert found.calibrator.predict([[0.0, 0.0, 1.0]])[0, 2] > 0.0
    assert "is wide" in found.sentence


def test_known_base_rates_are_used(fitted):
    """The scores are tested; where they suggest others, that is said."""
    new, _ = class_rows(np.random.default_rng(6), 2000, NOW)
    found = adapt(fitted, new, base_rate={"ant": 0.6, "bee": 0.3, "cat": 0.1})
    assert found.verdict == "adapted"
    assert found.given == pytest.approx((0.6, 0.3, 0.1))
    assert found.calibrator.adjustments_[-1].after == pytest.approx((0.6, 0.3, 0.1))
    assert "suggest" not in found.sentence
    assert "suggest 'ant'" in adapt(fitted, new, base_rate=[0.1, 0.3, 0.6]).sentence


def test_weights_are_frequencies_and_columns_have_names(fitted):
    """A row of weight 2 equals that row twice; a frame may have another order."""
    new, _ = class_rows(np.random.default_rng(7), 400, NOW)
    twice = adapt(fitted, np.repeat(new, 2, axis=0))
    assert adapt(fitted, new, np.full(400, 2.0)).to_dict() == twice.to_dict()
    frame = pd.DataFrame(new, columns=["ant", "bee", "cat"])[["cat", "ant", "bee"]]
    values = [one.value for one in adapt(fitted, frame).base_rates]
    assert values == pytest.approx([one.value for one in adapt(fitted, new).base_rates])


def test_a_saved_calibrator_says_the_same(fitted, tmp_path):
    """Files keep the cells; the result is JSON."""
    new, _ = class_rows(np.random.default_rng(8), 500, NOW)
    lwcal.save(fitted, tmp_path / "c.json")
    found = adapt(lwcal.load(tmp_path / "c.json"), new)
    assert found.to_dict() == adapt(fitted, new).to_dict()
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["classes"] == ["ant", "bee", "cat"]
    assert set(document["base_rates"][0]) == {"value", "low", "high"}


def test_refused(fitted):
    """Other scores than those of all classes, and what was not kept."""
    new, truth = class_rows(np.random.default_rng(9), 200, NOW)
    for one in (new[:, 0], lwcal.ScoreTable.from_arrays([0.2, 0.8], [0, 1])):
        with pytest.raises(InputError, match="The calibrator has 3 classes, got"):
            adapt(fitted, one)
    with pytest.raises(ParameterError, match="scale"):
        adapt(fitted, new, scale="percent")
    with pytest.raises(ParameterError, match="a number for each class"):
        adapt(fitted, new, base_rate=0.5)
    with pytest.raises(InputError, match="no reference"):
        adapt(adapt(fitted, new, base_rate=NOW).calibrator, new)
    opinions = np.column_stack([truth, truth, (truth + 1) % 3])
    with pytest.raises(InputError, match="several opinions"):
        adapt(lwcal.Reviewed().fit(new, opinions), new)
    k = MOST_CLASSES + 1
    many = np.eye(k) * 0.5 + 0.5 / k
    with pytest.raises(InputError, match="more than 50 classes"):
        adapt(lwcal.Temperature().fit(many, range(k)), many)
    with pytest.raises(InputError, match="no reference"):
        adapt(lwcal.load(CLASSES / "temperature.json"), np.full((2, 4), 0.25))


@pytest.mark.parametrize("rate", [0.0, 0.2])
def test_trusted_labels_are_doubted(rate):
    """Where a fifth of them is wrong, to adapt would do harm, and it is refused; not without."""
    rng = np.random.default_rng(5)
    scores, truth = class_rows(rng, 3000, BEFORE)
    labels = relabelled(rng, truth, even_noise(3, rate))
    trusting = lwcal.VectorScaling().fit(scores, labels, classes=range(3))
    now = np.array([0.5, 0.3, 0.2])
    found = adapt(trusting, class_rows(rng, 3000, now)[0])
    assert found.verdict == ("cannot tell" if rate else "adapted")
    off = [
        max(one.low - share, share - one.high, 0.0)
        for one, share in zip(found.base_rates, now, strict=True)
    ]
    assert max(off) <= (0.05 if rate else 0.0)
    assert ("how many labels of the fit are wrong" in found.sentence) == (rate > 0)


@pytest.mark.parametrize("seed", range(3))
def test_wrong_labels_widen_the_intervals_where_nothing_changes(seed):
    """With a quarter of the labels wrong, 60% of a class look like 51%, in both tables."""
    rng = np.random.default_rng(seed)
    shares = np.array([0.6, 0.25, 0.15])
    scores, truth = class_rows(rng, 4000, shares)
    labels = relabelled(rng, truth, even_noise(3, 0.25))
    trusting = lwcal.VectorScaling().fit(scores, labels, classes=range(3))
    found = adapt(trusting, class_rows(rng, 3000, shares)[0])
    assert found.verdict == "no change"
    assert found.base_rates[0].low < 0.51 < 0.57 < found.base_rates[0].high


def test_a_calibrator_of_several_classes_off_its_own_rows_is_refused():
    """A temperature cannot follow the labels of a model that expects all classes alike."""
    rng = np.random.default_rng(7)
    fit, new = (class_rows(rng, 4000, shares) for shares in ([0.05, 0.05, 0.9], [0.3, 0.1, 0.6]))
    found = adapt(lwcal.Temperature().fit(*fit), new[0])
    assert (found.verdict, found.calibrator) == ("labels contradict", None)
    assert "The calibrator expects" in found.sentence
    assert "VectorScaling" in found.sentence
    assert adapt(lwcal.VectorScaling().fit(*fit), new[0]).verdict == "adapted"


def test_base_rates_that_scores_hardly_tell_are_left_as_they_are():
    """Twelve classes with few rows each: what is used must not harm."""
    k, changes = 12, []
    before, now = np.full(k, 1 / k), np.append(3.0, np.ones(k - 1)) / (k + 2.0)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores, truth = class_rows(rng, 3000, before, apart=1.1)
        calibrator = lwcal.VectorScaling().fit(scores, truth, classes=range(k))
        found = adapt(calibrator, class_rows(rng, 1000, now, apart=1.1)[0])
        if found.verdict == "adapted":
            later, outcome = class_rows(rng, 5000, now, apart=1.1)
            losses = [
                class_log_loss(one.predict(later), outcome)
                for one in (found.calibrator, calibrator)
            ]
            changes.append(losses[0] / losses[1])
        else:
            assert found.verdict in ("no change", "cannot tell")
            assert "wide" in found.sentence or "too alike" in found.sentence
    assert max(changes, default=0.0) < 1.005
