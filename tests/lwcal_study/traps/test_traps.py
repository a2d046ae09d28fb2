"""The trap suite: its cells, its figures, and the command."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from lwcal.cli.app import run
from lwcal_study.real.tasks import REAL_TASKS
from lwcal_study.traps import judging, summary
from lwcal_study.traps.cells import MOST_TRAINING, SIZES, TrapCell, fit_and_score
from lwcal_study.traps.grid import trap_cells
from lwcal_study.traps.learners import LEARNERS
from lwcal_study.traps.summary import FIGURES, by_method, gap_closed, harmed, to_platt, worst

COMMAND = ["traps", "--quick", "--jobs", "1"]


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A finished quick run."""
    folder = tmp_path_factory.mktemp("traps")
    assert run([*COMMAND, "--out", str(folder)]) == 0
    return folder


def frame_of(*rows):
    """Results with these losses: noise, verdict, raw, Platt, Auto, Platt on clean labels."""
    columns = ["noise", "verdict", "Raw", "Platt", "Auto", "Platt on clean labels"]
    frame = pd.DataFrame(rows, columns=columns).assign(audit_verdict="deploy")
    return frame.assign(**{name: frame["Platt"] for name in judging.METHODS if name not in frame})


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_gives_scores(learner):
    """On a small task."""
    with threadpool_limits(1):
        rows = fit_and_score(TrapCell("wool_recid", learner, "flips"))[250]
    assert rows.calibration.min() >= 0.0
    assert rows.calibration.max() <= 1.0
    assert len(np.unique(rows.calibration)) > 1


def test_rows_are_used_once_and_flipped_as_told():
    """Sizes share a model, test rows are never calibrated on, and a fifth of labels is wrong."""
    found = fit_and_score(TrapCell("wool_fertil2_contraception", "Stump", "flips"))
    assert list(found) == [250, 1_000]
    small, large = found.values()
    np.testing.assert_array_equal(small.calibration, large.calibration[:250])
    np.testing.assert_array_equal(small.test[750:], large.test)
    assert np.mean(large.y_clean != large.y_noisy) == pytest.approx(0.2, abs=0.05)
    clean = fit_and_score(TrapCell("wool_fertil2_contraception", "Stump", "clean"))[1_000]
    np.testing.assert_array_equal(clean.y_clean, clean.y_noisy)


def test_late_flips_do_not_reach_the_model():
    """Its scores are those of a model that was trained on clean labels."""
    cell = TrapCell("wool_fertil2_contraception", "Stump", "late")
    rows = fit_and_score(cell)[1_000]
    assert np.mean(rows.y_clean != rows.y_noisy) == pytest.approx(0.2, abs=0.05)
    # a stump has two scores: the shares of positives in its training rows, which hold for new rows
    low, high = (rows.test == score for score in np.unique(rows.test))
    for group in (low, high):
        assert rows.y_test[group].mean() == pytest.approx(rows.test[group][0], abs=0.05)


def test_harm_after_the_audit_counts_deployed_cells():
    """One of two loses more than 2%; what is not deployed does not count."""
    rows = [("late", "deploy", 0.50, 0.4, 0.4, 0.4)] * 3
    frame = frame_of(*rows).assign(
        audit_verdict=["deploy", "deploy", "keep raw"], **{judging.AUDITED: [0.4, 0.6, 0.9]}
    )
    assert summary.harmed_after_audit(frame) == 0.5


def test_a_cell_gives_the_same_rows_every_time():
    """Whatever was run before."""
    first, second = (fit_and_score(TrapCell("wool_recid", "Stump", "flips"))[250] for _ in range(2))
    np.testing.assert_array_equal(first.test, second.test)
    np.testing.assert_array_equal(first.y_noisy, second.y_noisy)


def test_the_suite_is_as_large_as_it_says():
    """At least 30 tasks, both parts, at least eight learners; nothing is in two parts."""
    cells = trap_cells()
    assert len({cell.task for cell in cells}) >= 30
    assert {REAL_TASKS[cell.task].part for cell in cells} == {"development", "judged"}
    assert len({cell.learner for cell in cells}) >= 8
    assert len({cell.name for cell in cells}) == len(cells)
    assert len(SIZES) == 3
    assert SIZES[-1] > MOST_TRAINING
    assert {REAL_TASKS[cell.task].part for cell in trap_cells(("development",))} == {"development"}


def test_figures_are_what_they_are_called():
    """By hand, on two results each."""
    clean = frame_of(
        ("clean", "deploy", 0.50, 0.40, 0.44, 0.40),
        ("clean", "keep raw", 0.50, 0.60, 0.56, 0.60),
    )
    assert to_platt(clean) == pytest.approx(1.0)
    assert worst(clean) == pytest.approx(1.12)
    assert harmed(clean) == 0.5
    flips = frame_of(
        ("flips", "deploy", 0.5, 0.6, 0.5, 0.4), ("flips", "deploy", 0.5, 0.6, 0.6, 0.4)
    )
    assert gap_closed(flips) == pytest.approx(0.25)
    both = pd.concat([clean, flips])
    values = {
        (figure.noise, figure.what): figure.measure(both[both["noise"] == figure.noise])
        for figure in FIGURES
    }
    assert values["clean", "worst deployed cell to raw"] == pytest.approx(0.88)
    assert values["flips", "worst deployed cell to raw"] == pytest.approx(1.2)
    assert values["flips", "gap closed"] == pytest.approx(0.25)
    assert by_method(both, "flips").loc["Platt on clean labels", "gap closed"] == pytest.approx(1.0)


def test_a_verdict_is_right_if_it_follows_the_sign_of_the_gain():
    """Or if the gain is too small to matter: four results, of which two are right."""
    rows = [("clean", "deploy", 0.50, 0.4, 0.4, 0.4)] * 4
    frame = frame_of(*rows).assign(
        audit_verdict=["deploy", "deploy", "keep raw", "keep raw"],
        **{judging.AUDITED: [0.40, 0.502, 0.45, 0.6]},
    )
    assert summary.verdict_right(frame) == 0.5
    assert summary.verdict_right(frame, indifferent=0.01) == 0.75
    shares = summary.verdict_shares(frame)
    assert shares["labels alone"].to_dict() == {"deploy": 1.0, "keep raw": 0.0}
    assert shares["after 25 checks"].to_dict() == {"deploy": 0.5, "keep raw": 0.5}


def test_a_stated_probability_is_set_beside_the_truth():
    """Of three cells with about the same statement, two gained."""
    rows = [("clean", "deploy", 0.50, 0.4, 0.4, 0.4)] * 4
    frame = frame_of(*rows).assign(
        likely_gain=[0.81, 0.85, 0.89, None], **{judging.AUDITED: [0.4, 0.45, 0.6, 0.1]}
    )
    (found,) = summary.gains_by_probability(frame).itertuples()
    assert (found.cells, found.said) == (3, pytest.approx(0.85))
    assert found.gained == pytest.approx(2 / 3)
    assert (found.mean, found.lowest) == (pytest.approx(0.1 / 3), pytest.approx(-0.2))


def test_checked_labels_are_true_and_few():
    """The same rows every time."""
    rows = fit_and_score(TrapCell("wool_recid", "Stump", "flips"))[250]
    checked = judging.check_labels(rows)
    known = ~np.isnan(checked)
    assert known.sum() == judging.CHECKS
    np.testing.assert_array_equal(checked[known], rows.y_clean[known])
    np.testing.assert_array_equal(checked, judging.check_labels(rows))


def test_aims_are_met_or_missed():
    """Each aim is met by its limit and missed beyond it."""
    met = {(f.noise, f.what): (f.met(1.0), f.met(1.3), f.met(0.01)) for f in FIGURES}
    assert met["clean", "log loss to Platt"] == (True, False, True)
    assert met["flips", "gap closed"] == (True, True, False)


def test_cells_without_a_loss_are_left_out():
    """Their ratios would be anything."""
    frame = frame_of(("clean", "deploy", 0.01, 1, 1, 1), ("clean", "deploy", 0.5, 1, 1, 1))
    assert summary.judged(frame)["Raw"].tolist() == [0.5]


def test_a_cell_with_one_class_is_not_judged(monkeypatch):
    """Nothing can be fitted to it."""
    cell = TrapCell("wool_recid", "Stump", "clean")
    rows = fit_and_score(cell)[250]
    one_class = {
        250: rows.__class__(
            rows.calibration, rows.y_clean * 0, rows.y_noisy, rows.test, rows.y_test
        )
    }
    monkeypatch.setattr(judging, "fit_and_score", lambda _: one_class)
    assert judging.run_cell(cell)["results"] == []


def test_a_run_writes_table_and_page(quick):
    """With every method, all kinds of labels, and where it was run."""
    page = (quick / "traps.md").read_text()
    assert "QUICK RUN" in page
    for name in judging.METHODS:
        assert f"| {name} |" in page
    assert "20% of the labels flipped" in page
    frame = pd.read_csv(quick / "traps.csv")
    assert set(frame["noise"]) == {"clean", "flips", "late"}
    for name in ("verdict", "audit_verdict"):
        assert set(frame[name]) <= {"deploy", "keep raw", "audit", "check scores"}
    assert (frame[list(judging.METHODS)] > 0).all().all()
    about = json.loads((quick / "environment.json").read_text())
    assert about["command"] == "lwcal traps --quick"
    assert about["cells"] == 18


def test_a_stopped_run_goes_on(quick, monkeypatch):
    """A cell that was lost is run again; the others are not."""
    cells = sorted(quick.glob("cells/*/*.json"))
    before = (quick / "traps.csv").read_bytes()
    cells[0].unlink()
    ran = []
    monkeypatch.setattr(
        judging, "fit_and_score", lambda cell: ran.append(cell) or fit_and_score(cell)
    )
    assert run([*COMMAND, "--out", str(quick)]) == 0
    assert len(ran) == 1
    assert (quick / "traps.csv").read_bytes() == before


def test_development_tasks_can_be_shown_alone(quick, tmp_path):
    """So that methods are chosen without a look at the judged ones."""
    folder = shutil.copytree(quick, tmp_path / "traps")
    assert run([*COMMAND, "--development", "--out", str(folder)]) == 0
    frame = pd.read_csv(folder / "traps.csv")
    assert set(frame["part"]) == {"development"}
    assert "## Judged" not in (folder / "traps.md").read_text()
