"""The page in the documentation says what the committed run measured."""

import shutil
from pathlib import Path

from lwcal_study.leaderboard.opinions.documentation import NOT_RUN, sections, update_page

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "docs" / "benchmarks" / "several-opinions.md"


def test_the_page_has_the_results_of_the_committed_run():
    """No number was edited by hand, and none is older than the scores."""
    assert sections(ROOT / "results" / "opinions", PAGE) in PAGE.read_text(encoding="utf-8")


def test_results_are_put_between_their_marks(tiny, tmp_path):
    """With the address of the picture as seen from the page. The rest stays."""
    page = shutil.copy(PAGE, tmp_path / "page.md")
    update_page(tiny, page)
    text = page.read_text()
    (address,) = [part.partition(")")[0] for part in text.split("](") if "hours.svg" in part]
    assert (tmp_path / address).is_file()
    assert "### Aims" in text
    assert "`make opinions` runs every method" in text
    update_page(tmp_path / "nothing", page)
    assert NOT_RUN in page.read_text()
    assert "### Aims" not in page.read_text()
