"""Whether results are close to what was expected: `assert_close`, with a message that says where they are not.

Mirrors https://docs.pytorch.org/docs/2.13/testing.html
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from . import dtypes
from .creation import as_tensor
from .namespace import absent, listed, mirror
from .tensor import Tensor

_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}  # relative, absolute


class _Mismatch(Exception):
    """What differs, of which type the error has to be, and where in nested sequences."""

    def __init__(self, text, path, error=AssertionError):
        self.text, self.path, self.error = text, path, error


def assert_close(
    actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
    check_dtype=True, check_layout=True, check_stride=False, msg=None,
):  # fmt: skip
    """AssertionError unless |actual - expected| <= atol + rtol * |expected| everywhere.

    For tensors of the same shape (*) and dtype, arrays, numbers, None, and sequences and mappings of them. The
    tolerances are those of the dtype, unless both are given (ValueError for one alone). `msg` replaces the
    message, or is called with it. TypeError for what cannot be compared.
    """
    if (rtol is None) is not (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    tolerances = None if rtol is None else (rtol, atol)
    try:
        for pair in list(_pairs(actual, expected, ())):
            _compare(*pair, tolerances, equal_nan, check_dtype, check_stride)
    except _Mismatch as found:
        text = found.text
        if found.path:
            text += f"\n\nThe failure occurred for item {''.join(f'[{item!r}]' for item in found.path)}"
        if msg is not None:
            text = msg(text) if callable(msg) else msg
        raise found.error(text) from None


def _pairs(actual, expected, path):
    """All pairs to compare, each with its place in nested sequences and mappings."""
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise _Mismatch(text, path)
        keys = range(len(actual))
    elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if actual.keys() != expected.keys():
            raise _Mismatch(
                "The keys of the mappings do not match:\n"
                f"Missing keys in the actual mapping: {sorted(expected.keys() - actual.keys())}\n"
                f"Additional keys in the actual mapping: {sorted(actual.keys() - expected.keys())}",
                path,
            )
        keys = sorted(actual)
    else:
        yield *_comparable(actual, expected, path), path
        return
    for key in keys:
        yield from _pairs(actual[key], expected[key], (*path, key))


def _is_sequence(value):
    return isinstance(value, Sequence) and not isinstance(value, str)


def _comparable(actual, expected, path):
    """Both as they are compared: None, bools and numbers as they are, all else as tensors."""
    both = (actual, expected)
    if actual is None or expected is None:
        return both
    if all(isinstance(value, (bool, np.bool_, int, float, np.number)) for value in both):
        return both
    related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
    if not related or not all(isinstance(value, (Tensor, np.ndarray)) for value in both):
        text = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
        raise _Mismatch(text, path, TypeError)
    return as_tensor(actual), as_tensor(expected)


def _compare(actual, expected, path, tolerances, equal_nan, check_dtype, check_stride):
    if actual is None or expected is None:
        if actual is not expected:
            raise _Mismatch(f"None mismatch: {actual} is not {expected}", path)
    elif not isinstance(actual, Tensor):
        _compare_numbers(actual, expected, path, tolerances, equal_nan, check_dtype)
    else:
        for name, wanted in (("shape", True), ("dtype", check_dtype), ("stride()", check_stride)):
            values = [x.stride() if name == "stride()" else getattr(x, name) for x in (actual, expected)]
            if wanted and values[0] != values[1]:
                text = f"The values for attribute '{name}' do not match: {values[0]} != {values[1]}."
                raise _Mismatch(text, path)
        kinds = [x.dtype.name for x in (actual, expected)]
        _compare_arrays(actual._array, expected._array, path, tolerances or _loosest(kinds), equal_nan)


def _loosest(kinds):
    return tuple(map(max, *[_TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]))


def _compare_numbers(actual, expected, path, tolerances, equal_nan, check_dtype):
    if isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
        if actual is not expected:
            raise _Mismatch(f"Booleans mismatch: {actual} is not {expected}", path)
        return
    if check_dtype and type(actual) is not type(expected):
        raise _Mismatch(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
    kinds = ["float64" if isinstance(x, (float, np.floating)) else "int64" for x in (actual, expected)]
    relative, absolute = tolerances or _loosest(kinds)
    if not np.isclose(actual, expected, relative, absolute, equal_nan):
        raise _Mismatch(_of_scalars(actual, expected, relative, absolute), path)


def _compare_arrays(actual, expected, path, tolerances, equal_nan):
    dtype = dtypes.promote(actual.dtype, expected.dtype)
    actual, expected = actual.astype(dtype), expected.astype(dtype)
    relative, absolute = tolerances
    close = np.isclose(actual, expected, relative, absolute, equal_nan)
    if close.all():
        return
    if not close.ndim:
        raise _Mismatch(_of_scalars(actual.item(), expected.item(), relative, absolute), path)
    if dtype.kind != "f":
        actual, expected = actual.astype(np.int64), expected.astype(np.int64)
    with np.errstate(all="ignore"):
        differences = np.where(close, 0, np.abs(actual - expected))
        shares = differences / np.abs(expected)
    shares = np.where(close, 0, shares).astype(dtype if dtype.kind == "f" else np.float32)
    count, missed = close.size, close.size - np.count_nonzero(close)
    lines = [f"Tensor-likes are not {_how(relative, absolute)}!", "",
             f"Mismatched elements: {missed} / {count} ({missed / count:.1%})"]  # fmt: skip
    for kind, found, allowed in (("absolute", differences, absolute), ("relative", shares, relative)):
        index = tuple(map(int, np.unravel_index(np.argmax(found), found.shape)))
        lines.append(f"Greatest {kind} difference: {found[index].item()} at index {index}"
                     f"{_up_to(allowed, relative, absolute)}")  # fmt: skip
    raise _Mismatch("\n".join(lines), path)


def _of_scalars(actual, expected, relative, absolute):
    difference = abs(actual - expected)
    share = difference / abs(expected) if expected else math.inf
    return (
        f"Scalars are not {_how(relative, absolute)}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {difference}{_up_to(absolute, relative, absolute)}\n"
        f"Relative difference: {share}{_up_to(relative, relative, absolute)}"
    )


def _how(relative, absolute):
    return "close" if relative or absolute else "equal"


def _up_to(allowed, relative, absolute):
    return f" (up to {allowed} allowed)" if relative or absolute else ""


mirror(globals(), "testing.html#torch.testing.{}")
__getattr__, __dir__ = absent(__name__), listed(globals())
