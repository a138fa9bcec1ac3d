"""The pages that tools write, Jinja2 templates beside this file; what is filled in is escaped."""

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

_pages = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def render(name, **values):
    """A page, filled in."""
    return _pages.get_template(name).render(values) + "\n"


def macro(page, name):
    """A macro of a page: a part of it, as a function."""
    return getattr(_pages.get_template(page).module, name)


def prose(text):
    """A sentence with `code` between backticks, as HTML, which it may be already."""
    if isinstance(text, Markup):
        return text
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


filters = _pages.filters
filters["prose"] = prose
