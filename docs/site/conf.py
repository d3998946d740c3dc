"""Settings of Sphinx for the site; scripts/docs starts it on build/docs-source."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from pygments.lexer import RegexLexer, words
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text

project = "Stencilscope"
copyright = "the Stencilscope authors, MIT licence"
version = release = os.environ["STENCILSCOPE_DOCS_VERSION"]

extensions = ["myst_parser", "sphinx_copybutton"]
# MyST makes the Markdown of the repository pages as it is, with its relative links checked; Furo loads nothing from a
# network, has a light and a dark side, and works on a phone.
html_theme = "furo"
html_title = "Stencilscope"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_extra_path = [os.environ["STENCILSCOPE_DOCS_EXTRA"]]
html_favicon = str(Path(__file__).parent.parent.parent / "assets" / "package" / "stencilscope.png")
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0b6e8f", "color-brand-content": "#0b6e8f"},
    "dark_css_variables": {"color-brand-primary": "#5cc8e8", "color-brand-content": "#5cc8e8"},
}
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
myst_dmath_double_inline = False
highlight_language = "none"
smartquotes = False  # it would make a dash of the two of an option
copybutton_exclude = ".linenos, .gp, .go"
nitpicky = False
suppress_warnings = ["misc.highlighting_failure"]


class EquationLexer(RegexLexer):
    """Texts of typed equations."""

    name = "Equation"
    tokens = {
        "root": [
            (r"#.*$", Comment),
            (r'"[^"\n]*"', String),
            (words(("in", "and", "or", "not"), prefix=r"\b", suffix=r"\b"), Keyword),
            (
                r"\b(boundary|size|steps|dt|dx|integrator|stepper|show|colormap|origin|laplacian|inside|edge|left|right|top|bottom|all|x|y)\b(?=\s*[=:])",
                Keyword,
            ),
            (r"\bd\w+/dt\b", Name.Variable),
            (r"\b[A-Za-z_]\w*(?=\()", Name.Function),
            (r"[A-Za-z_]\w*'?", Name),
            (r"\d+(\.\d*)?([eE][-+]?\d+)?|\.\d+", Number),
            (r"[-+*/^=<>]", Operator),
            (r"[()\[\],;:]", Punctuation),
            (r".|\n", Text),
        ]
    }


def setup(app):
    app.add_lexer("equation", EquationLexer)
    for name in ("layers", "mermaid"):
        app.add_lexer(name, TextLexer)
    # ```sh blocks of the pages are lines of commands with remarks.
    return {"parallel_read_safe": True, "parallel_write_safe": True}
