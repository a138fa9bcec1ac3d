"""How a widget looks, as a value that widgets share.

In the browser a layout and a style are models of their own: a panel of fifty controls would be a
hundred and fifty. Here what looks alike shares one, made once in a kernel and never changed.
"""

import functools

import ipywidgets

_made = {}  # {(its class, its traits): the look}


@functools.cache
def late(kind):
    """A class of widgets that the browser hears of with their holder, and not sooner, in pieces."""

    class Late(kind):
        def open(self):
            """What ipywidgets calls once it is made: not yet."""

        @property
        def model_id(self):  # what its holder tells it by
            super().open()
            return super().model_id

    return Late


def layout(**traits):
    """The layout with these traits."""
    return _shared(ipywidgets.Layout, traits)


def style(widget_class, **traits):
    """The style with these traits for widgets of a class."""
    return _shared(widget_class.class_traits()["style"].klass, traits)


def change(widget, **traits):
    """Give a widget another layout: its own with these traits; None takes one away."""
    wanted = {**widget.layout.given, **traits}
    widget.layout = layout(**{name: value for name, value in wanted.items() if value is not None})


def show(widget, visible=True):
    """Show or hide a widget."""
    mark(widget, "mg-hidden", not visible)


def mark(widget, name, wanted):
    """Give a widget a class, or take it away."""
    (widget.add_class if wanted else widget.remove_class)(name)


def tint(widget, name):
    """Give a widget one class of a sign, `palette.sign_class`, in place of another; "" for none."""
    others = [c for c in widget._dom_classes if not c.startswith(("mg-plus-", "mg-minus-"))]
    widget._dom_classes = (*others, name) if name else tuple(others)


def _shared(kind, traits):
    key = (kind, *sorted(traits.items()))
    if key not in _made or _made[key].comm is None:  # somebody has closed all widgets
        _made[key] = kind(**traits)
        _made[key].given = traits
    return _made[key]
