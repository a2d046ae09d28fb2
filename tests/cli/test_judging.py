"""``lwcal evaluate``, ``compare``, ``monitor``: Python's numbers, for people and programs."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call


@pytest.fixture
def calibrator(here, noisy_rows):
    """A fitted calibrator in the working folder."""
    fitted = lwcal.NoiseAware(noise_rates=(0.2, 0.2)).fit(*noisy_rows)
    lwcal.save(fitted, "c.json")
    return fitted


def printed(capsys, line, code=0):
    """What a command prints as JSON."""
    capsys.readouterr()
    assert call(f"{line} --json") == code
    return json.loads(capsys.readouterr().out)


def test_evaluate_has_the_values_of_the_metrics(calibrator, capsys, noisy_rows):
    """Of the raw score and of the calibrator, each within its interval."""
    scores, labels = noisy_rows
    found = printed(capsys, "evaluate scores.csv c.json")
    assert found["noise_rates"] is None
    for name, p in (("raw score", scores), ("calibrated", calibrator.predict(scores))):
        expected = lwcal.metrics.evaluate(labels, p, which=["brier", "nll", "auc", "ece"])
        for metric, value in expected.items():
            shown = found["metrics"][name][metric]
            assert shown["value"] == pytest.approx(value)
            assert shown["low"] <= value <= shown["high"]


def test_rows_of_the_fit_are_recognised(here, capsys, noisy_rows):
    """By their histogram, which the file keeps; other rows are not mistaken for them."""
    scores, labels = noisy_rows
    for rows, is_same in ((slice(None), True), (slice(1, None), False)):
        lwcal.save(lwcal.Platt().fit(scores[rows], labels[rows]), "c.json", overwrite=True)
        assert call("evaluate scores.csv c.json") == 0
        assert ("was fitted to these rows" in capsys.readouterr().err) == is_same


def test_a_fit_prints_no_rate_that_the_labels_do_not_identify(tmp_path, monkeypatch, capsys):
    """An expected rate would look like a finding; ``--json`` has it for programs."""
    monkeypatch.chdir(tmp_path)
    for shape, is_clear in ((3.0, False), (0.1, True)):
        rng = np.random.default_rng(0)
        scores = rng.beta(shape, shape, 1000)
        labels = (rng.random(1000) < scores) ^ (rng.random(1000) < 0.2)
        pd.DataFrame({"score": scores, "label": labels.astype(int)}).to_csv("s.csv", index=False)
        assert call("fit s.csv --out c.json --force") == 0
        assert ("expected share of true negatives" in capsys.readouterr().out) == is_clear
        assert "r0" in printed(capsys, "fit s.csv --out c.json --force")["diagnostics"]


def test_evaluate_corrects_for_noise(calibrator, capsys, noisy_rows):
    """With known rates as corrected_evaluate; with estimated ones nearer to the truth."""
    scores, labels = noisy_rows
    found = printed(capsys, "evaluate scores.csv --noise-rates 0.2,0.2")
    assert found["noise_rates"] == [0.2, 0.2]
    assert list(found["metrics"]) == ["raw score"]
    expected = lwcal.metrics.corrected_evaluate(labels, scores, noise_rates=(0.2, 0.2))
    for metric, value in expected.items():
        assert found["metrics"]["raw score"][metric]["value"] == pytest.approx(value.value)
    estimated = printed(capsys, "evaluate scores.csv c.json --noise-rates estimate")
    rates = lwcal.estimate_noise(scores, labels).rates_posterior.mean()
    assert estimated["noise_rates"] == pytest.approx(list(rates))


def test_evaluate_shows_a_table(calibrator, capsys):
    """One line a metric, and how the labels were taken."""
    assert call("evaluate scores.csv c.json --label name --pos-label bad --weight w") == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "raw score calibrated",
        "log loss 0.",
        "AUC 0.",
        "every label counts as right",
        "positive class: bad",
    ):
        assert words in shown
    call("evaluate scores.csv --noise-rates 0.2,0.1")
    shown = " ".join(capsys.readouterr().out.split())
    assert "corrected for wrong labels (20% of the negatives, 10% of the positives)" in shown


def test_compare_sorts_by_corrected_loss(here, capsys):
    """The raw score is always among them, and differs from itself by nothing."""
    found = printed(capsys, "compare scores.csv --method platt,isotonic,noise-aware")
    methods = [one["method"] for one in found["candidates"]]
    losses = [one["corrected"]["nll"]["value"] for one in found["candidates"]]
    assert sorted(methods) == ["identity", "isotonic", "noise-aware", "platt"]
    assert losses == sorted(losses)
    raw = found["candidates"][methods.index("identity")]["nll_less_raw"]["corrected"]
    assert (raw["value"], raw["low"], raw["high"]) == (0, 0, 0)


def test_compare_shows_a_table(here, capsys):
    """With known rates, too."""
    assert call("compare scores.csv --method platt --noise-rates 0.2,0.2") == 0
    shown = " ".join(capsys.readouterr().out.split())
    for words in (
        "minus",
        "platt 0.",
        "identity 0.",
        "800 rows, cross-fitted",
        "positive class: 1",
    ):
        assert words in shown


def test_monitor_sees_nothing_in_the_same_rows(calibrator, capsys):
    """Exit code 0, and the evidence."""
    assert call("monitor c.json scores.csv") == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("Cannot tell: no drift shows in 800 new rows, but their labels")
    for words in ("scores PSI 0.000 0.1 0.25 1 no drift", "gate rho", "ECE against these labels"):
        assert words in shown


def test_monitor_exits_with_1_when_a_refit_is_due(calibrator, capsys, noisy_rows):
    """The same numbers as lwcal.monitor."""
    scores, labels = noisy_rows
    pd.DataFrame({"score": scores**3, "label": labels}).to_csv("new.csv", index=False)
    found = printed(capsys, "monitor c.json new.csv", code=1)
    assert found.pop("positive_class") == "1"
    assert found.pop("score_scale") == "probability"
    assert found == lwcal.monitor(calibrator, scores**3, labels).to_dict()
    assert found["verdict"] == "refit"


def test_monitor_does_without_labels(calibrator, capsys, noisy_rows):
    """And says so."""
    pd.DataFrame({"score": noisy_rows[0]}).to_csv("new.csv", index=False)
    assert call("monitor c.json new.csv") == 0
    assert "only the scores are compared" in capsys.readouterr().err
    found = printed(capsys, "monitor c.json new.csv")
    about = {"positive_class": None, "score_scale": "probability"}
    assert found == {**lwcal.monitor(calibrator, noisy_rows[0]).to_dict(), **about}


def test_monitor_knows_the_positive_class_of_the_fit(here, noisy_rows, capsys):
    """It is in the file, so that it need not be named again; another would turn all labels."""
    scores, labels = noisy_rows
    named = np.where(labels == 1, "bad", "good")
    lwcal.save(lwcal.Platt(pos_label="bad").fit(scores, named), "named.json")
    assert call("monitor named.json scores.csv --label name") == 0
    assert call("monitor named.json scores.csv --label name --pos-label bad") == 0
    for line in ("monitor named.json scores.csv", "decide named.json scores.csv"):
        capsys.readouterr()
        assert call(f"{line} --label name --pos-label good") not in (0, 1)  # 1 would be a verdict
        error = " ".join(capsys.readouterr().err.split())
        assert "--pos-label to be 'bad', the positive class of the calibrator, got 'good'" in error


def test_the_negative_class_of_plain_labels_is_refused_as_positive(calibrator, capsys):
    """A calibrator of 0 and 1 names no class, because these explain themselves."""
    for command in ("monitor c.json scores.csv", "evaluate scores.csv c.json"):
        capsys.readouterr()
        assert call(f"{command} --label label --pos-label 0") == 2
        assert "--pos-label to be 1, the positive class" in " ".join(
            capsys.readouterr().err.split()
        )
        assert call(f"{command} --label label --pos-label 1") == 0


@pytest.mark.parametrize("only", [0, 1])
def test_monitor_sees_new_rows_that_all_have_one_label(calibrator, capsys, noisy_rows, only):
    """The column is found by its name, whatever its values are."""
    pd.DataFrame({"score": noisy_rows[0], "label": only}).to_csv("one.csv", index=False)
    assert call("monitor c.json one.csv") == 1
    told = capsys.readouterr()
    assert "only the scores are compared" not in told.err
    assert "Refit" in told.out


def test_the_positive_class_that_was_named_for_the_fit_need_not_be_named_again(here, capsys):
    """Of words and of numbers; labels in another coding count as they would without it."""
    few = pd.read_csv("scores.csv")[:200]
    few.assign(two=lambda rows: rows["label"] + 1).to_csv("s.csv")
    for options in ("--label name --pos-label bad", "--label two --pos-label 2"):
        call(f"fit s.csv {options} --method platt --out c.json --force")
        found = [
            printed(capsys, f"evaluate s.csv c.json {labels}")
            for labels in (options, options.split(" --pos-label")[0], "--label label")
        ]
        classes = [one.pop("positive_class") for one in found]
        assert classes == [options.split()[-1], options.split()[-1], "1"]
        assert found[0] == found[1] == found[2]
        assert call(f"monitor c.json s.csv {options.split(' --pos-label')[0]}") == 0
        assert call(f"report c.json s.csv {options.split(' --pos-label')[0]} --force") == 0


def test_evaluate_takes_rows_and_calibrator_in_either_order(calibrator, capsys):
    """The other commands take the calibrator first."""
    first = printed(capsys, "evaluate scores.csv c.json")
    assert printed(capsys, "evaluate c.json scores.csv") == first


@pytest.fixture
def sampled(here):
    """A calibrator of rows of which 5% of the negatives were kept, and these rows."""
    rng = np.random.default_rng(0)
    labels = (rng.random(3000) < 0.3).astype(int)
    z = np.where(labels == 1, 1.0, -1.0) + rng.normal(size=3000)
    frame = pd.DataFrame({"score": 1.0 / (1.0 + np.exp(-z)), "label": labels})
    frame.to_csv("sampled.csv", index=False)
    fitted = lwcal.Platt().fit(frame["score"], labels)
    lwcal.save(lwcal.shift.to_base_rate(fitted, 0.02), "c.json", overwrite=True)
    return frame


@pytest.mark.parametrize("command", ["monitor c.json sampled.csv", "evaluate sampled.csv c.json"])
def test_rows_of_another_base_rate_than_the_corrected_one_are_noted(sampled, capsys, command):
    """A right calibrator looks wrong on the sample that it was fitted to."""
    call(command)
    assert "This calibrator is for 2% positives, and 30% of these rows" in capsys.readouterr().err
    negatives = sampled["label"] == 0
    kept = pd.concat([sampled[negatives], sampled[~negatives].head(42)])
    kept.to_csv("sampled.csv", index=False)
    call(command)
    assert "This calibrator is for" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["monitor c.json p.csv", "evaluate p.csv c.json", "decide c.json p.csv"]
)
def test_probabilities_are_refused_where_percents_are_expected(here, noisy_rows, capsys, command):
    """As apply does: all of them would be tiny percents."""
    scores, labels = noisy_rows
    lwcal.save(lwcal.Platt().fit(100.0 * scores, labels, scale="percent"), "c.json", overwrite=True)
    pd.DataFrame({"score": scores, "label": labels}).to_csv("p.csv", index=False)
    assert call(command) == 2
    assert "fitted to percents" in capsys.readouterr().err
    assert call(f"{command} --score-scale probability") in (0, 1)


def test_rates_below_half_a_percent_are_not_told_as_none(here, capsys):
    """0.1% of many negatives are more wrong labels than 20% of few positives."""
    assert call("fit scores.csv --method platt --out c.json") == 0
    assert call("evaluate scores.csv c.json --noise-rates 0.001,0.2") == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "(0.1% of the negatives, 20% of the positives)" in told
