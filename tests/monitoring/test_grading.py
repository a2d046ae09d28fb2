"""A test says what its p-value and its effect say together."""

import pytest

from lwcal.monitoring.grading import ALPHA, judge
from lwcal.monitoring.statistics import Found


@pytest.mark.parametrize(
    ("p_value", "effect", "level"),
    [
        (ALPHA, 1.0, "no drift"),
        (1e-9, 0.029, "no drift"),
        (1e-9, -0.03, "watch"),
        (1e-9, 0.079, "watch"),
        (1e-9, -0.08, "refit"),
    ],
)
def test_levels_need_significance_and_an_effect(p_value, effect, level):
    """Both directions of change count."""
    assert judge({"disagreement": Found(9.0, p_value, effect)})[0].level == level
