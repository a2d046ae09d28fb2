"""Scores on other scales: the same rows give the same table, and nothing is guessed that harms."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from lwcal import Platt, ScoreTable
from lwcal.engines.duckdb import reduce, reduce_groups
from lwcal.errors import DroppedRowsWarning, InputError, ParameterError
from lwcal.rows import as_labels, as_scores
from lwcal.rows.scales import SeenScores

LABELS = [0, 1, 0, 1]
PERCENTS = [3.0, 40.0, 55.0, 97.5]
LOGITS = [-3.0, -0.5, 0.25, 4.0]


def through(way, scores, labels, folder, **options):
    """A table of the same rows, through arrays, a frame, batches or a file."""
    frame = pd.DataFrame({"s": scores, "y": labels})
    if way == "arrays":
        return ScoreTable.from_arrays(frame["s"], frame["y"], **options)
    if way == "frame":
        return ScoreTable.from_frame(frame, "s", "y", **options)
    if way == "batches":
        return ScoreTable.from_batches(
            (frame[k : k + 1] for k in range(len(frame))), "s", "y", **options
        )
    path = folder / f"rows.{way}"
    if way == "csv":
        frame.to_csv(path, index=False)
    else:
        pa.parquet.write_table(pa.Table.from_pandas(frame, preserve_index=False), path)
    return reduce(path, "s", "y", **options)


WAYS = ("arrays", "frame", "batches", "csv", "parquet")
ways = pytest.mark.parametrize("way", WAYS)
SCALES = {
    "percent": (PERCENTS, np.array(PERCENTS) / 100.0, "percent"),
    "logit": (LOGITS, expit(LOGITS), "logit"),
    "percent signs": (["3%", "40 %", "55.0%", "97,5%"], np.array(PERCENTS) / 100.0, "percent"),
    "percent signs and numbers": (["3%", "40", "55", "97,5%"], np.array(PERCENTS) / 100, "percent"),
    "decimal commas": (["0,5", "0,25", "1,0", "5e-1"], np.array([0.5, 0.25, 1]), "probability"),
    "signed probabilities": (["3%", "40 %", "55%", "1e1%"], np.array([0.03, 0.4, 0.55, 0.1]),
                             "probability"),
    "commas of logits": (["-3,0", "-0,5", "0,25", "4"], expit(LOGITS), "logit"),
}  # fmt: skip


@ways
@pytest.mark.parametrize(("scores", "expected", "scale"), SCALES.values(), ids=SCALES)
def test_the_table_holds_probabilities(scores, expected, scale, way, tmp_path):
    """Whatever way the scores come in; and the table remembers their scale."""
    found = through(way, scores, LABELS, tmp_path, scale=scale)
    assert found.scores.tolist() == np.unique(expected).tolist()
    assert found.scale == scale


AUTO = {
    "probabilities": ([0.2, 0.4, 1.0, 0.0], "probability"),
    "percents": (PERCENTS, "percent"),
    "some percents below 1": ([0.5, 0.9, 55.0, 97.5], "percent"),
    "logits": (LOGITS, "logit"),
    "signs": (["3%", "0,4%", "55%", "97%"], "percent"),
    "rounding errors": ([0.2, 0.4, 1.0, -0.0], "probability"),
}


@ways
@pytest.mark.parametrize(("scores", "scale"), AUTO.values(), ids=AUTO)
def test_all_values_tell_the_scale(scores, scale, way, tmp_path):
    """Also when they come one by one."""
    found = through(way, scores, LABELS, tmp_path, scale="auto")
    named = through(way, scores, LABELS, tmp_path, scale=scale)
    assert found.scale == scale
    assert found.scores.tolist() == named.scores.tolist()
    assert found.positives.tolist() == named.positives.tolist()


UNCLEAR = {
    "one typing error": [0.2, 0.4, 0.6, 7.0],
    "one minus": [0.2, 0.4, 0.6, -1.0],
    "credit scores": [300.0, 500.0, 620.0, 700.0],
    "a code for missing": [-999.0, 40.0, 30.0, 97.0],
}


@ways
@pytest.mark.parametrize("scores", UNCLEAR.values(), ids=UNCLEAR)
def test_an_unclear_scale_is_refused(scores, way, tmp_path):
    """Rather than guessed."""
    with pytest.raises(InputError, match="the scale is not clear"):
        through(way, scores, LABELS, tmp_path, scale="auto")


def test_missing_scores_tell_nothing():
    """They are reported as missing."""
    with pytest.raises(InputError, match="missing"):
        ScoreTable.from_arrays([np.nan, np.nan], [0, 1], scale="auto")


def test_rounding_errors_are_no_logits():
    """And the advice is to clip them."""
    with pytest.raises(InputError, match="clip"):
        ScoreTable.from_arrays([0.5, 1.0 + 1e-9], [0, 1], scale="auto")


@given(st.lists(st.floats(0, 100), min_size=1, max_size=20), st.integers(1, 5))
def test_parts_tell_what_the_whole_tells(values, size):
    """The order and the number of batches do not matter."""
    whole, parts = SeenScores(), SeenScores()
    numbers = [as_numbers_of(values[k : k + size]) for k in range(0, len(values), size)]
    whole.look_at(as_numbers_of(values))
    for part in numbers:
        parts.look_at(part)
    assert parts == whole


def as_numbers_of(values):
    """Numbers as the rows module reads them."""
    from lwcal.rows.values import as_score_numbers

    return as_score_numbers(np.array(values))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=50, unique=True))
def test_probabilities_are_never_converted(values):
    """Neither by auto, nor by a suggestion."""
    assert as_scores(values, scale="auto").tolist() == values
    with pytest.raises(InputError) as raised:
        as_scores([*values, 7.0], scale="probability")
    assert "scale=" not in str(raised.value)


@ways
def test_percent_signs_beside_plain_numbers_are_refused(way, tmp_path):
    """Nobody can tell what the plain ones mean; dropping rows does not help."""
    for options in ({}, {"drop_invalid": True}, {"scale": "auto"}):
        with pytest.raises(InputError, match=r"row 1: '6.1%'.*row 0: '?0.5'?"):
            through(way, ["0.5", "6.1%", "0.2", "0.3"], LABELS, tmp_path, **options)


@ways
def test_a_percent_sign_is_no_logit(way, tmp_path):
    """It is refused like any other text."""
    with pytest.raises(InputError, match=r"1 of 4 .*not numeric.*row 1 \('50%'\)"):
        through(way, ["-1", "50%", "2", "3"], LABELS, tmp_path, scale="logit")


def test_percent_signs_and_words_are_no_logits():
    """Both are named as text."""
    with pytest.raises(InputError, match=r"2 of 5 .*not numeric, the first in row 1"):
        as_scores(["-1", "50%", "2", "high", "3"], scale="logit")


@pytest.mark.parametrize("text", ["1,234.5", "1,2,3", "%", "nan%", "5%%", "five%", ",", "1_0%"])
def test_what_looks_like_a_number_only_at_first_is_refused(text):
    """A comma that separates thousands would change the value a thousandfold."""
    with pytest.raises(InputError, match="not numeric"):
        as_scores([0.5, text, 0.3])


def test_bytes_are_read_like_text():
    """As some databases hand them over."""
    assert as_scores(np.array([b"6,1%", b"50%"], dtype=object)).tolist() == [0.061, 0.5]


def test_weights_have_no_decimal_comma():
    """1,000 could be a thousand."""
    with pytest.raises(InputError, match="'1,000'"):
        ScoreTable.from_arrays([0.1, 0.9], [0, 1], ["1,000", "1"])


OUTSIDE = {
    "percent": ([3.0, 40.0, 101.0, 97.5], r"outside \[0, 100\], the first in row 2 \(101.0\)"),
    "logit": ([-3.0, 1.0, np.inf, 4.0], r"infinite, the first in row 2 \(inf\)"),
}


@ways
@pytest.mark.parametrize(("scale", "case"), OUTSIDE.items(), ids=OUTSIDE)
def test_values_outside_of_their_scale_are_refused_or_dropped(scale, case, way, tmp_path):
    """They are shown as they came."""
    scores, told = case
    with pytest.raises(InputError, match=told):
        through(way, scores, LABELS, tmp_path, scale=scale)
    with pytest.warns(DroppedRowsWarning, match="dropped 1 of 4 rows"):
        found = through(way, scores, LABELS, tmp_path, scale=scale, drop_invalid=True)
    assert found.n == 3


def test_logits_that_are_called_percents_are_recognised():
    """The message names the right scale."""
    with pytest.raises(InputError, match="--score-scale logit"):
        ScoreTable.from_arrays([-3.0, -1.0, 2.0], [0, 0, 1], scale="percent")


@pytest.mark.parametrize("scores", [[1.2], [45.0], [-0.3], [1.2, 1.1], [0.4, 1.2]])
def test_few_values_that_may_be_mistakes_show_no_scale(scores):
    """On another scale, 1.2 would pass for 0.012."""
    fitted = Platt().fit([0.1, 0.9], [0, 1])
    with pytest.raises(InputError, match="must be probabilities") as refused:
        fitted.predict(scores)
    assert "scale=" not in str(refused.value)


def test_functions_without_scales_say_how_to_convert():
    """Metrics, for example."""
    with pytest.raises(InputError, match="divide them by 100"):
        as_scores([50.0, 60.0])
    with pytest.raises(InputError, match="expit"):
        as_scores([-5.0, 6.0])
    with pytest.raises(InputError, match=r"in the same way\.$"):
        as_scores(["5%", 0.5])


def test_an_unknown_scale_is_refused():
    """By its name."""
    for call in (
        lambda: ScoreTable.from_arrays([0.1], [0], scale="odds"),
        lambda: ScoreTable.from_frame({"s": [0.1], "y": [0]}, "s", "y", scale="odds"),
        lambda: Platt().fit([0.1, 0.9], [0, 1]).predict([0.5], scale="odds"),
        lambda: Platt().fit([0.1, 0.9], [0, 1]).predict([0.5], scale="auto"),
    ):
        with pytest.raises(ParameterError, match="scale"):
            call()


def test_groups_decide_their_scale_together(tmp_path):
    """A group of small percents is not taken for probabilities."""
    frame = pd.DataFrame({"s": [0.5, 0.75, 50.0, 100.0], "y": LABELS, "g": ["a", "a", "b", "b"]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for source in (frame, tmp_path / "rows.csv"):
        found = reduce_groups(source, "g", "s", "y", scale="auto")
        assert found["a"].scores.tolist() == [0.005, 0.0075]
        assert {table.scale for table in found.values()} == {"percent"}


def test_tables_of_different_scales_do_not_add_up():
    """The calibrator would not know how to read new scores; an empty table does not matter."""
    one = ScoreTable.from_arrays(PERCENTS, LABELS, scale="percent")
    other = ScoreTable.from_arrays([0.1, 0.9], [0, 1])
    assert (one + one).scale == one.scaled(2.0).scale == "percent"
    with pytest.raises(InputError, match="percent and probability"):
        one + other
    empty = ScoreTable.unchecked(np.empty(0), np.empty(0), np.empty(0))
    assert (one + empty).scale == "percent"
    assert (empty + empty).scale == "probability"
    with pytest.raises(InputError, match="scale is 'odds'"):
        ScoreTable([0.5], [1.0], [0.0], scale="odds")


DROPPED = {"s": [0.5, None, 7.0, None, 0.2], "y": [1, 1, 0, 0, 0]}


@ways
def test_most_rows_are_not_dropped_unless_that_is_allowed(way, tmp_path):
    """The share and the commonest fault are named."""
    options = {"drop_invalid": True}
    with pytest.raises(InputError, match=r"60% .*3 of 5.*2 are missing, .*allow_drop_share=0.6 "):
        through(way, DROPPED["s"], DROPPED["y"], tmp_path, **options)
    with pytest.warns(DroppedRowsWarning, match="dropped 3 of 5"):
        found = through(way, DROPPED["s"], DROPPED["y"], tmp_path, allow_drop_share=0.6, **options)
    assert found.n == 2
    with pytest.raises(InputError, match="at most 10%"):
        through(way, [0.5, 0.1, 0.2, None], LABELS, tmp_path, allow_drop_share=0.1, **options)
    with pytest.raises(ParameterError, match="allow_drop_share"):
        through(way, [0.5, 0.1, 0.2, None], LABELS, tmp_path, allow_drop_share=1.5, **options)


def test_percents_are_named_rather_than_dropped():
    """The advice is their scale, and not to allow the loss."""
    with pytest.raises(InputError) as raised:
        ScoreTable.from_arrays([*PERCENTS, 0.5], [*LABELS, 1], drop_invalid=True)
    assert "--score-scale percent" in str(raised.value)
    assert "allow" not in str(raised.value)


def test_the_loss_of_all_rows_cannot_be_allowed():
    """Nothing would be left."""
    with pytest.raises(InputError) as raised:
        ScoreTable.from_arrays([None, None], [0, 1], drop_invalid=True)
    assert "100%" in str(raised.value)
    assert "allow_drop_share" not in str(raised.value)


ROWS = {
    "scores": (["0.5", "x", "0.1", "0.2"], LABELS),
    "labels": ([0.5, 0.6, 0.1, 0.2], [0, 2, 1, 1]),
}


@ways
@pytest.mark.parametrize(("scores", "labels"), ROWS.values(), ids=ROWS)
def test_rows_are_counted_from_0_everywhere(scores, labels, way, tmp_path):
    """The second row has number 1, and a header does not count."""
    with pytest.raises(InputError, match="the first in row 1 "):
        through(way, scores, labels, tmp_path)


def test_rows_of_groups_are_counted_in_the_whole_source(tmp_path):
    """Across batches too."""
    frame = pd.DataFrame(
        {"s": [0.1, 0.2, 0.3, 0.4, 0.5, 7.0], "y": [0, 1] * 3, "g": list("abbabb")}
    )
    path = tmp_path / "rows.parquet"
    frame.to_parquet(path)
    for source in (frame, path):
        with pytest.raises(InputError, match=r"group 'b'.* the first in row 5 \(7.0\)"):
            reduce_groups(source, "g", "s", "y")
    frame.loc[5, ["s", "y"]] = (0.5, 2)
    with pytest.raises(InputError, match=r"group 'b'.* the first in row 5 \(2"):
        reduce_groups(frame, "g", "s", "y")


SUGGESTED = {
    "high scores": ([0.1, 0.2, 0.9, 0.8, 0.7], list("aabbb"), "High scores go with 'b'.*'b'"),
    "high scores of the common class": ([0.9, 0.1, 0.8], list("aba"), "High scores go with 'a'"),
    "rare": ([0.5, 0.5, 0.5], list("aba"), "'b' is rarer .1 of 3 rows.*--pos-label b"),
    "even": ([0.5, 0.5], list("ab"), "pos_label='a' .*or pos_label='b'"),
    "alone": ([0.5, 0.5], list("aa"), r"Name it with pos_label \(--pos-label\)"),
}


@ways
@pytest.mark.parametrize(("scores", "labels", "told"), SUGGESTED.values(), ids=SUGGESTED)
def test_a_positive_class_is_suggested_for_a_reason(scores, labels, told, way, tmp_path):
    """The one with high scores, or else the rarer one."""
    with pytest.raises(InputError, match=told):
        through(way, scores, labels, tmp_path)


def test_without_scores_the_rarer_class_is_suggested():
    """As there is nothing else to go by."""
    with pytest.raises(InputError, match="'good' is rarer"):
        as_labels(["bad", "good", "bad"])


def test_a_class_without_a_valid_row_has_no_mean_score():
    """The rarer one is suggested then."""
    scores, labels = [0.5, 0.6, None, 0.7, 0.5], ["a", "a", "b", "a", "a"]
    with pytest.raises(InputError, match="'b' is rarer"):
        ScoreTable.from_arrays(scores, labels, drop_invalid=True)
    weighted = ScoreTable.from_arrays
    with pytest.raises(InputError, match="'b' is rarer"):
        weighted([0.5, 0.6, 0.7], ["a", "b", "a"], [1, 0, 1])


def test_percents_that_are_mostly_below_one_are_asked_about():
    """Dropping the highest of them is not the first advice, and is doubted where it is done."""
    scores, labels = np.r_[np.full(60, 0.4), np.full(40, 7.0)], np.tile([0, 1], 50)
    asked = r"If all scores are percentages, read them with scale=\"percent\""
    with pytest.raises(InputError, match=rf"{asked}.*Otherwise repair these rows, or drop"):
        ScoreTable.from_arrays(scores, labels)
    with pytest.warns(DroppedRowsWarning, match=asked):
        ScoreTable.from_arrays(scores, labels, drop_invalid=True)
    few = np.r_[np.full(97, 0.4), np.full(3, 7.0)]
    with pytest.raises(InputError, match=r"0 to 1\. Repair these rows"):
        ScoreTable.from_arrays(few, labels)


def test_empty_labels_may_mean_the_other_class():
    """Nothing is taken for a label, but the message says what may be meant."""
    with pytest.raises(InputError, match=r"the class 'fraud' only.*If empty labels mean"):
        ScoreTable.from_arrays([0.2, 0.8], ["fraud", "fraud"])
