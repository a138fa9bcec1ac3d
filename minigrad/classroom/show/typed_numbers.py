"""Reads the numbers that learners type. One parser for every widget, card and exercise.

Text is read character by character and never evaluated. Whatever cannot be used is refused with one
plain sentence (`Refused`) that says what to type instead:

    read_number("1/3")                   0.333...
    read_number("-2e-3")                 -0.002
    read_array("[[1, 0], [0, 1/2]]")     array of shape (2, 2)
    read_number("3,5")                   Refused: "3,5" has a comma. For a decimal type 3.5; ...
"""

import math
import re
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

MAX_CHARACTERS = 10_000  # a typed list; nobody types more, a slipped paste easily does
MAX_NUMBERS = 10_000
MAX_DEPTH = 8  # levels of brackets

_DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = re.compile(rf"\s*([+-]?)\s*({_DECIMAL})\s*(?:/\s*([+-]?{_DECIMAL})\s*)?", re.ASCII)
_COMMA_NUMBER = re.compile(r"\s*([+-]?[0-9]+),([0-9]+)\s*", re.ASCII)
# Minus signs; and what is not to be seen, yet copied along.
_MINUSES, _UNSEEN = "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d", "\u200b\u2060\ufeff\u00ad"
_TYPOGRAPHY = str.maketrans(_MINUSES, "-" * len(_MINUSES), _UNSEEN)
_NAME = re.compile(r"\s*[A-Za-z_][\w.]*\s*=(.*)", re.DOTALL)
_TENSOR = re.compile(r"\s*(?:[A-Za-z_]\w*\.)?(?:[A-Za-z]*[Tt]ensor)\s*\((.*)\)\s*", re.DOTALL)
_NOT_FINITE = {"nan": "nan", "inf": "inf", "infinity": "inf", "\u221e": "inf"}


class Refused(ValueError):
    """Something given cannot be used. Its text is the sentence to show beside the control.

    place: which control that is, where the one who refuses knows it.
    by: "reader", or "engine" where the words are PyTorch's or the learner's function's own.
    """

    def __init__(self, sentence: str, place: Any = None, by: str = "reader") -> None:
        super().__init__(sentence)
        self.place = place
        self.by = by

    def _render_traceback_(self):
        """In a notebook the sentence is all that is shown."""
        return [f"Refused: {self}"]


def read_number(text: Any) -> float:
    """Read one number: `2`, `-0.5`, `.5`, `1/3`, `-2e-3`; a typographic minus sign is one, too.

    Returns a float that float32, PyTorch's default, can hold. Raises `Refused` otherwise.
    """
    if not isinstance(text, str):
        return _plain_number(text)
    if len(text) > MAX_CHARACTERS:
        raise Refused(f"That is {len(text):,} characters long; one box takes one number.")
    stripped = text.translate(_TYPOGRAPHY).strip()
    if not stripped:
        raise Refused("This box is empty. Type a number, for example 0.")
    if (match := _NUMBER.fullmatch(stripped)) is None:
        raise Refused(_why_no_number(stripped))
    sign, above, below = match.groups()
    value = float(above)
    if below is not None:
        divisor = float(below)
        if divisor == 0:
            raise Refused(f"{_quote(stripped)} divides by zero. Type a number such as 1/3.")
        if math.isinf(value) or math.isinf(divisor):
            raise Refused(_too_large(stripped))
        value /= divisor
    nonzero_digits = re.search("[1-9]", re.split("[eE]", above)[0])
    return _for_float32(-value if sign == "-" else value, stripped, is_zero=not nonzero_digits)


def read_array(value: Any) -> np.ndarray:
    """Read a number or regular nested lists of numbers, typed or as Python values, arrays, tensors.

    Typed lists may carry a name or PyTorch's wrapping: `v = [1, 0]`, `tensor([1., 0.])`.
    Returns a float64 array; its shape is the nesting. Raises `Refused`.
    """
    nested = _read_lists(value) if isinstance(value, str) else _plain_lists(value)
    shape = _regular_shape(nested)
    return np.array(nested, dtype=np.float64).reshape(shape)


def _read_lists(text):
    """Nested Python lists of floats, or one float, from typed text."""
    if len(text) > MAX_CHARACTERS:
        most = f"at most {MAX_CHARACTERS:,} are read"
        raise Refused(f"That is {len(text):,} characters long; {most}.")
    text = text.translate(_TYPOGRAPHY)
    if (named := _NAME.fullmatch(text)) is not None:
        text = named.group(1)
    if (wrapped := _TENSOR.fullmatch(text)) is not None:
        text = re.sub(r",\s*(?:dtype|requires_grad|grad_fn)\s*=\s*[\w.<>]+", "", wrapped.group(1))
    if not text.strip():
        raise Refused("Nothing is typed here. Type a list of numbers, for example [1, 0].")
    if "[" in text or "]" in text:
        return _read_brackets(text)
    if "," in text:
        entries = ", ".join(entry.strip() for entry in text.strip("() \n").split(","))
        raise Refused(
            f"{_quote(text)} has no brackets. For a list type [{_shorten(entries)}]; "
            "for a decimal use a point, such as 3.5."
        )
    return read_number(text)


def _read_brackets(text):
    """Nested Python lists of floats from text in brackets. An own stack: nesting cannot recurse."""
    whole, open_lists, after_value = None, [], False
    for token in filter(str.strip, re.findall(r"[\[\],]|[^\[\],]+", text)):
        if why := _why_not_here(token, whole is not None, open_lists, after_value):
            raise Refused(why)
        after_value = token not in "[,"
        if token == "[":
            inner = []
            if open_lists:
                open_lists[-1].append(inner)
            open_lists.append(inner)
        elif token == "]":
            closed = open_lists.pop()
            whole = None if open_lists else closed
        elif token != ",":
            open_lists[-1].append(_list_entry(token))
    if whole is None:
        missing = "]" * len(open_lists)
        raise Refused(f"The list is not closed: {missing} is missing at the end.")
    return whole


def _why_not_here(token, done, open_lists, after_value):
    """The sentence for what may not stand at this place of a list, or None."""
    if done or not open_lists and token not in "[,]":
        where = "after the last ]" if done else "before the first ["
        what = f"There is something {where}: {_quote(token)}."
        return f"{what} Type one list, such as [[1, 0], [0, 2]]."
    if token == "," and not after_value:
        return "There is a comma with no number before it. Type such as [1, 0]."
    if token == "]" and not open_lists:
        return "There is a ] without its [. Type a list such as [1, 0]."
    if token not in ",]" and after_value:
        return f"A comma is missing before {_quote(token)}. Type such as [[1, 0], [0, 2]]."
    if token == "[" and len(open_lists) == MAX_DEPTH:
        return f"Brackets are nested deeper than {MAX_DEPTH} levels."
    return None


def _list_entry(token):
    parts = token.split()
    if len(parts) > 1 and all(_NUMBER.fullmatch(part) for part in parts):
        raise Refused(f"Commas are missing in {_quote(token)}. Type [{', '.join(parts[:4])}].")
    return read_number(token)


def _why_no_number(text):
    """The sentence for text that is no number, by the likeliest reason."""
    word, quoted = text.lstrip("+-").strip().lower(), _quote(text)
    if word in _NOT_FINITE:
        return f"{_NOT_FINITE[word]} cannot be used here. Type a finite number, such as 0 or 1e6."
    if (comma := _COMMA_NUMBER.fullmatch(text)) is not None:
        whole, decimals = comma.groups()
        decimal = f"{whole}.{decimals}"
        if len(decimals) == 3 and whole.lstrip("+-") != "0":
            either = f"{whole}{decimals} for the whole number, {decimal} for a decimal"
            return f"{quoted} has a comma. Type {either}."
        return f"{quoted} has a comma. For a decimal type {decimal}; two numbers go into two boxes."
    if "[" in text or "]" in text:
        return f"{quoted} is a list; this box takes one number, such as 2."
    if "," in text:
        return f"{quoted} has a comma. Type one number, with a point for decimals: 3.5."
    if text.endswith("%"):
        return f"{quoted} is a percentage. Type 0.5 or 1/2 for 50 %."
    return (
        f"{quoted} is not a number. Type one such as 2, -0.5, 1/3 or 2e-3; what is typed here "
        "is read, never run."
    )


def _plain_lists(value, depth=0, left=None):
    """Nested lists of floats from lists, tuples, NumPy arrays, minigrad's or torch's tensors."""
    left = iter(range(MAX_NUMBERS)) if left is None else left  # counts what may still come
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple, range)):
        if next(left, None) is None:
            raise Refused(f"That is more than {MAX_NUMBERS:,} numbers.")
        return read_number(value)
    if depth == MAX_DEPTH:
        raise Refused(f"Lists are nested deeper than {MAX_DEPTH} levels.")
    return [_plain_lists(entry, depth + 1, left) for entry in value]


def _plain_number(value):
    if value is None or value is Ellipsis:
        raise Refused(f"There is no number yet: {value!r} was given.")
    if isinstance(value, (bool, np.bool_)):
        raise Refused(f"{value} is not a number. Use 1 or 0.")
    if not isinstance(value, (Real, Decimal)):
        kind = type(value).__name__
        raise Refused(f"A value of type {kind} is not a number. Give a number or lists of numbers.")
    try:
        real = float(value)
    except OverflowError:  # an integer beyond float64, perhaps thousands of digits long
        real = math.inf
    except ValueError:  # a decimal's signalling nan
        real = math.nan
    if math.isinf(real):
        raise Refused("inf cannot be used here. Use a finite number, such as 0 or 1e6.")
    return _for_float32(real, str(value))


def _for_float32(value, text, is_zero=None):
    """`value`, if float32 can hold it: PyTorch would turn 1e39 into inf and 1e-50 into 0."""
    if math.isnan(value):
        raise Refused("nan cannot be used here. Type a finite number, such as 0 or 1.")
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(value)
    if np.isinf(single):
        raise Refused(_too_large(text))
    if single == 0 and not (value == 0 if is_zero is None else is_zero):
        why = "is too small: in float32 it would become 0. Type 0 if that is meant."
        raise Refused(f"{_quote(text)} {why}")
    return float(value)


def _too_large(text):
    return f"{_quote(text)} is too large: float32, PyTorch's default, ends at about 3.4e38."


def _regular_shape(nested):
    """The shape of nested lists whose rows are equally long, as `torch.tensor` asks for."""
    shape, level = [], [nested]
    while any(isinstance(item, list) for item in level):
        if not all(isinstance(item, list) for item in level):
            raise Refused(
                f"Numbers and lists stand side by side at level {len(shape)} of the "
                "brackets. Every row must be a list: [[1, 0], [0, 2]]."
            )
        first, *others = map(len, level)
        for position, length in enumerate(others, 2):
            if length != first:
                numbers = "1 number" if first == 1 else f"{first} numbers"
                raise Refused(
                    f"The rows differ in length: the first has {numbers}, row {position} "
                    f"has {length}. PyTorch says: expected sequence of length {first} at "
                    f"dim {len(shape)} (got {length})."
                )
        shape.append(first)
        level = [entry for item in level for entry in item]
    return tuple(shape)


def _quote(text):
    return f'"{_shorten(text.strip())}"'


def _shorten(text):
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= 32 else text[:31] + "\u2026"
