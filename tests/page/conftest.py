"""Fixtures of the page: a folder with rows, a server, and browser windows."""

from contextlib import ExitStack

import pandas as pd
import pytest

from tests.conftest import make_noisy_rows
from tests.page.running import serving
from tests.page.window import Window

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>&\"'"
LONG = "word " * 400 + "x" * 900
UNICODE = "Zoë 事例 🙂 \u202eleft\u2028line"
HARD = {HOSTILE: HOSTILE, "long": LONG, "unicode": UNICODE, "formula": "=1+1", "empty": ""}
"""Columns that try to inject code into the page, or to break its layout."""


SHEET = "scores.audit.csv"


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """Write rows whose text tries to inject code into the page."""
    scores, labels = make_noisy_rows()
    frame = pd.DataFrame({"case": [f"c-{k:04d}" for k in range(800)]})
    for name, text in HARD.items():
        frame[name] = text
    frame["score"], frame["label"] = scores, labels
    frame["w"], frame["p_calibrated"] = 1 + labels, scores**2  # which tell label and score
    path = tmp_path_factory.mktemp("page")
    frame.to_csv(path / "scores.csv", index=False)
    return path


@pytest.fixture(scope="session")
def shared_server(shared_folder):
    """Serve those rows with a plan of ten, for all tests; return the server and its empty sheet."""
    (shared_folder / SHEET).unlink(missing_ok=True)
    with serving(shared_folder, "scores.csv", "--budget", "10") as running:
        yield running, (shared_folder / SHEET).read_bytes()


@pytest.fixture
def folder(shared_folder):
    """Remove what earlier tests wrote beside the rows."""
    for path in shared_folder.iterdir():
        if path.name != "scores.csv":
            path.unlink()
    return shared_folder


@pytest.fixture
def sheet(folder):
    """Return a function that reads the sheet from disk."""
    path = folder / SHEET
    return lambda: pd.read_csv(path, encoding="utf-8-sig", dtype=str, keep_default_na=False)


@pytest.fixture
def serve(folder):
    """Start servers on those rows, and stop them after the windows are closed."""
    with ExitStack() as started:
        yield lambda *options: started.enter_context(serving(folder, "scores.csv", *options))


@pytest.fixture
def server(folder, shared_server):
    """The shared server, which takes over the sheet without answers that is put back here."""
    running, empty = shared_server
    (folder / SHEET).write_bytes(empty)
    return running


@pytest.fixture
def open_window(browser, serve):
    """Open windows on the page, and fail if one of them had an error."""
    contexts, trouble = [], []

    def open_it(server, width=1000, context=None, **options):
        used = context or browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(used)
        page = used.new_page()
        page.on("console", lambda said: trouble.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: trouble.append(f"error: {error}"))
        return Window(page, server)

    open_it.trouble = trouble
    yield open_it
    for context in contexts:
        context.close()
    assert trouble == []
