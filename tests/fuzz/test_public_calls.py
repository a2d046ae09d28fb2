"""Whatever is passed, a public call gives a result in range or one of our exceptions."""

import inspect
import os
import warnings

import numpy as np
import pytest

import lwcal
from lwcal import artifact, audit, diagnosis, metrics, noise, plots, report
from lwcal.engines import duckdb
from lwcal.errors import LwcalError
from tests.fuzz import public_calls
from tests.fuzz.public_calls import CALLS

COUNT = int(os.environ.get("LWCAL_FUZZ", "1500"))
"""Calls over all names; ``make fuzz`` asks for more."""
SEED = int(os.environ.get("LWCAL_FUZZ_SEED", "0"))
ROOMS = [lwcal, artifact, audit, diagnosis, duckdb, metrics, noise, plots, report]
"""Not Spark, where one call takes seconds: tests/engines/test_spark_fuzz.py tries fewer."""


def test_every_public_function_is_among_the_calls():
    """A new one is either called here or fails this test; calibrators come from their list."""
    text = inspect.getsource(public_calls)
    functions = {
        name
        for room in ROOMS
        for name in room.__all__
        if inspect.isfunction(getattr(room, name)) or name in ("CalibratedClassifier", "ScoreTable")
    }
    assert {name for name in functions if name not in text} == set()


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
def test_a_result_or_our_exception(call):
    """The seed in the message repeats the call."""
    share = CALLS[call] / sum(CALLS.values())
    refused = 0
    calls = max(int(COUNT * share), 3)
    for seed in range(calls):
        rng = np.random.default_rng([SEED, seed])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            try:
                call(rng)
            except LwcalError:
                refused += 1
            except BaseException as error:
                error.add_note(f"{call.__name__} with the seed [{SEED}, {seed}]")
                raise
    assert refused < calls or calls < 10  # some calls get through
