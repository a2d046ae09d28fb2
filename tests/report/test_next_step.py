"""The step after the verdict can be done as it stands."""

import shlex
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import lwcal
from lwcal.cli.app import run
from lwcal.report.next_step import next_step, remarks
from lwcal.report.summary import readings_table
from tests.report.test_page import with_verdict
from tests.report.test_summary import numbers

NAMED = {"calibrator_file": "c.json", "rows_arguments": "rows.csv --label y"}


@pytest.mark.parametrize(
    ("verdict", "files", "command"),
    [
        (
            {"action": "audit", "checks": 40},
            NAMED,
            "lwcal audit serve rows.csv --label y --budget 40",
        ),
        ({"action": "audit", "checks": 25}, {}, "lwcal audit serve FILE --budget 25"),
        ({"action": "deploy", "calibrator": "auto"}, NAMED, "lwcal apply c.json "),
        ({"action": "deploy", "calibrator": "auto"}, {}, "lwcal.save(calibrator"),
        ({"action": "deploy"}, NAMED, "lwcal audit merge rows.csv --label y SHEET "),
        (
            {"action": "deploy", "calibrator": "noise-aware"},
            NAMED,
            "lwcal fit rows.csv --label y --method noise-aware ",
        ),
        ({"action": "check scores"}, NAMED, ""),
        ({"action": "keep raw"}, NAMED, ""),
    ],
)
def test_the_next_step_is_a_command_or_a_file(data, verdict, files, command):
    """It names the files of this page, if there are any."""
    changed = replace(
        with_verdict(data, **verdict), reproduction=replace(data.reproduction, **files)
    )
    step = next_step(changed)
    assert step.command.startswith(command)
    assert bool(step.command) == bool(command)
    page = unescape(lwcal.report.render(changed))
    assert step.text in page
    assert step.command in page
    if step.command.startswith("lwcal "):  # unknown options are refused before the help is shown
        assert run([*shlex.split(step.command)[1:], "--help"]) == 0
        assert run(["audit", "serve", "--no-such-option", "--help"]) == 2


def test_the_raw_score_is_kept_in_place_of_a_map_that_changes_it(data):
    """A map that changes nothing does no harm, and any other is not to be deployed."""
    kept = with_verdict(data, action="keep raw", calibrator="identity")
    assert "Do not deploy" in next_step(kept).text
    alone = replace(data.map_curve, probabilities=data.map_curve.scores)
    assert "Do not deploy" not in next_step(replace(kept, map_curve=alone)).text


@pytest.mark.usefixtures("few_resamples")
def test_an_audited_calibrator_is_what_the_checks_recommend(example):
    """Verdict, page and next step are about the same calibrator."""
    trusted = np.where(np.arange(3000) < 400, example.trusted, np.nan)
    fitted = lwcal.Audited().fit(example.scores, example.labels, y_audited=trusted)
    built = lwcal.report.build(fitted, example.scores, example.labels, trusted=trusted)
    assert built.diagnosis.recommendation.calibrator == built.method == "audited"
    assert remarks(built) == []
    assert "five fits" not in " ".join(readings_table(built).notes)
    assert numbers(built.readings) == pytest.approx(numbers(built.diagnosis.readings))


@pytest.mark.usefixtures("few_resamples")
def test_checks_that_the_page_was_not_given_are_asked_for(example):
    """Not new ones: the calibrator has learnt from some already."""
    trusted = np.where(np.arange(3000) < 400, example.trusted, np.nan)
    fitted = lwcal.Audited().fit(example.scores, example.labels, y_audited=trusted)
    built = lwcal.report.build(fitted, example.scores, example.labels)
    assert built.diagnosis.recommendation.action == "audit"
    assert any("--trusted" in remark for remark in remarks(built))
    assert next_step(built) == (
        "Make this page again, with the labels that were checked.",
        "",
    )
    half = slice(0, 1500)  # of new rows, none was checked
    other = lwcal.report.build(fitted, example.scores[half], example.labels[half])
    assert not any("--trusted" in remark for remark in remarks(other))


def test_weights_are_named_to_the_fit_and_kept_from_the_audit(data):
    """An audit would count each row once."""
    weighted = replace(data.reproduction, **NAMED, weight="w")
    for verdict, command in (
        ({"action": "audit", "checks": 40}, ""),
        (
            {"action": "deploy", "calibrator": "noise-aware"},
            "lwcal fit rows.csv --label y --weight w --method noise-aware --out noise-aware.json",
        ),
        (
            {"action": "deploy", "calibrator": "audited"},
            "lwcal fit rows.csv --label y --weight w --trusted COLUMN --out audited.json",
        ),
    ):
        step = next_step(replace(with_verdict(data, **verdict), reproduction=weighted))
        assert step.command == command
        assert command or "Check 40 rows drawn at random" in step.text


@pytest.mark.usefixtures("few_resamples")
def test_a_verdict_about_sampled_rows_deploys_no_calibrator_for_others(tmp_path, capsys):
    """A fit anew would gain on the rows of a sample; the corrected calibrator is for all rows."""
    rng = np.random.default_rng(0)
    logits = rng.normal(-3.5, 1.5, 20_000)
    labels = rng.random(20_000) < 1.0 / (1.0 + np.exp(-logits))
    kept = labels | (rng.random(20_000) < 0.1)
    scores, y = 1.0 / (1.0 + np.exp(-logits[kept])), labels[kept].astype(int)
    corrected = lwcal.shift.undo_sampling(lwcal.Auto().fit(scores, y), {0: 0.1, 1: 1.0})
    built = lwcal.report.build(corrected, scores, y)
    assert built.diagnosis.recommendation.sentence.startswith("Deploy auto")
    step = next_step(built)
    assert step.text.startswith("Do not deploy by this page")
    assert not step.command
    lwcal.save(corrected, tmp_path / "c.json")
    rows = "\n".join(f"{p},{label}" for p, label in zip(scores, y, strict=True))
    (tmp_path / "rows.csv").write_text(f"score,label\n{rows}\n")
    paths = [str(tmp_path / name) for name in ("c.json", "rows.csv", "page.html")]
    assert run(["report", *paths[:2], "--out", paths[2]]) == 0
    assert "This calibrator is for" in capsys.readouterr().err


@pytest.mark.usefixtures("few_resamples")
def test_a_calibrator_that_loses_on_these_rows_is_fitted_again():
    """The verdict is about a fit of the same method to these rows, and this one is another."""
    rng = np.random.default_rng(1)
    logits = rng.normal(0.0, 2.0, 8000)
    scores = 1.0 / (1.0 + np.exp(-logits))
    elsewhere, here = (rng.random(8000) < 1.0 / (1.0 + np.exp(1.5 - logits * s)) for s in (3, 0.5))
    step = next_step(lwcal.report.build(lwcal.Auto().fit(scores, elsewhere), scores, here))
    assert step.command.startswith("lwcal fit FILE --method auto")
    assert "raises log loss" in step.text
