"""The report on several classes shows what the library computes, and refuses other classes."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import InputError, OutputError, ParameterError
from lwcal.report.class_report_data import ClassReportData
from tests.report.class_example import NAMES

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(scope="module")
def halves(class_example):
    """A calibrator fitted to one half of the rows, and the other half."""
    scores, labels, truth = class_example
    fitted = lwcal.Temperature().fit(scores[600:], labels[600:])
    return fitted, scores[:600], labels[:600], truth[:600]


@pytest.fixture(scope="module")
def other_rows(halves):
    """A report on rows that the calibrator was not fitted to."""
    return lwcal.report.build(*halves[:3])


def qualities(view):
    """Values before and after, by name."""
    return {one.name: (one.before, one.after) for one in view.qualities}


def judged(data):
    """What a report says, without the intervals that rest on resamples."""
    found = data.diagnosis.to_dict()
    return [found["recommendation"], found["noise"], data.readings.to_dict()]


def test_the_verdict_is_that_of_diagnose(class_data, class_example):
    """So are the readings, for a calibrator that the diagnosis has judged on rows left out."""
    expected = lwcal.diagnose(*class_example[:2], methods=[]).to_dict()
    found = class_data.diagnosis.to_dict()
    assert found["recommendation"] == expected["recommendation"]
    assert found["noise"] == expected["noise"]
    assert class_data.fitted_here
    assert class_data.readings == class_data.diagnosis.readings
    assert (class_data.method, class_data.names) == ("auto", NAMES)


def test_the_first_view_judges_by_labels_as_they_are(class_data, class_example):
    """Its numbers are those of the public metrics, before and after."""
    scores, labels, _ = class_example
    after = lwcal.Auto().fit(scores, labels).predict(scores)
    expected = [lwcal.metrics.class_evaluate(labels, one) for one in (scores, after)]
    found = qualities(class_data.views[0])
    names = {"Log loss": "nll", "Brier score": "brier", "Top-label ECE": "top_label_ece"}
    for name, key in names.items():
        assert found[name] == pytest.approx([one[key] for one in expected])
    curve = class_data.views[0].top.before
    assert curve.weight.sum() == len(labels)
    top = lwcal.metrics.top_label(labels, scores)
    assert (curve.observed * curve.weight).sum() == pytest.approx(top.n_positive)
    assert class_data.histograms.after.sum() == len(labels)


def test_the_corrected_view_is_nearer_to_the_truth(class_data, class_example):
    """Noise makes the raw score look worse than it is."""
    labelled, corrected = class_data.views
    truth = lwcal.metrics.class_evaluate(class_example.truth, class_example.scores)["nll"]
    as_labelled, found = (qualities(view)["Log loss"][0] for view in (labelled, corrected))
    assert abs(found - truth) < 0.5 * abs(as_labelled - truth)
    nll = corrected.qualities[0]
    raw = next(one for one in class_data.diagnosis.candidates if one.method == "identity")
    of_table = raw.corrected["nll"]
    assert (nll.before, *nll.before_interval) == pytest.approx(tuple(of_table))
    assert nll.before_interval[0] < truth < nll.before_interval[1]


def test_every_class_has_a_panel_the_most_frequent_first(class_data, class_example):
    """Each panel is the reliability of one class against the rest."""
    names, counts = np.unique(class_example.labels, return_counts=True)
    panels = class_data.views[0].panels
    assert [panel.name for panel in panels] == names[np.argsort(-counts, kind="stable")].tolist()
    for panel in panels:
        curve = panel.curves.before
        positives = (class_example.labels == panel.name).sum()
        assert (curve.observed * curve.weight).sum() == pytest.approx(positives)


def test_other_rows_judge_the_calibrator_in_place(halves, other_rows):
    """Nothing is fitted again."""
    fitted, scores, labels, _ = halves
    assert not other_rows.fitted_here
    assert not other_rows.refitted
    assert (other_rows.n, other_rows.fitted.n) == (600, 900)
    expected = lwcal.metrics.class_nll(labels, fitted.predict(scores))
    assert other_rows.readings.labels_right.calibrated_loss == pytest.approx(expected, rel=1e-3)


def test_what_is_not_identified_corrects_nothing(other_rows):
    """The page says which classes are the reason."""
    assert set(other_rows.diagnosis.noise.unidentified)
    assert [view.key for view in other_rows.views] == ["labelled"]
    assert not other_rows.is_corrected


def test_rows_in_any_form_give_the_same_report(halves, other_rows):
    """As a frame with its columns in another order, as ClassRows, and as weighted rows."""
    fitted, scores, labels, _ = halves
    frame = pd.DataFrame(scores, columns=NAMES)[["wolf", "dog", "cat", "fox"]]
    rows = lwcal.ClassRows.from_arrays(scores, labels)
    doubled = rows.from_arrays(np.repeat(scores, 2, axis=0), np.repeat(labels, 2))
    counted = lwcal.report.build(fitted, rows)
    assert judged(counted) == judged(other_rows)
    assert qualities(counted.views[0]) == qualities(other_rows.views[0])
    framed = lwcal.report.build(fitted, frame, labels)  # differs in last bits
    assert framed.names == NAMES
    np.testing.assert_allclose(
        list(qualities(framed.views[0]).values()), list(qualities(other_rows.views[0]).values())
    )
    twice = lwcal.report.build(fitted, scores, labels, sample_weight=np.full(600, 2.0))
    assert judged(twice) == judged(lwcal.report.build(fitted, doubled))


def test_checked_labels_decide(halves):
    """The verdict rests on them, and a view judges by them."""
    fitted, scores, labels, truth = halves
    trusted = np.where(np.arange(600) % 3 == 0, truth, None)
    found = lwcal.report.build(fitted, scores, labels, trusted=trusted)
    assert found.diagnosis.evidence == "checked labels"
    assert found.audit == (200, (labels != truth)[::3].sum())
    view = found.views[-1]
    assert (view.key, view.n) == ("trusted", 200)
    expected = lwcal.metrics.class_nll(truth[::3], scores[::3])
    assert qualities(view)["Log loss"][0] == pytest.approx(expected)


def test_an_audited_calibrator_is_recognised(halves):
    """With its checks it is fitted again; without them the number of rows tells."""
    _, scores, labels, truth = halves
    trusted = np.where(np.arange(600) % 3 == 0, truth, None)
    fitted = lwcal.Audited().fit(scores, labels, y_audited=trusted)
    found = lwcal.report.build(fitted, scores, labels, trusted=trusted)
    assert found.fitted_here
    assert found.readings == found.diagnosis.readings
    absent = lwcal.report.build(fitted, scores, labels)
    assert absent.fitted_here
    assert not absent.refitted
    assert "learnt from 200 checked labels" in lwcal.report.render(absent)


def test_two_columns_give_the_report_of_two_classes(class_example):
    """As that of the score of the second class."""
    scores = class_example.scores[:400, :2]
    scores = scores / scores.sum(axis=1, keepdims=True)
    labels = np.where(np.random.default_rng(0).random(400) < scores[:, 1], "dog", "cat")
    fitted = lwcal.Temperature().fit(scores, labels)
    found = lwcal.report.build(fitted, scores, labels)
    assert not isinstance(found, ClassReportData)
    assert (found.positive_class, found.n) == ("dog", 400)
    of_rows = lwcal.report.build(fitted, lwcal.ClassRows.from_arrays(scores, labels))
    assert of_rows.diagnosis.to_dict() == found.diagnosis.to_dict()


def test_other_classes_are_refused(halves, tmp_path):
    """Before anything is computed or written."""
    fitted, scores, labels, _ = halves
    write = lwcal.report.write_report
    path = tmp_path / "report.html"
    renamed = np.where(labels == "fox", "hare", labels)
    with pytest.raises(InputError, match="'hare', which is not among the classes"):
        write(fitted, scores, renamed, path=path)
    with pytest.raises(InputError, match=r"classes \('cat', 'dog', 'fox', 'wolf'\), got 4 classes"):
        write(fitted, lwcal.ClassRows.from_arrays(scores, renamed), path=path)
    with pytest.raises(InputError, match="4"):
        write(fitted, scores[:, :3] / scores[:, :3].sum(axis=1, keepdims=True), labels, path=path)
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_refused(halves, tmp_path):
    """One column, tables and options of two classes; labels beside ClassRows; existing files."""
    fitted, scores, labels, _ = halves
    build, table = lwcal.report.build, lwcal.ScoreTable.from_arrays(scores[:, 0], labels == "cat")
    rows = lwcal.ClassRows.from_arrays(scores, labels)
    for given in (scores[:, 0], table):
        with pytest.raises(InputError, match="a column of scores for each of the 4 classes"):
            build(fitted, given, labels)
    for option in ("identities", "pos_label", "positive_class", "scale"):
        with pytest.raises(ParameterError, match=f"{option} is an option of reports on two"):
            build(fitted, scores, labels, **{option: "cat"})
    for option in ({"y": labels}, {"sample_weight": labels}, {"trusted": labels}):
        with pytest.raises(InputError, match="together with ClassRows"):
            build(fitted, rows, **option)
    with pytest.raises(InputError, match="a column of trusted labels"):
        build(fitted, scores, labels, trusted=table)
    with pytest.raises(InputError, match="y, the labels"):
        build(fitted, scores)
    with pytest.raises(InputError, match="one column"):
        build(lwcal.Platt().fit(scores[:, 0], labels == "cat"), rows)
    (tmp_path / "report.html").touch()
    with pytest.raises(OutputError, match=r"report\.html"):
        lwcal.report.write_report(fitted, rows, path=tmp_path / "report.html")


def test_a_sample_says_so(other_rows):
    """On the page and in what is not known."""
    page = lwcal.report.render(replace(other_rows, sampled_from=5000.0))
    assert "a sample of 5,000" in page
    assert "rest on a sample of 600 rows" in page
