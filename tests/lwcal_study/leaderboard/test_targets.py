"""Targets: what counts as met."""

import pandas as pd
import pytest

from lwcal_study.leaderboard.targets import TARGETS


def test_a_verdict_is_wrong_against_the_sign_of_the_gain():
    """Of four cells one is wrong by far, and one by less than 1%."""
    cells = {
        "task": list("abcd") * 2,
        "learner": "x",
        "kind": "k",
        "strength": "s",
        "seed": 0,
        "contender": ["Raw"] * 4 + ["Audited, 25 checked"] * 4,
        "nll": [0.5] * 4 + [0.4, 0.6, 0.499, 0.7],
        "verdict": [""] * 4 + ["deploy", "deploy", "keep raw", "keep raw"],
    }
    found = {
        target.what: target.measure(pd.DataFrame(cells))
        for target in TARGETS
        if target.suite == "real" and "verdicts" in target.what
    }
    strict, tolerant = found.values()
    assert strict == pytest.approx(0.5)
    assert tolerant == pytest.approx(0.25)
