"""A real browser, without a window and without a network."""

import shutil
from contextlib import contextmanager

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
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
