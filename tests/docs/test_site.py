"""The site builds without a warning, has a page for every name, and loads nothing from outside."""

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from importlib import import_module

import pytest
from axe_playwright_python.sync_playwright import Axe
from sphinx.errors import SphinxError

import lwcal
from tests import untraced
from tests.docs.pages import ROOT, text_of
from tests.once import built_once

MODULES = (
    "artifact",
    "audit",
    "calibrators",
    "decisions",
    "diagnosis",
    "errors",
    "metrics",
    "mlflow",
    "nannyml",
    "noise",
    "plots",
    "report",
    "reviews",
    "segments",
    "shift",
)
LOADING = {
    "link": "href",
    "script": "src",
    "img": "src",
    "source": "srcset",
    "iframe": "src",
    "video": "src",
    "object": "data",
}
"""Elements that make a browser fetch something, and where they say what."""


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The built site."""
    source = tmp_path_factory.mktemp("source")
    return built_once(tmp_path_factory, "site", lambda out: build(source, out))


def build(source, out):
    """Build from a copy: examples are parsed, and not run, since test_examples.py runs them."""
    built = shutil.ignore_patterns("gallery", "generated", "__pycache__")
    for folder in ("docs", "examples"):
        shutil.copytree(ROOT / folder, source / folder, ignore=built)
    (source / "results").symlink_to(ROOT / "results")
    for document in ("CHANGELOG.md", "CONTRIBUTING.md"):  # links in them start where they lie
        shutil.copy(ROOT / document, source)
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--nitpicky"]
    options = ["--quiet", "-D", "plot_gallery=0", str(source / "docs"), str(out)]
    finished = subprocess.run(
        [*command, *options],
        env=untraced.environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr


class Resources(HTMLParser):
    """Addresses that a page loads, and the names of its formulas."""

    def __init__(self):
        super().__init__()
        self.loaded = []
        self.formulas = 0

    def handle_starttag(self, tag, attrs):
        """Look at one element."""
        named = dict(attrs)
        if tag in LOADING and named.get(LOADING[tag]) and named.get("rel") != "canonical":
            self.loaded.append(named[LOADING[tag]])
        self.formulas += tag == "math"


def read(page):
    """Parse one page."""
    parser = Resources()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def is_outside(address):
    """Whether a browser would ask another machine for it."""
    return re.match(r"(?:[a-z]+:)?//", address) is not None


def test_nothing_is_loaded_from_outside(site):
    """No font, script, style or picture: the site works on a machine without a network."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    loaded = {(page.name, address) for page in pages for address in read(page).loaded}
    assert len(loaded) > 100
    assert [found for found in loaded if is_outside(found[1])] == []
    for style in site.rglob("*.css"):
        addresses = re.findall(
            r"(?:url\(|@import )\s*[\"']?([^\"')]+)", style.read_text(encoding="utf-8")
        )
        assert [address for address in addresses if is_outside(address)] == [], style.name


def test_outside_is_told_from_inside():
    """By address, with or without a scheme."""
    assert is_outside("https://example.org/x.js")
    assert is_outside("//example.org/x.js")
    assert not is_outside("../_static/x.js")


def test_formulas_are_drawn_by_the_browser(site):
    """As MathML, in every page of theory."""
    for name in ("lwcal", "noise-aware", "audit"):
        page = site / "theory" / f"{name}.html"
        assert read(page).formulas > 5
        assert "$$" not in page.read_text(encoding="utf-8")


def test_a_formula_that_is_not_understood_is_an_error(monkeypatch):
    """Rather than its source on the page."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    to_mathml = import_module("mathml").to_mathml
    assert "<mi>log</mi><mspace" in to_mathml(r"\log x", "inline")
    for unknown in (r"\arg x", r"\bigl\{ x"):
        with pytest.raises(SphinxError, match="does not know"):
            to_mathml(unknown, "block")


def public_names():
    """Everything that somebody may import: names of the package, of its modules and engines."""
    names = {name for name in lwcal.__all__ if not name.startswith("_")}
    modules = [*MODULES, *(f"engines.{name}" for name in lwcal.engines.__all__)]
    for module in modules:
        found = import_module(f"lwcal.{module}")
        public = (name for name in found.__all__ if not name.startswith("_"))
        names |= {
            f"{module}.{name}"
            for name in public
            if getattr(found, name) is not getattr(lwcal, name, None)
        }
    return names - {*MODULES, "engines"}


def test_every_public_name_has_a_page(site):
    """Listed on the page of the API, and linked from it."""
    listed = set(re.findall(r"(?m)^   ([\w.]+)$", text_of("docs/api/index.md")))
    assert listed == public_names()
    for name in listed:
        assert (site / "api" / "generated" / f"lwcal.{name}.html").exists(), name


def test_code_in_text_is_linked_to_the_api(site):
    """A name in the guide leads to its page."""
    page = (site / "guide" / "calibrators.html").read_text(encoding="utf-8")
    assert 'href="../api/generated/lwcal.Auto.html#lwcal.Auto"' in page


def test_every_example_is_in_the_gallery(site):
    """Each with a page, and links from the guide lead there."""
    for example in (ROOT / "examples").glob("plot_*.py"):
        assert (site / "gallery" / f"{example.stem}.html").exists()
    start = (site / "get-started.html").read_text(encoding="utf-8")
    assert 'href="gallery/plot_credit.html"' in start


def test_a_page_shows_one_picture_of_two(site):
    """The theme hides that of the other theme."""
    page = (site / "guide" / "audit.html").read_text(encoding="utf-8")
    assert re.search(r'class="[^"]*only-dark[^"]*"[^>]*src="\.\./_images/audit-dark', page)
    assert re.search(r'class="[^"]*only-light[^"]*"[^>]*src="\.\./_images/audit-light', page)


LOOKED_AT = ("index", "get-started", "guide/deploy", "gallery/index", "theory/lwcal", "api/index")


BY_THEME = ["color-contrast", "link-in-text-block", "image-alt"]
"""Rules for colours, and for pictures that one theme hides: all that a theme can change."""


@pytest.mark.parametrize(("scheme", "rules"), [("light", {}), ("dark", {"runOnly": BY_THEME})])
def test_everybody_can_read_it(site, browser, scheme, rules):
    """Contrast, names of links and images, order of headings; in both themes."""
    page = browser.new_page(color_scheme=scheme)
    for name in LOOKED_AT:
        page.goto((site / f"{name}.html").as_uri())
        found = Axe().run(page, options={"resultTypes": ["violations"], **rules})
        violations = found.response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in violations] == [], name
        assert "color-contrast" in {rule["id"] for rule in found.response["passes"]}
    page.close()


def test_a_phone_shows_it_whole(site, browser):
    """Nothing makes a page wider than the window; wide tables scroll by themselves."""
    page = browser.new_page(viewport={"width": 390, "height": 800})
    for name in (*LOOKED_AT, "benchmarks/leaderboard", "guide/command-line"):
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    page.close()
