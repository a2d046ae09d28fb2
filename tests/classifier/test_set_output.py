"""Pipelines whose steps return data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lwcal
from tests.classifier.helpers import frozen_and_folds

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.mark.parametrize("library", FRAMES)
@frozen_and_folds
def test_frames_arrive_with_their_names(library, prepared, two_classes):
    """The scaler passes a frame to the classifier, with the same result as an array."""
    X, y = two_classes
    frame = FRAMES[library]({f"x{k}": column for k, column in enumerate(X.T)})
    scaler = StandardScaler().set_output(transform=library)
    model = LogisticRegression().fit(scaler.fit_transform(frame), y)
    classifier = lwcal.CalibratedClassifier(prepared(model), cv=3)
    pipeline = make_pipeline(scaler, classifier).set_output(transform=library).fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == list(frame.columns)
    probabilities = pipeline.predict_proba(frame)
    assert isinstance(probabilities, np.ndarray)  # as every classifier of scikit-learn returns
    plain = StandardScaler().fit(X)
    model = LogisticRegression().fit(plain.transform(X), y)
    arrays = lwcal.CalibratedClassifier(prepared(model), cv=3).fit(plain.transform(X), y)
    np.testing.assert_allclose(probabilities, arrays.predict_proba(plain.transform(X)), rtol=1e-9)


def test_calibrators_have_no_output_to_set():
    """They predict. Only transformers have set_output."""
    assert not hasattr(lwcal.LWCal(), "set_output")
    assert not hasattr(lwcal.CalibratedClassifier(LogisticRegression()), "set_output")
