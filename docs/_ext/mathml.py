"""Write formulas as MathML. Browsers draw it without scripts, fonts or network access."""

import re

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from sphinx.errors import SphinxError

REPAIRS = (
    (re.compile("<mi>&#x0007E;</mi>"), "<mo>&#x0223C;</mo>"),  # a relation, with space around it
    (re.compile("<mi>log</mi>(?!<mo)"), '<mi>log</mi><mspace width="0.167em" />'),
)


def to_mathml(latex, display):
    """Convert a formula, or report the part that the converter does not know."""
    converted = convert(latex, display=display)
    unknown = re.search(r"\\\w*.", converted)
    if unknown:
        raise SphinxError(f"a formula has {unknown[0]}, which latex2mathml does not know: {latex}")
    for pattern, replacement in REPAIRS:
        converted = pattern.sub(replacement, converted)
    return converted


def _inline(translator, node):
    translator.body.append(to_mathml(node.astext(), "inline"))
    raise SkipNode


def _block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(to_mathml(node.astext(), "block"))
    translator.body.append("</div>\n")
    raise SkipNode


def setup(app):
    """Register the renderer that ``html_math_renderer`` names."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
