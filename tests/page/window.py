"""A window on the page, and a person before it."""

from lwcal.cli.demo_data import FRAUD


class Window:
    """A page in the browser, and what a person does with it."""

    def __init__(self, page, server):
        self.page = page
        page.goto(server.address)
        page.wait_for_selector("#row:not([hidden]), #done:not([hidden])")

    def text(self, selector):
        """What is shown."""
        return self.page.locator(selector).inner_text()

    def wait(self, condition):
        """Wait until something holds; as a function, since the page forbids to run text."""
        self.page.wait_for_function(f"() => {condition}")

    def press(self, key):
        """Press a key, and wait until the page has said what came of it."""
        self.page.evaluate("document.getElementById('outcome').replaceChildren()")
        self.page.keyboard.press(key)
        self.wait("document.getElementById('outcome').textContent !== ''")

    def estimated(self):
        """Wait for the estimate of what was answered."""
        self.page.wait_for_selector("#estimate:not([hidden])")

    def judge(self):
        """Read the evidence of a dispute of the demo, and answer."""
        evidence = self.page.locator("#fields dt", has_text="evidence").locator("+ dd")
        self.press("y" if evidence.inner_text() in FRAUD else "n")

    def told_to_stop(self):
        """Whether the page says that it is enough, once it has thought about the last answer."""
        self.wait("!document.getElementById('estimate').hidden")
        self.page.wait_for_timeout(700)
        return self.text("#verdict-word") == "You can stop now"
