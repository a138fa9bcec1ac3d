"""What a panel shows, and its controls by their names, without a browser."""

import base64
import html
import re
from xml.etree import ElementTree

import ipywidgets

_CONTROLS = (
    ipywidgets.Text,
    ipywidgets.Button,
    ipywidgets.Dropdown,
    ipywidgets.Checkbox,
    ipywidgets.BoundedIntText,
    ipywidgets.BoundedFloatText,
)


def below(widget):
    """Every widget below this one."""
    for child in getattr(widget, "children", ()):
        yield child
        yield from below(child)


def controls_of(panel):
    """Every control that a learner can use."""
    return [child for child in below(panel) if isinstance(child, _CONTROLS)]


def named(panel, name):
    """The control with this name; the marks on buttons may be left out."""
    return next(
        control
        for control in controls_of(panel)
        if name in (control.description, control.description.strip("\u25cf\u25cb |\u25c0\u25b6\u25b8\u25be"))
    )


def html_of(panel):
    """All that is drawn, as HTML."""
    drawn = [child.value for child in below(panel) if isinstance(child, ipywidgets.HTML)]
    return "\n".join(value for value in drawn if not value.startswith("<style"))


def shown_in(panel):
    """The same with its entities read: < is <."""
    return html.unescape(html_of(panel))


def still_of(panel):
    """(SVG, alternative text) of what a reader without a kernel sees; it needs nothing of a page."""
    stored, again = panel._repr_mimebundle_(), panel._repr_mimebundle_()
    assert stored["text/html"] == again["text/html"] and stored["text/plain"] == repr(panel)
    image = r'<img alt="([^"]+)".* src="data:image/svg\+xml;base64,([^"]+)"'
    alternative, data = re.search(image, stored["text/html"], re.DOTALL).groups()
    svg = base64.b64decode(data).decode()
    ElementTree.fromstring(svg)
    assert "currentColor" not in svg and "var(" not in svg
    return svg, html.unescape(alternative)


def sent_by(panel):
    """A list that fills with the parts of the panel that change from now on, once a change."""
    sent = []

    def rebuilt(change):
        raise AssertionError("children were rebuilt")

    for widget in [panel, *below(panel)]:
        for trait in ("value", "options"):
            if widget.has_trait(trait):
                widget.observe(lambda change: sent.append(change["owner"]), names=trait)
        if widget.has_trait("children"):
            widget.observe(rebuilt, names="children")
    return sent
