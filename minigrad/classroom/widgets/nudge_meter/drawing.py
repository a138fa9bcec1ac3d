"""The two plots of the nudge meter: curve, secants and tangent; and error against eps.

What belongs to the forward quotient is violet, solid and round; what is central is grey, thin and
square; the tangent, by backward, is dashed ink.
"""

import math

import numpy as np

from ...show.drawing import svg
from ...show.formatting import MINUS, number
from .model import DTYPES, HIGHEST, KINDS, LOWEST, digits

CURVE_SIZE, ERROR_SIZE = (372, 200), (400, 262)
# left, top, width, height of the space within the axes; style.css sets eps' slider under it
_CURVE, _ERROR = (8, 4, 356, 160), (56, 8, 332, 190)
_LOWEST_ERROR, _HIGHEST_ERROR = -16, 2  # powers of ten; what lies outside is drawn at the edge
_STYLES = {  # of a line: colour, width, dashes
    "curve": ("edge", 4, ""),
    "steps": ("ink", 1.2, ""),
    "tangent": ("ink", 2, "8 5"),
    "forward": ("hand", 3, ""),
    "central": ("quiet", 1.5, "2 3"),
    ("float64", "forward"): ("hand", 3, ""),
    ("float64", "central"): ("edge", 2.5, ""),
    ("float32", "forward"): ("hand", 2.5, "2 4"),
    ("float32", "central"): ("edge", 2, "2 4"),
}


@np.errstate(all="ignore")  # what is not finite is not drawn
def curve_svg(model):
    """The curve around the point, the tangent and both secants; below, the nudge as a step."""
    slopes, example, eps = model.slopes["float64"], model.example, model.eps
    picture = svg.Drawing(
        *CURVE_SIZE,
        f"{example.formula} around {example.input_name} = {digits(model.x)}: tangent of slope "
        f"{digits(model.derivative)}, forward secant of slope {digits(slopes['forward'])}, "
        f"central secant of slope {digits(slopes['central'])}",
    )
    above = (eps, model.y + slopes["forward"] * eps)
    below = (-eps, above[1] - 2 * eps * slopes["central"])
    plot = _Plot(_CURVE, (-model.reach, model.reach), _heights(model, above[1]))
    offsets, heights = model.samples().T
    plot.polyline("curve", offsets, heights)
    names = [
        ("tangent", f"tangent {number(model.derivative, True)}", "ink"),
        ("forward", f"secant {number(slopes['forward'], True)}", "hand"),
    ]
    if model.zoomed:  # there the steps of float32 can be seen
        plot.polyline("steps", *model.samples("float32").T)
        names.append(("steps", "in float32", "ink"))
    plot.slope("central", slopes["central"], above)
    plot.slope("tangent", model.derivative, (0, model.y))
    plot.slope("forward", slopes["forward"], (0, model.y))
    for offset, height in ((0, model.y), above):
        if math.isfinite(height):
            x = plot.across(offset)
            plot.inside.line([(x, plot.height), (x, plot.up(height))], "hand", 1.5, "2 3")
    plot.point("central", *below, "quiet", "quiet")
    plot.point("forward", *above, "hand", "hand")
    plot.point("forward", 0, model.y, "ink", "ink")
    plot.put_into(picture)

    corners = [(left, top) for top in (16, 104) for left in (8, 188)]
    x, y = plot.across(offsets), plot.up(heights)

    def hidden(corner):  # of the curve
        left, top = corner
        return np.sum((x > left - 8) & (x < left + 176) & (y > top - 16) & (y < top + 56))

    left, top = min(corners, key=hidden)
    _name_lines(picture, names, _CURVE[0] + left, _CURVE[1] + top)

    left, bottom = _CURVE[0], _CURVE[1] + _CURVE[3]
    start, end = left + plot.across(0), left + plot.across(eps)
    picture.line([(left, bottom), (left + _CURVE[2], bottom)], "edge")
    picture.line([(start, bottom), (max(end, start + 2), bottom)], "hand", 6)
    name = f"{example.input_name} = {number(model.x, digits=4, minus=True)}"
    picture.text(start + 8, bottom + 24, name, 14, "code", anchor="end")
    picture.text(start + 16, bottom + 24, "eps", 15, ink="hand", bold=True)
    reach = number(model.reach, digits=3)
    picture.text(left, bottom + 24, MINUS + reach, 14, ink="quiet")
    picture.text(left + _CURVE[2], bottom + 24, f"+{reach}", 14, anchor="end", ink="quiet")
    return picture.svg()


@np.errstate(all="ignore")
def errors_svg(model):
    """The error of each estimate against eps, both axes in powers of ten."""
    picture = svg.Drawing(*ERROR_SIZE, f"error against eps. {' '.join(model.best_lines())}")
    x, y, width, height = _ERROR
    plot = _Plot(_ERROR, (LOWEST, HIGHEST), (_LOWEST_ERROR, _HIGHEST_ERROR))
    for power in range(-12, 1, 4):
        place, up = x + plot.across(power), y + plot.up(power)
        picture.line([(place, y), (place, y + height)], "line", 1)
        picture.line([(x, up), (x + width, up)], "line", 1)
        name = f"1e{MINUS}{-power}" if power else "1"
        picture.text(place, y + height + 20, name, 14, anchor="middle", ink="quiet")
        picture.text(x - 8, up + 5, name, 14, anchor="end", ink="quiet")
    for style, sweep in reversed(model.sweep.items()):
        eps, errors = sweep.T
        plot.polyline(style, np.log10(eps), _powers(errors))
    power = min(max(model.power, LOWEST), HIGHEST)
    for kind in reversed(KINDS):
        ink = _STYLES["float64", kind][0]
        for dtype in reversed(DTYPES):
            error = model.estimates[dtype, kind].error
            plot.point(kind, power, _powers(error), ink if dtype == "float64" else "paper", ink)
    now = x + plot.across(power)
    picture.line([(now, y - 8), (now, ERROR_SIZE[1] - 24)], "hand", 2.5, "2 4")
    plot.put_into(picture)
    names = [
        (("float64", "forward"), "forward", "hand"),
        (("float64", "central"), "central", "quiet"),
        (("float32", "central"), "in float32", "quiet"),
    ]
    _name_lines(picture, names, x + 8, y + height - 56)
    return picture.svg()


def _name_lines(picture, names, left, top):
    """Name lines in a corner: (style, name, colour), one below the other."""
    longest = max(len(name) for _, name, _ in names)
    picture.box(left - 4, top - 10, 44 + 8.5 * longest, 20 * len(names), "paper", "none", 0, 3)
    for k, (style, name, ink) in enumerate(names):
        picture.line([(left, top + 20 * k), (left + 28, top + 20 * k)], *_STYLES[style])
        picture.text(left + 36, top + 5 + 20 * k, name, 14, ink=ink, bold=ink != "quiet")


def _powers(errors):
    """Errors as powers of ten, where the plot shows them; nan where there is none."""
    powers = np.where(np.isfinite(errors), np.log10(errors), math.nan)
    return np.clip(powers, _LOWEST_ERROR, _HIGHEST_ERROR)


def _heights(model, above):
    """The heights to show: the curve's, but not the steepest of a curve that runs away."""
    _, heights = model.samples().T
    heights = np.sort(heights[np.isfinite(heights)])
    kept = [model.y, *heights[len(heights) // 20 :], *([above] if math.isfinite(above) else [])]
    low, high = min(kept), max(kept)
    room = 0.08 * (high - low) or max(abs(low) * 1e-15, 2.5 * model.eps)
    return low - room, high + room


class _Plot:
    """Lines and points within one pair of axes; what lies outside is cut off.

    area: left, top, width and height; across, up: what the edges stand for, (left, right) and
    (bottom, top).
    """

    def __init__(self, area, across, up):
        self.left, self.top, self.width, self.height = area
        self.inside = svg.Drawing(self.width, self.height, "")
        self.ends = np.array(across)
        self.across, self.up = _scale(*across, 0, self.width), _scale(*up, self.height, 0)

    def polyline(self, style, along, heights):
        """A line through points, interrupted where one has no finite height."""
        heights = np.where(np.isfinite(heights), heights, math.nan)
        places = zip(self.across(along).tolist(), self.up(heights).tolist())
        self.inside.path(svg.broken_line(places, ".1f"), *_STYLES[style])

    def slope(self, style, slope, through):
        """A straight line of this slope, if it is one, from edge to edge."""
        if math.isfinite(slope) and math.isfinite(through[1]):
            self.polyline(style, self.ends, through[1] + slope * (self.ends - through[0]))

    def point(self, kind, a, b, fill, stroke):
        """A point of a line: a circle, of a central quotient a square."""
        if math.isfinite(b):
            round_by = 6 if kind == "forward" else 0
            left, top = self.across(a) - 6, self.up(b) - 6
            self.inside.box(left, top, 12, 12, fill, stroke, 2, round_by)

    def put_into(self, picture):
        """With a margin, so that a point at an edge is whole."""
        picture.add(
            f'<svg x="{self.left - 8:g}" y="{self.top - 8:g}" width="{self.width + 16}" '
            f'height="{self.height + 16}" viewBox="-8 -8 {self.width + 16} {self.height + 16}">'
            f"{''.join(self.inside.parts)}</svg>"
        )


def _scale(low, high, start, end):
    """A function from [low, high] to [start, end]; what lies far outside stays drawable."""

    def scaled(value):
        place = start + (value - low) / (high - low) * (end - start)
        return np.minimum(np.maximum(place, -2000.0), 3000.0)  # np.clip is slow for one number

    return scaled
