"""What a panel shows, and its controls by their names, without a browser."""

import html

import ipywidgets

_CONTROLS = (
    ipywidgets.Text,
    ipywidgets.Button,
    ipywidgets.Dropdown,
    ipywidgets.Checkbox,
    ipywidgets.BoundedIntText,
    ipywidgets.BoundedFloatText,
    ipywidgets.IntSlider,
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
        if name
        in (
            control.description,
            control.description.strip("\u25cf\u25cb |\u25c0\u25b6\u25b8\u25be"),
        )
    )


def html_of(panel):
    """All that is drawn, as HTML."""
    drawn = [child.value for child in below(panel) if isinstance(child, ipywidgets.HTML)]
    return "\n".join(value for value in drawn if not value.startswith("<style"))


def shown_in(panel):
    """The same with its entities read: < is <."""
    return html.unescape(html_of(panel))


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
