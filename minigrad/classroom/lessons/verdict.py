"""How a check answers: the first difference of two results, told in a fixed order.

Kind, then shape, then the first wrong element (yours and expected), then the dtype.
"""

import contextlib
import html

import numpy as np

import minigrad

from ..agreement import ROUNDING, agree
from ..fingerprint import is_plain_data
from ..formatting import brackets, indices, kind_of, number, shape, wrapped
from ..results import first_sentence
from ..typed_numbers import Refused, read_array

TOLERANCE = (1e-4, ROUNDING["float32"][1])  # an answer typed to five digits is right


class Verdict:
    """What a check found. passed: whether the answer is right; lines: sentences.

    comparison: the table of both engines under it, if there is one.
    """

    def __init__(self, passed, lines, comparison=None):
        self.passed, self.lines, self.comparison = bool(passed), list(lines), comparison

    def __bool__(self):
        return self.passed

    def __repr__(self):
        first = "Right. " if self.passed else "Not yet. "
        lines = [
            wrapped(first if k == 0 else " " * len(first), line)
            for k, line in enumerate(self.lines or [""])
        ]
        return "\n".join([*lines, *([repr(self.comparison)] if self.comparison else [])])

    def _repr_html_(self):
        first, mark = ("Right.", "\u2713") if self.passed else ("Not yet.", "\u2717")
        lines = "<br>".join(html.escape(line) for line in self.lines)
        return (
            f'<div role="status"><strong><span aria-hidden="true">{mark}</span> {first}</strong> '
            f"{lines}</div>" + (self.comparison._repr_html_() if self.comparison else "")
        )


class Text:
    """A hint, a solution or a sentence, shown as it is."""

    def __init__(self, text, code=False):
        self.text, self.code = text, code

    def __repr__(self):
        return self.text if self.code else wrapped("", self.text)

    __str__ = __repr__

    def _repr_html_(self):
        text = html.escape(self.text)
        return f"<pre><code>{text}</code></pre>" if self.code else f"<p>{text}</p>"


def difference(name, yours, true):
    """One sentence on the first difference of two results, or None. Errors are results, too."""
    try:
        return _difference(name, yours, true)
    except Refused as refusal:
        return f"{name} cannot be read. {refusal}"
    except Exception as error:  # an object of the learner's own that fails when looked at
        return f"{name} cannot be read: {said(error)}"


def same(yours, true):
    """Whether two results are one and the same to a check."""
    return difference("", yours, true) is None


def form_difference(name, yours, true):
    """As `difference`, but of kind and shape alone."""
    try:
        return _form_difference(name, yours, true)
    except Refused as refusal:
        return f"{name} cannot be read. {refusal}"
    except Exception as error:
        return f"{name} cannot be read: {said(error)}"


def _form_difference(name, yours, true):
    if isinstance(true, (bool, str, dict)) or true is None:
        return None
    if yours is None or is_tensor(true) and not is_tensor(yours):
        wanted = "a tensor" if is_tensor(true) else kind_of(true)
        return f"{name} is {kind_of(yours)}; it should be {wanted}."
    found, wanted = (tuple(np.shape(values)) for values in (read(yours), read(true)))
    if found != wanted:
        return f"{name} has shape {shape(found)}; it should be {shape(wanted)}."
    return None


def _difference(name, yours, true):
    if isinstance(yours, BaseException) or isinstance(true, BaseException):
        if said(yours) == said(true):
            return None
        if isinstance(yours, BaseException):
            wanted = f"; it should be {said(true)}" if isinstance(true, BaseException) else ""
            return f"{name} {first_sentence(said(yours))}{wanted}"
        return f"{name}: there is no error; it should be {said(true).rstrip('.')}."
    if isinstance(true, (bool, str, dict)) or true is None:
        if type(yours) is type(true) and yours == true:
            return None
        is_short = yours is not None and is_plain_data(yours) and len(repr(yours)) < 60
        shown = repr(yours) if is_short else kind_of(yours)
        return f"{name} is {shown}; it should be {true!r}."
    if isinstance(true, (tuple, list)) and any(is_tensor(entry) for entry in true):
        count = f" of {len(yours)}" if isinstance(yours, (tuple, list)) else ""
        if not count or len(yours) != len(true):
            mine = f"{kind_of(yours)}{count}"
            return f"{name} is {mine}; it should be {len(true)} results: a, b, ..."
        found = (difference(f"{name}[{k}]", *pair) for k, pair in enumerate(zip(yours, true)))
        return next((sentence for sentence in found if sentence), None)
    tests = (_form_difference, _element, _dtype)
    return next((found for test in tests if (found := test(name, yours, true))), None)


def _element(name, yours, true):
    yours, true = np.asarray(read(yours)), np.asarray(read(true))
    if agree(yours, true, TOLERANCE):
        return None
    for index in indices(true.shape):
        if not agree([yours[index], *true.ravel()], [true[index], *true.ravel()], TOLERANCE):
            mine, right = number(yours[index]), number(true[index])
            return f"{name}{brackets(index)} is {mine}; it should be {right}."
    return None


def _dtype(name, yours, true):
    if not is_tensor(true) or is_floating(yours) == is_floating(true):
        return None
    dtype, wanted = (str(tensor.dtype).split(".")[-1] for tensor in (yours, true))
    return f"{name} has dtype {dtype}; it should be {wanted}."


def read(value):
    """The numbers of a tensor, nan and inf included, or of what was given instead of one."""
    if is_tensor(value):
        return np.array(value.detach().tolist(), dtype=float).reshape(tuple(value.shape))
    try:
        return read_array(value)
    except Refused:
        with contextlib.suppress(ValueError):  # rows of different lengths
            numbers = np.array(value)
            if numbers.dtype.kind == "f":  # a loss that has exploded: nothing to refuse
                return numbers
        raise


def is_tensor(value):
    """Whether a value is a tensor, minigrad's or PyTorch's; the class itself is none."""
    try:
        names = ("detach", "backward", "dtype")
        return not isinstance(value, type) and all(hasattr(value, name) for name in names)
    except Exception:  # an object of the learner's own that fails when looked at
        return False


def is_floating(tensor):
    """Whether a tensor, minigrad's or PyTorch's, holds floating-point numbers."""
    return tensor.dtype.is_floating_point


def as_minigrad(value):
    """A tensor of PyTorch's as one of minigrad's; all else as it is, and what cannot be turned."""
    if not is_tensor(value) or isinstance(value, minigrad.Tensor):
        return value
    try:
        dtype = getattr(minigrad, str(value.dtype).split(".")[-1])
        found = minigrad.tensor(value.detach().tolist(), dtype=dtype)
        return found.requires_grad_(bool(value.requires_grad))
    except Exception:
        return value


def said(error):
    """An error's type and text: "ValueError: too large"."""
    if not isinstance(error, BaseException):
        return None
    text = error.msg if isinstance(error, SyntaxError) else str(error)  # without file and line
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
