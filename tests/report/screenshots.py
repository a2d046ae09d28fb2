"""Take the pictures of the documentation: ``python -m tests.report.screenshots docs/images``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.report import chromium
from tests.report.example import write_example

SCHEMES = ("light", "dark")
WIDTH = 1120


def take(browser, page_file, folder):
    """Photograph the page from its top to the end of the explorer, in both themes."""
    for scheme in SCHEMES:
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)
        page.goto(page_file.as_uri())
        height = page.locator("section", has=page.locator("#explorer")).evaluate(
            "section => section.getBoundingClientRect().bottom"
        )
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": height + 20}
        page.screenshot(path=folder / f"report-{scheme}.png", full_page=True, clip=clip)
        page.close()


def main(folder):
    """Write the example's page, and photograph it."""
    with TemporaryDirectory() as temporary, chromium.started() as browser:
        page_file = Path(temporary) / "report.html"
        write_example(page_file)
        take(browser, page_file, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
