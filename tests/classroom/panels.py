"""What a panel shows, and its controls by their names, without a browser.

A control is found in the panel's HTML and used as the page's script uses it: by the action that it
declares.
"""

import html
import json
from weakref import WeakKeyDictionary

from bs4 import BeautifulSoup

_TYPED = WeakKeyDictionary()  # {panel: {name of a form's field: what was typed, and not sent}}


class Control:
    """A control of a panel: its names, and what a learner does with it."""

    def __init__(self, panel, node):
        self.panel, self.node = panel, node
        label = node.find_parent("label")
        self.text = " ".join((label or node).get_text().split()) if node.name != "select" else ""
        self.name = node.get("aria-label") or self.text
        self.disabled = node.has_attr("disabled")

    @property
    def value(self):
        """What stands in it: a text, whether it is ticked, or the text of what is chosen."""
        if self.node.name == "select":
            chosen = self.node.find("option", selected=True) or self.node.find("option")
            return chosen.get_text()
        if self.node.get("type") in ("checkbox", "radio"):
            return self.node.has_attr("checked")
        return self.node.get("value", "")

    @property
    def options(self):
        """{text: value} of a list."""
        return {o.get_text(): json.loads(o["value"]) for o in self.node.find_all("option")}

    def use(self, *value):
        """Type, choose, tick or slide to `value`; nothing: press."""
        assert not self.disabled, f"{self.name} is switched off"
        form = self.node.find_parent("form")
        typed = _TYPED.setdefault(self.panel, {})
        if form and not self.node.get("data-act"):
            if self.node.name == "button":
                return _perform(self.panel, form, typed.get("answer", ""))
            typed["answer"] = value[0] if value else self.node["value"]
            return None
        if self.node.name == "select" and value[0] in self.options:
            value = (self.options[value[0]],)
        return _perform(self.panel, self.node, *value)

    click = use


def _perform(panel, node, *value):
    arguments = [*json.loads(f"[{node.get('data-key', '')}]"), *value]
    panel._perform(None, {"action": node["data-act"], "arguments": arguments}, None)


def parsed(panel):
    return BeautifulSoup(panel.html, "html.parser")


def controls_of(panel):
    """Every control that a learner can use."""
    return [Control(panel, node) for node in parsed(panel).find_all(["input", "select", "button"])]


def named(panel, name):
    """The control with this name; the marks on buttons may be left out."""
    every = controls_of(panel)
    for one in every:
        if name in (one.name, one.name.strip("\u25cf\u25cb |\u25c0\u25b6\u25b8\u25be")):
            return one
    raise LookupError(f"no {name!r} among {[one.name for one in every]}")


def html_of(panel):
    """All that is drawn, as HTML."""
    return panel.html


def shown_in(panel):
    """The same with its entities read: < is <."""
    return html.unescape(html_of(panel))
