"""Settings of ``make docs``, which builds the site offline and treats warnings as errors."""

import sys
from pathlib import Path

import lwcal

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "lwcal"
author = "the lwcal contributors"
copyright = author  # noqa: A001  # Sphinx's name
version = release = lwcal.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "api_links",
    "code_host",
    "mathml",
    "quick_build",
]
exclude_patterns = ["gallery/**/README.rst"]
nitpicky = True
root_doc = "index"

# the same Markdown works here and on a code host
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header"]  # included files begin with their own heading

# one page for each public name, from its docstring
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc describes the parameters
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template lists them, with their docstrings
numpydoc_xref_param_type = False
templates_path = ["_templates"]

# run the examples and draw their pictures
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "gallery_order.QuestionsFirst",
    "abort_on_example_error": True,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("lwcal",),
    "reference_url": {"lwcal": None},
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,  # each page shows its own; the list would load scripts
}

html_title = "lwcal"
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "lwcal", "alt_text": "lwcal: start page"},
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
