"""Public names in `code` of Markdown become links to their API pages; on a code host, just code."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

import lwcal

NAME = re.compile(r"(?:lwcal\.)?([A-Za-z_][\w.]*)(?:\(.*\))?")


class ApiLinks(SphinxPostTransform):
    """Look up every literal among the documented objects."""

    default_priority = 5  # before references are resolved

    def run(self):
        """Wrap literals that name something in a reference to it."""
        if self.env.docname.startswith(("api/", "gallery/")):
            return  # those are reStructuredText, with roles of their own
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
    """Run once on every page."""
    app.add_post_transform(ApiLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
