"""A panel for a reader without a kernel: the same HTML with its style, its controls as plain text.

A page that is not trusted, such as a notebook on GitHub, takes the style away and leaves the
tables and lines; the same told as text stands folded below.
"""

import re
from functools import cache
from html.parser import HTMLParser

from ...show.drawing.palette import variables
from ...show.html import Html, escape, joined, tag
from .style import RULES

_PLAIN = {"input", "select", "button", "option", "label", "form"}


def still(drawing, text, use):
    """A drawing as it stands in a saved notebook, a book or on paper."""
    panel = tag("div", _without_controls(drawing), class_="mg-panel mg-still")
    look = "font-family: monospace; white-space: pre; overflow-x: auto"  # some pages wrap
    folded = tag("details", tag("summary", "The same as text"), tag("pre", text, style=look))
    return joined(tag("style", Html(_used(panel))), panel, folded, tag("p", use))


def _without_controls(drawing):
    reader = _Reader()
    reader.feed(drawing)
    reader.close()
    return Html("".join(reader.parts))


class _Reader(HTMLParser):
    """Copies HTML; what can be typed or chosen becomes the text that stands in it."""

    def __init__(self):
        super().__init__()
        self.parts, self._skipped = [], 0

    def handle_starttag(self, name, attributes):
        attributes = dict(attributes)
        if name == "option":
            self._skipped = "selected" not in attributes
        elif name == "input":
            self._show_input(attributes)
        elif name in ("button", "select", "label", "form"):
            self.parts.append(f'<span class="mg-was-{name} {attributes.get("class") or ""}">')
        elif not self._skipped:
            self.parts.append(self.get_starttag_text())

    def handle_startendtag(self, name, attributes):
        self.handle_starttag(name, attributes)  # <rect/> of a drawing has no end of its own

    def _show_input(self, attributes):
        kind = attributes.get("type", "text")
        if kind == "text":
            value = tag("span", attributes.get("value") or "\u00a0", class_=attributes.get("class"))
            self.parts.append(value.replace('class="', 'class="mg-was-input ', 1))
        elif kind in ("checkbox", "radio"):
            self.parts.append("\u2611" if "checked" in attributes else "\u2610")

    def handle_endtag(self, name):
        if name == "option":
            self._skipped = False
        elif name in _PLAIN:
            self.parts.append("" if name == "input" else "</span>")
        elif not self._skipped:
            self.parts.append(f"</{name}>")

    def handle_data(self, text):
        if not self._skipped:
            self.parts.append(escape(text))


def _used(panel):
    """The rules of the style that this panel needs, in the colours of the light theme."""
    names = set(re.findall(r"mg-[\w-]+", panel))
    rules = " ".join(_needed(RULES, names))
    return f".mg-still {{ {variables('light')} }} .mg-panel {{ {rules} }}"


def _needed(sheet, names):
    """The rules about these names; of those for narrow panels, too."""
    for rule in _rules(sheet):
        selector, _, inner = rule.partition("{")
        if selector.startswith("@container"):
            rules = list(_needed(inner.removesuffix("}"), names))
            if rules:
                yield f"{selector}{{ {' '.join(rules)} }}"
        elif not selector.startswith("@") and any(one <= names for one in _named(selector)):
            yield rule


@cache
def _named(selector):
    """The names of classes in each part of a selector."""
    return [set(re.findall(r"\.(mg-[\w-]+)", one)) for one in selector.split(",")]


@cache
def _rules(sheet):
    """The rules of a style sheet, each on one line; a block such as @media is one."""
    sheet = re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    rules, depth, rule = [], 0, ""
    for piece in re.findall(r"[^{}]*[{}]", sheet):
        rule += piece
        depth += 1 if piece.endswith("{") else -1
        if depth == 0:
            rules.append(" ".join(rule.split()))
            rule = ""
    return rules
