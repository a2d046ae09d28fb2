"""ReviewersDisplay draws the interval of each reviewer."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import lwcal
from lwcal.errors import ParameterError
from lwcal.plots import ReviewersDisplay
from tests.reviews.hand_made import reviewer, summary

PAIR = summary(reviewer("Ann", [0.1, 0.1], (1, 1)), reviewer("Bob", [0.3, 0.3], (2, 2)))


def test_dots_bars_and_names():
    """The first reviewer is at the top; bars end where the intervals do."""
    axes = Figure().add_subplot()
    display = ReviewersDisplay.from_summary(PAIR, ax=axes)
    dots, _, (bars,) = display.errorbar_.lines
    np.testing.assert_allclose(dots.get_xdata(), [0.1, 0.3])
    np.testing.assert_allclose(
        [bar[:, 0] for bar in bars.get_segments()], [[0.08, 0.12], [0.28, 0.32]]
    )
    assert [text.get_text() for text in axes.get_yticklabels()] == ["Ann", "Bob"]
    assert axes.yaxis_inverted()
    assert display.figure_ is axes.figure


def test_a_saved_calibrator_is_enough(tmp_path):
    """The display of what was loaded equals that of the fit."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, 200)
    truth = rng.random(200) < scores
    labels = np.stack([truth ^ (rng.random(200) < 0.2) for _ in range(2)], axis=1)
    fitted = lwcal.Reviewed().fit(scores, labels)
    lwcal.save(fitted, tmp_path / "c.json")
    both = [
        ReviewersDisplay.from_estimator(one, ax=Figure().add_subplot())
        for one in (fitted, lwcal.load(tmp_path / "c.json"))
    ]
    before, after = (one.errorbar_.lines[0].get_xdata() for one in both)
    np.testing.assert_array_equal(before, after)


def test_options_reach_the_picture():
    """A colour of the caller replaces the default."""
    display = ReviewersDisplay(PAIR).plot(ax=Figure().add_subplot(), color="red")
    assert display.errorbar_.lines[0].get_color() == "red"


def test_what_knows_no_reviewers_is_refused():
    """Another calibrator, a fit to one label a row, and anything else."""
    rows = [0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1]
    for given in (lwcal.Platt().fit(*rows), lwcal.Reviewed().fit(*rows), "Ann"):
        with pytest.raises(ParameterError, match="fitted to opinions"):
            ReviewersDisplay.from_estimator(given)
