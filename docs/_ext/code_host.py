"""Translate Markdown that is written for a code host, so that it also works on the site.

A light and a dark picture become two images, and the theme shows one of them. A link to the file
of an example becomes a link to its page in the gallery.
"""

import re

PICTURE = re.compile(
    r'<picture>\s*<source[^>]*srcset="(?P<dark>[^"]+)"[^>]*>\s*'
    r'<img src="(?P<light>[^"]+)" alt="(?P<alt>[^"]+)"[^>]*>\s*</picture>'
)
EXAMPLE = re.compile(r"\]\((?:\.\./)+examples/(?P<name>plot_\w+)\.py\)")


def _two_images(match):
    def image(theme):
        return f"```{{image}} {match[theme]}\n:alt: {match['alt']}\n:class: only-{theme}\n```"

    return f"{image('light')}\n\n{image('dark')}"


def _translate(app, docname, source):
    text = PICTURE.sub(_two_images, source[0])
    source[0] = EXAMPLE.sub(r"](/gallery/\g<name>.rst)", text)


def setup(app):
    """Translate each page before Sphinx parses it."""
    app.connect("source-read", _translate)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
