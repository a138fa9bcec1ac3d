"""Small square images side by side, each with its name under it."""

import numpy as np

from .svg import Drawing

_SIDE, _INK, _AGAINST = 72, (20, 20, 20), (200, 82, 0)  # full ink, and the orange of below zero
_SHADES = 8  # from paper to ink, and from paper to orange


def draw_tiles(images, names, columns, alt):
    """images: square arrays from -1 to 1; what is below 0 is a bar of half a pixel's height."""
    pixels = max(map(len, images), default=8)
    pixel, size, down = (_SIDE - 16) / pixels, _SIDE - 16, _SIDE + 14
    drawing = Drawing(columns * _SIDE, -(-len(images) // columns) * down, alt)
    for k, (image, name) in enumerate(zip(images, names)):
        x, y = k % columns * _SIDE + 8, k // columns * down + 6
        drawing.add(f'<g transform="translate({x} {y})">')
        for shade in range(1, _SHADES + 1):
            share = shade / _SHADES
            drawing.add(_shaded(np.ceil(image * _SHADES) == shade, _INK, share, pixel, 0, pixel))
            below = np.floor(image * _SHADES) == -shade
            drawing.add(_shaded(below, _AGAINST, share, pixel, pixel / 4, pixel / 2))
        drawing.box(0, 0, size, size, "none", "line", 1, 0)
        drawing.text(size / 2, size + 17, name, 14, anchor="middle")
        drawing.add("</g>")
    return drawing


def _shaded(flags, full, share, pixel, down, high):
    """The path, if any, that fills these pixels with a colour between paper and `full`."""
    path = "".join(
        f"M{begin * pixel:g} {row * pixel + down:g}h{(end - begin) * pixel:g}v{high:g}"
        f"H{begin * pixel:g}z"
        for row, begin, end in _runs(flags)
    )
    red, green, blue = (round(255 - share * (255 - one)) for one in full)
    return f'<path d="{path}" fill="#{red:02x}{green:02x}{blue:02x}"/>' if path else ""


def _runs(flags):
    """(row, begin, end) of each run of pixels that are set."""
    for row, line in enumerate(flags):
        edges = np.flatnonzero(np.diff([0, *line.astype(int), 0]))
        yield from ((row, begin, end) for begin, end in zip(edges[::2], edges[1::2]))
