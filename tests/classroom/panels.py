"""What a panel shows, and its controls by their names, without a browser.

A control is found in the panel's HTML and used as the page's script uses it: by the action that it
declares.
"""

import html
import json
from functools import lru_cache
from weakref import WeakKeyDictionary

from bs4 import BeautifulSoup

_MARKS = "\u25cf\u25cb |\u25c0\u25b6\u25b8\u25be"  # on buttons; they may be left out
_TYPED = WeakKeyDictionary()  # {panel: what was typed or chosen in its form, and not sent}


class Control:
    """The control of this name, as it is now: what stands in it, and what a learner does with it.

    `.value = "1/2"` types, slides, ticks or chooses (an entry's text or value); `.click()` presses.
    """

    def __init__(self, panel, name):
        self.panel, self.name = panel, name
        assert self.node

    @property
    def node(self):
        every = {name_of(node): node for node in nodes_of(self.panel)}
        bare = {name.strip(_MARKS): node for name, node in every.items()}
        found = every.get(self.name) or bare.get(self.name)
        if found is None:
            raise LookupError(f"no {self.name!r} among {list(every)}")
        return found

    @property
    def disabled(self):
        return self.node.has_attr("disabled")

    @property
    def refused(self):
        """Whether its text was not used; on the page it stays, to be corrected."""
        return self.node.get("aria-invalid") == "true"

    @property
    def text(self):
        """What stands on a button."""
        return " ".join(self.node.get_text().split())

    @property
    def value(self):
        """What stands in it: a text, a number, whether it is ticked, what is chosen."""
        node = self.node
        if node.name == "select":
            return (node.find("option", selected=True) or node.find("option")).get_text()
        if node.get("type") in ("checkbox", "radio"):
            return node.has_attr("checked")
        return float(node["value"]) if node.get("type") == "range" else node.get("value", "")

    @value.setter
    def value(self, value):
        if self.node.name == "select":
            value = self.options.get(value, value)
        self._use(str(value) if self.node.get("type") == "range" else value)

    @property
    def options(self):
        """{text: value} of a list."""
        return {o.get_text(): json.loads(o["value"]) for o in self.node.find_all("option")}

    def click(self):
        self._use(*([not self.value] if self.node.get("type") == "checkbox" else []))

    def _use(self, *value):
        node = self.node
        assert not self.disabled, f"{self.name} is switched off"
        form = node.find_parent("form")
        if node.get("data-act"):
            perform(self.panel, node, *value)
        elif node.name == "button":
            perform(self.panel, form, _TYPED.pop(self.panel, ""))
        else:
            _TYPED[self.panel] = value[0] if value else node["value"]


def perform(panel, node, *value):
    """Do what a part declares, as the page's script does."""
    arguments = [*json.loads(f"[{node.get('data-key', '')}]"), *value]
    panel._perform(None, {"action": node["data-act"], "arguments": arguments}, None)


def named(panel, name):
    return Control(panel, name)


def parsed(panel):
    """A panel's HTML, or HTML itself, to look into; nobody changes it."""
    return _tree(getattr(panel, "html", panel))


@lru_cache(maxsize=8)  # every look at a control asks for the same again
def _tree(html):
    return BeautifulSoup(html, "html.parser")


def nodes_of(panel):
    return parsed(panel).find_all(["input", "select", "button"])


def controls_of(panel):
    """Every control that a learner can use."""
    return [Control(panel, name_of(node)) for node in nodes_of(panel)]


def name_of(node):
    """What a control is called aloud."""
    label = node if node.name == "button" else node.find_parent("label")
    return node.get("aria-label") or " ".join(label.get_text().split())


def html_of(panel):
    """All that is drawn, as HTML."""
    return panel.html


def shown_in(panel):
    """The same with its entities read: < is <."""
    return html.unescape(html_of(panel))
