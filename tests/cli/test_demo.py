"""The demo: a story on one screen whose words follow the numbers, and files to go on with."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

import lwcal
from lwcal.cli import demo as command
from lwcal.cli.demo_data import CALIBRATION, TEST
from lwcal.cli.demo_story import (
    CHECKS,
    Quality,
    change,
    check_labels,
    closer_reading,
    kept_promise,
    qualities,
    tell,
    who_was_right,
)
from lwcal.cli.verdict import readings_table
from lwcal.diagnosis import Reading, Readings, Recommendation
from lwcal.estimates import Estimate
from tests.cli.helpers import call, files

gains = st.floats(-0.9, 0.9)
FILES = [
    "audited.json",
    "calibrated.csv",
    "calibration.csv",
    "calibrator.json",
    "checked.csv",
    "disputes.csv",
    "label_weights.parquet",
    "reliability.png",
]


@pytest.fixture
def scored(trained_demo):
    """The disputes and the scores of the forest."""
    return command.score_disputes()


@pytest.fixture
def story(scored):
    """Everything that the demo shows."""
    return tell(scored)


def reading(gain, low=None, high=None):
    """A reading of which only the gain matters."""
    interval = Estimate(gain, gain if low is None else low, gain if high is None else high)
    return Reading(0.4, 0.5, 0.5 * (1 - gain), interval, 0.5, 0.2, 0.2)


def readings(right, noisy):
    """Two readings; the second does not fit if it is None."""
    return Readings(0.5, 0.4, 0.4, 0.0, 0.0, right, noisy)


def shown(story, width=100):
    """The story as it is printed, on one line."""
    console = Console(width=width, highlight=False)
    with console.capture() as captured:
        command.print_story(console, story)
    return " ".join(captured.get().split())


def test_the_demo_does_the_whole_job(here, capsys):
    """Story and files; a second run does not overwrite them unasked."""
    assert call("demo --out d") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "12,000 fictional card disputes" in printed
    assert "positive class is fraud" in printed
    assert files("d") == FILES
    assert call("diagnose d/disputes.csv") == 1  # which the walk-through of an audit begins with
    calibrated = pd.read_csv("d/calibrated.csv")
    expected = lwcal.load("d/calibrator.json").predict(calibrated["score"])
    np.testing.assert_allclose(calibrated["p_calibrated"], expected, rtol=1e-14)
    assert call("demo --out d") == 2
    assert "pass --force" in capsys.readouterr().err
    Path("file").touch()
    assert call("demo --out file") == 2


@pytest.mark.usefixtures("trained_demo")
@pytest.mark.parametrize("columns", [80, 100, 200])
def test_the_demo_fits_on_a_screen(here, capsys, monkeypatch, columns):
    """45 lines, of at most 100 columns; every name and number is whole."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.argv", ["lwcal"])
    assert call("demo") == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert len(lines) <= 45
    assert max(map(len, lines)) <= min(columns, 100)
    assert "…" not in "".join(lines)
    named = " ".join(lines).replace(",", " ").split()
    assert set(FILES) <= set(named)


@pytest.mark.usefixtures("trained_demo")
def test_the_demo_shows_how_to_go_on(here, capsys, monkeypatch):
    """The lines that it prints run, under the name that the shell knows."""
    (here / "lwcal").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(here))
    for started, name in ((here / "lwcal", "lwcal"), (here / "d" / "lwcal", here / "d" / "lwcal")):
        monkeypatch.setattr("sys.argv", [str(started)])
        assert call("demo --out d --force") == 0
        lines = capsys.readouterr().out.splitlines()[-5:]
        assert all(line.startswith(f"{name} ") for line in lines)
    codes = [call(line.removeprefix(f"{name} ")) for line in lines]
    assert codes == [1, 0, 0, 0, 0]  # by the labels alone, some must be checked first
    assert {"mine.json", "mine.html", "mine.csv"} < set(files("."))


@pytest.mark.usefixtures("trained_demo")
def test_the_checked_rows_are_those_that_an_audit_asks_about(here):
    """The same rows, probabilities and codes; a further round goes on from them."""
    assert call("demo --out d") == 0
    checked = pd.read_csv("d/checked.csv")
    answered = checked[checked["audited_label"].notna()]
    assert call(f"audit plan d/calibration.csv --budget {CHECKS} --out plan.csv") == 0
    plan = pd.read_csv("plan.csv", encoding="utf-8-sig").set_index("audit_row").sort_index()
    assert (plan.index - 1).tolist() == answered.index.tolist()
    for name in ("audit_code", "audit_probability"):
        assert plan[name].tolist() == answered[name].tolist()
    assert call("audit plan d/checked.csv --budget 10 --out more.csv") == 0
    more = pd.read_csv("more.csv", encoding="utf-8-sig")
    assert not set(more["audit_row"]) & set(plan.index)


def test_the_verdict_after_the_checks_is_that_of_the_checked_file(here, capsys, story):
    """It rests on checked labels, and the fitted file is the calibrator of these checks."""
    assert call("demo --out d") == 0
    capsys.readouterr()
    assert call("diagnose d/checked.csv --trusted audited_label --json") == 0
    found = json.loads(capsys.readouterr().out)
    assert story.by_labels.evidence == "labels"
    assert story.by_checks.evidence == found["evidence"] == "checked labels"
    assert found["checked"] == CHECKS
    assert found["recommendation"]["action"] == story.by_checks.recommendation.action
    gain = story.by_checks.readings.noise_holds.gain
    assert found["readings"]["noise_holds"]["gain"] == pytest.approx(gain.to_dict(), abs=1e-9)
    fitted = lwcal.load("d/audited.json")
    checked = pd.read_csv("d/checked.csv")
    expected = lwcal.Audited().fit(
        checked["score"],
        checked["label"],
        y_audited=checked["audited_label"],
        audit_probability=checked["audit_probability"],
    )
    grid = np.linspace(0, 1, 99)
    np.testing.assert_allclose(fitted.predict(grid), expected.predict(grid), atol=1e-9)


def test_the_truth_is_about_rows_that_nobody_calibrated_on(scored, story):
    """True labels judge; the checked labels are true ones of the calibration rows."""
    y_true = scored.data.y_true
    rows = story.checks.plan.rows
    assert len(set(rows.tolist())) == CHECKS
    np.testing.assert_array_equal(story.checks.y_audited[rows], y_true[CALIBRATION][rows])
    assert np.isfinite(story.checks.y_audited).sum() == CHECKS
    wrong = scored.data.y_noisy[CALIBRATION] != y_true[CALIBRATION]
    assert story.checks.wrong == wrong[rows].sum()
    assert list(story.qualities) == list(command.SHOWN)
    for name, quality in story.qualities.items():
        p = story.calibrators[name].predict(scored.scores[TEST])
        assert quality.log_loss == lwcal.metrics.nll(y_true[TEST], p)
        assert quality.ece == lwcal.metrics.ece(y_true[TEST], p)


def test_a_gain_is_relative_to_the_raw_score():
    """Better probabilities have a gain above 0, worse ones one below."""
    y = np.array([0, 0, 1, 1])
    far, near = np.array([0.4, 0.4, 0.6, 0.6]), np.array([0.1, 0.1, 0.9, 0.9])
    found = qualities(y, {"raw score": far, "better": near, "worse": 1 - near})
    assert found["raw score"].gain == 0.0
    assert found["better"].gain == pytest.approx(1 - np.log(0.9) / np.log(0.6))
    assert found["worse"].gain < 0.0


@given(st.integers(0, 20), st.integers(0, 5))
def test_wrong_labels_are_counted_among_the_checked_ones(flipped, seed):
    """If all rows are checked, all wrong labels are found."""
    scores = np.random.default_rng(seed).random(20)
    y_true = np.arange(20) % 2
    y = np.where(np.arange(20) < flipped, 1 - y_true, y_true)
    if 0 < y.sum() < 20:
        checks = check_labels(scores, y, y_true, budget=20)
        assert checks.wrong == flipped
        np.testing.assert_array_equal(checks.y_audited, y_true)


@given(gains)
def test_the_word_for_a_change_follows_its_sign(gain):
    """What rounds to nothing stays the same."""
    words = change(gain)
    assert ("fell" in words) == (gain >= 0.0005)
    assert ("rose" in words) == (gain <= -0.0005)
    assert (f"{abs(gain):.1%}" in words) == (words != "stayed the same")


@example(0.2, 0.1, 0.1)
@given(gains, gains, gains)
def test_the_closer_reading_is_named(gain, right, noisy):
    """By the distance between its gain and the true one."""
    words = closer_reading(gain, readings(reading(right), reading(noisy)))
    assert ("noise estimate" in words) == (abs(gain - noisy) < abs(gain - right))
    assert ("labels as they are" in words) == (abs(gain - noisy) > abs(gain - right))
    assert ("equally close" in words) == (abs(gain - noisy) == abs(gain - right))


@pytest.mark.parametrize(("gain", "side"), [(0.1, "inside"), (0.2, "inside"), (0.21, "outside")])
def test_a_single_reading_is_compared_with_its_interval(gain, side):
    """If noise does not fit the labels, there is no other."""
    found = closer_reading(gain, readings(reading(0.1, 0.0, 0.2), None))
    assert found.split()[0] == side


@given(gains, st.sampled_from(["deploy", "keep raw"]), gains, gains)
def test_a_verdict_is_right_if_the_truth_agrees(gain, action, one, other):
    """To deploy promises a fall; to keep the raw score says that no gain is worth it."""
    interval = Estimate((one + other) / 2, min(one, other), max(one, other))
    words = kept_promise(gain, Recommendation(action, "audited", ""), interval)
    right = gain >= 0.0005 if action == "deploy" else gain < 0.005
    assert ("right" in words, "wrong" in words) == (right, not right)
    assert words.startswith("inside") == (interval.low <= gain <= interval.high)


@pytest.mark.parametrize(
    "verdict",
    [
        Recommendation("audit", "auto", "", 25),
        Recommendation("check scores", "identity", "", refuses_rows=True),
        Recommendation("keep raw", "identity", "", refuses_rows=True),
    ],
)
def test_a_verdict_about_the_rows_is_neither_right_nor_wrong(verdict):
    """It says nothing about the gain."""
    words = kept_promise(0.1, verdict, Estimate(0.1, 0.0, 0.2))
    assert "right" not in words
    assert "wrong" not in words


def test_the_screen_says_the_opposite_when_the_numbers_do(story):
    """Nothing in the story is decided beforehand."""
    harmful = {
        name: Quality(0.4, 0.05, 0.0 if name == "raw score" else -0.125) for name in command.SHOWN
    }
    told = story._replace(
        by_labels=story.by_labels._replace(
            readings=readings(reading(-0.12), reading(0.3)),
            recommendation=Recommendation("keep raw", "identity", "No gain."),
        ),
        checks=story.checks._replace(wrong=0),
        by_checks=story.by_checks._replace(
            readings=readings(reading(-0.3), reading(0.2, 0.1, 0.3)),
            recommendation=replace(story.by_checks.recommendation, action="deploy"),
        ),
        qualities=harmful,
    )
    words = who_was_right(told)
    assert words.count("rose by 12.5%") == 2
    assert "fell" not in words
    assert "labels as they are" in words
    assert "outside" in words
    assert "wrong" in words
    printed = shown(told)
    assert words in printed
    assert "Keep the raw score. No gain." in printed
    assert "Wrong among them: 0." in printed
    assert printed.count("+12.5%") == len(command.SHOWN) - 1


def test_readings_of_another_map_are_not_compared_with_auto(story):
    """If Auto keeps the raw score, the readings are about what it refused."""
    by_labels = story.by_labels
    kept = by_labels._replace(decision=by_labels.decision._replace(choice="raw"))
    words = who_was_right(story._replace(by_labels=kept))
    assert words.startswith("Auto kept the raw score.")
    assert "step 1" not in words


def test_the_screen_shows_both_verdicts_and_every_calibrator(story):
    """With both readings side by side."""
    printed = shown(story)
    for judged in (story.by_labels, story.by_checks):
        assert judged.recommendation.headline in printed
    both = story.by_labels.readings
    for one in (both.labels_right, both.noise_holds):
        assert f"{one.raw_loss:.3f}" in printed
        assert f"{-one.gain.value:+.1%}" in printed
    for name, quality in story.qualities.items():
        assert f"{command.SHOWN[name]} {quality.log_loss:.3f}" in printed


@pytest.mark.parametrize("fits", [True, False])
def test_the_short_table_is_the_beginning_of_the_long_one(fits):
    """It ends with the change of log loss."""
    both = readings(reading(0.2, 0.1, 0.3), reading(0.1) if fits else None)
    long, short = (readings_table(both, "labels", losses_only=only) for only in (False, True))
    assert short.row_count == 3
    for whole, part in zip(long.columns, short.columns, strict=True):
        assert list(whole.cells)[:3] == list(part.cells)


def test_the_demo_needs_matplotlib_before_it_writes_anything(here, capsys, monkeypatch):
    """One line with the command to install it, and no folder."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert call("demo --out d") == 2
    assert 'pip install "lwcal[report]"' in capsys.readouterr().err
    assert not Path("d").exists()
