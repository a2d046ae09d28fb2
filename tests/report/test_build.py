"""What the report shows is what the library computes, and little of it however many rows."""

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import ArtifactError, InputError, OutputError
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.posterior import infer
from lwcal.report.bins import BINS, GRIDS, thresholds
from lwcal.report.suspects import SHOWN, wrong_probability
from lwcal.table import ScoreTable
from tests.report.example import CREATED


def test_the_verdict_is_that_of_diagnose(data, example):
    """The report adds no opinion of its own."""
    expected = lwcal.diagnose(example.scores, example.labels)
    assert data.diagnosis.to_dict() == expected.to_dict()
    assert (data.method, data.fitted_rows) == ("auto", 3000)


def test_views_judge_by_their_own_labels(data, example):
    """As labelled, corrected and trusted, each by the metrics of its kind."""
    labelled, corrected, trusted = data.views
    after = example.calibrator.predict(example.scores)
    checked = ~np.isnan(example.trusted)
    found = {quality.name: quality.after for quality in labelled.qualities}
    assert found["NLL"] == pytest.approx(lwcal.metrics.nll(example.labels, after))
    found = {quality.name: quality.after for quality in trusted.qualities}
    assert found["ECE"] == pytest.approx(
        lwcal.metrics.ece(example.trusted[checked], after[checked])
    )
    assert trusted.n == checked.sum()
    nll = corrected.qualities[0]
    assert nll.after_interval[0] <= nll.after <= nll.after_interval[1]
    assert nll.after < labelled.qualities[0].after


def test_class_errors_are_those_of_the_metrics(data, example):
    """By the labels as they are, before calibration."""
    found = [quality.before for quality in data.views[0].classes]
    metrics = lwcal.metrics
    expected = [
        metric(example.labels, example.scores)
        for metric in (metrics.classwise_ece, metrics.minority_ece, metrics.class_gap)
    ]
    np.testing.assert_allclose(found, expected)


def test_bins_of_thresholds_add_up_to_what_rows_give(data, example):
    """Flagged rows and expected positives at a threshold, before and after."""
    after = example.calibrator.predict(example.scores)
    for bins, values in ((data.thresholds.before, example.scores), (data.thresholds.after, after)):
        for step in (0, 30, 100, 150):
            flagged = values >= data.thresholds.edges[step]
            assert bins.weight[step:].sum() == flagged.sum()
            assert bins.positives[step:].sum() == pytest.approx(after[flagged].sum())


@pytest.mark.parametrize(("top", "step"), [(0.008, 0.0001), (0.08, 0.001), (0.9, 0.005)])
def test_rare_events_have_finer_thresholds(top, step):
    """They are decided at small probabilities; the counts stay exact at every threshold."""
    scores = np.random.default_rng(0).random(5000) * top
    table = ScoreTable.from_arrays(np.append(scores, [0.35, 0.95]), np.arange(5002) % 2)
    found = thresholds(table, lwcal.Identity().fit_table(table))
    assert found.edges[1] == step
    assert len(found.edges) <= BINS
    for place in (1, 50, 120, len(found.edges) - 1):
        assert found.before.weight[place:].sum() == (table.scores >= found.edges[place]).sum()
    assert found.before.weight.sum() == 5002


def test_thresholds_are_short_decimals():
    """They are read aloud and typed."""
    for most, _ in GRIDS:
        table = ScoreTable.from_arrays([0.0, most], [0, 1])
        edges = thresholds(table, lwcal.Identity().fit_table(table)).edges
        assert max(len(f"{edge:g}") for edge in edges) <= len("0.0001")
        assert (np.diff(edges) > 0).all()


def test_suspects_are_the_labels_most_likely_wrong(data, example):
    """Sorted, named by their ids, and mostly wrong indeed where they were checked."""
    assert len(data.suspects) == SHOWN
    wrong = [suspect.wrong for suspect in data.suspects]
    assert wrong == sorted(wrong, reverse=True)
    first = data.suspects[0]
    row = example.ids.tolist().index(first.identity)
    assert (first.score, first.label) == (example.scores[row], str(example.labels[row]))
    rows = [example.ids.tolist().index(suspect.identity) for suspect in data.suspects]
    checked = [row for row in rows if not np.isnan(example.trusted[row])]
    found = np.mean([example.trusted[row] != example.labels[row] for row in checked])
    assert found == pytest.approx(np.mean(wrong), abs=0.15)


def test_the_probability_of_a_wrong_label_follows_bayes():
    """With one world left it is the formula of class-conditional noise."""
    scores = np.array([0.05, 0.4, 0.9])
    rng = np.random.default_rng(0)
    drawn = rng.random(3000)
    table = ScoreTable.from_arrays(drawn, rng.random(3000) < 0.1 + 0.6 * drawn)
    posterior = infer(table, hypotheses(noise_rates=(0.1, 0.3)))
    found = wrong_probability(posterior, scores)
    clean = posterior.clean_probability(scores)
    np.testing.assert_allclose(found.positive, 0.1 * (1 - clean) / (0.1 + 0.6 * clean))
    np.testing.assert_allclose(found.negative, 0.3 * clean / (0.9 - 0.6 * clean))


def test_weights_count_rows_as_often_as_they_say(example):
    """Doubling every row doubles the counts and nothing else."""
    rows = example.calibrator, example.scores[:500], example.labels[:500]
    once = lwcal.report.build(*rows)
    twice = lwcal.report.build(*rows, sample_weight=np.full(500, 2.0))
    np.testing.assert_allclose(twice.thresholds.after.weight, 2 * once.thresholds.after.weight)
    np.testing.assert_allclose(twice.weights.agreeing, 2 * once.weights.agreeing)


@pytest.mark.parametrize(
    "trusted",
    [
        pd.array([1, 0, None] * 200, dtype="Int64"),
        ["yes", "no", ""] * 200,
        [True, False, None] * 200,
    ],
    ids=["Int64", "words", "booleans"],
)
def test_trusted_labels_may_be_missing(example, trusted):
    """In any way that files and frames have to say so."""
    rows = example.calibrator, example.scores[:600], example.labels[:600]
    assert lwcal.report.build(*rows, trusted=trusted).views[-1].n == 400


def test_trusted_labels_of_one_class_have_no_class_errors(example):
    """There is nothing to compare, but the rest is shown."""
    rows = example.calibrator, example.scores[:600], example.labels[:600]
    built = lwcal.report.build(*rows, trusted=[1] * 600)
    assert built.views[-1].classes == ()
    assert "Trusted labels" in lwcal.report.render(built)


def test_large_inputs_give_small_pages():
    """A hundred thousand rows are not more to show than a thousand."""
    rng = np.random.default_rng(0)
    scores = rng.random(100_000)
    labels = rng.random(100_000) < scores
    calibrator = lwcal.Platt().fit(scores, labels)
    page = lwcal.report.render(lwcal.report.build(calibrator, scores, labels))
    assert len(page.encode()) < 300_000


def test_unusable_input_is_refused_in_our_words(example, tmp_path):
    """Lengths, trusted labels that are not there, unknown calibrators, files that exist."""
    calibrator, scores, labels, _, _ = example
    with pytest.raises(InputError, match="3,000 scores but 1 id"):
        lwcal.report.build(calibrator, scores, labels, identities=["a"])
    with pytest.raises(InputError, match="a trusted label in some row"):
        lwcal.report.build(calibrator, scores, labels, trusted=np.full(3000, np.nan))

    class Mine(lwcal.Platt):
        pass

    with pytest.raises(ArtifactError, match="a calibrator of lwcal"):
        lwcal.report.build(Mine().fit(scores, labels), scores, labels)
    (tmp_path / "report.html").touch()
    with pytest.raises(OutputError, match="--force"):
        lwcal.report.write_report(calibrator, scores, labels, tmp_path / "report.html")


def test_the_date_can_be_given(data):
    """Else it is now, with its zone."""
    assert data.provenance.created == CREATED.isoformat(timespec="seconds")
