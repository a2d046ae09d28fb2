"""The page in the documentation says what the committed run measured."""

import shutil
from pathlib import Path

from lwcal_study.leaderboard.classes.documentation import NOT_RUN, sections, update_page

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "benchmarks" / "many-classes.md"


def test_the_page_has_the_results_of_the_committed_run():
    """No number was edited by hand, and none is older than the scores."""
    assert sections(ROOT / "results" / "classes") in PAGE.read_text(encoding="utf-8")


def test_results_are_put_between_their_marks(tiny, tmp_path):
    """The table of tasks stays, and so does everything else."""
    page = shutil.copy(PAGE, tmp_path / "page.md")
    update_page(tiny, page)
    text = page.read_text()
    written = (tiny / "many-classes.md").read_text().partition("## Results")[2].rstrip()
    assert f"## Results{written}\n<!-- end of results -->" in text
    assert "| sk_digits | scikit-learn |" in text
    update_page(tmp_path / "nothing", page)
    assert NOT_RUN in page.read_text()
    assert written not in page.read_text()
