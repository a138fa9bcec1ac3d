"""The two plots of the nudge meter: curve, secants and tangent; and error against eps.

What belongs to the forward quotient, the learner's own nudge, is violet, solid and round; what is
central is grey, thin and square; the tangent, by backward, is dashed ink. Labels stand on the
lines: each where it is free, next to what it names.
"""

import math

import numpy as np

from ...formatting import MINUS, number
from ..shared import svg
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
_ERROR_LABELS = {  # where along its line, the text, its colour
    ("float64", "forward"): (0.68, "forward", "hand"),
    ("float64", "central"): (0.55, "central", "quiet"),
    ("float32", "forward"): (0.15, "float32, dotted", "quiet"),
    ("float32", "central"): (0, "", "quiet"),
}


def drawing(model):
    """Both plots and the numbers, for a reader without a kernel."""
    text = model.text(model.stored_answer()).split("\n")
    width = CURVE_SIZE[0] + ERROR_SIZE[0] + 24
    found = svg.Drawing(max(width, 8.5 * max(map(len, text))), 264 + 20 * len(text), "nudge meter")
    draw_curve(found, model)
    draw_errors(found, model, CURVE_SIZE[0] + 24)
    for k, line in enumerate(text):
        found.text(0, 284 + 20 * k, line, 14, "code")
    return found


def curve_svg(model):
    """The curve around x, the tangent and both secants, for the panel."""
    found = svg.Drawing(*CURVE_SIZE, _curve_in_words(model))
    draw_curve(found, model)
    return found.svg()


def errors_svg(model):
    """The errors against eps, for the panel."""
    found = svg.Drawing(*ERROR_SIZE, f"error against eps. {' '.join(model.best_lines())}")
    draw_errors(found, model)
    return found.svg()


def _curve_in_words(model):
    slopes, example = model.slopes["float64"], model.example
    return (
        f"{example.formula} around {example.input_name} = {digits(model.x)}: tangent of slope "
        f"{digits(model.derivative)}, forward secant of slope {digits(slopes['forward'])}, central "
        f"secant of slope {digits(slopes['central'])}"
    )


def draw_curve(picture, model, left=0):
    """The curve around the point, the tangent and both secants."""
    plot = _Plot(picture, left, _CURVE)
    reach, slopes = model.reach, model.slopes["float64"]
    above = (model.eps, model.y + slopes["forward"] * model.eps)
    below = (-model.eps, above[1] - 2 * model.eps * slopes["central"])
    low, high = _heights(model, above[1])
    plot.scales((-reach, reach), (low, high))
    plot.polyline("curve", model.samples(), 0.04, model.example.output, ink="quiet")
    if model.zoomed:  # there the steps of float32 can be seen
        plot.polyline("steps", model.samples("float32"), 0.96, "in float32")
    plot.slope("central", slopes["central"], above)
    plot.slope("tangent", model.derivative, (0, model.y), 0.2,
               f"tangent {number(model.derivative, True)}")
    plot.slope("forward", slopes["forward"], (0, model.y), 0.8,
               f"secant {number(slopes['forward'], True)}", "hand")
    for offset, height in ((0, model.y), above):
        plot.line([(offset, low), (offset, height)], "hand", 1.5, "2 3")
    plot.point("central", *below, "quiet", "quiet")
    plot.point("forward", *above, "hand", "hand")
    plot.point("forward", 0, model.y, "ink", "ink")
    plot.done()
    _axis_of_curve(picture, plot, model, left)


def _axis_of_curve(picture, plot, model, left):
    """x, the nudge itself as a step, and how far the picture reaches."""
    right, bottom = left + _CURVE[0] + _CURVE[2], _CURVE[1] + _CURVE[3]
    start, end = (left + _CURVE[0] + plot.across(offset) for offset in (0, model.eps))
    picture.line([(left + _CURVE[0], bottom), (right, bottom)], "edge")
    picture.line([(start, bottom), (max(end, start + 2), bottom)], "hand", 6)
    name = f"{model.example.input_name} = {number(model.x, digits=4, minus=True)}"
    picture.text(start + 8, bottom + 24, name, 14, "code", anchor="end")
    picture.text(start + 16, bottom + 24, "eps", 15, ink="hand", bold=True)
    reach = number(model.reach, digits=3)
    picture.text(left + _CURVE[0], bottom + 24, MINUS + reach, 14, ink="quiet")
    picture.text(right, bottom + 24, f"+{reach}", 14, anchor="end", ink="quiet")


def draw_errors(picture, model, left=0):
    """The error of each estimate against eps, both axes in powers of ten."""
    plot = _Plot(picture, left, _ERROR)
    x, y, width, height = left + _ERROR[0], *_ERROR[1:]
    plot.scales((LOWEST, HIGHEST), (_LOWEST_ERROR, _HIGHEST_ERROR))
    for power in range(-12, 1, 4):
        place, up = x + plot.across(power), y + plot.up(power)
        picture.line([(place, y), (place, y + height)], "line", 1)
        picture.line([(x, up), (x + width, up)], "line", 1)
        name = f"1e{MINUS}{-power}" if power else "1"
        picture.text(place, y + height + 20, name, 14, anchor="middle", ink="quiet")
        picture.text(x - 8, up + 5, name, 14, anchor="end", ink="quiet")
    for (dtype, kind), sweep in reversed(model.sweep.items()):
        points = [(math.log10(eps), _power(error)) for eps, error in sweep]
        plot.polyline((dtype, kind), points, *_ERROR_LABELS[dtype, kind])
    power = min(max(model.power, LOWEST), HIGHEST)
    for kind in reversed(KINDS):
        ink = _STYLES["float64", kind][0]
        for dtype in reversed(DTYPES):
            error = model.estimates[dtype][kind].error
            plot.point(kind, power, _power(error), ink if dtype == "float64" else "paper", ink)
    now = x + plot.across(power)
    picture.line([(now, y - 8), (now, ERROR_SIZE[1] - 24)], "hand", 2.5, "2 4")
    plot.done()


def _power(error):
    """The power of ten of an error, where the plot shows it; nan where there is none."""
    if not math.isfinite(error):
        return math.nan
    power = math.log10(error) if error else _LOWEST_ERROR
    return min(max(power, _LOWEST_ERROR), _HIGHEST_ERROR)


def _heights(model, above):
    """The heights to show: the curve's, but not the steepest of a curve that runs away."""
    heights = sorted(y for _, y in model.samples() if math.isfinite(y)) or [model.y]
    kept = [model.y, *heights[len(heights) // 20 :], *([above] if math.isfinite(above) else [])]
    low, high = min(kept), max(kept)
    room = 0.08 * (high - low) or max(abs(low) * 1e-15, 2.5 * model.eps)
    return low - room, high + room


class _Plot:
    """Lines, points and their labels within one pair of axes; what lies outside is cut off."""

    CELL = 5  # pixels: so finely it is known what is taken

    def __init__(self, picture, left, area):
        self.picture, self.left = picture, left + area[0]
        self.top, self.width, self.height = area[1:]
        self._inside = svg.Drawing(self.width, self.height, "")
        self._taken = np.zeros((self.height // self.CELL + 1, self.width // self.CELL + 1))
        self._labels = []  # placed when every line is known

    def scales(self, across, up):
        """Set what the edges stand for: (left, right) and (bottom, top)."""
        self._reach = across
        self.across = _scale(*across, 0, self.width)
        self.up = _scale(*up, self.height, 0)

    def polyline(self, style, points, at, label, ink="ink"):
        """A line through points, interrupted where there is none; `at`: where to label it."""
        places = [(self.across(a), self.up(b) if math.isfinite(b) else b) for a, b in points]
        path, drawing = "", False
        for a, b in places:
            if math.isfinite(b):
                path += f"{'L' if drawing else 'M'}{a:.1f} {b:.1f}"
            drawing = math.isfinite(b)
        self._inside.path(path, *_STYLES[style])
        self._take(np.array(places))
        self._label(label, [place for place in places if math.isfinite(place[1])], at, ink)

    def slope(self, style, slope, through, at=0.5, label="", ink="ink"):
        """A straight line of this slope, if it is one, from edge to edge."""
        if math.isfinite(slope) and math.isfinite(through[1]):
            ends = [(a, through[1] + slope * (a - through[0])) for a in self._reach]
            self.polyline(style, ends, 0, "")
            places = [(self.across(a), self.up(b)) for a, b in ends]
            between = zip(*(np.linspace(*pair, 81) for pair in zip(*places)))
            seen = [place for place in between if 0 <= place[1] <= self.height]
            self._label(label, seen, at, ink)

    def line(self, points, *style):
        """A line that needs no label."""
        if all(math.isfinite(b) for _, b in points):
            self._inside.line([(self.across(a), self.up(b)) for a, b in points], *style)

    def point(self, kind, a, b, fill, stroke):
        """A point of a line: a circle, of a central quotient a square."""
        if math.isfinite(b):
            x, y, round_by = self.across(a), self.up(b), 6 if kind == "forward" else 0
            self._inside.box(x - 6, y - 6, 12, 12, fill, stroke, 2, round_by)
            self._take(np.array([(x + a, y + b) for a in (-6, 0, 6) for b in (-6, 0, 6)]))

    def done(self):
        """Put the lines into the picture, and the labels where they are free."""
        self.picture.add(
            f'<svg x="{self.left - 8:g}" y="{self.top - 8:g}" width="{self.width + 16}" '
            f'height="{self.height + 16}" viewBox="-8 -8 {self.width + 16} {self.height + 16}">'
            f"{''.join(self._inside.parts)}</svg>"
        )
        for label, places, wanted, ink in self._labels:
            x, y = self._free(places, wanted, 8.5 * len(label))
            self.picture.text(self.left + x, self.top + y + 5, label, 14, anchor="middle", ink=ink,
                              bold=ink != "quiet")

    def _label(self, text, places, at, ink):
        """Name a line: anywhere along `places`, best at this share of its length."""
        if text and places:
            wanted = places[round(at * (len(places) - 1))]
            self._labels.append((text, places[:: max(1, len(places) // 8)], wanted, ink))

    def _take(self, places):
        """Remember what a line through these places covers."""
        between = np.linspace(0, len(places) - 1, 600)
        x, y = (np.interp(between, range(len(places)), column) for column in places.T)
        inside = (x >= 0) & (x <= self.width) & (y >= 0) & (y <= self.height)  # nan is not
        self._taken[(y[inside] // self.CELL).astype(int), (x[inside] // self.CELL).astype(int)] = 1

    def _free(self, places, wanted, width):
        """The middle of a label of this width: close to its line, and upon none if that can be."""
        rows, columns = 4, min(int(width / self.CELL) + 1, self._taken.shape[1] - 1)
        sums = np.pad(self._taken.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
        under = (sums[rows:, columns:] - sums[:-rows, columns:]
                 - sums[rows:, :-columns] + sums[:-rows, :-columns])
        tops, lefts = np.indices(under.shape)
        x, y = (lefts + columns / 2) * self.CELL, (tops + rows / 2) * self.CELL
        away = np.min([np.hypot(x - a, y - b) + 0.2 * math.dist((a, b), wanted)
                       for a, b in places], axis=0)
        top, left = np.unravel_index(np.argmin(under * 1e4 + away), under.shape)
        self._taken[top : top + rows, left : left + columns] = 1
        return float(x[top, left]), float(y[top, left])


def _scale(low, high, start, end):
    """A function from [low, high] to [start, end]; what lies far outside stays drawable."""
    def scaled(value):
        place = start + (value - low) / (high - low) * (end - start)
        return min(max(place, -2000.0), 3000.0)
    return scaled
