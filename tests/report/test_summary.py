"""The top of the page: facts, and both readings of its own calibrator."""

from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from scipy.special import expit

import lwcal
from lwcal.diagnosis.judgement import second_reading
from lwcal.diagnosis.readings import read_both
from lwcal.noise.logit_counts import pool_by_logit
from lwcal.report.next_step import remarks
from lwcal.report.page_readings import was_fitted_to
from lwcal.report.summary import MISFIT, facts, readings_table
from lwcal.report.wording import noise_facts, noise_sentence
from tests.report.test_page import with_verdict


@pytest.fixture(scope="module")
def misfit():
    """A report on right labels and a score of the wrong shape, which noise does not fit."""
    rng = np.random.default_rng(3)
    logit = rng.normal(-1.0, 1.5, 3000)
    labels = rng.random(3000) < expit(logit + 0.8 * np.sin(2.2 * logit))
    scores = expit(logit)
    return lwcal.report.build(lwcal.Platt().fit(scores, labels), scores, labels)


@pytest.fixture(scope="module")
def reversed_scores():
    """A report on scores of the other class."""
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    labels = rng.random(400) < scores
    return lwcal.report.build(lwcal.Platt().fit(scores, labels), 1.0 - scores, labels)


def shown(facts):
    """Names and values of facts."""
    return {fact.name: fact.value for fact in facts}


def numbers(readings):
    """Losses and changes under both readings, and what they have in common."""
    both = (readings.labels_right, readings.noise_holds)
    of_each = [(one.raw_loss, one.calibrated_loss, *one.gain, one.raw_errors) for one in both]
    common = (readings.raw_average, readings.calibrated_average, readings.moved)
    return [*np.ravel(of_each), *common]


def test_the_facts_are_those_of_the_rows(data, example):
    """Positive class, averages before and after, labelled positives, changed decisions."""
    after = example.calibrator.predict(example.scores)
    found = shown(facts(data))
    moved = ((example.scores >= 0.5) != (after >= 0.5)).sum()
    assert found["Positive class"] == "1"
    assert found["Average raw score"] == f"{example.scores.mean():.1%}"
    assert found["Average calibrated"] == f"{after.mean():.1%}"
    assert found["Labelled positive"] == f"{example.labels.mean():.1%}"
    assert found["Change sides at 0.5"] == f"{moved} rows"
    assert found["Rows"] == "3,000"


@pytest.mark.parametrize(
    ("up", "down", "meaning"),
    [
        (0.0, 0.0, "no decision changes"),
        (3.0, 0.0, "all become positive"),
        (0.0, 3.0, "all become negative"),
        (3.0, 1200.0, "3 become positive, 1,200 negative"),
    ],
)
def test_the_sides_are_named(data, up, down, meaning):
    """To which side rows change is said only as far as it is not obvious."""
    moved = replace(data, readings=replace(data.readings, moved_up=up, moved_down=down))
    assert facts(moved)[4].meaning == meaning


@pytest.mark.usefixtures("few_resamples")
def test_the_positive_class_can_be_named(example):
    """A table does not know it, but whoever made the table may."""
    table = lwcal.ScoreTable.from_arrays(example.scores[:300], example.labels[:300])
    build = lwcal.report.build
    assert shown(facts(build(example.calibrator, table)))["Positive class"] == "not recorded"
    named = build(example.calibrator, table, positive_class="fraud")
    assert shown(facts(named))["Positive class"] == "fraud"


@pytest.mark.usefixtures("few_resamples")
def test_readings_are_those_of_the_calibrator_on_the_page(example):
    """Not those of the calibrator that the verdict recommends."""
    half = slice(0, 1500)
    other = lwcal.Platt().fit(example.scores[1500:], example.labels[1500:])
    built = lwcal.report.build(other, example.scores[half], example.labels[half])
    table = lwcal.ScoreTable.from_arrays(example.scores[half], example.labels[half])
    pooled = pool_by_logit(table)
    truths = second_reading(built.diagnosis.posterior, pooled.scores)
    assert built.readings == read_both(pooled, other.map_, truths, unpooled=table)
    assert built.readings != built.diagnosis.readings
    assert not built.fitted_here
    after = other.predict(example.scores[half])
    assert built.readings.calibrated_average == pytest.approx(after.mean())
    assert built.readings.labels_right.calibrated_loss == pytest.approx(
        lwcal.metrics.nll(example.labels[half], after),
        abs=1e-3,  # scores are pooled
    )


@pytest.mark.usefixtures("few_resamples")
def test_a_calibrator_fitted_to_these_rows_is_judged_on_rows_left_out(example, tmp_path):
    """Also after it was saved. So the table repeats the numbers of the verdict."""
    lwcal.save(example.calibrator, tmp_path / "c.json")
    loaded = lwcal.load(tmp_path / "c.json")
    table = lwcal.ScoreTable.from_arrays(example.scores, example.labels)
    built = lwcal.report.build(loaded, example.scores, example.labels)
    assert built.fitted_here
    assert numbers(built.readings) == pytest.approx(numbers(built.diagnosis.readings))
    # scores that may be right make the raw score the one to use until labels are checked
    assert "The verdict is about the raw score" in remarks(built)[0]
    assert remarks(with_verdict(built, calibrator="auto")) == []
    flexible = lwcal.Isotonic().fit_table(table)
    judged = lwcal.report.build(flexible, table).readings.labels_right
    itself = lwcal.metrics.nll(example.labels, flexible.predict(example.scores))
    assert judged.calibrated_loss > itself


def test_other_rows_are_told_from_those_of_the_fit(example):
    """One changed label is enough, and a calibrator without a histogram is not asked."""
    table = lwcal.ScoreTable.from_arrays(example.scores, example.labels)
    changed = example.labels.copy()
    changed[0] = 1 - changed[0]
    calibrator = lwcal.Platt().fit_table(table)
    assert was_fitted_to(calibrator, table)
    assert not was_fitted_to(calibrator, lwcal.ScoreTable.from_arrays(example.scores, changed))
    calibrator.reference_ = None
    assert not was_fitted_to(calibrator, table)


@pytest.mark.usefixtures("few_resamples")
def test_a_fit_to_other_rows_explains_why_numbers_differ(example):
    """The verdict fits the same kind of calibrator anew."""
    half = slice(0, 1500)
    elsewhere = lwcal.Auto().fit(example.scores[1500:], example.labels[1500:])
    built = lwcal.report.build(elsewhere, example.scores[half], example.labels[half])
    assert built.diagnosis.recommendation.calibrator == "auto"
    (remark,) = remarks(built)
    assert "fitted anew" in remark


def test_both_readings_stand_side_by_side(data):
    """Six lines for each, from the readings of the page."""
    table = readings_table(data)
    assert table.titles == ("If every label is right", "By the checked labels")
    right, noisy = data.readings.labels_right, data.readings.noise_holds
    cells = dict(table.rows)
    assert [cell.value for cell in cells["Log loss, raw score"]] == [
        f"{right.raw_loss:.3f}",
        f"{noisy.raw_loss:.3f}",
    ]
    assert [cell.value.split(", ")[1] for cell in cells["Change of log loss"]] == [
        "worse",
        "better",
    ]
    assert [cell.value for cell in cells["Share of positives"]] == [
        f"{right.positives:.1%}",
        f"{noisy.positives:.1%}",
    ]
    unsure = lwcal.Estimate(0.01, -0.02, 0.03)
    doubtful = replace(data.readings, labels_right=replace(right, gain=unsure))
    change = dict(readings_table(replace(data, readings=doubtful)).rows)["Change of log loss"][0]
    assert change.value.endswith("not sure")
    assert change.beside.count("%") == 2


def test_the_second_column_says_where_it_comes_from(data):
    """By the evidence of the diagnosis."""
    titles = {
        evidence: readings_table(
            replace(data, diagnosis=replace(data.diagnosis, evidence=evidence))
        ).titles[1]
        for evidence in ("labels", "known rates", "checked labels")
    }
    assert len(set(titles.values())) == 3
    assert "known rates" in titles["known rates"]


def test_without_a_fitting_noise_no_rate_is_shown(misfit):
    """One column says so in plain words; suspects have a loss and no probability."""
    assert misfit.readings.noise_holds is None
    table = readings_table(misfit)
    assert table.misfit == MISFIT
    assert {len(cells) for _, cells in table.rows} == {1}
    assert noise_facts(misfit) == []
    assert [view.key for view in misfit.views] == ["labelled"]
    assert {suspect.wrong for suspect in misfit.suspects} == {None}
    losses = [suspect.loss for suspect in misfit.suspects]
    assert losses == sorted(losses, reverse=True)
    page = unescape(lwcal.report.render(misfit))
    assert MISFIT in page
    for word in ("flip rates", "P(wrong)", "Corrected for noise"):
        assert word not in page


def test_rows_that_judge_nothing_give_no_readings(reversed_scores):
    """The page does not compare what cannot be compared."""
    assert reversed_scores.diagnosis.recommendation.refuses_rows
    assert readings_table(reversed_scores) is None
    assert remarks(reversed_scores) == []
    assert noise_facts(reversed_scores) == []
    page = unescape(lwcal.report.render(reversed_scores))
    assert 'id="readings-table"' not in page
    assert noise_sentence(reversed_scores) in page
    assert "right labels explain" not in page


def test_checked_labels_are_counted(data, example):
    """How many were checked, and how many of them were wrong."""
    checked = ~np.isnan(example.trusted)
    wrong = (example.trusted[checked] != example.labels[checked]).sum()
    assert data.audit == (checked.sum(), wrong)
    assert f"{wrong} of the {checked.sum()} checked labels were wrong" in noise_sentence(data)
    assert shown(noise_facts(data))["Checked labels"] == f"{checked.sum()}"
    assert facts(data)[5].meaning == f"{checked.sum()} of them checked"


@pytest.mark.usefixtures("few_resamples")
def test_how_rows_were_chosen_reaches_the_verdict(example):
    """As in diagnose."""
    rows = example.scores[:600], example.labels[:600]
    chances = np.random.default_rng(0).choice([0.1, 0.5], 600)
    trusted = example.trusted[:600]
    built = lwcal.report.build(
        example.calibrator, *rows, trusted=trusted, audit_probability=chances
    )
    expected = lwcal.diagnose(
        *rows, y_audited=trusted, audit_probability=chances, calibrator=example.calibrator
    )
    assert built.diagnosis.recommendation == expected.recommendation
    assert built.diagnosis.checked == expected.checked < built.audit.checked
    assert built.n == 600


@pytest.mark.usefixtures("few_resamples")
def test_known_rates_of_the_calibrator_are_those_of_the_page(example):
    """Also after it was saved."""
    fitted = lwcal.NoiseAware(noise_rates=(0.1, 0.3)).fit(example.scores, example.labels)
    loaded = lwcal.artifact.from_document(lwcal.artifact.to_document(fitted))
    built = lwcal.report.build(loaded, example.scores, example.labels)
    assert built.diagnosis.evidence == "known rates"
    assert built.diagnosis.noise.rates_posterior.mean() == pytest.approx((0.1, 0.3))


def test_the_assumption_is_asked_once(data):
    """Whether the model was trained on these rows."""
    assert lwcal.report.render(data).count("trained on these rows?") == 1


@pytest.mark.usefixtures("few_resamples")
def test_a_changed_base_rate_is_said():
    """Otherwise the page would not explain why calibrated probabilities are lower."""
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    labels = (rng.random(400) < scores).astype(int)
    fitted = lwcal.Platt().fit(scores, labels)
    adapted = lwcal.shift.to_base_rate(fitted, 0.1)
    shown = [
        [
            fact.meaning
            for fact in facts(lwcal.report.build(one, scores, labels))
            if fact.name == "Base rate"
        ]
        for one in (fitted, adapted)
    ]
    assert shown[0] == []
    assert "10% in deployment" in shown[1][0]
