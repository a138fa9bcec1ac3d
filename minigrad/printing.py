"""How tensors print: as PyTorch prints them, digit by digit and line by line.

Four decimals, scientific notation where the numbers need it, columns aligned, lines of at most 80
characters, and only the edges of tensors of more than 1000 elements.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.set_printoptions.html
"""

import math

import numpy as np

from . import dtypes


class _Options:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


options = _Options()


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Change how tensors print: digits, the size from which edges are shown, line width."""
    profiles = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}
    if profile in profiles:
        (options.precision, options.threshold, options.edgeitems, options.linewidth) = profiles[
            profile
        ]
    for name, value in [("precision", precision), ("threshold", threshold),
                        ("edgeitems", edgeitems), ("linewidth", linewidth)]:  # fmt: skip
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


def tensor_text(tensor):
    """The text of a tensor, as `print` shows it."""
    prefix = "tensor("
    array, suffixes = tensor._array, []
    is_default = array.dtype in (dtypes.get_default_dtype().numpy, np.int64, np.bool_)
    if array.size == 0:
        if array.ndim != 1:
            suffixes.append(f"size={tuple(array.shape)}")
        if array.dtype != dtypes.get_default_dtype().numpy:
            suffixes.append(f"dtype={tensor.dtype}")
        body = "[]"
    else:
        if not is_default:
            suffixes.append(f"dtype={tensor.dtype}")
        body = _body(array, len(prefix))
    try:
        made_by = tensor.grad_fn and type(tensor.grad_fn).__name__
    except RuntimeError:  # a view of something that was changed in place since, and cannot follow
        made_by = "Invalid"
    if made_by is not None:
        suffixes.append(f"grad_fn=<{made_by}>")
    elif tensor.requires_grad:
        suffixes.append("requires_grad=True")
    text = _add_suffixes(prefix + body, suffixes, len(prefix))
    return f"Parameter containing:\n{text}" if type(tensor).__name__ == "Parameter" else text


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
    summarize = array.size > options.threshold
    shown = _edges(array) if summarize else array
    return _lines(array, indent, summarize, _Formatter(shown))


def _edges(array):
    """The elements that a summary shows."""
    if array.ndim == 0:
        return array
    edge = options.edgeitems
    if array.shape[0] > 2 * edge:
        rows = [array[i] for i in (*range(edge), *range(-edge, 0))]
    else:
        rows = list(array)
    return np.stack([_edges(row) for row in rows]) if rows else array[:0]


class _Formatter:
    """One form for all numbers of a tensor: whole, with decimals, or with powers of ten.

    The width is that of the widest finite number other than 0; inf and nan may stand out.
    """

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
            self.scientific = high / low > 1000 or high > 1e8 or low < 1e-4
            if options.sci_mode is not None:
                self.scientific = options.sci_mode
        self.width = max(map(len, map(self._text, numbers.tolist())), default=1)

    def _text(self, value):
        if not isinstance(value, float):
            return str(value)
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.whole:
            return f"{value:.0f}." if math.isfinite(value) else str(value)
        return f"{value:.{options.precision}f}"

    def __call__(self, value):
        return self._text(value).rjust(self.width)


def _lines(array, indent, summarize, form):
    if array.ndim == 0:
        return form(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarize, form)
    edge = options.edgeitems
    if summarize and array.shape[0] > 2 * edge:
        parts = [_lines(array[i], indent + 1, summarize, form) for i in range(edge)]
        parts += ["..."]
        parts += [_lines(array[i], indent + 1, summarize, form) for i in range(-edge, 0)]
    else:
        parts = [_lines(row, indent + 1, summarize, form) for row in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(array, indent, summarize, form):
    per_line = max(1, (options.linewidth - indent) // (form.width + 2))
    edge = options.edgeitems
    if summarize and array.shape[0] > 2 * edge:
        texts = [form(v) for v in array[:edge].tolist()]
        texts += [" ..."]
        texts += [form(v) for v in array[-edge:].tolist()]
    else:
        texts = [form(v) for v in array.tolist()]
    lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
