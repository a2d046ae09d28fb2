"""Drift is rarely reported where there is none, and mostly found where there is some."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import chdtrc

import lwcal
from lwcal.errors import InputError
from lwcal.monitoring.grading import ALPHA, THRESHOLDS
from lwcal.monitoring.telling import ENOUGH_POWER
from tests.artifact.make_golden import FOLDER

QUIET = ("no drift", "cannot tell")
"""Verdicts that report no change."""


def draw(rng, n, *, power=1.0, flips=0.15, lift=0.0, digits=None):
    """Draw scores and noisy labels. Each argument causes a different drift."""
    scores = rng.beta(0.6, 0.6, n) ** power
    scores = scores if digits is None else scores.round(digits)
    true = rng.random(n) < np.clip(scores + lift, 0, 1)
    return scores, (true ^ (rng.random(n) < flips)).astype(int)


@pytest.fixture
def without_intervals(monkeypatch):
    """Skip the bootstrap of the calibration errors, which the verdict does not use."""
    monkeypatch.setattr("lwcal.monitoring.new_tables._error", lambda table, calibrator: None)


def verdicts(runs, n_fit, n_new, *, labels=True, digits=None, **drift):
    """Return the verdicts on many batches, each compared with a fit of its own."""
    rng = np.random.default_rng(20261115)
    found = []
    for _ in range(runs):
        calibrator = lwcal.Platt().fit(*draw(rng, n_fit, digits=digits))
        scores, y_noisy = draw(rng, n_new, digits=digits, **drift)
        found.append(lwcal.monitor(calibrator, scores, y_noisy if labels else None).verdict)
    return np.array(found)


@pytest.mark.parametrize(
    ("n_fit", "n_new", "digits"),
    [(300, 100, None), (500, 500, 1), (3000, 300, None), (300, 8000, 2), (3000, 3000, 2)],
)
def test_without_drift_there_is_hardly_a_false_alarm(without_intervals, n_fit, n_new, digits):
    """At most 5% of 200 batches raise an alarm or are watched.

    The level is 1%; more than ten of 200 at that level happen less than once in 100,000 times.
    """
    found = verdicts(200, n_fit, n_new, digits=digits)
    assert np.mean(~np.isin(found, QUIET)) <= 0.05


def rare(rng, n, *, times=1.0):
    """Rows of which 1% are positive, or so many times as many at equal scores."""
    odds = np.exp(rng.normal(-5.5, 1.3, n))
    truth = rng.random(n) < times * odds / (1.0 + times * odds)
    return odds / (1.0 + odds), truth.astype(int)


@pytest.mark.parametrize(("times", "verdict"), [(1.0, "no drift"), (2.5, "refit"), (0.0, "refit")])
def test_rare_positives_that_double_are_drift(without_intervals, times, verdict):
    """No change of a share of 1% is large, but one of its odds is; so are labels that vanish."""
    rng = np.random.default_rng(3)
    calibrator = lwcal.Platt().fit(*rare(rng, 40_000))
    found = lwcal.monitor(calibrator, *rare(rng, 40_000, times=times))
    assert found.verdict == verdict
    labels = next(test for test in found.tests if test.name == "labels")
    assert labels.effect < THRESHOLDS["labels"].watch
    assert (labels.odds_ratio < 0.5, labels.odds_ratio > 2.0) == (times == 0.0, times == 2.5)


def test_few_rare_labels_do_not_tell_that_a_calibrator_holds(without_intervals):
    """Of 3,000 rows, 30 are positive: too few to find odds that double; of 40,000 they are enough.

    A change of the share by 0.1 would be found in any case, but there is none that large.
    """
    rng = np.random.default_rng(4)
    calibrator = lwcal.Platt().fit(*rare(rng, 40_000))
    power = {}
    for n in (3000, 40_000):
        tests = lwcal.monitor(calibrator, *rare(rng, n)).tests
        power[n] = next(test.power for test in tests if test.name == "labels")
    assert power[3000] < ENOUGH_POWER < power[40_000]


DRIFTS = {
    "scores": ({"power": 3.0}, "check labels"),
    "scores without labels": ({"power": 3.0, "labels": False}, "check labels"),
    "more noise": ({"flips": 0.4}, "refit"),
    "other meaning": ({"lift": 0.3}, "refit"),
}


@pytest.mark.parametrize(("drift", "verdict"), DRIFTS.values(), ids=DRIFTS.keys())
def test_a_clear_drift_is_found(without_intervals, drift, verdict):
    """In at least nine of ten batches of 500 rows against a fit of 1000."""
    assert np.mean(verdicts(100, 1000, 500, **drift) == verdict) >= 0.9


def test_other_cases_of_which_the_map_still_holds_are_no_reason_for_a_refit(without_intervals):
    """Enough labels at equal scores are as before."""
    found = verdicts(40, 3000, 3000, power=3.0)
    assert np.mean(found == "watch") >= 0.9
    assert not np.isin(found, ["refit", "no drift"]).any()


def test_labels_of_other_cases_that_changed_call_for_a_refit(without_intervals):
    """Other scores do not hide it."""
    assert np.mean(verdicts(40, 3000, 3000, power=3.0, lift=0.3) == "refit") >= 0.9


def test_cases_that_the_fit_never_saw_call_for_a_refit_once_there_are_labels():
    """Without labels, for labels."""
    rng = np.random.default_rng(0)
    low, high = rng.uniform(0.0, 0.3, 1000), rng.uniform(0.7, 1.0, 1500)
    calibrator = lwcal.Platt().fit(low, (rng.random(1000) < low).astype(int))
    labels = (rng.random(1500) < high).astype(int)
    assert lwcal.monitor(calibrator, high).verdict == "check labels"
    assert lwcal.monitor(calibrator, high, labels).verdict == "refit"


def test_the_sentence_says_what_labels_tell(without_intervals):
    """There are none, too few, or enough."""
    rng = np.random.default_rng(0)
    calibrator = lwcal.Platt().fit(*draw(rng, 3000))
    scores, labels = draw(rng, 3000, power=3.0)
    found = {
        "do not tell whether": lwcal.monitor(calibrator, scores),
        "too few to tell": lwcal.monitor(calibrator, scores[:200], labels[:200]),
        "still holds": lwcal.monitor(calibrator, scores, labels),
    }
    for words, one in found.items():
        assert words in one.sentence
    powers = [one.tests[-1].power for one in found.values()]
    assert powers[0] is None
    assert powers[1] < 0.5 < 0.9 < powers[2]


def test_a_gate_follows_the_disagreement(without_intervals):
    """Harder cases open it, so only a calibrator without a gate still holds."""
    rng = np.random.default_rng(0)
    clear, hard = rng.beta(0.3, 0.3, 6000), rng.beta(4, 4, 6000)
    labels = [(rng.random(6000) < scores).astype(int) for scores in (clear, hard)]
    found = {
        kind: lwcal.monitor(kind().fit(clear, labels[0]), hard, labels[1])
        for kind in (lwcal.Platt, lwcal.GatedLWCal)
    }
    assert [one.verdict for one in found.values()] == ["watch", "refit"]
    assert "the calibrator still holds" in found[lwcal.Platt].sentence


def test_a_million_rows_do_not_raise_trifles(without_intervals):
    """The changes are highly significant, but too small to matter."""
    rng = np.random.default_rng(1)
    calibrator = lwcal.Platt().fit(*draw(rng, 500_000))
    found = lwcal.monitor(calibrator, *draw(rng, 500_000, power=1.05, flips=0.16))
    assert all(test.p_adjusted < 1e-3 for test in found.tests)
    assert found.verdict == "no drift"


def test_the_evidence_is_all_there(noisy_rows):
    """There are two snapshots, three tests and one sentence, also as JSON."""
    calibrator = lwcal.GatedLWCal().fit(*noisy_rows)
    found = lwcal.monitor(calibrator, *noisy_rows)
    assert (found.fitted.n, found.new.n) == (800, 800)
    assert found.fitted.d == pytest.approx(found.new.d)
    assert found.new.rho == pytest.approx(calibrator.diagnostics_["rho"])
    assert found.new.ece.low <= found.fitted.ece.value <= found.new.ece.high
    assert str(found).startswith("Cannot tell: no drift shows in 800 new rows")
    assert found.confidence == found.to_dict()["confidence"] == 0.9
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [test["name"] for test in document["tests"]] == list(THRESHOLDS)
    assert document["verdict"] == "cannot tell"  # 800 labels show a change with 60%
    assert document["telling"]["labelled"] == 800 < document["telling"]["needed"]


def test_the_sentence_names_what_moved(noisy_rows):
    """The sentence also gives the size of each change."""
    scores, labels = noisy_rows
    calibrator = lwcal.Platt().fit(scores, labels)
    said = str(lwcal.monitor(calibrator, scores, 1 - labels))
    assert said.startswith("Refit the calibrator: in 800 new rows")
    assert said.endswith("if they may have become worse, check some first.")
    assert "contradict" in said
    assert "equal scores" in said
    alone = lwcal.monitor(calibrator, scores**3)
    assert "PSI" in str(alone)
    assert (alone.new.d, alone.new.ece, len(alone.tests)) == (None, None, 1)


def test_weights_are_frequencies(noisy_rows):
    """A row of weight 2 equals that row twice, with labels and without."""
    scores, labels = noisy_rows
    calibrator = lwcal.Platt().fit(scores, labels)
    new = scores[:300] ** 1.5
    for y in (None, labels[:300]):
        twice = None if y is None else np.repeat(y, 2)
        weighted = lwcal.monitor(calibrator, new, y, np.full(300, 2.0))
        repeated = lwcal.monitor(calibrator, np.repeat(new, 2), twice)
        assert weighted.to_dict() == repeated.to_dict()


def test_named_classes_follow_the_calibrator(noisy_rows):
    """The positive class of the fit is that of new rows, unless another is named."""
    scores, labels = noisy_rows
    named = np.where(labels == 1, "bad", "good")
    calibrator = lwcal.Platt(pos_label="bad").fit(scores, named)
    assert lwcal.monitor(calibrator, scores, named).verdict == "cannot tell"
    assert lwcal.monitor(calibrator, scores, named, pos_label="good").verdict == "refit"


def test_a_table_is_compared_like_its_rows(noisy_rows):
    """Labels and weights included; nothing else may come with it."""
    scores, labels = noisy_rows
    calibrator = lwcal.Platt().fit(scores, labels)
    weights = np.arange(800) % 3 + 1.0
    table = lwcal.ScoreTable.from_arrays(scores**1.5, labels, weights)
    of_rows = lwcal.monitor(calibrator, scores**1.5, labels, weights)
    assert lwcal.monitor(calibrator, table).to_dict() == of_rows.to_dict()
    with pytest.raises(InputError, match="ScoreTable"):
        lwcal.monitor(calibrator, table, labels)


@pytest.mark.parametrize("threshold", [0.2, 0.5, 0.731])
def test_the_calibrator_decides_what_disagreement_is(noisy_rows, threshold, tmp_path):
    """Its own threshold and gate are used, exactly, also after it was saved."""
    settings = {"threshold": threshold, "gate_center": 0.1, "gate_width": 0.5}
    calibrator = lwcal.GatedLWCal(**settings).fit(*noisy_rows)
    lwcal.save(calibrator, tmp_path / "calibrator.json")
    table = lwcal.ScoreTable.from_arrays(*noisy_rows)
    for fitted in (calibrator, lwcal.load(tmp_path / "calibrator.json")):
        found = lwcal.monitor(fitted, table)
        assert found.fitted.d == found.new.d == table.disagreement(threshold)
        assert found.fitted.rho == found.new.rho == calibrator.diagnostics_["rho"] > 0
        (test,) = [test for test in found.tests if test.name == "disagreement"]
        assert (test.effect, test.level) == (0.0, "no drift")


def test_one_new_row_is_too_few_for_any_verdict(noisy_rows):
    """A single row is no error."""
    calibrator = lwcal.Platt().fit(*noisy_rows)
    found = lwcal.monitor(calibrator, [0.9], [0])
    assert found.verdict == "cannot tell"
    assert "no drift shows in 1 new row, but" in str(found)


def test_calibrators_without_a_reference_cannot_be_monitored():
    """Files of the first version still load, but hold no reference."""
    old = lwcal.load(Path(FOLDER) / "v1" / "platt.json")
    with pytest.raises(InputError, match="no reference"):
        lwcal.monitor(old, [0.1, 0.9])


def test_few_rows_with_rare_positives_raise_no_alarm(without_intervals):
    """One positive label where hardly any is expected is no change; chi-square takes it for one."""
    rng = np.random.default_rng(2)

    def rows(n):
        log_odds = rng.normal(-4.0, 1.5, n)
        probability = 1.0 / (1.0 + np.exp(-log_odds))
        return probability, rng.random(n) < probability

    alarms, by_chi_square = 0, 0
    for _ in range(60):
        calibrator = lwcal.Platt().fit(*rows(2000))
        scores, labels = rows(30)
        found = lwcal.monitor(calibrator, scores, labels, pos_label=True)
        alarms += found.verdict not in QUIET
        labels_test = next(test for test in found.tests if test.name == "labels")
        by_chi_square += chdtrc(6, labels_test.statistic) < 0.01  # six groups of five rows
    assert alarms <= 2
    assert by_chi_square >= 3


def separated(rng, n, base_rate):
    """Scores of a good model that is off, labels, and their true probabilities."""
    truth = rng.random(n) < base_rate
    z = np.where(truth, 1.0, -1.0) + rng.normal(size=n)
    odds = np.exp(2.0 * z) * base_rate / (1.0 - base_rate)
    return 1.0 / (1.0 + np.exp(-1.6 * z)), truth.astype(int), odds / (1.0 + odds)


@pytest.mark.parametrize(("n", "base_rate", "top"), [(20_000, 0.05, 0.01), (4000, 0.1, 0.05)])
def test_a_change_of_the_highest_scores_alone_is_found(without_intervals, n, base_rate, top):
    """Over all rows it is small: the sum of all groups, and the odds ratio, do not show it."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        calibrator = lwcal.Platt().fit(*separated(rng, n, base_rate)[:2])
        scores, labels, chance = separated(rng, n, base_rate)
        highest = scores > np.quantile(scores, 1.0 - top)
        labels = np.where(highest, rng.random(n) < 0.3 * chance, labels)
        found = lwcal.monitor(calibrator, scores, labels)
        tests = {test.name: test for test in found.tests}
        assert found.verdict == "refit"
        assert tests["groups"].level == "refit"
        group = tests["groups"].group
        assert group.is_top
        assert group.now < 0.75 * group.before
        assert f"in the top {100 * (1 - group.low):.2g}% of scores" in found.sentence
        assert "still holds" not in found.sentence


@pytest.mark.parametrize("base_rate", [0.3, 0.05, 0.01])
def test_groups_of_scores_raise_hardly_a_false_alarm(without_intervals, base_rate):
    """Noise in the labels of the fit and of the new rows counts, also where few are positive.

    All tests together may be significant in 1% of batches; more than 3 of 40 are 1 in 1,500.
    """
    clear = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        calibrator = lwcal.Isotonic().fit(*separated(rng, 3000, base_rate)[:2])
        found = lwcal.monitor(calibrator, *separated(rng, 1000, base_rate)[:2])
        clear += any(test.p_adjusted < ALPHA for test in found.tests)
    assert clear <= 3


def test_other_scores_within_the_highest_bin_are_no_change_of_labels(without_intervals):
    """More of the highest scores are positive more often, which the map explains."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.3, 3.0, 60_000)
    labels = (rng.random(60_000) < scores).astype(int)
    calibrator = lwcal.Platt().fit(scores[:30_000], labels[:30_000])
    new, y = scores[30_000:], labels[30_000:]
    kept = (new < 0.5) | (new > 0.75)
    found = lwcal.monitor(calibrator, new[kept], y[kept])
    groups = next(test for test in found.tests if test.name == "groups")
    assert groups.level == "no drift"
    assert found.verdict in ("no drift", "watch")


@pytest.mark.parametrize("n", [1, 12, 400])
def test_few_labels_are_not_called_no_drift(without_intervals, n):
    """The verdict says that nobody can tell, and how many rows would tell; so many do."""
    rng = np.random.default_rng(0)
    calibrator = lwcal.Platt().fit(*draw(rng, 3000))
    found = lwcal.monitor(calibrator, *draw(rng, n))
    assert found.verdict == "cannot tell"
    needed = found.telling.needed
    assert n < needed
    assert f"About {needed:,} rows with labels would tell." in found.sentence
    enough = lwcal.monitor(calibrator, *draw(rng, needed))
    assert enough.verdict == "no drift"
    assert enough.tests[-1].power < 0.97  # no more than needed


def test_a_small_fit_can_never_tell(without_intervals):
    """More new rows do not help, and the sentence does not ask for them."""
    rng = np.random.default_rng(0)
    found = lwcal.monitor(lwcal.Platt().fit(*draw(rng, 200)), *draw(rng, 5000))
    assert (found.verdict, found.telling.needed) == ("cannot tell", None)
    assert "fit to more" in found.sentence


def test_without_labels_nobody_can_tell(without_intervals):
    """Other scores ask for labels; the same scores say nothing of the labels."""
    rng = np.random.default_rng(0)
    calibrator = lwcal.Platt().fit(*separated(rng, 4000, 0.1)[:2])
    same = lwcal.monitor(calibrator, separated(rng, 4000, 0.1)[0])
    assert same.verdict == "cannot tell"
    assert "only labels say whether the calibrator still holds" in same.sentence
    assert "without labels are too few" in lwcal.monitor(calibrator, [0.2, 0.3]).sentence
    tripled = separated(rng, 4000, 0.3)
    found = lwcal.monitor(calibrator, tripled[0])
    assert 0.1 < found.tests[0].effect < THRESHOLDS["scores"].refit
    assert found.verdict == "check labels"
    assert lwcal.monitor(calibrator, *tripled[:2]).verdict == "refit"


def test_watch_does_not_say_that_a_calibrator_holds_whose_labels_changed(without_intervals):
    """A change that is too small for an alarm is one nevertheless."""
    rng = np.random.default_rng(0)
    calibrator = lwcal.Platt().fit(*draw(rng, 20_000))
    found = lwcal.monitor(calibrator, *draw(rng, 20_000, lift=0.09))
    assert found.verdict == "watch"
    assert "Labels changed, too little for an alarm" in found.sentence
    assert "still holds" not in found.sentence


def changed_odds(rng, n, times=1.0, *, clearer=0.0):
    """Scores of which a tenth of the rows are positive; odds at equal scores are multiplied."""
    truth = rng.random(n) < 0.1
    log_odds = 1.5 * (rng.normal(size=n) + 1.5 * truth) - 1.125 + np.log(1 / 9)
    kept = rng.random(n) < np.where(log_odds > -1.5, 1.0, 1.0 - clearer)
    odds = np.exp(log_odds[kept])
    labels = rng.random(kept.sum()) < times * odds / (1.0 + times * odds)
    return odds / (1.0 + odds), labels.astype(int)


@pytest.mark.parametrize("times", [1.3, 0.8])
@pytest.mark.parametrize(("clearer", "verdict"), [(0.0, "no drift"), (0.6, "watch")])
def test_a_change_of_labels_is_never_denied(without_intervals, times, clearer, verdict):
    """Too small for an alarm, and no chance: the sentence says what changed, whatever else did."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        calibrator = lwcal.Platt().fit(*changed_odds(rng, 40_000))
        found = lwcal.monitor(calibrator, *changed_odds(rng, 40_000, times, clearer=clearer))
        labels = next(test for test in found.tests if test.name == "labels")
        assert (found.verdict, labels.level) == (verdict, "no drift")
        assert labels.p_adjusted < ALPHA
        assert labels.words in found.sentence
        assert "too little for an alarm" in found.sentence
        for denial in ("look like", "are like", "did not change", "still holds", "No drift"):
            assert denial not in found.sentence
