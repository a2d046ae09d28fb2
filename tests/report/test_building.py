"""The report shows what the library computes, and stays small however many rows there are."""

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import ArtifactError, InputError, OutputError
from lwcal.noise.hypotheses import hypotheses
from lwcal.noise.inference import infer
from lwcal.report.histograms import BINS, GRIDS, thresholds
from lwcal.report.suspects import LEAST_WRONG, SHOWN, wrong_probability
from lwcal.table import ScoreTable
from tests.report.example import CREATED


def test_the_verdict_is_that_of_diagnose(data, example):
    """The report shows the diagnosis unchanged, which rests on the trusted labels."""
    expected = lwcal.diagnose(example.scores, example.labels, y_audited=example.trusted)
    assert data.diagnosis.evidence == "checked labels"
    assert data.diagnosis.to_dict() == expected.to_dict()
    assert (data.method, data.fitted_rows) == ("auto", 3000)


def test_views_judge_by_their_own_labels(data, example):
    """Each view shows the metrics of its own labels."""
    labelled, corrected, trusted = data.views
    after = example.calibrator.predict(example.scores)
    checked = ~np.isnan(example.trusted)
    found = {quality.name: quality.after for quality in labelled.qualities}
    assert found["Log loss"] == pytest.approx(lwcal.metrics.nll(example.labels, after))
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
    """Rare events are decided at small probabilities. The counts stay exact at every threshold."""
    scores = np.random.default_rng(0).random(5000) * top
    table = ScoreTable.from_arrays(np.append(scores, [0.35, 0.95]), np.arange(5002) % 2)
    found = thresholds(table, lwcal.Identity().fit_table(table))
    assert found.edges[1] == step
    assert len(found.edges) <= BINS
    for place in (1, 50, 120, len(found.edges) - 1):
        assert found.before.weight[place:].sum() == (table.scores >= found.edges[place]).sum()
    assert found.before.weight.sum() == 5002


def test_thresholds_are_short_decimals():
    """People read them aloud and type them."""
    for most, _ in GRIDS:
        table = ScoreTable.from_arrays([0.0, most], [0, 1])
        edges = thresholds(table, lwcal.Identity().fit_table(table)).edges
        assert max(len(f"{edge:g}") for edge in edges) <= len("0.0001")
        assert (np.diff(edges) > 0).all()


def test_suspects_are_the_labels_most_likely_wrong(data, example):
    """They are sorted, named by their ids, and wrong about as often as predicted."""
    assert len(data.suspects) == SHOWN
    wrong = [suspect.wrong for suspect in data.suspects]
    assert wrong == sorted(wrong, reverse=True)
    first = data.suspects[0]
    row = example.ids.tolist().index(first.identity)
    assert (first.score, first.label) == (example.scores[row], str(example.labels[row]))
    rows = [example.ids.tolist().index(suspect.identity) for suspect in data.suspects]
    found = np.mean(example.truth[rows] != example.labels[rows])
    assert found == pytest.approx(np.mean(wrong), abs=0.15)


@pytest.mark.usefixtures("few_resamples")
def test_labels_that_are_surely_right_are_no_suspects():
    """They are not listed; a page without any other says so."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.2, 0.2, 500)
    labels = (rng.random(500) < scores) ^ (rng.random(500) < 0.05)
    noise = lwcal.NoiseAware(noise_rates=(0.05, 0.05)).fit(scores, labels)
    built = lwcal.report.build(noise, scores, labels)
    assert 10 < len(built.suspects) < 100
    assert min(suspect.wrong for suspect in built.suspects) >= LEAST_WRONG
    right = lwcal.NoiseAware(noise_rates=(0.0, 0.0)).fit(scores, labels)
    none = lwcal.report.build(right, scores, labels)
    assert none.suspects == ()
    assert "No label is wrong with a probability of 5% or more" in lwcal.report.render(none)


def test_checked_rows_are_never_suspects(data, example):
    """Their labels are confirmed or corrected, however much they contradict the score."""
    checked = set(example.ids[~np.isnan(example.trusted)])
    assert not checked & {suspect.identity for suspect in data.suspects}
    of_labels = lwcal.report.build(
        example.calibrator, example.scores, example.labels, identities=example.ids
    )
    assert checked & {suspect.identity for suspect in of_labels.suspects}


def test_the_probability_of_a_wrong_label_follows_bayes():
    """With known rates it is the formula of class-conditional noise."""
    scores = np.array([0.05, 0.4, 0.9])
    rng = np.random.default_rng(0)
    drawn = rng.random(3000)
    table = ScoreTable.from_arrays(drawn, rng.random(3000) < 0.1 + 0.6 * drawn)
    posterior = infer(table, hypotheses(noise_rates=(0.1, 0.3)))
    found = wrong_probability(posterior, scores)
    clean = posterior.clean_probability(scores)
    np.testing.assert_allclose(found.positive, 0.1 * (1 - clean) / (0.1 + 0.6 * clean))
    np.testing.assert_allclose(found.negative, 0.3 * clean / (0.9 - 0.6 * clean))


@pytest.mark.usefixtures("few_resamples")
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
@pytest.mark.usefixtures("few_resamples")
def test_trusted_labels_may_be_missing(example, trusted):
    """Missing values of all common kinds are recognised."""
    rows = example.calibrator, example.scores[:600], example.labels[:600]
    assert lwcal.report.build(*rows, trusted=trusted).views[-1].n == 400


@pytest.mark.usefixtures("few_resamples")
def test_trusted_labels_of_one_class_have_no_class_errors(example):
    """There is nothing to compare, but everything else is shown."""
    rows = example.calibrator, example.scores[:600], example.labels[:600]
    built = lwcal.report.build(*rows, trusted=[1] * 600)
    assert built.views[-1].classes == ()
    assert built.suspects == ()
    page = lwcal.report.render(built)
    assert "Trusted labels" in page
    assert "Every label was checked" in page


@pytest.mark.usefixtures("few_resamples")
def test_trusted_labels_are_read_as_the_labels_are(example):
    """A single class among the checked labels is the class of that name."""
    named = np.where(example.labels[:600] == 1, "good", "bad")
    calibrator = lwcal.Platt(pos_label="good").fit(example.scores[:600], named)
    trusted = np.where(np.arange(600) < 40, "bad", None)
    built = lwcal.report.build(calibrator, example.scores[:600], named, trusted=trusted)
    assert built.views[-1].before.observed.max() == 0.0
    assert built.audit == (40, (named[:40] == "good").sum())
    assert built.positive_class == "good"


@pytest.mark.usefixtures("few_resamples")
def test_a_table_gives_the_report_of_its_rows(example):
    """Only the single rows and the name of the class are missing, and sentences say so."""
    calibrator, scores, labels, _, trusted, _ = example
    weights = np.arange(3000) % 2 + 1.0
    checked = ~np.isnan(trusted)
    truths = lwcal.ScoreTable.from_arrays(scores[checked], trusted[checked], weights[checked])
    of_rows = lwcal.report.build(
        calibrator, scores, labels, trusted=truths, sample_weight=weights, created=CREATED
    )
    of_table = lwcal.report.build(
        calibrator,
        lwcal.ScoreTable.from_arrays(scores, labels, weights),
        trusted=truths,
        created=CREATED,
    )
    assert of_table.diagnosis.to_dict() == of_rows.diagnosis.to_dict()
    assert of_table.readings == of_rows.readings
    assert [view.qualities for view in of_table.views] == [v.qualities for v in of_rows.views]
    for name in ("histograms", "thresholds", "weights"):
        for found, expected in zip(
            vars(getattr(of_table, name)).values(),
            vars(getattr(of_rows, name)).values(),
            strict=True,
        ):
            np.testing.assert_array_equal(flat(found), flat(expected))
    assert of_table.suspects is None
    assert (of_rows.positive_class, of_table.positive_class) == ("1", None)
    assert len({one.sha256 for one in of_table.reproduction.inputs}) == 4
    page = lwcal.report.render(of_table)
    assert "holds no single rows" in page
    assert "not recorded" in page
    assert 'id="suspect-table"' not in page


@pytest.mark.usefixtures("few_resamples")
def test_trusted_counts_add_a_view_and_the_verdict_says_that_it_cannot_use_them(example):
    """Counts do not say which rows were checked."""
    checked = ~np.isnan(example.trusted)
    truths = lwcal.ScoreTable.from_arrays(example.scores[checked], example.trusted[checked])
    rows = example.calibrator, example.scores, example.labels
    built = lwcal.report.build(*rows, trusted=truths)
    assert (built.diagnosis.evidence, built.audit) == ("labels", None)
    nll = built.views[-1].qualities[0]
    page = lwcal.report.render(built)
    assert "The verdict cannot use the trusted labels" in page
    assert f"log loss is {nll.before:.3f} before and {nll.after:.3f} after calibration" in page
    of_column = lwcal.report.build(*rows, trusted=example.trusted)
    assert "cannot use the trusted labels" not in lwcal.report.render(of_column)


def flat(found):
    """Turn bins into one array."""
    return np.concatenate(list(vars(found).values())) if hasattr(found, "__dict__") else found


def test_what_a_table_lacks_is_refused(example):
    """Names and checked labels of single rows are refused, and so is a second set of labels."""
    table = lwcal.ScoreTable.from_arrays(example.scores, example.labels)
    for option in ({"identities": example.ids}, {"trusted": example.trusted}):
        with pytest.raises(InputError, match=f"{next(iter(option))} .*ScoreTable"):
            lwcal.report.build(example.calibrator, table, **option)
    with pytest.raises(InputError, match="ScoreTable"):
        lwcal.report.build(example.calibrator, table, example.labels)
    with pytest.raises(InputError, match="y is missing"):
        lwcal.report.build(example.calibrator, example.scores)


@pytest.mark.usefixtures("few_resamples")
def test_the_weights_of_an_lwcal_are_its_own(example):
    """With its floor and threshold, as it gave them to the rows of its fit."""
    scores, labels = example.scores[:500], example.labels[:500]
    calibrator = lwcal.LWCal(floor=0.4, threshold=0.3).fit(scores, labels)
    shown = lwcal.report.build(calibrator, scores, labels).weights
    loss = -np.log(np.where(labels == 1, scores, 1 - scores))
    weights = calibrator.reliability_weights(loss)
    contradicts = (scores >= 0.3) != (labels == 1)
    assert shown.contradicting.sum() == contradicts.sum()
    expected, _ = np.histogram(weights[contradicts], 20, range=(0, 1))
    np.testing.assert_array_equal(shown.contradicting, expected)
    assert shown.agreeing[:7].sum() == 0


@pytest.mark.usefixtures("few_resamples")
def test_large_inputs_give_small_pages():
    """A hundred thousand rows give no larger page than a thousand."""
    rng = np.random.default_rng(0)
    scores = rng.random(100_000)
    labels = rng.random(100_000) < scores
    calibrator = lwcal.Platt().fit(scores, labels)
    page = lwcal.report.render(lwcal.report.build(calibrator, scores, labels))
    assert len(page.encode()) < 300_000


def test_unusable_input_is_refused(example, tmp_path):
    """Wrong lengths, no trusted label, unknown calibrators, and existing files are refused."""
    calibrator, scores, labels = example[:3]
    with pytest.raises(InputError, match="3,000"):
        lwcal.report.build(calibrator, scores, labels, identities=["a"])
    with pytest.raises(InputError, match="trusted"):
        lwcal.report.build(calibrator, scores, labels, trusted=np.full(3000, np.nan))
    with pytest.raises(InputError, match="audit_probability"):
        lwcal.report.build(calibrator, scores, labels, audit_probability=np.full(3000, 0.1))

    class Mine(lwcal.Platt):
        pass

    with pytest.raises(ArtifactError, match="Mine"):
        lwcal.report.build(Mine().fit(scores, labels), scores, labels)
    (tmp_path / "report.html").touch()
    with pytest.raises(OutputError, match=r"report\.html"):
        lwcal.report.write_report(calibrator, scores, labels, path=tmp_path / "report.html")


def test_the_date_can_be_given(data):
    """The given date is used, with its time zone."""
    assert data.reproduction.created == CREATED.isoformat(timespec="seconds")
