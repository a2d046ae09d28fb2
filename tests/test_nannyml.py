"""The adapter for NannyML: its interface, and what is said where NannyML is missing.

NannyML pins versions of LightGBM and XGBoost that these tests do not have, so it is not installed
here. The adapter has the two methods that its factory and its estimators call.
"""

import numpy as np
import pandas as pd
import pytest

import lwcal
from lwcal.errors import MissingExtraError, ParameterError
from lwcal.nannyml import NannymlCalibrator, register

rng = np.random.default_rng(0)
SCORES = rng.beta(0.6, 0.6, 500)
LABELS = (rng.random(500) < 0.1 + 0.8 * SCORES).astype(int)


@pytest.mark.parametrize("as_given", [np.asarray, pd.Series, lambda values: values[:, None]])
def test_it_calibrates_like_the_calibrator_inside(as_given):
    """From arrays, series and columns, as the estimators of NannyML pass them."""
    adapter = NannymlCalibrator(lwcal.Beta())
    assert adapter.fit(as_given(SCORES), pd.Series(LABELS)) is None
    expected = lwcal.Beta().fit(SCORES, LABELS).predict(SCORES)
    np.testing.assert_array_equal(adapter.calibrate(as_given(SCORES)), expected)


def test_the_default_is_auto_and_a_fit_forgets_the_last_one():
    """NannyML fits the same object to many splits."""
    adapter = NannymlCalibrator()
    adapter.fit(SCORES, LABELS)
    adapter.fit(SCORES[:250], LABELS[:250])
    assert isinstance(adapter.calibrator_, lwcal.Auto)
    assert adapter.calibrator_.n_ == 250


def test_mistakes_are_refused():
    """What is no calibrator, and one that is not fitted."""
    with pytest.raises(ParameterError, match=r"lwcal\.Auto\(\).*'isotonic'"):
        NannymlCalibrator("isotonic")
    with pytest.raises(ParameterError, match="call fit first"):
        NannymlCalibrator().calibrate(SCORES)


def test_without_nannyml_the_message_names_the_command():
    """It is not installed here."""
    with pytest.raises(MissingExtraError, match="pip install nannyml"):
        register()
