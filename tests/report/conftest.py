"""Shared fixtures of the report tests: one example, one page, one browser."""

import pickle
from typing import Any, NamedTuple

import pytest

import lwcal
from tests.once import built_once
from tests.report.chromium import WIDE
from tests.report.class_example import make_class_example, write_class_example
from tests.report.example import CREATED, HOSTILE, make_example, write_example
from tests.report.reviewer_example import make_animals, make_disputes, write_reviewed


@pytest.fixture(scope="session")
def example():
    """Rows and a calibrator."""
    return make_example()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """The page of the example, with checked labels."""
    folder = built_once(
        tmp_path_factory, "report", lambda folder: write_example(folder / "report.html")
    )
    return folder / "report.html"


@pytest.fixture(scope="session")
def first_page_file(tmp_path_factory):
    """The page of the example before any label was checked, as in the documentation."""
    folder = built_once(
        tmp_path_factory,
        "first-report",
        lambda folder: write_example(folder / "first.html", audited=False),
    )
    return folder / "first.html"


@pytest.fixture(scope="session")
def data(example):
    """The numbers on the page of the example."""
    calibrator, scores, labels, ids, trusted, _ = example
    return lwcal.report.build(
        calibrator, scores, labels, identities=ids, trusted=trusted, created=CREATED
    )


@pytest.fixture(scope="session")
def hostile_page(example):
    """A page in which every text from the data contains markup and script."""
    scores, labels = example.scores[:600], example.labels[:600]
    named = [HOSTILE if label else "ok" for label in labels]
    calibrator = lwcal.Platt(pos_label=HOSTILE).fit(scores, named)
    return lwcal.report.render(
        lwcal.report.build(
            calibrator,
            scores,
            named,
            identities=[f"{HOSTILE}{number}" for number in range(600)],
            identity_name=HOSTILE,
            title=HOSTILE,
            created=CREATED,
        )
    )


@pytest.fixture(scope="session")
def class_example():
    """Rows of four classes."""
    return make_class_example()


@pytest.fixture(scope="session")
def class_report(tmp_path_factory):
    """A folder with the page of four classes, and its numbers."""

    def build(folder):
        data = write_class_example(folder / "classes.html")
        (folder / "data.pickle").write_bytes(pickle.dumps(data))

    return built_once(tmp_path_factory, "class-report", build)


@pytest.fixture(scope="session")
def class_data(class_report):
    """The numbers on the page of four classes, for a calibrator fitted to its rows."""
    return pickle.loads((class_report / "data.pickle").read_bytes())


@pytest.fixture(scope="session")
def class_page_file(class_report):
    """The page of four classes."""
    return class_report / "classes.html"


@pytest.fixture(scope="session")
def disputes():
    """Disputes that four reviewers labelled."""
    return make_disputes()


@pytest.fixture(scope="session")
def reviewer_pages(tmp_path_factory):
    """A folder with the pages of disputes and of animals, and their numbers."""

    def build(folder):
        for name, example in (("disputes", make_disputes()), ("animals", make_animals())):
            data = write_reviewed(example, folder / f"{name}.html")
            (folder / f"{name}.pickle").write_bytes(pickle.dumps(data))

    return built_once(tmp_path_factory, "reviewer-pages", build)


@pytest.fixture(scope="session")
def disputes_data(reviewer_pages):
    """The numbers on the page of disputes, for a calibrator that was loaded."""
    return pickle.loads((reviewer_pages / "disputes.pickle").read_bytes())


@pytest.fixture(scope="session")
def animals_data(reviewer_pages):
    """The numbers on the page of animals, which nine reviewers labelled."""
    return pickle.loads((reviewer_pages / "animals.pickle").read_bytes())


class Tab(NamedTuple):
    """A tab of the browser, what it asked for, and what went wrong in it."""

    page: Any
    requests: list[str]
    trouble: list[str]


@pytest.fixture(scope="session")
def tab(browser):
    """A tab for all tests: to start one takes longer than to load a page in it."""
    page, requests, trouble = browser.new_page(), [], []
    page.on("console", lambda said: trouble.append(f"console: {said.text}"))
    page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
    page.on("request", lambda asked: requests.append(asked.url))
    yield Tab(page, requests, trouble)
    page.close()


@pytest.fixture
def open_page(tab, page_file):
    """Open the page, and what is folded on it. At the end: no errors and no requests.

    A test has one page at a time. Each is loaded anew, with the pointer in a corner, for the
    screen, and in the light theme unless another one is asked for.
    """
    page, requests, trouble = tab
    opened = []

    def open_it(path=page_file, width=WIDE, height=900, *, unfold=True, color_scheme="light"):
        opened.append(path.as_uri())
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="null", color_scheme=color_scheme)
        page.mouse.move(0, 0)
        page.goto(path.as_uri())
        assert requests == opened
        if unfold:
            page.evaluate("document.querySelectorAll('.fold').forEach(fold => fold.open = true)")
        return page

    yield open_it
    page.goto("about:blank")
    asked, told = list(requests), list(trouble)
    requests.clear()
    trouble.clear()
    assert asked == opened
    assert told == []
