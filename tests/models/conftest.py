"""Rows for the tests of models of other libraries."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Use one thread, which fits small models ten times faster."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="package")
def rows():
    """Features and the numbers of two and of three classes, some of them wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    noise = rng.logistic(size=900)
    two = (X[:, 0] + 0.5 * X[:, 1] + noise > 0).astype(int)
    return X, two, np.digitize(X[:, 0] + 0.4 * noise, [-0.5, 0.5])
