"""The page of several classes says what was found, what is not known, and runs no data as code."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import lwcal
from lwcal.diagnosis.corrected_losses import about_corrected
from lwcal.estimates import Estimate
from lwcal.multiclass.class_noise import ClassNoiseEstimate
from lwcal.noise.estimate import RateEstimate
from lwcal.report.class_charts import MOST_OF_MATRIX, heat_map, panel_chart, shown_matrix
from lwcal.report.class_summary import (
    class_lines,
    facts,
    fitted_facts,
    hypotheses,
    next_step,
    panels_note,
    readings_table,
    remarks,
    unknowns,
)
from lwcal.report.class_views import MOST_PANELS, most_frequent
from tests.multiclass.simulated import next_noise
from tests.report.class_example import NAMES
from tests.report.example import HOSTILE
from tests.report.test_page import with_verdict


def with_noise(data, **changes):
    """The same page with another noise estimate."""
    noise = replace(data.diagnosis.noise, **changes)
    return replace(data, diagnosis=replace(data.diagnosis, noise=noise))


def without_rate(data, k):
    """The same page, if the rate of one class is not identified."""
    rates = list(data.diagnosis.noise.rates)
    rates[k] = RateEstimate(None, 0.0, 1.0, clear_cases=0.01)
    return with_noise(data, rates=tuple(rates))


def many_classes(data, k):
    """The same page, with made-up noise of many classes."""
    matrix = next_noise(k, 0.1)
    rate = RateEstimate(0.1, 0.05, 0.15, 0.5)
    noise = ClassNoiseEstimate(
        tuple(range(k)), matrix, matrix * 0.9, matrix * 1.1, (rate,) * k, rate, 0.0, {}, 0.9
    )
    shares = np.arange(1, k + 1) / (k * (k + 1) / 2)
    diagnosis = replace(
        data.diagnosis, classes=tuple(range(k)), label_shares=tuple(shares), noise=noise
    )
    even = (1.0 / k,) * k
    noisy = replace(data.readings.noise_holds, shares=even)
    readings = replace(data.readings, raw_average=even, calibrated_average=even, noise_holds=noisy)
    names = tuple(f"number {number}" for number in range(k))
    return replace(data, names=names, diagnosis=diagnosis, readings=readings)


def test_the_same_input_gives_the_same_page(class_page_file, class_data):
    """The date is fixed by the test."""
    assert lwcal.report.render(class_data) == class_page_file.read_text(encoding="utf-8")


def test_the_page_says_what_it_should(class_data):
    """Verdict, noise, calibrator and classes; all sections have names of their own."""
    text = unescape(lwcal.report.render(class_data))
    advised = class_data.diagnosis.recommendation
    for part in (advised.headline, advised.reason, class_data.diagnosis.noise.sentence):
        assert part in text
    # beside the corrected view, and beside other calibrators
    assert about_corrected(class_data.diagnosis)
    assert text.count(about_corrected(class_data.diagnosis)) == 2
    for fingerprint in class_data.reproduction.inputs:
        assert fingerprint.sha256 in text
    headings = re.findall(r"<h2[^>]*>(.*?)</h2>", text)
    assert len(headings) == len(set(headings)) == 11
    assert len(text.encode()) < 200_000


def test_nothing_is_loaded_and_nothing_embedded(class_data):
    """The page has one script, its own, and a policy for it."""
    page = lwcal.report.render(class_data)
    assert page.count("<script") == page.count("</script>") == 1
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:|//)""", page)
    assert "unsafe" not in page


def test_data_never_becomes_markup(class_data):
    """Title and names of classes stay text."""
    names = (HOSTILE, *NAMES[1:])
    panels = [panel._replace(name=HOSTILE) for panel in class_data.views[0].panels]
    views = (replace(class_data.views[0], panels=tuple(panels)), class_data.views[1])
    noise = with_noise(class_data, classes=names).diagnosis
    diagnosis = replace(noise, classes=names)
    hostile = replace(class_data, title=HOSTILE, names=names, views=views, diagnosis=diagnosis)
    page = lwcal.report.render(hostile)
    assert page.count("<script") == page.count("</script>") == 1
    assert "<b>" not in page
    assert HOSTILE in unescape(page)


def test_facts_are_those_of_the_rows(class_data, class_example):
    """Classes, the most frequent label, and how often the raw score agrees with it."""
    found = {fact.name: (fact.value, fact.meaning) for fact in facts(class_data)}
    names, counts = np.unique(class_example.labels, return_counts=True)
    top = np.array(NAMES)[class_example.scores.argmax(axis=1)]
    assert found["Classes"] == ("4", "cat, dog, fox, wolf")
    assert found["Most frequent label"] == (f"{counts.max() / 1500:.1%}", names[counts.argmax()])
    agrees = (top == class_example.labels).mean()
    assert found["Raw score agrees with label"][0] == f"{agrees:.1%}"
    assert found["Rows"] == ("1,500", "")
    assert found["Calibrator"] == ("auto", "fitted to these rows")


def test_readings_stand_side_by_side(class_data):
    """With the change of log loss in the row that is marked."""
    table = readings_table(class_data)
    assert table.titles == ("If every label is right", "If the noise estimate holds")
    assert [name for name, _ in table.rows][2] == "Change of log loss"
    assert all(len(cells) == 2 for _, cells in table.rows)
    readings = class_data.readings
    assert table.rows[3][1][1].value == f"{readings.noise_holds.raw_errors:.1%}"
    assert "judges five fits" in " ".join(table.notes)
    alone = replace(class_data, readings=replace(readings, noise_holds=None))
    assert "next to nothing about the truth" in readings_table(alone).misfit
    assert "next to nothing about the truth" in lwcal.report.render(alone)


def test_rows_that_are_refused_say_nothing_about_the_noise(class_data):
    """Neither picture nor numbers, and no readings."""
    refused = with_verdict(
        class_data, action="check scores", calibrator="identity", reason="Why.", refuses_rows=True
    )
    page = lwcal.report.render(refused)
    assert readings_table(refused) is None
    assert 'class="heat-map"' not in page
    assert 'id="matrix-table"' not in page
    assert "Corrected for noise</th>" not in page
    assert {line.wrong for line in class_lines(refused)} == {"not known"}
    assert "do not say how many labels are wrong" in unknowns(refused)[-1]


def test_the_picture_has_the_numbers_of_the_table(class_data):
    """True classes in rows; pairs that are confused have a frame."""
    noise, drawn = class_data.diagnosis.noise, heat_map(class_data)
    table = shown_matrix(class_data)
    assert (table.names, table.left_out) == (list(NAMES), 0)
    assert [name.text for name in drawn.true] == list(NAMES)
    for place, cell in enumerate(drawn.cells):
        true, label = divmod(place, 4)
        share = noise.matrix[true, label]
        assert cell.tip.startswith(f"true {NAMES[true]}, labelled {NAMES[label]}: {share:.1%}")
        assert table.rows[true].cells[label][0] == f"{share:.1%}"
        assert cell.y == drawn.true[true].at - drawn.size / 2
        assert cell.x == drawn.labels[label].at - drawn.size / 2
        assert cell.is_right == (true == label)
    framed = {divmod(place, 4) for place, cell in enumerate(drawn.cells) if cell.is_confused}
    assert framed == {(2, 3), (3, 2)}
    page = unescape(lwcal.report.render(class_data))
    for pair in noise.confused:
        assert f"{pair.share:.0%} of true {pair.true} are labelled {pair.label}" in page


def test_darker_cells_hold_more_wrong_labels(class_data):
    """The level never falls with the share."""
    cells = [cell for cell in heat_map(class_data).cells if not cell.is_right]
    shares = class_data.diagnosis.noise.matrix[~np.eye(4, dtype=bool)]
    levels = np.array([cell.level for cell in cells])[np.argsort(shares)]
    assert (np.diff(levels) >= 0).all()
    assert levels[-1] > levels[0]


def test_what_is_not_identified_has_no_numbers(class_data):
    """A question mark in every cell of its row, and a sentence that names it."""
    unknown = without_rate(class_data, 2)
    cells = heat_map(unknown).cells
    assert [cell.text for cell in cells[8:12]] == ["?"] * 4
    assert all("too few clear cases" in cell.tip for cell in cells[8:12])
    assert not any(cell.text == "?" for cell in cells[:8])
    assert shown_matrix(unknown).rows[2].cells == []
    (line,) = (line for line in class_lines(unknown) if line.name == "fox")
    assert (line.wrong, line.interval) == ("not known", "")
    assert "How many labels of fox are wrong: too few rows of this class" in unknowns(unknown)[1]
    page = lwcal.report.render(unknown)
    assert "A question mark stands where" in page
    assert "identify only in part" in page
    assert "A question mark stands where" not in lwcal.report.render(class_data)


def test_of_many_classes_the_picture_shows_some(class_data):
    """Those of confused pairs, then the most frequent ones; the table sums up the others."""
    data = many_classes(class_data, 30)
    table = shown_matrix(data)
    assert (len(table.rows), table.left_out) == (MOST_OF_MATRIX, 10)
    assert table.names[-1] == "other classes"
    for row in table.rows:
        shares = [float(share.rstrip("%")) for share, _ in row.cells]
        assert sum(shares) == pytest.approx(100, abs=0.5)
    assert len(heat_map(data).cells) == MOST_OF_MATRIX**2


def test_panels_are_limited_and_the_page_says_so(class_data):
    """The most frequent classes are shown. A class without labels has no panel."""
    assert panels_note(class_data) == "Each class against all others."
    view = class_data.views[0]
    twelve = replace(view, panels=view.panels * 3)
    data = replace(class_data, names=NAMES * 5, views=(twelve,))
    assert len(twelve.panels) == MOST_PANELS
    assert panels_note(data).startswith("The 12 most frequent of 20 classes")
    three = replace(class_data, views=(replace(view, panels=view.panels[:3]),))
    assert panels_note(three).startswith("Each class that occurs as a label")
    assert most_frequent(np.array([3, 1, 1]), np.ones(3), 5) == [1, 3]


def test_both_curves_of_a_panel_share_its_axes(class_data):
    """Points are where their numbers are."""
    panel = class_data.views[0].panels[0]
    chart = panel_chart(panel)
    assert [side.kind for side in chart.sides] == ["before", "after"]
    for side, curve in zip(chart.sides, panel.curves, strict=True):
        assert [point.x for point in side.points] == [chart.frame.x(p) for p in curve.predicted]
        assert [point.y for point in side.points] == [chart.frame.y(p) for p in curve.observed]


def test_the_numbers_of_the_calibrator_are_listed(class_data):
    """Rows, classes, diagnostics with their meaning, and explanations with probabilities."""
    found = {fact.name: fact for fact in fitted_facts(class_data)}
    assert found["Number of classes"].value == "4"
    assert found["p_clean"].meaning == "probability that every label is right"
    assert "Sampled from" not in found
    sampled = replace(class_data, fitted=class_data.fitted._replace(sampled_from=9e6))
    assert {fact.name: fact.value for fact in fitted_facts(sampled)}[
        "Sampled from"
    ] == "9,000,000 rows"
    listed = hypotheses(class_data)
    assert listed[0][0] == "every label is right"
    assert all(fit == here for _, (fit, here) in listed)
    none = replace(class_data, fitted=class_data.fitted._replace(hypotheses={}))
    assert [fit for _, (fit, _) in hypotheses(none)] == [""] * len(listed)


def test_rare_classes_are_not_known(class_data):
    """A class with a handful of labels is not judged."""
    shares = (0.001, *class_data.diagnosis.label_shares[1:])
    rare = replace(class_data, diagnosis=replace(class_data.diagnosis, label_shares=shares))
    assert "Whether the probabilities of cat are right" in unknowns(rare)[-1]
    assert not any("Whether the probabilities" in one for one in unknowns(class_data))


@pytest.mark.parametrize(
    ("evidence", "begins"),
    [
        ("labels", "No label was checked."),
        ("known rates", "The noise matrix was given."),
        ("checked labels", "Whether the checked rows are like the others"),
    ],
)
def test_what_stays_open_follows_from_the_evidence(class_data, evidence, begins):
    """It is the first thing that the rows do not say."""
    data = replace(class_data, diagnosis=replace(class_data.diagnosis, evidence=evidence))
    assert unknowns(data)[0].startswith(begins)


def test_the_next_step_can_be_done_with_several_classes(class_data):
    """Labels are checked in the browser, and their sheet is merged."""
    checks = class_data.diagnosis.recommendation.checks
    assert next_step(class_data).command == f"lwcal audit serve FILE --budget {checks}"
    deploy = with_verdict(class_data, action="deploy", calibrator="audited")
    assert next_step(deploy).command == "lwcal audit merge FILE SHEET --out audited.json"
    other = with_verdict(class_data, action="deploy", calibrator="noise-aware")
    assert next_step(other).command.startswith("lwcal fit FILE --method noise-aware")
    raw = with_verdict(class_data, action="keep raw", calibrator="identity")
    assert "Do not deploy" in next_step(raw).text
    assert "nothing to deploy" in next_step(replace(raw, changes_nothing=True)).text


def test_remarks_are_about_other_calibrators_and_absent_checks(class_data):
    """None, if the verdict is about this one."""
    assert "The verdict is about the raw score" in remarks(class_data)[0]
    class_data = with_verdict(class_data, calibrator="auto")
    assert remarks(class_data) == []
    other = with_verdict(class_data, action="deploy", calibrator="noise-aware")
    assert "The verdict is about noise-aware" in remarks(other)[0]
    gain = Estimate(0.3, 0.2, 0.4)
    right = replace(class_data.readings.labels_right, gain=gain)
    moved = replace(class_data, readings=replace(class_data.readings, labels_right=right))
    assert "fitted anew" in remarks(moved)[0]
    checks = {**class_data.fitted.diagnostics, "audited": 40.0}
    audited = replace(class_data, fitted=class_data.fitted._replace(diagnostics=checks))
    assert "learnt from 40 checked labels" in remarks(audited)[0]
    assert "--trusted (trusted=)" in remarks(audited)[0]
    assert "with the labels that were checked" in next_step(audited).text
