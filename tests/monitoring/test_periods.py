"""The verdict by period finds when a change began, and does not cry wolf."""

import json

import numpy as np
import pytest

import lwcal
from lwcal.errors import InputError, ParameterError
from lwcal.monitoring.label_tests import Labels, compare_labels
from lwcal.monitoring.permutation import Counted, with_exact_p
from lwcal.monitoring.statistics import compare_scores
from tests.monitoring.test_monitor import without_intervals  # noqa: F401  (a fixture)

DAY_ONE = np.datetime64("2024-01-01")


def rows(rng, n, *, factor=1.0, shape=(0.5, 0.5)):
    """Scores and labels that are positive as often as the scores say, times a factor."""
    scores = rng.beta(*shape, n)
    return scores, rng.random(n) < scores * factor


def by_period(calibrator, parts, **options):
    """Compare parts as days in a row."""
    scores, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    times = DAY_ONE + np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    return lwcal.monitor_periods(calibrator, scores, labels, times=times, period="day", **options)


@pytest.fixture(scope="module")
def calibrator():
    """Fitted to 2,000 rows."""
    return lwcal.Platt().fit(*rows(np.random.default_rng(1), 2000))


def alarms_without_change(histories):
    """Histories of 24 periods, of rare labels and without any change, in which drift is found."""
    alarms = 0
    for seed in range(histories):
        rng = np.random.default_rng(seed)
        fitted = lwcal.Platt().fit(*rows(rng, 2000, shape=(0.3, 3)))
        found = by_period(fitted, [rows(rng, 30, shape=(0.3, 3)) for _ in range(24)])
        alarms += bool(found.drifting)
    return alarms


@pytest.mark.usefixtures("without_intervals")
def test_unchanged_rows_raise_hardly_an_alarm_in_any_of_24_periods():
    """The probability is at most 1%: of 40 histories, more than 3 alarm once in 1,500 runs."""
    assert alarms_without_change(40) <= 3


@pytest.mark.usefixtures("without_intervals")
def test_chi_square_would_cry_wolf(monkeypatch):
    """So p-values are computed by exchanging rows: rare labels are not chi-square."""
    monkeypatch.setattr(
        "lwcal.monitoring.periods.with_exact_p", lambda found, counted, tests: dict(found)
    )
    assert alarms_without_change(40) > 6


@pytest.mark.usefixtures("without_intervals")
def test_the_first_period_of_a_change_is_named(calibrator):
    """Labels at equal scores change from the sixth day on; before, there is no drift."""
    rng = np.random.default_rng(0)
    parts = [rows(rng, 300, factor=0.6 if day >= 5 else 1.0) for day in range(10)]
    found = by_period(calibrator, parts)
    assert found.since.name == "2024-01-06"
    assert [one.level for one in found.periods] == ["no drift"] * 5 + ["refit"] * 5
    assert found.sentence.startswith("Drift since 2024-01-06, in 5 of the 5 days from then on: ")
    assert found.is_alarm
    document = json.loads(json.dumps(found.to_dict()))
    assert document["since"] == "2024-01-06"
    assert document["periods"][0]["n"] == 300
    over = by_period(calibrator, [*parts, rows(rng, 300)])
    assert over.since is None
    assert (
        "in 5 of 11 days (2024-01-06 to 2024-01-10), and no longer in 2024-01-11" in over.sentence
    )


def rare_rows(rng, n, *, times=1.0):
    """Rows of which 5% are positive, or so many times as many by their odds at equal scores."""
    truth = rng.random(n) < 0.05
    odds = np.exp(1.5 * (rng.normal(size=n) + 1.5 * truth) - 1.125) / 19
    return odds / (1.0 + odds), rng.random(n) < times * odds / (1.0 + times * odds)


def histories(runs, times):
    """Comparisons of 12 months of 800 rows, whose odds are multiplied; each has its own fit."""
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        fitted = lwcal.Platt().fit(*rare_rows(rng, 20_000))
        yield by_period(fitted, [rare_rows(rng, 800, times=factor) for factor in times])


@pytest.mark.usefixtures("without_intervals")
def test_a_drift_that_goes_on_is_not_said_to_be_over():
    """It is found in some periods, and missed in others because their rows are few.

    A quiet period at the end is then no proof. Each is said to prove something at most once in ten
    histories; more than 3 of 12 at that rate are 1 in 40.
    """
    over = missed = 0
    for found in histories(12, [1.0] * 5 + [2.0] * 7):
        missed += bool(found.drifting) and found.periods[-1].level == "no drift"
        over += "no longer" in found.sentence
        if found.drifting and not found.ended:
            assert found.since == found.drifting[0]
            assert found.verdict != "no drift"
            assert found.latest == found.drifting[-1]
            unknown = "Whether it goes on in " in found.sentence
            assert unknown == (found.ended is None)
    assert missed >= 4  # the last period alone would mislead
    assert over <= 1


@pytest.mark.usefixtures("without_intervals")
def test_a_clear_drift_that_is_over_is_said_to_be():
    """Enough rows without it follow; after a few rows nobody can tell."""
    drift = [1.0] * 3 + [4.0] * 3
    for found in histories(4, [*drift, 1.0, 1.0, 1.0]):
        assert found.ended
        assert found.since is None
        assert "and no longer in 2024-01-07 to 2024-01-09" in found.sentence
    rng = np.random.default_rng(0)
    fitted = lwcal.Platt().fit(*rare_rows(rng, 20_000))
    parts = [rare_rows(rng, 800, times=factor) for factor in drift]
    found = by_period(fitted, [*parts, rare_rows(rng, 60)])
    assert found.ended is None
    assert found.since.name == "2024-01-04"
    assert found.is_alarm
    assert "Whether it goes on in 2024-01-07 cannot be told" in found.sentence
    assert json.loads(json.dumps(found.to_dict()))["ended"] is None


@pytest.mark.usefixtures("without_intervals")
def test_late_labels_are_suspected_where_they_look_like_drift(calibrator):
    """Fewer positives, in the latest period only; not if there are more, or if they went on."""
    rng = np.random.default_rng(6)
    quiet = [rows(rng, 300) for _ in range(5)]
    assert "--label-matures" in by_period(calibrator, [*quiet, rows(rng, 300, factor=0.5)]).sentence
    more = rng.beta(0.5, 0.5, 300)
    for last in (
        [rows(rng, 300, factor=0.5), rows(rng, 300)],
        [(more, rng.random(300) < 2 * more)],
    ):
        found = by_period(calibrator, [*quiet, *last])
        assert found.drifting
        assert "--label-matures" not in found.sentence


@pytest.mark.usefixtures("without_intervals")
def test_the_overall_verdict_is_that_of_monitor(calibrator):
    """All rows together, however they are divided; so are the rows of a single period."""
    rng = np.random.default_rng(3)
    parts = [rows(rng, 200, factor=0.7) for _ in range(3)]
    scores, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    found = by_period(calibrator, parts)
    assert found.overall == lwcal.monitor(calibrator, scores, labels)
    assert found.periods[1].mean_score == pytest.approx(parts[1][0].mean())
    expected = calibrator.predict(parts[1][0]).mean()
    assert found.periods[1].mean_probability == pytest.approx(expected)
    assert found.periods[1].base_rate == pytest.approx(parts[1][1].mean())


@pytest.mark.usefixtures("without_intervals")
def test_young_and_missing_labels_count_for_the_scores_only(calibrator):
    """A young positive is missing too: early labels are not a fair sample."""
    rng = np.random.default_rng(4)
    parts = [rows(rng, 100) for _ in range(10)]
    found = by_period(calibrator, parts, label_matures=3)
    assert [one.n_labelled for one in found.periods] == [100] * 7 + [0] * 3
    assert [one.n for one in found.periods] == [100] * 10
    assert found.young == 300
    assert found.periods[-1].base_rate is None
    assert "too few labels to tell" in found.sentence
    early = [
        (s, np.where(day < 7, y, np.where(y, 1.0, np.nan))) for day, (s, y) in enumerate(parts)
    ]
    assert by_period(calibrator, early, label_matures=3).to_dict() == found.to_dict()
    biased = by_period(calibrator, early)
    assert biased.since is not None  # only positives arrived early
    assert "100% of these are positive. If positive labels arrive first" in biased.sentence
    assert "--label-matures" in biased.sentence


@pytest.mark.usefixtures("without_intervals")
def test_without_labels_scores_are_compared(calibrator):
    """And the sentence says that nobody can tell more."""
    rng = np.random.default_rng(5)
    scores = np.concatenate([rng.beta(0.5, 0.5, 400), rng.beta(5, 1, 400)])
    times = np.repeat(["2024-01-01", "2024-02-01"], 400)
    found = lwcal.monitor_periods(calibrator, scores, times=times, period="month")
    assert [one.level for one in found.periods] == ["no drift", "check labels"]
    assert found.young == 0
    assert "1 month has too few labels to tell" in found.sentence


@pytest.mark.usefixtures("without_intervals")
def test_quiet_rows_without_labels_are_not_called_unchanged(calibrator):
    """One period, or labels that are all too young: the verdict says that nobody can tell."""
    rng = np.random.default_rng(5)
    scores, labels = rows(rng, 300)
    times = np.full(300, "2024-05-01")
    options = {"times": times, "period": "year"}
    alone = lwcal.monitor_periods(calibrator, scores, **options)
    assert alone.verdict == "cannot tell"
    assert alone.sentence.startswith("Cannot tell: no drift was found in 1 year. 1 year has too")
    assert f"About {alone.overall.telling.needed:,} rows with labels" in alone.sentence
    young = lwcal.monitor_periods(calibrator, scores, labels, **options, label_matures=30)
    assert young.verdict == "cannot tell"
    assert "All labels are too young to count." in young.sentence


@pytest.mark.usefixtures("without_intervals")
def test_labels_cannot_be_read_before_the_rows_exist(calibrator):
    """A wrong year would leave every label out."""
    rng = np.random.default_rng(5)
    scores, labels = rows(rng, 300)
    times = np.full(300, "2024-05-01")
    with pytest.raises(InputError, match="before the rows exist"):
        lwcal.monitor_periods(
            calibrator, scores, labels, times=times, label_matures=30, as_of="2023-06-30"
        )


@pytest.mark.usefixtures("without_intervals")
@pytest.mark.parametrize("stray", ["1970-01-01", "0001-01-01", "2100-05-05"])
def test_a_row_of_another_age_is_noted(calibrator, stray):
    """Its time is probably wrong; rows of months in a row are not noted, nor many old rows."""
    rng = np.random.default_rng(8)
    scores, labels = rows(rng, 600)
    days = np.datetime64("2024-01-01") + np.arange(600) // 4
    options = {"period": "month"}
    clean = lwcal.monitor_periods(calibrator, scores, labels, times=days, **options)
    assert "Look at the times" not in clean.sentence
    for count in (1, 300):
        times = np.where(np.arange(600) < count, np.datetime64(stray), days)
        found = lwcal.monitor_periods(calibrator, scores, labels, times=times, **options)
        said = f"Look at the times of 1 row of {stray[:7]}, years away from all others."
        assert (said in found.sentence) == (count == 1)


def test_bad_calls_are_refused(calibrator):
    """Before anything is compared."""
    scores = np.array([0.2, 0.9])
    with pytest.raises(ParameterError, match="expected period to be one of 'day'"):
        lwcal.monitor_periods(calibrator, scores, times=["2024-01-01"] * 2, period="decade")
    with pytest.raises(InputError, match="2 scores but 1 time"):
        lwcal.monitor_periods(calibrator, scores, times=["2024-01-01"])
    with pytest.raises(InputError, match="times holds numbers"):
        lwcal.monitor_periods(calibrator, scores, times=[1, 2])
    classes = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    several = lwcal.Temperature().fit(classes, classes.argmax(axis=1))
    with pytest.raises(lwcal.errors.LwcalError):
        lwcal.monitor_periods(several, classes, times=["2024-01-01"] * 60)


def test_exact_p_values_agree_with_chi_square_where_it_holds():
    """With many rows in every bin; fractional weights are left as they are."""
    rng = np.random.default_rng(0)
    before = Labels(rng.poisson(500, 10) * 1.0, rng.poisson(500, 10) * 1.0)
    after = Labels(rng.poisson(200, 10) * 1.0, rng.poisson(225, 10) * 1.0)
    found = {
        "scores": compare_scores(before.weight, before.weight[::-1] * 0 + after.weight),
        "labels": compare_labels(before, after),
    }
    counted = Counted(before, after.weight, after)
    exact = with_exact_p(found, counted, tests=100)
    for name, test in found.items():
        if test.p_value < 0.05:
            assert exact[name].p_value == pytest.approx(test.p_value, rel=0.6, abs=2e-4)
    assert found["labels"].p_value < 0.05
    half = Labels(after.negatives + 0.5, after.positives)
    assert with_exact_p(found, counted._replace(after=half), tests=100)["labels"] == found["labels"]
