"""A real browser, without a window and without a network."""

import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
from playwright.sync_api import expect, sync_playwright

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
WIDE = 1280
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs, the quickest first: one that shows no windows takes half the time."""
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find():
    """Return the path of the browser, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def started():
    """Start the browser with its own profile, and close it at the end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=list(ARGUMENTS))
        try:
            yield browser
        finally:
            browser.close()


def violations(page, *further):
    """Return what axe finds: WCAG 2 A and AA, and further sets of rules."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    # the rest of what axe knows of each element takes longer to send than to find
    found, passes = page.evaluate(
        """async (rules) => {
            // a colour on its way to another one may lack contrast
            await Promise.allSettled(document.getAnimations().map((one) => one.finished));
            const found = await axe.run({runOnly: rules, resultTypes: ["violations"]});
            const faults = found.violations.map((fault) => [fault.id, fault.nodes[0].html]);
            return [faults, found.passes.length];
        }""",
        ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", *further],
    )
    assert passes > 10
    return found


def wait_for_tip(page, start):
    """Wait until the page shows a tooltip with a text that starts like this."""
    expect(page.locator("#tip")).to_have_text(re.compile(f"^{re.escape(start)}"))


def check_accessibility(page):
    """Let axe look for violations of WCAG 2 A and AA."""
    assert violations(page) == []
