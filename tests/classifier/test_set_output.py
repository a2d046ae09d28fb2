"""Pipelines whose steps pass data frames on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lwcal

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("cv", ["prefit", 3])
def test_frames_arrive_with_their_names(library, cv, two_classes):
    """The scaler hands a frame to the classifier, which gives the same as with arrays."""
    X, y = two_classes
    frame = FRAMES[library]({f"x{k}": column for k, column in enumerate(X.T)})
    scaler = StandardScaler().set_output(transform=library)
    model = LogisticRegression()
    if cv == "prefit":
        model.fit(scaler.fit_transform(frame), y)
    classifier = lwcal.CalibratedClassifier(model, cv=cv)
    pipeline = make_pipeline(scaler, classifier).set_output(transform=library).fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == list(frame.columns)
    probabilities = pipeline.predict_proba(frame)
    assert isinstance(probabilities, np.ndarray)  # as of every classifier of scikit-learn
    plain = StandardScaler().fit(X)
    if cv == "prefit":
        model = LogisticRegression().fit(plain.transform(X), y)
    arrays = lwcal.CalibratedClassifier(model, cv=cv).fit(plain.transform(X), y)
    np.testing.assert_allclose(probabilities, arrays.predict_proba(plain.transform(X)), rtol=1e-9)


def test_calibrators_have_no_output_to_set():
    """They predict; set_output belongs to what transforms."""
    assert not hasattr(lwcal.LWCal(), "set_output")
    assert not hasattr(lwcal.CalibratedClassifier(LogisticRegression()), "set_output")
