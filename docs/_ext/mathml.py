"""Formulas as MathML, which browsers draw themselves: no script, no font, nothing from outside."""

from latex2mathml.converter import convert


def _inline(translator, node):
    translator.body.append(convert(node.astext(), display="inline"))


def _block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math"))
    translator.body.append(convert(node.astext(), display="block"))
    translator.body.append("</div>\n")


def _skip(visit):
    def visitor(translator, node):
        from docutils.nodes import SkipNode

        visit(translator, node)
        raise SkipNode

    return visitor


def setup(app):
    """Register the renderer under the name that ``html_math_renderer`` gives."""
    app.add_html_math_renderer("mathml", (_skip(_inline), None), (_skip(_block), None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
