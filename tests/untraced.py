"""Processes that tests start and whose coverage is measured elsewhere: they take half the time."""

import os


def environment(**changes):
    """The environment of this process, but for what makes coverage follow its children."""
    kept = {name: value for name, value in os.environ.items() if name != "COVERAGE_PROCESS_CONFIG"}
    return {**kept, **changes}
