"""How the classroom writes numbers, indices and tables: the same in text, HTML and pictures."""

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import product, zip_longest
from typing import Any, SupportsFloat

import numpy as np

WIDTH = 90  # columns of any text a learner is shown: JupyterLab has 91 beside its file browser
MAX_TERMS = 12  # of a sum written out in one line

_SUBSCRIPTS = {ord("0") + digit: 0x2080 + digit for digit in range(10)}
MINUS = "\u2212"
Index = tuple[int, ...]


def kind_of(value: object) -> str:
    """What a learner gave or returned, by its type: "a float", "an int", "nothing" for None."""
    if value is None:
        return "nothing"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def number(value: SupportsFloat, signed: bool = False, digits: int = 5, minus: bool = False) -> str:
    """Five significant digits without trailing zeros: 8, 0.3, 0.016667, 1.25e-05, nan.

    signed=True writes the sign always, with a typographic minus; zero has no sign. Colour is never
    the only mark of a sign, so everything coloured is written this way. minus=True writes the
    typographic minus, and no plus: for what is read on a panel, and not copied.
    """
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        text = "inf" if value > 0 else "-inf"
    elif value == int(value) and abs(value) < 1e7:
        text = str(int(value))
    else:
        text = f"{value:.{digits}g}"
    if (signed or minus) and text.startswith("-"):
        return MINUS + text[1:]
    return text if text == "0" or not signed else "+" + text


def fitting(values: Any, room: int, signed: bool = True) -> str:
    """A number, or an array of them, in so many letters, with as many digits as they hold.

    Several that do not fit are told by their shape; one has a digit at least.
    """
    values = np.asarray(values)
    if 1 < values.size > room // 2:
        return shape(values.shape)
    for digits in (5, 3, 2, 1):
        write = partial(number, signed=signed, digits=digits, minus=True)
        text = nested(values.tolist(), write)
        if len(text) <= room:
            return text
    return text if values.size == 1 else shape(values.shape)


def in_brackets(value: float, **look: Any) -> str:
    """A number as a factor: a negative one in brackets."""
    text = number(value, **look)
    return f"({text})" if value < 0 else text


def exact(value: float) -> str:
    """The shortest text that reads back as the same float32, for boxes: 2, 0.33333334."""
    value = float(str(np.float32(value)))
    return str(int(value)) if value == int(value) and abs(value) < 1e7 else repr(value)


def nested(values: Any, write: Callable[[Any], str] = number) -> str:
    """Nested lists as one line of text: [[1, 2], [3, 4]]; a plain number as that number."""
    if isinstance(values, (list, tuple)):
        return "[" + ", ".join(nested(value, write) for value in values) + "]"
    return write(values)


def shape(sizes: Iterable[int]) -> str:
    """A shape as PyTorch and NumPy write it in prose: (2, 3), (3,), ()."""
    return str(tuple(int(size) for size in sizes))


def indices(sizes: Iterable[int]) -> list[Index]:
    """Every index of a shape, row by row: (0, 0), (0, 1), ...; one empty index for a scalar."""
    return list(product(*map(range, sizes)))


def subscript(index: Index) -> str:
    """An index as a mathematician writes it, counted from 1: (0, 1) gives the small digits 12."""
    separator = "," if any(position >= 9 for position in index) else ""
    return separator.join(str(position + 1) for position in index).translate(_SUBSCRIPTS)


def brackets(index: Index) -> str:
    """An index as Python writes it, counted from 0: (0, 1) gives [0, 1]; a scalar has none."""
    return "[" + ", ".join(str(position) for position in index) + "]" if index else ""


def spoken(index: Index) -> str:
    """An index as a person says it, counted from 1: "row 1, column 2", "entry 3"."""
    if len(index) == 2:
        return f"row {index[0] + 1}, column {index[1] + 1}"
    what = "entry " if len(index) == 1 else "index "
    return what + ", ".join(str(place + 1) for place in index) if index else "the only entry"


def sum_of_products(weights: Iterable[SupportsFloat], factors: Iterable[str]) -> str:
    """Weights times factors as one line: "1·y₁ - 0.5·y₂".

    factors: texts. More than MAX_TERMS terms are cut; the line then says how many are left out.
    """
    terms, left_out = list(zip(map(float, weights), factors)), ""
    if len(terms) > MAX_TERMS:
        telling = [term for term in terms if term[0] != 0 and term[1] != "0"] or terms
        zeros, rest = len(terms) - len(telling), len(telling[MAX_TERMS:])
        counts = ((rest, "more"), (zeros, "that are 0"))
        parts = [f"{count} {what}" for count, what in counts if count]
        left_out, terms = f" + \u2026 ({', '.join(parts)})", telling[:MAX_TERMS]
    text = ""
    for weight, factor in terms:
        sign = "-" if weight < 0 else "+"
        joint = f" {sign} " if text else sign.strip("+")
        factor = f"({factor})" if factor.startswith("-") else factor
        text += f"{joint}{number(abs(weight))}\u00b7{factor}"
    return text + left_out


def wrapped(label: str, text: str) -> str:
    """`label` followed by text, broken at spaces and indented under its first word."""
    lines = textwrap.wrap(text, WIDTH - len(label), break_on_hyphens=False) or [""]
    return "\n".join([label + lines[0], *(" " * len(label) + line for line in lines[1:])]).rstrip()


def table(rows: Sequence[Sequence[str]], widths: Iterable[int]) -> str:
    """Rows of cells as aligned text; a cell that is too wide goes on in further lines.

    widths: the widest each column may become; a column is no wider than its widest cell.
    """
    wide = [
        min(limit, max(1, *(len(line) for row in rows for line in row[k].split("\n"))))
        for k, limit in enumerate(widths)
    ]
    lines = []
    for row in rows:
        cells = [_broken(cell, width) for cell, width in zip(row, wide)]
        for parts in zip_longest(*cells, fillvalue=""):
            lines.append("  ".join(map(str.ljust, parts, wide)).rstrip())
    return "\n".join(lines)


def _broken(cell, width):
    """The lines of a cell, each broken at spaces."""
    lines = (textwrap.wrap(one, width, break_on_hyphens=False) for one in cell.split("\n"))
    return [part for line in lines for part in line or [""]]
