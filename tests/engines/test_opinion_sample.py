"""The sample of rows with opinions, where there are too many."""

import numpy as np
import pandas as pd
import pytest

from lwcal.engines.duckdb.opinion_sample import sample_opinions
from lwcal.engines.duckdb.source import opened

N = 2000


@pytest.fixture
def wide():
    """A hundredth of the rows has two labels, and some a checked one."""
    rng = np.random.default_rng(0)
    rows = np.arange(N)
    second = np.where(rows % 100 == 0, "a", None)
    return pd.DataFrame(
        {"row": rows, "x": rng.choice(["a", "b"], N), "y": second, "t": [None] * (N - 1) + ["a"]}
    )


def drawn(frame, labels, **options):
    """Rows of the sample, and what is told about it."""
    with opened(frame) as source:
        found = sample_opinions(source, labels, **options)
        return found.source.read().to_pandas(), found


def test_few_rows_are_all_kept(wide):
    """Nothing is drawn."""
    rows, found = drawn(wide, ["x", "y"], most=N)
    assert len(rows) == N
    assert not found.is_sample


def test_rows_that_tell_most_are_kept(wide):
    """All rows with two labels or a checked one, and about so many others, uniformly."""
    rows, found = drawn(wide, ["x", "y"], trusted="t", most=500)
    assert (found.total, found.is_sample) == (N, True)
    assert set(wide["row"][wide["y"].notna() | wide["t"].notna()]) <= set(rows["row"])
    assert 430 < len(rows) - 21 < 570
    assert abs(rows["row"].mean() - N / 2) < 100
    assert list(rows.columns) == list(wide.columns)


def test_the_same_rows_give_the_same_sample(wide):
    """Nothing random is left."""
    one, other = (drawn(wide, ["x", "y"], most=300)[0] for _ in range(2))
    assert one["row"].tolist() == other["row"].tolist()


def test_items_are_kept_whole(wide):
    """All opinions of an item, or none; items with two opinions first."""
    twice = wide[wide["y"].notna()]
    long = pd.concat([wide[["row", "x"]], twice[["row", "x"]]])
    rows, _ = drawn(long.sample(frac=1.0, random_state=1), ["x"], item="row", most=500)
    counts = rows["row"].value_counts()
    assert set(counts.index[counts == 2]) == set(twice["row"])
    shuffled, _ = drawn(long, ["x"], item="row", most=500)
    assert set(shuffled["row"]) == set(rows["row"])


def test_words_for_missing_values_are_no_opinions(tmp_path):
    """In text, an empty cell or NA is no label."""
    lines = [f"{k},a,{'a' if k % 100 == 0 else ['', 'NA'][k % 2]}" for k in range(N)]
    path = tmp_path / "rows.csv"
    path.write_text("row,x,y\n" + "\n".join(lines) + "\n")
    rows, _ = drawn(str(path), ["x", "y"], most=500)
    assert {str(k) for k in range(0, N, 100)} <= set(rows["row"])
    assert len(rows) < 620
