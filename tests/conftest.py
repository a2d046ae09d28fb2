"""Fixtures shared by all tests."""

import gc
import os

# a test process runs on every core: threads of the linear algebra would only wait for each other
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pickle

import numpy as np
import pytest
from hypothesis import settings

from lwcal import kernels
from tests.once import built_once

# Timing belongs to benchmarks; a slow machine must not fail a property. In CI the examples are
# the same every time, so that a change is judged by itself; at a desk new ones are looked for.
# An example of a fit costs tens of milliseconds, so 25 are tried; the two sets of kernels, which
# are quick, are compared on more.
settings.register_profile(
    "lwcal", deadline=None, max_examples=25, derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("lwcal")

BACKENDS = ("pure", "compiled")


def pytest_collection_modifyitems(config, items):
    """Leave out the one check of scikit-learn that would skip itself.

    It asks for arrays other than numpy's, which scipy takes only when a variable is set before
    it is imported; the calibrators promise numpy arrays.
    """
    left_out = [item for item in items if "check_array_api_input" in item.name]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def keep_from_collection():
    """Leave out what is there now when garbage is collected: modules and tests stay anyway."""
    gc.collect()
    gc.freeze()


def pytest_collection():
    """Look for no garbage while tests are collected: what that makes is kept."""
    gc.disable()


def pytest_collection_finish():
    """Spare the collector the many objects of the collected tests."""
    keep_from_collection()
    gc.enable()


def pytest_sessionfinish():
    """Let the end of the process free them."""
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Fail what would be skipped in CI: there everything must be installed."""
    report = yield
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr[-1]}"
    return report


@pytest.fixture(params=BACKENDS)
def backend(request, monkeypatch):
    """Run the test once on each set of kernels, through every public function."""
    available = kernels.available_backends()
    if request.param not in available:
        pytest.skip("the compiled kernels were not built: install g++, then make setup")
    for name in kernels.KERNELS:
        monkeypatch.setattr(kernels, name, getattr(available[request.param], name))
    return available[request.param]


def make_noisy_rows():
    """Draw scores of a decent model, and labels of which a fifth are wrong."""
    rng = np.random.default_rng(7)
    scores = rng.beta(0.6, 0.6, 800)
    labels = (rng.random(800) < scores).astype(int)
    flipped = rng.random(800) < 0.2
    return scores, np.where(flipped, 1 - labels, labels)


@pytest.fixture
def noisy_rows():
    """Scores of a decent model and labels of which a fifth are wrong."""
    return make_noisy_rows()


@pytest.fixture
def few_resamples(monkeypatch):
    """Draw at most 20 resamples for an interval, where a test looks at no interval's ends.

    A diagnosis takes most of its time for them. Whether they cover the truth is tested with the
    metrics and the diagnosis.
    """
    import lwcal.monitoring.new_tables  # noqa: F401  (keeps its own number, set on import)
    from lwcal.metrics.resampling import Resampling

    check = Resampling.__post_init__

    def check_and_limit(self):
        check(self)
        object.__setattr__(self, "n_resamples", min(self.n_resamples, 20))

    monkeypatch.setattr(Resampling, "__post_init__", check_and_limit)


@pytest.fixture
def trained_demo(monkeypatch, tmp_path_factory):
    """Let ``lwcal demo`` use one forest: it is the same in every demo.

    It is trained once for a run, when a demo first asks for it.
    """
    from lwcal.cli import demo

    score = demo.score_disputes

    def build(folder):
        (folder / "scored.pickle").write_bytes(pickle.dumps(score()))

    def scored():
        folder = built_once(tmp_path_factory, "scored-disputes", build)
        return pickle.loads((folder / "scored.pickle").read_bytes())

    monkeypatch.setattr(demo, "score_disputes", scored)


@pytest.fixture(scope="session")
def browser():
    """A real one, for all tests of a process."""
    from tests.report import chromium

    if chromium.find() is None:
        pytest.skip("no browser: install chromium-headless-shell or chromium (make system)")
    with chromium.started() as started:
        yield started
