"""Shared fixtures of the report tests: one example, one page, one browser."""

import pytest

import lwcal
from tests.report.example import CREATED, HOSTILE, make_example, write_example


@pytest.fixture(scope="session")
def example():
    """Rows and a calibrator."""
    return make_example()


@pytest.fixture(scope="session")
def page_file(tmp_path_factory):
    """The page of the example, with checked labels."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_example(path)
    return path


@pytest.fixture(scope="session")
def first_page_file(tmp_path_factory):
    """The page of the example before any label was checked, as in the documentation."""
    path = tmp_path_factory.mktemp("report") / "first.html"
    write_example(path, audited=False)
    return path


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
