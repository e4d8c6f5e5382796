"""How Sphinx builds the site: the pages of docs/, a navigation made from docs/README.md, and a page for each package.

The site needs nothing from outside: no fonts, no scripts, no server. ``check.py`` looks at what was built.
"""

import os
import re
import sys
from pathlib import Path
from typing import Any

# The sources of the kernels have signatures and the docstrings of attributes; their compiled form has not.
os.environ["RETICK_PURE"] = "1"
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from reference import reference_pages  # noqa: E402 - found by the line above; takes the uncompiled form

from retick import __version__  # noqa: E402 - after the choice of the uncompiled form

DOCS = HERE.parent

project = "Retick"
version = release = __version__
copyright = "the authors of Retick, MIT licensed"  # noqa: A001 - the name that Sphinx reads

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["README.md", "_site"]  # README.md is the same index for those who read the files
suppress_warnings = ["toc.excluded"]
smartquotes = False
highlight_language = "text"
keep_warnings = False

myst_heading_anchors = 6
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 100
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Retick {version}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    # The system's own fonts, whatever the theme asks for.
    "light_css_variables": {
        "font-stack": "system-ui, sans-serif",
        "font-stack--monospace": "ui-monospace, monospace",
    },
}


def sections_of_the_index() -> list[tuple[str, list[tuple[str, str]]]]:
    """The headings of docs/README.md, each with the titles and names of its pages."""
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, flags=re.MULTILINE | re.DOTALL)
    return [
        (title, re.findall(r"^[-\d.]+ \[(.+?)\]\((\S+)\.md\)", body, flags=re.MULTILINE)) for title, body in sections
    ]


def tree_of(pages: list[tuple[str, str]], caption: str = "") -> str:
    entries = "\n".join(f"{title} <{name}>" for title, name in pages)
    return f"\n```{{toctree}}\n:hidden:\n{f':caption: {caption}' if caption else ''}\n\n{entries}\n```\n"


def add_navigation(app: Any, name: str, source: list[str]) -> None:
    if name == "index":
        app.env.note_dependency(str(DOCS / "README.md"), docname=name)  # a change there builds the index again
        start, *others = sections_of_the_index()
        sections = [(start[0], [("Retick in one page", "self"), *start[1]]), *others]
        source[0] += "".join(tree_of(pages, title) for title, pages in sections)
    if name == "reference/api":
        source[0] += tree_of([(module, f"/reference/api/{module}") for module in reference_pages()])


def write_reference(app: Any) -> None:
    folder = DOCS / "reference" / "api"
    folder.mkdir(exist_ok=True)
    pages = reference_pages()
    for old in folder.glob("*.rst"):
        if old.stem not in pages:
            old.unlink()
    for module, text in pages.items():
        path = folder / f"{module}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    app.connect("config-inited", lambda app, config: write_reference(app))
    app.connect("source-read", add_navigation)
