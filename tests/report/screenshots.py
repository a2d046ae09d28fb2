"""Take the pictures of the documentation: ``python -m tests.report.screenshots docs/images``."""

import hashlib
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.report import chromium
from tests.report.example import write_example

SCHEMES = ("light", "dark")
WIDTH = 1280
FOLDER = Path(__file__).parents[2] / "docs" / "images"
PAGE = "page"
"""Name under which a picture stores the fingerprint of its page."""


def fingerprint(page_file):
    """Hash what a picture depends on: style, script and words, but no numbers or charts."""
    text = page_file.read_text(encoding="utf-8")
    code = re.findall(r"<style>.*?</style>|<script>.*?</script>", text, flags=re.DOTALL)
    left_out = "|".join(f"<{tag}.*?</{tag}>" for tag in ("svg", "script", "style", "code"))
    seen = re.sub(r"<[^>]+>", " ", re.sub(left_out, "", text, flags=re.DOTALL))
    words = re.sub(r"[\d.,%+-]+", "", seen).split()
    return hashlib.sha256("\n".join([*code, *words]).encode()).hexdigest()[:16]


def take(browser, page_file, folder):
    """Take a screenshot of the folded page, in both themes."""
    for scheme in SCHEMES:
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)
        page.goto(page_file.as_uri())
        path = folder / f"report-{scheme}.png"
        page.screenshot(path=path, full_page=True)
        page.close()
        _sign(path, fingerprint(page_file))


def _sign(path, mark):
    signed = PngInfo()
    signed.add_text(PAGE, mark)
    with Image.open(path) as picture:
        picture.save(path, pnginfo=signed, optimize=True)


def main(folder):
    """Write the page of the example, and take its screenshots."""
    with TemporaryDirectory() as temporary, chromium.started() as browser:
        page_file = Path(temporary) / "report.html"
        write_example(page_file, audited=False)
        take(browser, page_file, Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
