"""A browser window with the page, and the actions of a person."""

import json
from contextlib import contextmanager

from lwcal.cli.demo_data import FRAUD


class Window:
    """The page in a browser, and the actions of a person."""

    def __init__(self, page, server):
        self.page = page
        self._address = server.address
        page.goto(self._address)
        self._until_shown()
        self.responses = []

    def _until_shown(self):
        """Wait for the first state: before it the page takes no key, and its hint is no outcome."""
        self.page.wait_for_selector("#row:not([hidden]), #done:not([hidden])")

    def text(self, selector):
        """Return the visible text."""
        return self.page.locator(selector).inner_text()

    def wait(self, condition):
        """Wait for a condition. It is a function because the page forbids eval."""
        self.page.wait_for_function(f"() => {condition}")

    def reload_and_listen(self):
        """Load the page again, and keep what the browser receives from then on.

        The page is left first: a body that came before a reload cannot be read after it.
        """
        self.page.goto("about:blank")
        self.page.on("response", lambda response: self.responses.append(response))
        self.page.goto(self._address)
        self._until_shown()

    @contextmanager
    def without_news(self):
        """Let the page not notice what others do, though it asks for it every two seconds."""
        waiting, is_over = [], False

        def hold(route):
            if is_over:
                route.continue_()
            else:
                waiting.append(route)

        self.page.route("**/api/state", hold)
        yield
        is_over = True
        for route in waiting:
            route.continue_()

    def received(self):
        """Return the texts that came; waits for bodies, so call it outside of an event."""
        # the page asks for its state again and again, also while a body is read
        return [response.text() for response in list(self.responses)]

    def documents(self):
        """Return the JSON documents among what came."""
        return [
            json.loads(response.text())
            for response in list(self.responses)
            if response.headers.get("content-type", "").startswith("application/json")
        ]

    def press(self, key):
        """Press a key, and wait until the page shows the outcome."""
        self.page.evaluate("document.getElementById('outcome').replaceChildren()")
        self.page.keyboard.press(key)
        self.wait("document.getElementById('outcome').textContent !== ''")

    def estimated(self):
        """Wait for the estimate, which comes after the last answer."""
        self.page.wait_for_selector("#estimate:not([hidden])")

    def judge(self):
        """Answer a dispute of the demo by its evidence."""
        evidence = self.page.locator("#fields dt", has_text="evidence").locator("+ dd")
        self.press("y" if evidence.inner_text() in FRAUD else "n")
