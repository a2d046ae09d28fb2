"""The benchmark of base rates runs, and says where the method loses."""

import joblib
import numpy as np
import pytest

from benchmarks import base_rate_pairs, base_rate_tasks, base_rates, class_base_rates


def test_the_command_fills_its_page(tmp_path, monkeypatch, capsys):
    """Between the marks: a line for each method and for each change."""
    monkeypatch.setattr(base_rates, "ROWS", 1500)
    monkeypatch.setattr(base_rate_pairs, "ROWS", 1500)
    monkeypatch.setattr(base_rate_pairs, "PAIR_TEST_ROWS", 2000)
    monkeypatch.setattr(base_rate_pairs, "NOISES", ((0.1, 0.1),))
    monkeypatch.setattr(base_rates, "TEST_ROWS", 4000)
    monkeypatch.setattr(base_rates, "CHANGED_TEST_ROWS", 4000)
    monkeypatch.setattr(base_rates, "POPULATION", 20_000)
    monkeypatch.setattr(base_rates, "SIZES", (1500,))
    monkeypatch.setattr(base_rates, "NOISES", ((0.0, 0.0), (0.1, 0.1)))
    monkeypatch.setattr(base_rates, "BASE_RATES", (0.15,))
    monkeypatch.setattr(class_base_rates, "ROWS", 600)
    monkeypatch.setattr(class_base_rates, "TEST_ROWS", 1000)
    monkeypatch.setattr(class_base_rates, "POPULATION", 3000)
    monkeypatch.setattr(class_base_rates, "NOISES", (0.1,))
    page = tmp_path / "page.md"
    marks = "\n".join(
        [*base_rates.HOLDS, "between", *base_rates.FAILS, *base_rates.PAIRS, *base_rates.SEVERAL]
    )
    page.write_text(f"before\n{marks}\nafter\n", encoding="utf-8")
    with joblib.parallel_config(backend="sequential"):
        base_rates.main(["--quick", "--page", str(page)])
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    for title in base_rates.METHODS.values():
        assert text.count(f"\n| {title} |") == 2
    for title in class_base_rates.METHODS.values():
        assert text.count(f"| 3 | {title} |") == 2
    for change in class_base_rates.CHANGES:
        assert f"| {change} |" in text
    for change in base_rates.CHANGES:
        assert f"| {change} |" in text
    for before, now in base_rate_pairs.PAIRS:
        assert text.count(f"| {before:.0%} to {now:.0%} |") == len(base_rate_pairs.METHODS)
    assert "Judged tasks" in capsys.readouterr().out


def test_judged_tasks_have_seeds_of_their_own():
    """Methods were chosen on other tasks and other seeds."""
    assert not set(base_rates.TASKS["judged"]) & set(base_rates.TASKS["development"])
    assert max(base_rates.SEEDS) < base_rates.JUDGED_SEED
    assert not set(class_base_rates.TASKS["judged"]) & set(class_base_rates.TASKS["development"])
    assert max(class_base_rates.SEEDS) < class_base_rates.JUDGED_SEED


@pytest.mark.parametrize("task", base_rates.TASKS["development"])
def test_only_the_base_rate_differs(task):
    """Scores within the classes have the same mean at every base rate."""
    draw = base_rates.TASKS["development"][task]()
    means = []
    for rate in (0.3, 0.03):
        scores, truth = draw(np.random.default_rng(0), 40_000, rate)
        assert truth.mean() == pytest.approx(rate, abs=0.01)
        means.append((scores[truth].mean(), scores[~truth].mean()))
    assert means[0] == pytest.approx(means[1], abs=0.02)


def test_a_changed_population_keeps_what_scores_mean():
    """The share of positives at equal scores is that of the fit."""
    rng = np.random.default_rng(0)
    draw = base_rates.TASKS["development"]["normal"]()
    fitted, truth = draw(rng, 50_000, base_rates.FITTED)
    new, outcome = base_rates.changed(rng, draw, 5000, 0.03, base_rates.Change("population", 0.0))
    high, new_high = fitted > 0.9, new > 0.9
    assert outcome[new_high].mean() == pytest.approx(truth[high].mean(), abs=0.08)
    assert new_high.mean() < high.mean() / 2


def test_em_finds_the_base_rate_of_calibrated_probabilities():
    """As it should, without noise."""
    rng = np.random.default_rng(1)
    fitted = base_rates.lwcal.Platt().fit(*base_rate_tasks.simulated("normal")(rng, 20_000, 0.3))
    new, _ = base_rate_tasks.simulated("normal")(rng, 20_000, 0.1)
    assert base_rates.saerens(fitted.predict(new), 0.3) == pytest.approx(0.1, abs=0.02)
