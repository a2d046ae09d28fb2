"""``lwcal adapt``, and the base rate in ``lwcal fit``."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit

import lwcal
from tests.cli.helpers import call, files
from tests.shift.simulated import class_rows as simulated_classes
from tests.shift.simulated import rows


@pytest.fixture
def shifted(tmp_path, monkeypatch):
    """A working folder with rows of a fit, and new scores at other base rates."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    scores, truth = rows(rng, 3000, 0.3)
    pd.DataFrame({"score": scores, "label": truth.astype(int)}).to_csv("fit.csv", index=False)
    for name, base_rate, moved in [("new", 0.03, 0.0), ("same", 0.3, 0.0), ("moved", 0.1, 0.7)]:
        new, _ = rows(rng, 3000, base_rate, moved=moved)
        pd.DataFrame({"score": new}).to_parquet(f"{name}.parquet")
    assert call("fit fit.csv --method platt --out c.json") == 0
    return tmp_path


def test_a_new_base_rate_is_written(shifted, capsys):
    """And the file equals what Python writes."""
    assert call("adapt c.json new.parquet --out a.json") == 0
    assert "The base rate was 30% in the fit" in capsys.readouterr().out
    new = pd.read_parquet("new.parquet").score
    expected = lwcal.shift.adapt(lwcal.load("c.json"), new).calibrator
    np.testing.assert_array_equal(lwcal.load("a.json").predict(new), expected.predict(new))
    assert call("adapt c.json new.parquet --out a.json --json --force") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdict"] == "adapted"
    assert document["written"] == ["a.json"]


def test_nothing_is_written_without_a_reason(shifted, capsys):
    """The base rate may be as before, or the scores moved: then the exit code is 1."""
    before = files(shifted)
    assert call("adapt c.json same.parquet --out a.json") == 0
    assert "nothing was written" in capsys.readouterr().out
    assert call("adapt c.json moved.parquet --out a.json") == 1
    assert "no base rate explains" in capsys.readouterr().out.replace("\n", " ")
    assert files(shifted) == before


def test_a_known_base_rate_needs_no_scores(shifted, capsys):
    """With scores, they are tested."""
    assert call("adapt c.json --base-rate 0.02 --out a.json --json") == 0
    assert json.loads(capsys.readouterr().out)["after"] == [0.98, 0.02]
    assert call("adapt c.json new.parquet --base-rate 0.02 --out b.json") == 0
    assert "given" in capsys.readouterr().out
    a, b = (lwcal.load(name).predict([0.5]) for name in ("a.json", "b.json"))
    np.testing.assert_array_equal(a, b)
    assert call("adapt c.json moved.parquet --base-rate 0.02 --out d.json") == 1
    assert call("adapt c.json --out d.json") == 2
    assert "--base-rate" in capsys.readouterr().err


def test_a_calibrator_off_its_own_rows_is_noted(shifted, capsys):
    """A known base rate is used, and a note says that mean probabilities will be others."""
    fit = pd.read_csv("fit.csv")
    fit.assign(score=np.sqrt(fit.score)).to_csv("sure.csv", index=False)
    assert call("fit sure.csv --method temperature --out t.json") == 0
    capsys.readouterr()
    assert call("adapt t.json --base-rate 0.1 --out b.json") == 0
    assert "are labelled so" in " ".join(capsys.readouterr().err.split())
    assert lwcal.load("b.json").adjustments_[0].after[1] == pytest.approx(0.1)


def test_a_base_rate_that_the_scores_contradict_has_an_exit_code(shifted, capsys):
    """It is written as it was asked for, and a nightly job sees that it should be looked at."""
    assert call("adapt c.json new.parquet --base-rate 0.6 --out b.json") == 1
    assert "check the given one" in " ".join(capsys.readouterr().out.split())
    assert lwcal.load("b.json").adjustments_[0].after[1] == pytest.approx(0.6)


def test_a_written_calibrator_is_applied_and_exported(shifted, capsys):
    """The values of SQL are those of the file."""
    assert call("adapt c.json new.parquet --out a.json") == 0
    assert call("apply a.json new.parquet --out out.parquet") == 0
    capsys.readouterr()
    assert call("export a.json --to sql --dialect duckdb") == 0
    import duckdb

    query = f"SELECT {capsys.readouterr().out} AS p, p_calibrated FROM 'out.parquet'"
    found = duckdb.sql(query).df()
    np.testing.assert_allclose(found.p, found.p_calibrated, rtol=0, atol=1e-12)
    assert found.p.mean() < 0.06


@pytest.fixture
def classes(shifted):
    """A calibrator of several classes, and new scores of them."""
    rng = np.random.default_rng(1)
    names = ["p_a", "p_b", "p_c"]
    scores, truth = simulated_classes(rng, 2000, [0.2, 0.3, 0.5])
    frame = pd.DataFrame(scores, columns=names).assign(label=np.array(list("abc"))[truth])
    frame.to_csv("classes.csv", index=False)
    for name, shares in (("other", [0.6, 0.3, 0.1]), ("unchanged", [0.2, 0.3, 0.5])):
        new, _ = simulated_classes(rng, 2000, shares)
        pd.DataFrame(new, columns=names).to_parquet(f"{name}.parquet")
    assert call("fit classes.csv --score p_* --method matrix-scaling --out m.json") == 0
    return shifted


def test_base_rates_of_several_classes_are_given(classes, capsys):
    """By the names of the classes; scores, if there are some, are tested."""
    assert call("adapt m.json --base-rate a=0.6,b=0.3,c=0.1 --out n.json") == 0
    assert lwcal.load("n.json").adjustments_[0].after == pytest.approx((0.6, 0.3, 0.1))
    line = "adapt m.json other.parquet --score p_* --base-rate a=0.6,b=0.3,c=0.1 --out o.json"
    assert call(line) == 0
    assert "60% now, given" in " ".join(capsys.readouterr().out.split())
    assert lwcal.load("o.json").adjustments_[0].after == pytest.approx((0.6, 0.3, 0.1))
    assert call("adapt m.json --base-rate 0.1 --out p.json") == 2
    assert call("adapt m.json --base-rate a=0.1,b=x --out p.json") == 2
    assert "a=0.4,b=0.6" in capsys.readouterr().err
    assert not (classes / "p.json").exists()


def test_base_rates_of_several_classes_are_estimated(classes, capsys):
    """The file equals what Python writes; nothing is written without a reason."""
    assert call("adapt m.json other.parquet --score p_* --out n.json") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "The base rates changed" in printed
    assert "base rate of a" in printed
    new = pd.read_parquet("other.parquet").to_numpy()
    expected = lwcal.shift.adapt(lwcal.load("m.json"), new).calibrator
    np.testing.assert_allclose(lwcal.load("n.json").predict(new), expected.predict(new))
    before = files(classes)
    assert call("adapt m.json unchanged.parquet --score p_* --out o.json --json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["verdict"], document["written"]) == ("no change", [])
    pd.read_parquet("other.parquet").head(50).to_parquet("few.parquet")
    assert call("adapt m.json few.parquet --score p_* --out o.json") == 0
    assert "50 new rows are too few" in " ".join(capsys.readouterr().out.split())
    assert call("adapt m.json other.parquet --score p_a --out o.json") == 2
    assert "name a column of scores for each" in capsys.readouterr().err
    assert set(files(classes)) - set(before) == {"few.parquet"}


def test_commands_of_two_classes_do_not_ask_for_columns_that_are_given(classes, capsys):
    """Columns of scores for all classes do not help them."""
    pd.read_csv("classes.csv").assign(day="2024-01-31").to_csv("days.csv", index=False)
    for line in ("decide m.json days.csv", "monitor m.json days.csv --time day"):
        assert call(f"{line} --score p_*") == 2
        error = " ".join(capsys.readouterr().err.split())
        assert "to get a calibrator of two classes, got 3" in error
        assert "name a column" not in error


def test_monitor_of_an_adapted_calibrator_counts_whole_rows(shifted, capsys):
    """The counts of its rows are products; their sum may differ in the last bit."""
    calibrator = lwcal.load("c.json")
    adapted = (lwcal.shift.to_base_rate(calibrator, 0.01 * k) for k in range(1, 30))
    rows = pd.read_csv("fit.csv")
    inexact = (one for one in adapted if lwcal.monitor(one, rows.score, rows.label).fitted.n % 1.0)
    lwcal.save(next(inexact), "rounded.json")
    call("monitor rounded.json fit.csv")
    rows = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("rows "))
    assert len(set(rows.split()[1:])) == 1  # as many at the fit as now, in whole numbers


def test_rows_that_were_sampled(shifted, capsys):
    """The calibrator is corrected, and the correction is named."""
    line = "fit fit.csv --method platt --sampling-rate-negatives 0.1 --out s.json"
    assert call(line) == 0
    assert "in the sampled rows" in capsys.readouterr().out
    expected = lwcal.shift.undo_sampling(lwcal.load("c.json"), 0.1)
    saved = lwcal.load("s.json")
    np.testing.assert_array_equal(saved.predict([0.3]), expected.predict([0.3]))
    assert call(f"{line} --json --force") == 0
    (change,) = json.loads(capsys.readouterr().out)["adjustments"]
    assert change["reason"] == "sampling"
    known = line.replace("platt", "noise-aware --noise-rates 0.01,0.2")
    assert call(f"{known} --force") == 0
    error = " ".join(capsys.readouterr().err.split())  # the odds 1 : 99 times 10, 1 : 4 times 0.1
    assert (
        f"those of all rows, sampling has changed them: give --noise-rates {10 / 109:.4g}" in error
    )
    assert f",{1 / 41:.4g}" in error
    for rate in ("0", "1.5", "-1"):
        assert call(line.replace("0.1", rate).replace("s.json", "t.json")) == 2
    assert not (shifted / "t.json").exists()


def test_a_score_that_contradicts_the_sampled_rows_is_not_corrected(shifted, capsys):
    """The model may have been trained on all rows; then its score needs no correction."""
    rng = np.random.default_rng(0)
    truth = rng.random(20_000) < 0.02
    evidence = rng.normal(size=20_000) + 1.5 * truth
    score = expit(1.5 * evidence - 1.125 + logit(0.02))
    kept = truth | (rng.random(20_000) < 0.1)
    rows = pd.DataFrame({"score": score[kept], "label": truth[kept].astype(int)})
    rows.to_csv("sampled.csv", index=False)
    line = "fit sampled.csv --sampling-rate-negatives 0.1 --out u.json --method"
    for method in ("identity", "temperature"):
        assert call(f"{line} {method}") == 2
        error = " ".join(capsys.readouterr().err.split())
        assert "are labelled so" in error
        assert "Nothing was written" in error
        assert not (shifted / "u.json").exists()
    assert call(f"{line} auto") == 0
    assert f"Base rate: {truth[kept].mean():.0%} in the sampled rows" in capsys.readouterr().out
