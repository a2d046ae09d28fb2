"""Do once in a build what Sphinx and numpydoc do for every page, with the same result."""

import functools
import gc

from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape_sphinx
from sphinx.search.en import SearchEnglish


def environment_maker():
    """Return a maker of template environments that always gives the first one, with its cache.

    numpydoc makes a new one for every docstring, and so compiles its only template each time.
    """
    made = []

    def environment(loader):
        if not made:
            made.append(SandboxedEnvironment(loader=loader))
        return made[0]

    return environment


def setup(app):
    """Keep the compiled template and the stems of words; look for garbage less often.

    A build makes millions of nodes and keeps most of them.
    """
    gc.set_threshold(100_000, 20, 50)
    docscrape_sphinx.SandboxedEnvironment = environment_maker()
    SearchEnglish.stem = functools.cache(SearchEnglish.stem)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
