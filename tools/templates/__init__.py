"""The pages that tools write: Jinja2 templates beside this file; what is filled in is escaped."""

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
    return _pages.get_template(name).render(values).rstrip("\n") + "\n"


def part(page, macro, *values, **named):
    """A part of a page, one of its macros, on one line, so that it can be put into Markdown."""
    made = getattr(_pages.get_template(page).module, macro)(*values, **named)
    return re.sub(r"\n\s*", "", made)


def prose(text):
    """A sentence with `code` between backticks, as HTML, which it may be already."""
    if isinstance(text, Markup):
        return text
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


filters = _pages.filters
filters["prose"] = prose
# A guess as a reader would write it: [6, 3], 7, (8, 4).
filters["as_typed"] = lambda value: re.sub(r"\.0\b", "", str(value))
# A choice without the letter that a slide's list gives it.
filters["unlettered"] = lambda choice: re.sub(r"^[A-D]: +", "", str(choice))
