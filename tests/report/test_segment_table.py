"""The section about segments."""

import numpy as np
import pytest

import lwcal
from lwcal.errors import InputError
from lwcal.report.page import render
from lwcal.report.segment_table import SHOWN, segments_sentence, shown_segments

pytestmark = pytest.mark.usefixtures("few_resamples")


@pytest.fixture(scope="module")
def rows():
    """Scores that hold in the north, and not in the south; one row is nowhere."""
    rng = np.random.default_rng(0)
    scores = rng.random(3000)
    region = np.array(["north", "south", "<b>west</b>"], dtype=object)[
        rng.choice(3, 3000, p=[0.6, 0.399, 0.001])
    ]
    labels = rng.random(3000) < np.where(region == "south", scores**3, scores)
    region[0] = None
    return scores, labels, region


def test_segments_in_which_it_does_not_hold_come_first(rows):
    """Names are escaped, and a missing one has a name."""
    scores, labels, region = rows
    data = lwcal.report.build(
        lwcal.Identity().fit(scores, labels), scores, labels, segments=region, segment_name="region"
    )
    levels = {one.name: one.level for one in data.segments.verdicts}
    assert levels == {
        "north": "as all rows",
        "south": "differs",
        "<b>west</b>": "too few rows",
        None: "too few rows",
    }
    assert shown_segments(data.segments)[0].name == "south"
    sentence = segments_sentence(data.segments)
    assert sentence.startswith("In 1 segment of 4 the labels contradict")
    assert "It holds in 1. In 2 there are too few rows to tell." in sentence
    page = render(data)
    assert "Does it hold in every segment?" in page
    assert "&lt;b&gt;west&lt;/b&gt;" in page
    assert "<b>west</b>" not in page
    assert '<th scope="col">region</th>' in page
    assert '<th scope="row">(no value)</th>' in page


def test_text_is_never_a_missing_segment(rows):
    """NULL, nan and the empty text are names, as for a fit; only None and NaN are no name."""
    scores, labels, _ = rows
    region = np.array(["NULL", "nan", "", None, float("nan")] * 600, dtype=object)
    data = lwcal.report.build(lwcal.Identity().fit(scores, labels), scores, labels, segments=region)
    assert {one.name: one.n for one in data.segments.verdicts} == {
        "NULL": 600.0,
        "nan": 600.0,
        "": 600.0,
        None: 1200.0,
    }


def test_without_segments_there_is_no_section(rows):
    """The page is as it was."""
    scores, labels, _ = rows
    data = lwcal.report.build(lwcal.Identity().fit(scores, labels), scores, labels)
    assert data.segments is None
    assert "every segment" not in render(data)


def test_where_it_holds_everywhere_the_page_says_so(rows):
    """Weights count, and a segment of no weight is not there."""
    scores, labels, region = rows
    weights = (region == "north").astype(float)
    north = region == "north"
    fitted = lwcal.Identity().fit(scores[north], labels[north])
    data = lwcal.report.build(fitted, scores, labels, segments=region, sample_weight=weights)
    assert [one.name for one in data.segments.verdicts] == ["north"]
    assert segments_sentence(data.segments) == (
        "No segment of 1 contradicts the calibrator. It holds in 1."
    )


def test_the_page_says_how_many_segments_cannot_be_told(rows):
    """That nothing is found says nothing of segments with a handful of rows."""
    scores, labels, _ = rows
    region = np.where(np.arange(3000) < 2990, "north", "tiny")
    labels = np.random.default_rng(1).random(3000) < scores
    data = lwcal.report.build(lwcal.Identity().fit(scores, labels), scores, labels, segments=region)
    assert segments_sentence(data.segments) == (
        "No segment of 2 contradicts the calibrator. It holds in 1. In 1 there are too few rows to "
        "tell."
    )
    assert "too few rows to tell</td>" in render(data)


def test_a_long_table_is_cut(rows):
    """The page says how many segments there are."""
    scores, labels, _ = rows
    data = lwcal.report.build(
        lwcal.Identity().fit(scores, labels), scores, labels, segments=np.arange(3000) % 80
    )
    assert len(shown_segments(data.segments)) == SHOWN
    assert "50 of 80 segments are shown" in render(data)


def test_what_cannot_be_judged_is_refused(rows):
    """Too many segments, too few values, tables, and several classes."""
    scores, labels, region = rows
    fitted = lwcal.Identity().fit(scores, labels)
    with pytest.raises(InputError, match="1,000 segments at most"):
        lwcal.report.build(fitted, scores, labels, segments=np.arange(3000))
    with pytest.raises(InputError, match="2 segments"):
        lwcal.report.build(fitted, scores, labels, segments=region[:2])
    table = lwcal.ScoreTable.from_arrays(scores, labels)
    with pytest.raises(InputError, match="single rows"):
        lwcal.report.build(fitted, table, segments=region)
    with pytest.raises(InputError, match="at least one"):
        lwcal.segments.judge_segments(fitted, {})
