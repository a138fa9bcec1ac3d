"""Pictures as SVG text: the stored snapshot of a widget, for readers without a running kernel.

The same state always gives the same bytes, so stored outputs can be compared. A picture is shown
through `<img alt=...>`: a page that is not trusted strips inline SVG, but shows this. An image
cannot see the page's theme, so it brings its own light paper, readable in both.
"""

import base64
import textwrap

from ..formatting import indices, number
from .theme import escape, tint

INK, QUIET, PAPER, LINE = "#111111", "#444444", "#ffffff", "#8a8a8a"
ROW, CELL = 28, 66  # a matrix cell, in pixels
_LETTER = 0.6  # width of a monospaced letter, as a share of its size
_FONTS = {"text": "sans-serif", "code": "monospace"}


class Picture:
    """An SVG picture that grows to the right and downwards with what is drawn."""

    def __init__(self):
        self.parts = []
        self.width = self.height = 0

    def text(self, x, y, text, size=16, font="text", bold=False, anchor="start", colour=INK):
        """One line of text with its baseline at y."""
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-family="{_FONTS[font]}" font-size="{size}"{weight} '
            f'text-anchor="{anchor}" fill="{colour}" xml:space="preserve">{escape(text)}</text>'
        )
        if anchor == "start":
            self.grow(x + len(text) * size * _LETTER, y + size * 0.4)

    def title(self, text, font="code"):
        """The first line."""
        self.text(0, 14, text, size=18, font=font, bold=True)

    def paragraph(self, x, y, text, columns, size=16, font="code"):
        """Text broken into lines of `columns` letters. Returns the y below it."""
        for line in textwrap.wrap(text, columns, break_on_hyphens=False) or [""]:
            self.text(x, y, line, size=size, font=font)
            y += size * 1.4
        return y

    def matrix(self, x, y, values, chosen=None, signed=True):
        """An array in its own shape, tinted by sign, its top left corner at (x, y).

        Returns (width, height).
        """
        sizes = values.shape
        columns = sizes[-1] if sizes else 1
        finite = [abs(float(value)) for value in values.ravel() if abs(float(value)) < float("inf")]
        largest = max(finite, default=0.0)
        texts = [number(float(values[index]), signed=signed) for index in indices(sizes)]
        cell = max([CELL] + [len(text) * 16 * _LETTER + 14 for text in texts])
        rows = len(texts) // columns
        for position, index in enumerate(indices(sizes)):
            left, top = x + 6 + cell * (position % columns), y + ROW * (position // columns)
            background = tint(float(values[index]), largest) if signed else "transparent"
            frame = INK if index == chosen else "none"
            self.parts.append(
                f'<rect x="{left + 1:g}" y="{top + 1:g}" width="{cell - 2:g}" height="{ROW - 2}" '
                f'rx="3" fill="{_fill(background)}" stroke="{frame}"/>'
            )
            self.text(left + cell - 8, top + ROW - 9, texts[position], font="code", anchor="end")
        width, height = cell * columns + 12, ROW * rows
        for side, inward in ((x + 1, 5), (x + width - 1, -5)):
            self.parts.append(
                f'<path d="M{side + inward:g} {y:g}H{side:g}V{y + height:g}H{side + inward:g}" '
                f'fill="none" stroke="{INK}" stroke-width="1.5"/>'
            )
        self.grow(x + width, y + height)
        return width, height

    def drawing(self, x, y, svg):
        """Another drawing, as SVG text that states its width and height. Returns the y below it."""
        width, height = (int(svg.split(f'{side}="')[1].split('"')[0]) for side in ("width", "height"))
        self.parts.append(f'<svg x="{x:g}" y="{y:g}"{svg[4:]}')
        self.grow(x + width, y + height)
        return y + height

    def box(self, x, y, width, height, fill="none", stroke=LINE):
        """A rounded rectangle, its top left corner at (x, y)."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )
        self.grow(x + width, y + height)

    def grow(self, right, bottom):
        """Make room as far as this."""
        self.width, self.height = max(self.width, right), max(self.height, bottom)

    def svg(self, margin=14):
        """The whole picture as SVG text."""
        width, height = round(self.width + 2 * margin), round(self.height + 2 * margin)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="{-margin} {-margin} {width} {height}">'
            f'<rect x="{-margin}" y="{-margin}" width="{width}" height="{height}" fill="{PAPER}" '
            f'stroke="{LINE}"/>{"".join(self.parts)}</svg>'
        )

    def img(self, alt):
        """The picture as an HTML image with alternative text."""
        data = base64.b64encode(self.svg().encode()).decode()
        return (
            f'<img alt="{escape(alt)}" style="max-width: 100%; height: auto" '
            f'src="data:image/svg+xml;base64,{data}">'
        )


def _fill(background):
    return "none" if background == "transparent" else background
