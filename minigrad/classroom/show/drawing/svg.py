"""Drawings as SVG text: shown within a panel in its theme's colours, and as a still outside.

The same state always gives the same bytes. A still is an `<img alt=...>`: a page that is not
trusted strips inline SVG, but shows this, in the light theme's colours on paper of their own.
"""

import base64
import math
import re
import textwrap
from html import escape

from ..formatting import number
from ..html import Html, tag
from .palette import LIGHT, colour, sign_class

LETTER = 0.602  # width of a monospaced letter, as a share of its size
# Paper cannot be scrolled: a drawing is at most as wide as the page, and a long line, of the page's
# cells too, goes on below. In 7 points an A4 page holds 100 columns. No page ends with a heading,
# and a program that fits a page stands on one.
_ON_PAPER = Html(
    "<style>@media print { .mg-drawn { max-width: 100% !important } "
    "pre { font-size: 7pt !important; white-space: pre-wrap !important; "
    "word-break: normal !important; overflow-wrap: anywhere } "
    "h1, h2, h3 { break-after: avoid } "
    ".highlight, .jp-OutputArea-output { break-inside: avoid } }</style>"
)
# What all within a drawing inherits: most texts need not say it again.
_LOOK = (
    f'font-family="var(--jp-code-font-family, monospace)" font-size="16" fill="{colour("ink")}" '
    'xml:space="preserve"'
)


class Drawing:
    """An SVG drawing of a fixed size, filled from back to front.

    label: what it shows, in a few words, for screen readers; a panel tells the rest in its text.
    """

    def __init__(self, width, height, label):
        self.width, self.height, self.label = width, height, label
        self.parts = []

    def add(self, svg):
        """SVG text of one's own."""
        self.parts.append(svg)

    def text(self, x, y, text, size=16, font="text", bold=False, anchor="start", ink="ink"):
        """One line of text with its baseline at y. ink: the name of a colour of the theme."""
        look = "" if font == "code" else ' font-family="sans-serif"'
        look += "" if size == 16 else f' font-size="{size}"'
        look += ' font-weight="700"' if bold else ""
        look += "" if anchor == "start" else f' text-anchor="{anchor}"'
        look += "" if ink == "ink" else f' fill="{colour(ink)}"'
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{look}>{escape(text)}</text>')

    def paragraph(self, x, y, text, columns, size=16, font="text", **look):
        """Text broken into lines of `columns` letters. Returns the baseline below it."""
        for line in textwrap.wrap(text, columns, break_on_hyphens=False) or [""]:
            self.text(x, y, line, size, font, **look)
            y += size * 1.5
        return y

    def box(self, x, y, width, height, fill="none", stroke="edge", thick=1.5, radius=8, dash=""):
        """A rounded rectangle. fill, stroke: names of colours of the theme, or "none"."""
        edge = f' stroke="{colour(stroke)}" stroke-width="{thick:g}"{_dashed(dash)}'
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" '
            f'fill="{_paint(fill)}"{edge if stroke != "none" else ""}/>'
        )

    def line(self, points, stroke="edge", thick=1.5, dash="", arrow=False):
        """Straight lines from point to point; arrow: a head at the last."""
        path = "M" + "L".join(f"{x:g} {y:g}" for x, y in points)
        self.path(path, stroke, thick, dash, (points[-2], points[-1]) if arrow else None)

    def path(self, path, stroke="edge", thick=1.5, dash="", arrow=None):
        """An SVG path. arrow: (from, to), a head at `to` in the direction from `from`."""
        self.parts.append(
            f'<path d="{path}" stroke-width="{thick:g}"{_dashed(dash)} '
            f'fill="none" stroke="{_paint(stroke)}"/>'
        )
        if arrow:
            (x0, y0), (x1, y1) = arrow
            length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
            dx, dy, size = (x1 - x0) / length, (y1 - y0) / length, 5 + 2 * thick
            back, side = (x1 - size * dx, y1 - size * dy), (-dy * size / 2, dx * size / 2)
            self.parts.append(
                f'<path d="M{x1:g} {y1:g}L{back[0] + side[0]:g} {back[1] + side[1]:g}'
                f'L{back[0] - side[0]:g} {back[1] - side[1]:g}Z" fill="{_paint(stroke)}"/>'
            )

    def chip(self, x, y, value, largest=None, text=None, width=None, height=26, marks=""):
        """A signed number on its tint, centred at (x, y). marks: "changed" or none."""
        text = number(value, signed=True) if text is None else text
        width = width or max(36, len(text) * 16 * LETTER + 14)
        left, top = x - width / 2, y - height / 2
        tint = sign_class(value, abs(value) if largest is None else largest)
        self.box(left, top, width, height, "paper", "none", 0, 3)
        if tint:
            self.box(left, top, width, height, tint.removeprefix("mg-"), "none", 0, 3)
            bar = top if "plus" in tint else top + height - 3
            self.box(left, bar, width, 3, tint.split("-")[1], "none", 0, 1)
        if "changed" in marks:
            self.changed(left - 2, top - 2, width + 4, height + 4)
        self.text(x, y + 5.5, text, font="code", anchor="middle")

    def changed(self, x, y, width, height, radius=4):
        """Dots round what the last action changed."""
        self.add('<g class="mg-changed">')
        self.box(x, y, width, height, "none", "hand", 2, radius, "2 3")
        self.add("</g>")

    def svg(self):
        """The drawing as SVG, which stands within a panel's HTML."""
        size = f'width="{self.width:g}" height="{self.height:g}"'
        return Html(
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="0 0 {self.width:g} {self.height:g}" {_LOOK} role="img" '
            f'aria-label="{escape(self.label)}">{"".join(self.parts)}</svg>'
        )

    def alone(self):
        """The drawing as SVG text for anywhere, on light paper with a margin."""
        text = self.on_paper('fill="#ffffff"')
        for name, value in LIGHT.items():  # not every reader of SVG knows variables
            text = re.sub(rf"var\(--mg-{name}(, #\w+)?\)", value, text)
        return _rounded(text)

    def on_paper(self, paper, style="", about=""):
        """As `alone`, in the colours of the page. paper, about: attributes of the paper and of the
        whole; style: a style element, or none."""
        size = f'width="{self.width + 28:g}" height="{self.height + 28:g}"'
        text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
            f'viewBox="-14 -14 {self.width + 28:g} {self.height + 28:g}" {_LOOK}{about}>{style}'
            f'<rect x="-14" y="-14" {size} {paper}/>{"".join(self.parts)}</svg>'
        )
        return _rounded(text.replace("var(--jp-code-font-family, monospace)", "monospace"))

    def image(self, alt):
        """`alone` as an HTML image: it keeps its type size, and scrolls on a narrow page. A wide
        one shrinks to a page beside the list of files, and no further."""
        width = round(self.width + 28, 2)
        widest = "max(100%, 760px)" if width > 760 else "none"
        data = base64.b64encode(self.alone().encode()).decode()
        drawn = tag(
            "img",
            alt=alt,
            class_="mg-drawn",
            width=f"{width:g}",
            style=f"max-width: {widest}",
            src=f"data:image/svg+xml;base64,{data}",
        )
        return _ON_PAPER + tag("div", drawn, style="overflow-x: auto")


def arrow(width, backward=False):
    """An arrow between two parts of a panel: forward to the right, backward to the left, dashed."""
    drawing = Drawing(width, 16, "backward" if backward else "forward")
    ends = [(width, 8), (2, 8)] if backward else [(0, 8), (width - 2, 8)]
    drawing.line(ends, *(("ink", 2.5, "7 4") if backward else ("edge", 1.5)), arrow=True)
    return drawing.svg()


def broken_line(points, digits="g"):
    """The path through points, interrupted where one is not finite. digits: as of a format."""
    path, joint = "", "M"
    for x, y in points:
        is_there = math.isfinite(y)
        path += f"{joint}{x:{digits}} {y:{digits}}" if is_there else ""
        joint = "L" if is_there else "M"
    return path


def letters(text, size=16):
    """How wide a text in the code font is, in pixels."""
    return len(text) * size * LETTER


def _dashed(dash):
    return f' stroke-dasharray="{dash}"' if dash else ""


def _paint(name):
    return name if name == "none" else colour(name)


def _rounded(svg):
    """SVG with its numbers rounded to hundredths: the same bytes everywhere."""

    def short(digits):
        value = round(float(digits[0]), 2)
        return f"{value:g}" if value else "0"

    return re.sub(r"<[^>]+>", lambda tag: re.sub(r"-?\d+\.\d{2,}", short, tag[0]), svg)
