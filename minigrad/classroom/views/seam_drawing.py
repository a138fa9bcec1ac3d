"""The chain, cut: values forward in boxes over solid arrows, gradients back under them, dashed.

Drawn with colours that are handed in, so that the same drawing serves the live page, where they are
the theme's, and the stored picture.
"""

import textwrap

import numpy as np

from ..formatting import nested

LETTER, SIZE = 9.7, 16  # width of a letter of code of this size
FORWARD, BACKWARD = 50, 22  # the top of the boxes; from their bottom to the gradients
GAP = 26  # an arrow's length
CUT = 124  # room for the cut
COLUMNS = 24  # letters of a value in one line


def draw_chain(picture, top, model, ink, quiet, paper):
    """Draw a `models.seam.SeamCutter`'s chain below `top`. Returns the bottom."""
    stops = _stops(model)
    tall = max(len(stop.lines) for stop in stops)
    back_tall = max(len(stop.back) for stop in stops)
    height, back_height = 14 + 22 * tall, 14 + 22 * back_tall
    box_top = top + FORWARD
    back_top = box_top + height + BACKWARD + 24
    pen = _Pen(picture, ink, quiet, paper)
    x, middle = 0.0, box_top + height / 2
    back_middle = back_top + back_height / 2
    ends = {}  # where each half begins and ends
    places = []
    for stop in stops:
        if places:
            before = places[-1]
            if stop.side != before[0].side:
                ends["cut"] = before[2] + CUT / 2
                x = before[2] + CUT
            else:
                x = pen.function(before[2], middle, stop.function)
        places.append((stop, x, x + stop.width))
        pen.value(x, box_top, stop.width, height, stop)
        if stop.back:
            pen.gradient(x, back_top, stop.width, back_height, stop)
        x += stop.width
    bottom = back_top + back_height
    pen.cut(ends["cut"], top, bottom + 12, model.mistake)
    _headings(pen, places, ends["cut"], top)
    known = [place for place in places if place[0].back]
    for right, left in zip(reversed(known), reversed(known[:-1])):
        across = right[0].side != left[0].side
        if not (across and model.mistake == "forget"):
            pen.back(right[1], left[2], back_middle)
        if across:
            label = {"none": "g", "forget": "", "twice": "g + g"}[model.mistake]
            picture.text(ends["cut"] + 7, back_middle - 8, label, size=15, font="code", bold=True,
                         colour=ink)
    picture.grow(places[-1][2], bottom + 12)
    return bottom + 12


def _headings(pen, places, cut, top):
    pen.text(0, top + 16, "left half", bold=True)
    pen.text(cut + 26, top + 16, "right half", bold=True)


class _Stop:
    """One value of the chain: what is in its box, and what comes back to it."""

    def __init__(self, name, value, side, function="", title="", back=None, back_name=""):
        self.name, self.side, self.function, self.title = name, side, function, title
        self.lines = _lines(value)
        self.back = _lines(back) if back is not None else []
        self.back_name = back_name
        longest = max(map(len, (name, title, back_name, *self.lines, *self.back)))
        self.width = longest * LETTER + 20


def _stops(model):
    """The values in order; the one at the cut stands on either side of it."""
    names, cut, last = model.chain.values, model.cut, len(model.chain.links)
    functions = ["", *(link.name for link in model.chain.links)]
    stops = []
    for k, (name, value) in enumerate(zip(names, model.values)):
        back, back_name = None, ""
        if k == 0:
            back, back_name = model.input_grad, f"{name}.grad"
        if k == cut:
            given = {"none": "gradient=g", "forget": "gradient=ones", "twice": "gradient=g + g"}
            stops.append(_Stop(name, value, "left", functions[k], name, model.handed,
                               given[model.mistake]))
            grad, told = model.seam_gradient, "g" if cut != last else "g = v"
            stops.append(_Stop(name, value, "right", "", f"{name}, a leaf", grad, told))
        else:
            if k == last:
                back, back_name = model.upstream, "v"
            stops.append(_Stop(name, value, "left" if k < cut else "right", functions[k], name,
                               back, back_name))
    return stops


def _lines(value):
    """A value as short lines: a matrix row by row, a long list broken."""
    if np.ndim(value) >= 2:
        rows = [nested(row) for row in value]
        text = [("[" if k == 0 else " ") + row + ("]" if row is rows[-1] and k == len(rows) - 1
                                                  else ",") for k, row in enumerate(rows)]
    else:
        text = [nested(value)]
    return [line for one in text
            for line in textwrap.wrap(one, COLUMNS, subsequent_indent=" ",
                                      break_on_hyphens=False, drop_whitespace=False) or [""]]


class _Pen:
    """Draws the pieces in one set of colours."""

    def __init__(self, picture, ink, quiet, paper):
        self.picture, self.ink, self.quiet, self.paper = picture, ink, quiet, paper

    def text(self, x, y, text, **style):
        self.picture.text(x, y, text, **{"colour": self.ink, **style})

    def value(self, x, top, width, height, stop):
        self.text(x + width / 2, top - 8, stop.title, font="code", anchor="middle", bold=True)
        self._rect(x, top, width, height, 6)
        self._lines(x + width / 2, top, stop.lines)

    def gradient(self, x, top, width, height, stop):
        self.text(x + width / 2, top - 8, stop.back_name, font="code", size=15, anchor="middle",
                  bold=True)
        self._rect(x, top, width, height, 16, dashed=True)
        self._lines(x + width / 2, top, stop.back)

    def _lines(self, middle, top, lines):
        for k, line in enumerate(lines):
            self.text(middle, top + 24 + 22 * k, line, font="code", anchor="middle")

    def _rect(self, x, top, width, height, round_, dashed=False):
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        self.picture.parts.append(
            f'<rect x="{x:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="{round_}" '
            f'fill="{self.paper}" stroke="{self.ink}" stroke-width="1.5"{dashes}/>'
        )

    def function(self, x, middle, name):
        """A function between two arrows; returns where the next value begins."""
        width = len(name) * LETTER + 18
        self._line(x, x + GAP - 8, middle)
        self._head(x + GAP, middle, -1)
        self.picture.parts.append(
            f'<rect x="{x + GAP:g}" y="{middle - 17:g}" width="{width:g}" height="34" rx="17" '
            f'fill="none" stroke="{self.ink}" stroke-width="1.5"/>'
        )
        self.text(x + GAP + width / 2, middle + 6, name, font="code", anchor="middle", bold=True)
        self._line(x + GAP + width, x + 2 * GAP + width - 8, middle)
        self._head(x + 2 * GAP + width, middle, -1)
        return x + 2 * GAP + width

    def back(self, start, end, y):
        """A dashed arrow to the left."""
        self._line(start, end + 8, y, dashed=True)
        self._head(end, y, 1)

    def cut(self, x, top, bottom, mistake):
        self.picture.parts.append(
            f'<path d="M{x:g} {top:g}V{bottom:g}" stroke="{self.ink}" stroke-width="3" '
            f'stroke-dasharray="2 6" stroke-linecap="round"/>'
        )
        self.text(x, top - 6, "cut", size=15, anchor="middle", bold=True)
        if mistake == "forget":
            y = bottom - 34
            self.picture.parts.append(
                f'<path d="M{x - 12:g} {y - 12:g}L{x + 12:g} {y + 12:g}M{x - 12:g} {y + 12:g}'
                f'L{x + 12:g} {y - 12:g}" stroke="{self.ink}" stroke-width="3"/>'
            )

    def _line(self, x1, x2, y, dashed=False):
        dashes = ' stroke-dasharray="6 4"' if dashed else ""
        self.picture.parts.append(
            f'<path d="M{x1:g} {y:g}H{x2:g}" stroke="{self.ink}" stroke-width="1.5"{dashes}/>'
        )

    def _head(self, x, y, direction):
        back = x + 9 * direction
        self.picture.parts.append(
            f'<path d="M{x:g} {y:g}L{back:g} {y - 4:g}V{y + 4:g}Z" fill="{self.ink}"/>'
        )
