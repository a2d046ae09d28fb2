"""A renamed parameter works under its old name for a while, with a warning."""

import warnings
from inspect import signature
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator, clone

from lwcal.deprecation import deprecated_parameter


@deprecated_parameter("labels", "y", since="0.2", removed_in="0.3")
def share(scores, y=(1,)):
    """Return the share of positive labels."""
    return sum(y) / len(y)


class Renamed(BaseEstimator):
    """An estimator with a renamed parameter."""

    @deprecated_parameter("minimum", "floor", since="0.2", removed_in="0.3")
    def __init__(self, *, floor=0.1):
        self.floor = floor


def test_the_old_name_works_and_warns():
    """The warning names both parameters and both versions, and points at the call."""
    with pytest.warns(FutureWarning, match=r"'labels'.*'y'.*0\.2.*0\.3") as caught:
        assert share([0.1, 0.9], labels=[0, 1]) == 0.5
    (warning,) = caught
    assert Path(warning.filename) == Path(__file__)


def test_the_new_name_does_not_warn():
    """By name, by place, and left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert share([0.1, 0.9], y=[0, 1]) == share([0.1, 0.9], [0, 1]) == 0.5
        assert share([0.1, 0.9]) == 1.0


def test_both_names_are_refused():
    """Neither value may win silently."""
    with pytest.raises(TypeError, match="'labels' and 'y'"):
        share([0.1], y=[0], labels=[1])


def test_signature_and_docstring_stay():
    """The old name is not offered to readers of the signature."""
    assert list(signature(share).parameters) == ["scores", "y"]
    assert share.__doc__ == "Return the share of positive labels."


def test_estimators_keep_their_parameters():
    """get_params, set_params and clone know the new name only."""
    with pytest.warns(FutureWarning, match="floor"):
        estimator = Renamed(minimum=0.3)
    assert clone(estimator).get_params() == {"floor": 0.3}
