"""Take the screenshots of the walk-through: ``python -m tests.page.screenshots docs/images``."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from lwcal.cli.app import run
from tests.page.running import serving
from tests.page.window import Window
from tests.report import chromium

SCHEMES = ("light", "dark")
WIDE, NARROW = {"width": 960, "height": 800}, {"width": 360, "height": 740}
BUDGET, FIRST = 80, 11


def take(browser, scores, folder):
    """Take screenshots with a few answers, on a phone, and at the end."""
    with serving(
        scores.parent, scores.name, "--budget", str(BUDGET), "--question", "Was this a fraud?"
    ) as server:
        page = browser.new_page(viewport=WIDE, reduced_motion="reduce")
        window = Window(page, server)
        for _ in range(FIRST):
            window.judge()
        _photograph(page, folder, "audit", full_page=True)
        page.set_viewport_size(NARROW)
        page.screenshot(path=folder / "audit-phone.png")
        page.set_viewport_size(WIDE)
        for _ in range(BUDGET - FIRST):
            window.judge()
        window.estimated()
        _photograph(page, folder, "audit-stop")
        page.close()


def _photograph(page, folder, name, **options):
    page.evaluate("document.activeElement.blur()")
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=folder / f"{name}-{scheme}.png", **options)
    page.emulate_media(color_scheme="light")


def main(folder):
    """Generate the demo, and check some of its rows."""
    with TemporaryDirectory() as temporary, chromium.started() as browser:
        assert run(["demo", "--out", temporary]) == 0
        take(browser, Path(temporary) / "disputes.csv", Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
