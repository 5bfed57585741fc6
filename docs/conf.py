"""Settings of the site. Build it with `sphinx-build docs docs/_build`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# Before NumPy is imported: threads are slower than none on the small tables of the examples.
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from site_parts import docstrings, formulas, links, pages  # noqa: E402
from sphinx.errors import ExtensionError  # noqa: E402

import kinfolk  # noqa: E402

project = "Kinfolk"
copyright = "Kinfolk developers"
author = "Kinfolk developers"
release = kinfolk.__version__
version = release

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "myst_parser",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "site_parts"]
suppress_warnings = [
    "myst.header",  # a page may skip a level
    "config.cache",  # sphinx-gallery's settings hold functions
]
# Pages link to source files of the repository, which are offered as downloads.
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence", "dollarmath"]
html_math_renderer = "drawn"  # no script, no network; see site_parts/formulas.py
default_role = "literal"  # docstrings write `name` for code
nitpicky = False
toc_object_entries_show_parents = "hide"  # with the class, names are too long beside a page

autodoc_typehints = "none"  # parameters are described with their range and unit
autosummary_generate = True
templates_path = ["site_parts"]
numpydoc_show_class_members = False  # the template lists methods; attributes stand in the text
numpydoc_validation_checks: set[str] = set()

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples"),
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,  # an example that fails fails the build
    "capture_repr": ("__repr__",),
    "ignore_repr_types": r"kinfolk\.displays",  # the picture says it
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # its page loads scripts of other hosts
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1,
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("kinfolk",),
    "reference_url": {"kinfolk": None},
}

html_theme = "pydata_sphinx_theme"
html_title = "Kinfolk"
html_static_path = ["site_parts/static"]
html_css_files = ["kinfolk.css"]
html_show_sourcelink = False
# Pages of the upper navigation that have none below them.
html_sidebars = {"index": [], "penguins": [], "which": []}
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}


def whole_site(app, docname, source):
    """Lead a link of a page into the source folder to the copy that the site has of it."""
    source[0] = source[0].replace(
        "../src/kinfolk/datasets/ATTRIBUTION.md", "generated/attribution.md"
    )


def chinese(app, pagename, templatename, context, doctree):
    """Name the language of the Chinese pages, for readers of the screen and search engines."""
    if pagename.startswith("zh/"):
        context["language"] = "zh-CN"


def check_links(app, failure):
    """Fail the build if a link of the site leads nowhere within it."""
    if failure is None and app.builder.name == "html" and (lost := links.broken(Path(app.outdir))):
        raise ExtensionError("links that lead nowhere: " + "; ".join(lost[:20]))


def setup(app):  # noqa: D103 Sphinx calls it by this name
    pages.write(HERE)
    app.add_html_math_renderer("drawn", (formulas.visit, None), (formulas.visit_block, None))
    app.connect("source-read", whole_site)
    app.connect("html-page-context", chinese)
    app.connect("build-finished", check_links)
    # Before numpydoc, whose priority is 500.
    app.connect("autodoc-process-docstring", docstrings.process, priority=400)
