"""``monitor --time``, ``compare --split-time`` and ``--label-matures``: Python's numbers."""

import json

import numpy as np
import pandas as pd
import pytest

import lwcal
from tests.cli.helpers import call

SOURCES = ["rows.csv", "rows.parquet"]


@pytest.fixture(scope="module")
def frame():
    """Rows of 100 days, of which the last 40 drift."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, 2000)
    days = np.repeat(np.arange(100), 20)
    labels = rng.random(2000) < np.where(days < 60, scores, 0.6 * scores)
    times = pd.Series(pd.Timestamp("2024-01-01") + pd.to_timedelta(days * 24 + 7, unit="h"))
    return pd.DataFrame({"score": scores, "label": labels.astype(int), "when": times})


@pytest.fixture
def here(tmp_path, monkeypatch, frame):
    """The rows in a text and in a binary file, and a calibrator."""
    monkeypatch.chdir(tmp_path)
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet", index=False)
    rng = np.random.default_rng(1)
    scores = rng.beta(0.5, 0.5, 1500)
    lwcal.save(lwcal.Platt().fit(scores, rng.random(1500) < scores), "c.json")
    return tmp_path


def printed(capsys, line, code=0):
    """What a command prints as JSON, and its notes."""
    capsys.readouterr()
    assert call(f"{line} --json") == code
    shown = capsys.readouterr()
    return json.loads(shown.out), shown.err


def expected_periods(frame, **options):
    """The same in Python."""
    fitted = lwcal.load("c.json")
    return lwcal.monitor_periods(
        fitted, frame["score"], frame["label"], times=frame["when"], **options
    ).to_dict()


def same_numbers(found, expected):
    """Whether JSON has everything of a document; sums may differ in their last bits."""
    for name, value in expected.items():
        if isinstance(value, dict):
            same_numbers(found[name], value)
        elif isinstance(value, list):
            assert len(found[name]) == len(value)
            for one, other in zip(found[name], value, strict=True):
                same_numbers({"": one}, {"": other}) if not isinstance(other, dict) else (
                    same_numbers(one, other)
                )
        else:
            assert found[name] == (pytest.approx(value) if isinstance(value, float) else value)


@pytest.mark.parametrize("source", SOURCES)
def test_monitor_by_period_has_the_numbers_of_python(here, capsys, frame, source):
    """And an alarm of the last period is one of the command."""
    found, notes = printed(
        capsys, f"monitor c.json {source} --time when --label-matures 10 --period month", 1
    )
    same_numbers(found, expected_periods(frame, label_matures=10, period="month"))
    assert found["since"] == "2024-03"
    assert "labels of 200 rows count as missing: they are from after 2024-03-30 07:00" in notes


def test_monitor_prints_the_periods_and_the_verdict_of_all_rows(here, capsys):
    """The period is chosen: weeks, of which each has 140 rows, are too short."""
    assert call("monitor c.json rows.csv --time when") == 1
    shown = capsys.readouterr().out
    assert shown.startswith("Drift since 2024-03")
    assert "corrected for all 16 tests (Holm)" in " ".join(shown.split())
    assert "All rows together:" in shown


def test_without_labels_the_scores_are_compared(here, capsys, frame):
    """By period too."""
    frame[["score", "when"]].to_csv("scores.csv", index=False)
    found, _ = printed(capsys, "monitor c.json scores.csv --time when")
    assert found["sentence"].startswith(
        "Cannot tell: no drift was found in any of 4 months. 4 months have too"
    )
    assert found["young_labels"] == 0


@pytest.mark.parametrize("source", SOURCES)
def test_compare_by_time_has_the_numbers_of_python(here, capsys, frame, source):
    """Split at a time, or at the latest 30%."""
    for option, split_at in (("", None), ("--split-at 2024-03-01", "2024-03-01")):
        line = f"compare {source} --split-time when --method platt --noise-rates 0,0 {option}"
        found, _ = printed(capsys, line)
        expected = lwcal.compare(
            frame["score"],
            frame["label"],
            times=frame["when"],
            split_at=split_at,
            methods=["identity", "platt"],
            noise_rates=(0, 0),
        )
        same_numbers(found, expected.to_dict())
    assert call(f"{line} --label-matures 10") == 0
    assert "rows before 2024-03-01" in " ".join(capsys.readouterr().out.split())


def test_nothing_is_said_of_young_labels_where_there_are_none(here, capsys):
    """The labels were read long after the rows were made."""
    line = "fit rows.csv --time when --label-matures 30 --method platt --out"
    assert call(f"{line} all.json --as-of 2025-01-01") == 0
    assert "count as missing" not in capsys.readouterr().err
    assert call(f"{line} older.json") == 0
    assert "count as missing" in capsys.readouterr().err


def test_a_fit_leaves_young_labels_out(here, capsys, frame):
    """It is the fit to the other rows; so is the diagnosis, and the comparison."""
    line = "--time when --label-matures 30 --as-of 2024-04-09T07:00"
    assert call(f"fit rows.csv {line} --method platt --out f.json") == 0
    assert "labels of 600 rows count as missing" in capsys.readouterr().err
    old = frame[:1400]
    expected = lwcal.Platt().fit(old["score"], old["label"])
    grid = np.linspace(0, 1, 11)
    np.testing.assert_array_equal(lwcal.load("f.json").predict(grid), expected.predict(grid))
    found, _ = printed(capsys, f"compare rows.csv {line} --method platt")
    assert (found["n"], found["split"]) == (1400, None)


@pytest.mark.usefixtures("few_resamples")
def test_a_diagnosis_hands_the_times_to_the_next_fit(here, capsys, frame):
    """A fit to other rows would be one that nobody judged."""
    capsys.readouterr()
    call("diagnose rows.csv --time when --label-matures 50 --json")
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 1000
    if found["next"] and found["next"].startswith("lwcal fit"):
        assert "--time when --label-matures 50" in found["next"]


def test_rows_without_a_time_are_refused_or_dropped(here, capsys, frame):
    """With their number and the first row."""
    text = frame.assign(when=frame["when"].astype(str))
    text.loc[[3, 9], "when"] = ["", "soon"]
    text.to_csv("bad.csv", index=False)
    assert call("monitor c.json bad.csv --time when") == 2
    shown = capsys.readouterr().err
    assert "column 'when': 1 of 2,000 values is missing, the first in row 3" in shown
    assert "1 is not a time, the first in row 9 ('soon')" in shown
    found, notes = printed(capsys, "monitor c.json bad.csv --time when --drop-invalid", 1)
    assert found["overall"]["new"]["n"] == 1998
    assert "dropped 2 of 2,000 rows" in notes


def test_spark_counts_the_same(spark, here, capsys, frame):
    """Text with a zone, and the cut between two seconds.

    The tests of the engine cover the other types of times.
    """
    text = frame["when"].dt.strftime("%Y-%m-%dT%H:%M:%S.250+02:00")
    frame.assign(when=text).to_csv("zoned.csv", index=False)
    line = f"monitor c.json {here / 'zoned.csv'} --time when --label-matures 10 --period month"
    found, _ = printed(capsys, f"{line} --engine spark", 1)
    same_numbers(found, printed(capsys, line, 1)[0])
    line = f"compare {here / 'zoned.csv'} --split-time when --method platt --noise-rates 0,0"
    found, _ = printed(capsys, f"{line} --engine spark")
    same_numbers(found, printed(capsys, line)[0])
    bad = here / "bad.csv"
    frame.assign(when=["soon", *text[1:]]).to_csv(bad, index=False)
    assert call(f"monitor c.json {bad} --time when --engine spark") == 2
    assert "column 'when': 1 of 2,000 values is not a time" in capsys.readouterr().err
    dropped = f"monitor c.json {bad} --time when --drop-invalid"
    same_numbers(printed(capsys, f"{dropped} --engine spark", 1)[0], printed(capsys, dropped, 1)[0])
    frame.assign(when=[*frame["when"][:9].astype(str), *text[9:]]).to_csv(bad, index=False)
    assert call(f"monitor c.json {bad} --time when --engine spark") == 2
    assert "mixes 1,991 times with a zone" in capsys.readouterr().err
    assert call(f"monitor c.json {bad} --time when") == 2
    assert "mixes 1,991 times with a zone" in capsys.readouterr().err
