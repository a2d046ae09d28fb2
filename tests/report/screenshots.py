"""Take the pictures of the documentation: ``python -m tests.report.screenshots docs/images``."""

import hashlib
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from tests.report import chromium
from tests.report.class_example import write_class_example
from tests.report.example import write_example

SCHEMES = ("light", "dark")
WIDTH = 1280
FOLDER = Path(__file__).parents[2] / "docs" / "images"
CLASSES = "report-classes"
"""Name of the pictures of several classes."""
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


def take(browser, page_file, folder, name="report"):
    """Take a screenshot of the folded page, in both themes."""
    for scheme in SCHEMES:
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme=scheme)
        page.goto(page_file.as_uri())
        path = folder / f"{name}-{scheme}.png"
        page.screenshot(path=path, full_page=True)
        page.close()
        _sign(path, fingerprint(page_file))


def _sign(path, mark):
    signed = PngInfo()
    signed.add_text(PAGE, mark)
    with Image.open(path) as picture:
        picture.save(path, pnginfo=signed, optimize=True)


def main(folder):
    """Write the pages of the examples, and take their screenshots."""
    with TemporaryDirectory() as temporary, chromium.started() as browser:
        two, several = (Path(temporary) / name for name in ("two.html", "several.html"))
        write_example(two, audited=False)
        take(browser, two, Path(folder))
        write_class_example(several)
        take(browser, several, Path(folder), CLASSES)


if __name__ == "__main__":
    main(*sys.argv[1:])
