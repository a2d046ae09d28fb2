"""Data for the tests of CalibratedClassifier."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Use one thread, which fits small models ten times faster."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def two_classes():
    """Return features and labels, some of them wrong."""
    return make_classification(
        n_samples=600, n_features=4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=3
    )


@pytest.fixture(scope="module")
def iris():
    """Return three classes; a tenth of the labels is moved to the next class."""
    X, y = load_iris(return_X_y=True)
    moved = np.random.default_rng(0).random(len(y)) < 0.1
    return X, np.where(moved, (y + 1) % 3, y)
