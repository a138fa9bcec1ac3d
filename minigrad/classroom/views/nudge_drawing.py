"""The two pictures of the nudge meter: curve, secants and tangent; and error against eps.

Drawn with colours that are handed in, so that the same drawing serves the live page, where they are
the theme's, and the stored picture. No two lines differ by hue alone: each has dashes of its own,
and what is central is marked by squares.
"""

import math

from ..formatting import MINUS
from ..models.nudge import HIGHEST, KINDS, LOWEST, digits

WIDTH, HEIGHT = 430, 270  # of the space within the axes
LEFT, TOP = 80, 92  # room for the numbers at the axes, and for the key
SIZE = 15
FORWARD, CENTRAL = "#006ba4", "#c85200"  # of tableau-colorblind10; each 3:1 or more on both papers
LOWEST_ERROR, HIGHEST_ERROR = -14, 2  # powers of ten; what lies outside is drawn at the edge
STYLES = {  # of a line: colour (None: the ink), width, dashes
    "curve": (None, 2.5, ""),
    "steps": (None, 1.2, ""),
    "tangent": (None, 2, "9 5"),
    "forward": (FORWARD, 3, "18 4"),
    "central": (CENTRAL, 3, "2 5"),
    ("float64", "forward"): (FORWARD, 2.5, ""),
    ("float64", "central"): (CENTRAL, 2.5, "12 4"),
    ("float32", "forward"): (FORWARD, 2.5, "3 4"),
    ("float32", "central"): (CENTRAL, 2.5, "9 4 2 4"),
}


def draw_curve(picture, x, y, model, ink, line):
    """The curve around the point, the tangent and both secants, its top left corner at (x, y)."""
    pen = _Pen(picture, x, y, ink, line)
    reach, samples = model.reach, model.samples()
    found = model.estimates()["float64"]
    low, high = _range(model, samples, found)
    across = _scale(-reach, reach, 0, WIDTH)
    up = _scale(low, high, HEIGHT, 0)
    pen.frame()
    curves = {"curve": samples}
    if model.zoomed:  # there the steps of float32 can be seen
        curves["steps"] = model.samples("float32")
    inside = []
    for name, points in curves.items():
        inside.append(_polyline([(across(a), up(b)) for a, b in points], STYLES[name], ink))
    for name, slope in _slopes(model, found).items():
        through = _through(model, name, found)
        if through is not None and math.isfinite(slope):
            ends = [(a, through[1] + slope * (a - through[0])) for a in (-reach, reach)]
            inside.append(_polyline([(across(a), up(b)) for a, b in ends], STYLES[name], ink))
    for offset, height in _points(model):
        if math.isfinite(height):
            kind = "forward" if offset > 0 else "central"
            fill, size = (ink, 6) if offset == 0 else (STYLES[kind][0], 5)
            shape = "forward" if offset == 0 else kind
            inside.append(_mark(shape, across(offset), up(height), size, f'fill="{fill}"'))
    pen.clipped(inside)
    name, out = model.curve.input_name, model.curve.output_name
    pen.text(across(0), HEIGHT + 20, f"{name} = {digits(model.x)}", anchor="middle")
    pen.text(0, HEIGHT + 20, f"{MINUS}{digits(reach, 3)}")
    pen.text(WIDTH, HEIGHT + 20, f"+{digits(reach, 3)}", anchor="end")
    for value in (low, high):  # close to the point only the distance from it tells anything
        told = f"{value - model.y:+.2g}".replace("-", MINUS) if model.zoomed else digits(value, 3)
        pen.text(-6, up(value) + (0 if value == low else 12), told, anchor="end")
    pen.text(-6, min(max(up(model.y) + 5, 30), HEIGHT - 18), digits(model.y, 3), anchor="end")
    pen.text(4, 16, out)
    key = [("curve", f"{model.curve.formula}"),
           ("tangent", f"tangent {digits(model.derivative, 5)}"),
           ("forward", f"forward {digits(found['forward'].value, 5)}"),
           ("central", f"central {digits(found['central'].value, 5)}")]
    if model.zoomed:
        key.append(("steps", f"{out} in float32"))
    pen.key(key)
    picture.grow(x + LEFT + WIDTH + 12, y + TOP + HEIGHT + 28)


def draw_errors(picture, x, y, model, ink, line):
    """The error of each estimate against eps, both axes in powers of ten, at (x, y)."""
    pen = _Pen(picture, x, y, ink, line)
    across = _scale(LOWEST, HIGHEST, 0, WIDTH)
    up = _scale(LOWEST_ERROR, HIGHEST_ERROR, HEIGHT, 0)

    def place(eps, error):
        power = LOWEST_ERROR if error == 0 else math.log10(error)
        return across(math.log10(eps)), up(min(max(power, LOWEST_ERROR), HIGHEST_ERROR))

    pen.frame()
    for power in range(int(LOWEST), int(HIGHEST) + 1, 2):
        pen.grid(across(power), None)
        pen.text(across(power), HEIGHT + 20, f"1e{power}" if power else "1", anchor="middle",
                 size=14)
    for power in range(LOWEST_ERROR, HIGHEST_ERROR + 1, 4):
        pen.grid(None, up(power))
        pen.text(-6, up(power) + 5, f"1e{power}" if power else "1", anchor="end", size=14)
    inside = [
        _polyline([place(*pair) if math.isfinite(pair[1]) else (0, math.nan)
                   for pair in model.sweep[series]], STYLES[series], ink)
        for series in model.sweep
    ]
    now = across(min(max(model.power, LOWEST), HIGHEST))
    inside.append(f'<path d="M{now:g} 0V{HEIGHT}" stroke="{ink}" stroke-width="2"/>')
    for dtype, kinds in model.estimates().items():
        for kind in KINDS:
            if math.isfinite(kinds[kind].error):
                height = place(model.eps, kinds[kind].error)[1]
                colour = STYLES[dtype, kind][0]
                fill = colour if dtype == "float64" else "none"
                paint = f'fill="{fill}" stroke="{colour}" stroke-width="2.5"'
                inside.append(_mark(kind, now, height, 6, paint))
    pen.clipped(inside)
    pen.text(WIDTH, HEIGHT + 42, "eps", anchor="end")
    pen.text(now, HEIGHT + 42, f"now {digits(model.eps, 3)}",
             anchor="middle" if now < WIDTH - 120 else "end",
             shift=0 if now < WIDTH - 40 else -40)
    pen.key([(series, f"{series[1]}, {series[0]}") for series in model.sweep])
    picture.grow(x + LEFT + WIDTH + 12, y + TOP + HEIGHT + 50)


def _slopes(model, found):
    return {"tangent": model.derivative, "forward": found["forward"].value,
            "central": found["central"].value}


def _points(model):
    """[(offset, f)] at x, x + eps and x - eps: the points that the secants go through."""
    central = model.estimates()["float64"]["central"].value
    forward = model.estimates()["float64"]["forward"].value
    above = model.y + forward * model.eps
    return [(model.eps, above), (-model.eps, above - 2 * model.eps * central), (0, model.y)]


def _through(model, name, found):
    """A point of the line: (offset, height)."""
    if name == "central":
        return model.eps, model.y + found["forward"].value * model.eps
    return 0.0, model.y


def _range(model, samples, found):
    """The heights to show: the curve's, but not the steepest of a curve that runs away."""
    heights = sorted(b for _, b in samples if math.isfinite(b)) or [model.y]
    kept = [model.y, *heights[len(heights) // 20:]]
    kept += [b for _, b in _points(model) if math.isfinite(b)][:1]
    low, high = min(kept), max(kept)
    room = 0.08 * (high - low) or max(abs(low) * 1e-15, 2.5 * model.eps)
    return low - room, high + room


def _scale(low, high, start, end):
    """A function from [low, high] to [start, end]; what lies far outside stays drawable."""
    def scaled(value):
        place = start + (value - low) / (high - low) * (end - start)
        return min(max(place, -2000.0), 3000.0)
    return scaled


def _polyline(points, style, ink):
    """A line through points; it is interrupted where there is none."""
    colour, width, dashes = style
    path, drawing = "", False
    for a, b in points:
        if math.isfinite(b):
            path += f"{'L' if drawing else 'M'}{a:.1f} {b:.1f}"
        drawing = math.isfinite(b)
    dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (f'<path d="{path}" fill="none" stroke="{colour or ink}" stroke-width="{width}"'
            f'{dashes}/>')


def _mark(kind, x, y, size, paint):
    """A point of a line: a circle, of a central quotient a square."""
    if kind == "central":
        return (f'<rect x="{x - size:g}" y="{y - size:g}" width="{2 * size}" height="{2 * size}" '
                f'{paint}/>')
    return f'<circle cx="{x:g}" cy="{y:g}" r="{size}" {paint}/>'


class _Pen:
    """Draws into one picture's frame, whose top left corner it knows."""

    def __init__(self, picture, x, y, ink, line):
        self.picture, self.left, self.top = picture, x + LEFT, y + TOP
        self.start, self.head = x, y
        self.ink, self.line = ink, line

    def text(self, x, y, text, anchor="start", size=SIZE, shift=0):
        self.picture.text(self.left + x + shift, self.top + y, text, size=size, anchor=anchor,
                          colour=self.ink)

    def frame(self):
        self.picture.parts.append(
            f'<rect x="{self.left:g}" y="{self.top:g}" width="{WIDTH}" height="{HEIGHT}" '
            f'fill="none" stroke="{self.line}"/>'
        )

    def grid(self, x, y):
        path = f"M{self.left + x:g} {self.top:g}v{HEIGHT}" if y is None else \
            f"M{self.left:g} {self.top + y:g}h{WIDTH}"
        self.picture.parts.append(
            f'<path d="{path}" stroke="{self.line}" stroke-width="1" opacity="0.4"/>'
        )

    def clipped(self, parts):
        """Shapes within the frame; an inner svg cuts off what lies outside."""
        self.picture.parts.append(
            f'<svg x="{self.left:g}" y="{self.top:g}" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
        )

    def key(self, entries):
        """Names of the lines, two in a row above the frame."""
        for k, (name, text) in enumerate(entries):
            x, y = self.start + 8 + 250 * (k % 2), self.head + 22 + 24 * (k // 2)
            sample = _polyline([(x, y - 5), (x + 38, y - 5)], STYLES[name], self.ink)
            self.picture.parts.append(sample)
            self.picture.text(x + 46, y, text, size=SIZE, colour=self.ink)
