"""What Sphinx is told about the book; tools/site/book.py lays this file beside the pages."""

project = "minigrad"
author = "the minigrad authors"
html_title = "What goes inside backward()?"

extensions = ["myst_nb", "sphinx.ext.viewcode", "sphinx.ext.githubpages"]
nb_execution_mode = "off"  # the stored outputs are what was compared with PyTorch
nb_ipywidgets_js = {}  # panels are stills here
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"  # see setup
myst_heading_slug_func = "tools.site.links.anchor"  # as Jupyter names headings
suppress_warnings = ["mystnb.unknown_mime_type"]

html_theme = "sphinx_book_theme"
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "collapse_navbar": True,
    "max_navbar_depth": 1,  # what is below is listed on its page
    "home_page_in_toc": True,
    "show_toc_level": 2,
    "navbar_persistent": [],
    "extra_footer": "<p>Texts and pictures: CC BY 4.0. Code: MIT.</p>",
    "footer_content_items": "extra-footer.html",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_static_path = ["_static"]
html_css_files = ["course.css"]
html_js_files = [("course.js", {"defer": "defer"})]
html_favicon = "_static/favicon.svg"
html_extra_path = ["as_it_is"]
html_copy_source = False
html_show_sphinx = False
html_permalinks_icon = "#"
add_module_names = False
toc_object_entries = False  # hundreds of names in each page's contents
viewcode_line_numbers = True


def setup(app):
    """Formulas are MathML, made here: a page needs no script for them and asks no other host."""
    from docutils import nodes
    from latex2mathml.converter import convert

    def inline(writer, node):
        writer.body.append(convert(node.astext()))
        raise nodes.SkipNode

    def block(writer, node):
        formula = convert(node.astext(), display="block")
        writer.body.append(f'<div class="math-block" tabindex="0">{formula}</div>')
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (block, None))
