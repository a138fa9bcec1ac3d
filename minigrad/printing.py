"""How tensors print: as PyTorch prints them, digit by digit and line by line.

Four decimals, scientific notation where the numbers need it, columns aligned, lines of at most 80
characters, and only the edges of tensors of more than 1000 elements.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.set_printoptions.html
"""

from math import inf, isfinite

import numpy as np

from . import dtypes
from .tensor import Tensor


class options:
    """How tensors print now."""

    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Change how tensors print: digits, the size from which edges are shown, line width.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.set_printoptions.html
    """
    profiles = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, inf, 3, 80)}
    names = ("precision", "threshold", "edgeitems", "linewidth")
    given = (precision, threshold, edgeitems, linewidth)
    for name, value, usual in zip(names, given, profiles.get(profile, given)):
        value = usual if value is None else value
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


def text(tensor):
    """The text of a tensor, as `print` shows it."""
    array, suffixes = tensor._array, []
    usual = dtypes.get_default_dtype().numpy
    if array.size == 0 and array.ndim != 1:
        suffixes.append(f"size={tuple(array.shape)}")
    if array.dtype != usual and (array.size == 0 or array.dtype not in (np.int64, np.bool_)):
        suffixes.append(f"dtype={tensor.dtype}")
    try:
        made_by = tensor.grad_fn and type(tensor.grad_fn).__name__
    except RuntimeError:  # a view of something that was changed in place since, and cannot follow
        made_by = "Invalid"
    if made_by is not None or tensor.requires_grad:
        suffixes.append(f"grad_fn=<{made_by}>" if made_by else "requires_grad=True")
    body = _body(array, len("tensor(")) if array.size else "[]"
    whole = _add_suffixes(f"tensor({body}", suffixes, len("tensor("))
    return f"Parameter containing:\n{whole}" if type(tensor).__name__ == "Parameter" else whole


Tensor.__repr__ = text


def _add_suffixes(text, suffixes, indent):
    """Append `dtype=` and the like, on a new line where the last one would grow too long."""
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > options.linewidth:
            text += ",\n" + " " * indent + suffix
            last = indent + len(suffix)
        else:
            text += ", " + suffix
            last += len(suffix) + 2
    return text + ")"


def _body(array, indent):
    """The elements; of too many the edges alone."""
    edge, cut = options.edgeitems, [False] * array.ndim
    if array.size > options.threshold:
        cut = [length > 2 * edge for length in array.shape]
        for axis in np.flatnonzero(cut):
            array = array.take([*range(edge), *range(-edge, 0)], axis)
    return _lines(array, cut, indent, _Formatter(array))


class _Formatter:
    """One form for all numbers of a tensor: whole, with decimals, or with powers of ten."""

    def __init__(self, array):
        self.whole, self.scientific, self.width = True, False, 1
        numbers = array.reshape(-1)
        if array.dtype.kind == "f":
            numbers = numbers[np.isfinite(numbers) & (numbers != 0)]
            if not numbers.size:
                return
            sizes = np.abs(numbers).astype(np.float64)
            low, high = sizes.min(), sizes.max()
            self.whole = bool(np.all(numbers == np.ceil(numbers)))
            self.scientific = float(high) / float(low) > 1000 or high > 1e8 or low < 1e-4
            if options.sci_mode is not None:
                self.scientific = options.sci_mode
        self.width = max(map(len, map(self._text, numbers.tolist())), default=1)

    def _text(self, value):
        if not isinstance(value, float):
            return str(value)
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.whole:
            return f"{value:.0f}." if isfinite(value) else str(value)
        return f"{value:.{options.precision}f}"

    def __call__(self, value):
        return self._text(value).rjust(self.width)


def _lines(array, cut, indent, form):
    """An array between brackets; `cut` says of each dimension whether its middle is left out."""
    if array.ndim == 0:
        return form(array.item())
    if array.ndim == 1:
        parts = [form(value) for value in array.tolist()]
        per_line = max(1, (options.linewidth - indent) // (form.width + 2))
    else:
        parts = [_lines(row, cut[1:], indent + 1, form) for row in array]
        per_line = 1
    if cut[0]:
        parts.insert(options.edgeitems, " ..." if array.ndim == 1 else "...")
    lines = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    between = "," + "\n" * max(1, array.ndim - 1) + " " * (indent + 1)
    return f"[{between.join(lines)}]"
