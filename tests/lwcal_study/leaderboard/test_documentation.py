"""The pages say what the committed run measured."""

from pathlib import Path

from lwcal_study.leaderboard.documentation import documentation_page, readme_table, update_readme
from lwcal_study.leaderboard.scores_file import SCORES, read_scores
from lwcal_study.leaderboard.targets import TARGETS, measured_targets

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "results" / "leaderboard"
TRAPS = ROOT / "results" / "traps"


def test_the_page_is_that_of_the_committed_scores():
    """No number was edited by hand, and none is older than the scores."""
    page = ROOT / "docs" / "benchmarks" / "leaderboard.md"
    assert page.read_text(encoding="utf-8") == documentation_page(RESULTS, page)


def test_the_readme_shows_the_leaderboard():
    """Its first table is made from the same scores."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme_table(RESULTS, TRAPS) in text
    assert text.index("| relative log loss |") == text.index("| ")  # nothing comes before it


def test_the_table_is_put_between_its_marks(tmp_path):
    """And the rest of the file stays as it was."""
    readme = tmp_path / "README.md"
    readme.write_text("a\n<!-- leaderboard -->\nold\n<!-- end of leaderboard -->\nb\n")
    update_readme(RESULTS, TRAPS, readme)
    text = readme.read_text()
    assert text.startswith("a\n<!-- leaderboard -->\n| relative log loss |")
    assert text.endswith("|\n<!-- end of leaderboard -->\nb\n")


def test_every_target_was_measured():
    """Met or missed, it is on the page."""
    measured = dict(measured_targets(read_scores(RESULTS / SCORES)))
    assert set(measured) == set(TARGETS)
    assert all(value >= 0 for value in measured.values())
