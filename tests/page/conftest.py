"""Fixtures of the page: a folder with rows, a server, and browser windows."""

from contextlib import ExitStack

import pandas as pd
import pytest

from tests.page.running import serving
from tests.page.window import Window

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=alert(1)>&\"'"
LONG = "word " * 400 + "x" * 900
UNICODE = "Zoë 事例 🙂 \u202eleft\u2028line"
HARD = {HOSTILE: HOSTILE, "long": LONG, "unicode": UNICODE, "formula": "=1+1", "empty": ""}
"""Columns that try to inject code into the page, or to break its layout."""


@pytest.fixture
def folder(tmp_path, noisy_rows):
    """Write rows whose text tries to inject code into the page."""
    scores, labels = noisy_rows
    frame = pd.DataFrame({"case": [f"c-{k:04d}" for k in range(800)]})
    for name, text in HARD.items():
        frame[name] = text
    frame["score"], frame["label"] = scores, labels
    frame.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path


@pytest.fixture
def sheet(folder):
    """Return a function that reads the sheet from disk."""
    path = folder / "scores.audit.csv"
    return lambda: pd.read_csv(path, encoding="utf-8-sig", dtype=str, keep_default_na=False)


@pytest.fixture
def serve(folder):
    """Start servers on those rows, and stop them after the windows are closed."""
    with ExitStack() as started:
        yield lambda *options: started.enter_context(serving(folder, "scores.csv", *options))


@pytest.fixture
def server(serve):
    """Serve those rows with a plan of ten."""
    return serve("--budget", "10")


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
