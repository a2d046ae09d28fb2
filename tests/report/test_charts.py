"""Shapes are drawn at the right positions."""

import numpy as np
import pytest

import lwcal
from lwcal.metrics import reliability_curve
from lwcal.report.chart_shapes import Frame
from lwcal.report.charts import (
    cost_chart,
    map_chart,
    nice_ceiling,
    rates_chart,
    reliability_chart,
    weight_chart,
)


def test_points_stand_over_their_probabilities(data):
    """Between the lower and the upper end of their band."""
    curve = data.views[0].before
    chart = reliability_chart(curve, data.histograms.before)
    assert chart.frame.limit == 1.0
    for point, predicted, observed in zip(
        chart.points, curve.predicted, curve.observed, strict=True
    ):
        assert point.x == pytest.approx(46 + 302 * predicted, abs=0.01)
        assert point.y == pytest.approx(256 - 244 * observed, abs=0.01)
        assert point.tip.startswith(f"predicted {predicted:.1%}, observed {observed:.1%}")
    assert chart.band.endswith("Z")
    assert len(chart.bars) <= 40


def test_axes_of_rare_events_end_early():
    """Otherwise all points would crowd into one corner. The bars keep their positions."""
    scores = np.repeat([0.002, 0.012, 0.03], 4000)
    labels = np.tile(np.arange(400) == 0, 30)
    counts = np.zeros(200)
    counts[[0, 2, 6]] = 4000
    chart = reliability_chart(reliability_curve(labels, scores, n_bins=3), counts)
    assert chart.frame.limit == 0.05
    assert [tick.text for tick in chart.frame.x_ticks] == ["0", "0.0125", "0.025", "0.0375", "0.05"]
    assert [bar.tip for bar in chart.bars][1] == "0.01 to 0.015: 4,000 rows"
    for bar, score in zip(chart.bars, (0.002, 0.012, 0.03), strict=True):
        assert bar.x - 0.5 <= chart.frame.x(score) <= bar.x + bar.width + 0.5


def test_bars_of_weights_stack_up_to_all_rows(data):
    """Heights are shares, on an axis that ends at a round number."""
    chart = weight_chart(data.weights)
    height = sum(bar.height for bar in (*chart.agreeing, *chart.contradicting))
    share = float(chart.y_ticks[-1].text.rstrip("%")) / 100
    assert height / (chart.frame.bottom - chart.frame.top) * share == pytest.approx(1.0, abs=0.01)


def test_the_axis_of_thresholds_says_when_it_is_uneven(data):
    """It is uneven for rare events."""
    assert [tick.text for tick in cost_chart(data.thresholds).x_ticks][2] == "0.5"
    assert not cost_chart(data.thresholds).uneven
    scores = np.linspace(0.0, 0.05, 400)
    rare = lwcal.report.build(
        lwcal.Identity().fit(scores, np.arange(400) % 50 == 0), scores, np.arange(400) % 50 == 0
    )
    assert cost_chart(rare.thresholds).uneven
    page = lwcal.report.render(rare)
    assert "the axis follows the steps of the slider" in page
    assert "(axes end at 0." in page


def test_the_map_is_written_out(data, example):
    """Some scores are listed with their calibrated probability."""
    scores, probabilities = zip(*map_chart(data.map_curve).pairs, strict=True)
    np.testing.assert_allclose(probabilities, example.calibrator.predict(scores), atol=1e-3)


def test_intervals_hold_their_values(data):
    """The interval of a rate contains its estimate."""
    for drawn in rates_chart(data.diagnosis.noise).ranges:
        assert drawn.low <= drawn.value <= drawn.high


@pytest.mark.parametrize("value", [1e-7, 0.0999, 0.1, 0.51, 1.0, 9.99, 123456.0])
def test_axes_end_at_round_numbers_not_far_above(value):
    """At most a third of the height stays empty."""
    assert value * (1 - 1e-6) <= nice_ceiling(value) <= 1.5 * value


def test_a_path_goes_through_its_points():
    """Positions are in units of the frame."""
    frame = Frame(left=0.0, right=100.0, top=0.0, bottom=100.0)
    assert frame.path(np.array([0.0, 0.5]), np.array([0.0, 1.0])) == "M0 100L50 0"
