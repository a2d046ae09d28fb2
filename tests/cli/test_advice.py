"""What ``lwcal fit`` says of the labels it fitted to."""

from types import SimpleNamespace

import numpy as np
import pytest

import lwcal
import lwcal.cli.advice as advising
from lwcal import ClassRows, ScoreTable
from lwcal.calibrators import Auto, NoiseAware, Platt, Reviewed
from lwcal.cli.advice import ASK, advice, class_advice
from lwcal.diagnosis import Recommendation, class_judgement, judgement

RNG = np.random.default_rng(3)
SCORES = RNG.random(2000).round(3)
LABELS = (RNG.random(2000) < SCORES) ^ (RNG.random(2000) < 0.2)
TABLE = ScoreTable.from_arrays(SCORES, LABELS)


@pytest.fixture
def nothing_inferred(monkeypatch):
    """Fail if the posterior of all rows is inferred, in place of the one that is handed on."""

    def refuse(*_):
        raise AssertionError("inferred again")

    monkeypatch.setattr(judgement, "infer", refuse)
    # the folds of the cross-fit are inferred by this name, too
    whole = class_judgement.infer_classes

    def infer_part(rows, *rest):
        assert rows.n < 300, "inferred again"
        return whole(rows, *rest)

    monkeypatch.setattr(class_judgement, "infer_classes", infer_part)


@pytest.mark.parametrize("calibrator", [Auto(), Auto(max_cost=0.5), NoiseAware(prior_clean=0.9)])
def test_the_verdict_rests_on_the_posterior_of_the_fit(calibrator, nothing_inferred):
    """It is inferred once, and says what ``lwcal.diagnose`` says."""
    learned = calibrator.learn(TABLE)
    found = advice(TABLE, calibrator, learned.posterior)
    with pytest.MonkeyPatch.context() as restored:
        restored.setattr(judgement, "infer", lwcal.noise.inference.infer)
        assert found == advice(TABLE, calibrator)
        diagnosis = lwcal.diagnose(TABLE, calibrator=calibrator, methods=[])
    assert found == diagnosis.recommendation.sentence


def test_one_label_a_row_is_judged_as_noise_aware(nothing_inferred):
    """As which it is fitted."""
    calibrator = Reviewed()
    learned = calibrator.learn(TABLE)
    of_noise_aware = advice(TABLE, NoiseAware(), NoiseAware().learn(TABLE).posterior)
    assert advice(TABLE, calibrator, learned.posterior) == of_noise_aware


def test_a_verdict_on_another_calibrator_says_what_the_fit_holds(monkeypatch):
    """Auto keeps the raw score where only a full correction gains."""
    other = Recommendation("deploy", "noise-aware", "Log loss falls by 1%.")

    def judged(*_, **__):
        return SimpleNamespace(recommendation=other)

    monkeypatch.setattr(advising, "judge", judged)
    told = advice(TABLE, Auto().fit_table(TABLE))
    assert told.startswith(other.sentence)
    assert told.endswith(
        "this fit is auto, which keeps the raw score. For the other calibrator, "
        "add --method noise-aware."
    )
    assert advice(TABLE, NoiseAware().fit_table(TABLE)) == other.sentence
    monkeypatch.undo()


def test_calibrators_without_a_noise_model_name_the_command_that_judges():
    """They infer no posterior."""
    calibrator = Platt()
    learned = calibrator.learn(TABLE)
    assert learned.posterior is None
    assert advice(TABLE, calibrator, learned.posterior) == ASK


def test_several_classes_are_judged_by_the_posterior_of_the_fit(nothing_inferred):
    """Only the folds of the cross-fit have posteriors of their own."""
    scores = RNG.dirichlet(np.ones(3), 300)
    labels = (scores.cumsum(axis=1) > RNG.random((300, 1))).argmax(axis=1)
    rows = ClassRows.from_arrays(scores, labels)
    calibrator = Auto()
    learned = calibrator.learn_rows(rows)
    found = class_advice(rows, calibrator, learned)
    assert found.startswith(("Keep", "Deploy", "Check"))


def test_two_columns_are_judged_as_one(nothing_inferred):
    """As they are fitted."""
    rows = ClassRows.from_arrays(np.column_stack([1.0 - SCORES, SCORES]), LABELS.astype(int))
    of_columns, of_table = Auto(), Auto()
    found = class_advice(rows, of_columns, of_columns.learn_rows(rows))
    assert found == advice(TABLE, of_table, of_table.learn(TABLE).posterior)
