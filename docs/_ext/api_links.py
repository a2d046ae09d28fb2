"""Link public names in Markdown `code` to their API pages. A code host shows them as code."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import lwcal

NAME = re.compile(r"(?:lwcal\.)?([A-Za-z_][\w.]*)(?:\(.*\))?")


class ApiLinks(SphinxPostTransform):
    """Find literals that name a documented object."""

    default_priority = 5  # before references are resolved

    def run(self):
        """Replace each such literal by a reference to the object."""
        if self.env.docname.startswith(("api/", "gallery/")):
            return  # reStructuredText, which has its own roles
        for literal in list(self.document.findall(nodes.literal)):
            target = self._target(literal)
            if target is not None:
                reference = addnodes.pending_xref(
                    "",
                    literal.deepcopy(),
                    refdomain="py",
                    reftype="obj",
                    reftarget=target,
                    refdoc=self.env.docname,
                )
                literal.replace_self(reference)

    def _target(self, literal):
        match = NAME.fullmatch(literal.astext())
        inside = isinstance(literal.parent, (nodes.reference, addnodes.pending_xref, nodes.title))
        if match is None or inside:
            return None
        full = f"lwcal.{match[1]}"
        known = self.env.domains.python_domain.objects
        documented = full in known and known[full].objtype != "module"
        is_name = "." in literal.astext() or match[1] in lwcal.__all__
        return full if documented and is_name else None


def setup(app):
    """Register the transform."""
    app.add_post_transform(ApiLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
