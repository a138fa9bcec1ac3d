"""How a check answers: the first difference of two results, found and told in a fixed order.

Kind, then shape, then the first wrong element (yours and expected), then the dtype.
"""

import contextlib
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import minigrad

from ..compare.agreement import ROUNDING, agree
from ..compare.fingerprint import is_plain_data
from ..compare.results import first_sentence
from ..show.formatting import brackets, indices, kind_of, number, shape, wrapped
from ..show.html import Shown, escape
from ..show.typed_numbers import Refused, read_array

TOLERANCE = (1e-4, ROUNDING["float32"][1])  # an answer typed to five digits is right


class Verdict(Shown):
    """What a check found. passed: whether the answer is right; lines: sentences.

    comparison: what stands under it, if anything: the table of both engines, or a program.
    printed: what the checked function printed.
    """

    def __init__(
        self,
        passed: bool,
        lines: list[str],
        comparison: Shown | None = None,
        printed: str = "",
    ) -> None:
        self.passed, self.lines, self.comparison = bool(passed), list(lines), comparison
        self.printed = printed
        first, mark = ("Right.", "\u2713") if passed else ("Not yet.", "\u2717")
        labels = [f"{first} ", *[" " * (len(first) + 1)] * len(self.lines)]
        text = "\n".join(map(wrapped, labels, self.lines or [""]))
        html = (
            f'<div role="status"><strong><span aria-hidden="true">{mark}</span> {first}</strong> '
            f"{'<br>'.join(map(escape, self.lines))}</div>"
        )
        if printed:
            text, html = f"{text}\n{_PRINTED}\n{printed}", f"{html}<p>{_PRINTED}</p>"
            html += f"<pre>{escape(printed)}</pre>"
        if comparison:
            text, html = f"{text}\n{comparison.text}", html + comparison.html
        super().__init__(text, html)

    def __bool__(self) -> bool:
        return self.passed


_PRINTED = "It printed:"


def sentence(text: str) -> Shown:
    """A hint or another sentence, wrapped."""
    return Shown(wrapped("", text), f"<p>{escape(text)}</p>")


def code(text: str) -> Shown:
    """Lines of a program, as they are."""
    return Shown(text, f"<pre><code>{escape(text)}</code></pre>")


# --- where two results part ----------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """The first difference of two results. yours, true: the two values; place: "[1]", behind the
    name of the result. `write(name, yours, true)` makes the sentence of it."""

    write: Callable[[str, Any, Any], str]
    yours: Any
    true: Any
    place: str = ""

    def sentence(self, name: str) -> str:
        """One sentence on it. name: what the result is called."""
        return self.write(_placed(name, self.place), self.yours, self.true)


def _placed(name, place):
    """A name with a place in it: "losses[:3]" and "[1]" are "losses[1]"."""
    part = re.fullmatch(r"(.*)\[(-?\d*):-?\d*\]", name)
    first = re.match(r"\[(\d+)", place)
    if part is None or first is None:
        return name + place
    return f"{part[1]}[{int(part[2] or 0) + int(first[1])}{place[first.end() :]}"


def difference(yours: Any, true: Any, tolerance: tuple | None = None) -> Difference | None:
    """The first difference of two results, or None. Errors are results, too."""
    return _safely(partial(_first_difference, tolerance=tolerance or TOLERANCE), yours, true)


def form_difference(yours: Any, true: Any) -> Difference | None:
    """As `difference`, but of kind and shape alone."""
    return _safely(_of_form, yours, true)


def same(yours: Any, true: Any) -> bool:
    """Whether two results are one and the same to a check; or cannot be read, for one reason."""
    first = difference(yours, true)
    if first is None or first.write is not _unreadable:
        return first is None
    own = [difference(value, value) for value in (yours, true)]
    return None not in own and _words(own[0].yours) == _words(own[1].yours)


MOST_NUMBERS, DEEPEST = 1_000_000, 50


def unfit(value: Any) -> Refused | None:
    """Why a result is not looked at: it holds too many numbers, or is nested too deep."""
    count, open_ones = 0, [(value, 0)]
    while open_ones:
        one, depth = open_ones.pop()
        if isinstance(one, (list, tuple)):
            if depth == DEEPEST:
                return Refused("It is nested too deep, or contains itself.")
            count += len(one)
            if count <= MOST_NUMBERS:
                open_ones += [(entry, depth + 1) for entry in one]
        elif isinstance(one, np.ndarray) or is_tensor(one):
            count += math.prod(one.shape)
        if count > MOST_NUMBERS:
            return Refused("It holds more than a million numbers.")
    return None


def _safely(test, yours, true):
    try:
        if problem := unfit(yours):
            return Difference(_unreadable, problem, true)
        return test(yours, true)
    except Exception as error:  # it cannot be read, or fails when looked at
        return Difference(_unreadable, error, true)


def _first_difference(yours, true, tolerance):
    if isinstance(yours, BaseException) or isinstance(true, BaseException):
        return None if _words(yours) == _words(true) else Difference(_other_error, yours, true)
    if _is_plain(true):
        equal = type(yours) is type(true) and yours == true
        return None if equal else Difference(_other_value, yours, true)
    if isinstance(true, (tuple, list)) and any(is_tensor(entry) for entry in true):
        return _of_several(yours, true)
    tests = (_of_form, partial(_of_elements, tolerance=tolerance), _of_dtype)
    return next((first for test in tests if (first := test(yours, true))), None)


def _words(error):
    """What an error says, without a full stop."""
    text = said(error)
    return text if text is None else text.rstrip(".")


def _of_several(yours, true):
    if not isinstance(yours, (tuple, list)) or len(yours) != len(true):
        return Difference(_other_count, yours, true)
    for k, pair in enumerate(zip(yours, true)):
        if first := difference(*pair):
            return replace(first, place=f"[{k}]{first.place}")
    return None


def _of_form(yours, true):
    if _is_plain(true):
        return None
    if isinstance(yours, str):
        return Difference(_text, yours, true)
    if isinstance(yours, Iterator):
        return Difference(_read_once, yours, true)
    if yours is None or is_tensor(true) and not is_tensor(yours):
        return Difference(_other_kind, yours, true)
    mine, wanted = np.shape(read(yours)), np.shape(read(true))
    return None if mine == wanted else Difference(_other_shape, mine, wanted)


def _of_elements(yours, true, tolerance):
    yours, true = np.asarray(read(yours)), np.asarray(read(true))
    if agree(yours, true, tolerance):
        return None
    for index in indices(true.shape):
        if not agree([yours[index], *true.ravel()], [true[index], *true.ravel()], tolerance):
            return Difference(_other_element, yours[index], true[index], brackets(index))
    return None


def _of_dtype(yours, true):
    if not is_tensor(true) or is_floating(yours) == is_floating(true):
        return None
    return Difference(_other_dtype, yours, true)


def _is_plain(value):
    """Whether a result is compared as it is, and is no numbers to read."""
    return value is None or isinstance(value, (bool, str, dict))


# --- the sentences -------------------------------------------------------------------------------


def _unreadable(name, error, _):
    why = f". {error}" if isinstance(error, Refused) else f": {said(error)}"
    return f"{name} cannot be read{why}"


def _other_error(name, yours, true):
    if not isinstance(yours, BaseException):
        return f"{name}: there is no error; it should be {said(true).rstrip('.')}."
    raised = first_sentence(said(yours))
    if not isinstance(true, BaseException):
        return f"{name} {raised}"
    return f"{name} {raised.rstrip('.')}; it should be {said(true)}"


def _other_value(name, yours, true):
    is_short = is_plain_data(yours) and len(repr(yours)) < 60
    return f"{name} is {repr(yours) if is_short else article(yours)}; it should be {true!r}."


def _text(name, yours, _):
    return f"{name} is text, from quotation marks or str(): leave these away."


def _read_once(name, yours, _):
    return f"{name} is {article(yours)}, which can be read only once: make a list of it, list(...)."


class Words(str):
    """Words in place of a value, which are written without quotation marks."""

    __repr__ = str.__str__


def article(value: Any) -> str:
    """What something is, with its article; None has none."""
    return "None" if value is None else kind_of(value)


def _other_count(name, yours, true):
    count = f" of {len(yours)}" if isinstance(yours, (tuple, list)) else ""
    return f"{name} is {article(yours)}{count}; it should be {len(true)} results: a, b, ..."


def _other_kind(name, yours, true):
    wanted = "a tensor" if is_tensor(true) else "numbers" if np.size(true) != 1 else "a number"
    return f"{name} is {article(yours)}; it should be {wanted}."


def _other_shape(name, yours, true):
    return f"{name} has shape {shape(yours)}; it should be {shape(true)}."


def _other_element(name, yours, true):
    return f"{name} is {number(yours)}; it should be {number(true)}."


def _other_dtype(name, yours, true):
    mine, wanted = (str(tensor.dtype).split(".")[-1] for tensor in (yours, true))
    return f"{name} has dtype {mine}; it should be {wanted}."


# --- reading what was given ----------------------------------------------------------------------


def read(value: Any) -> np.ndarray:
    """The numbers of a tensor, nan and inf included, or of what was given instead of one."""
    if is_tensor(value):
        return np.array(value.detach().tolist(), dtype=float).reshape(tuple(value.shape))
    value = _with_numbers(value)
    try:
        return read_array(value)
    except Refused:
        with contextlib.suppress(ValueError):  # rows of different lengths
            numbers = np.array(value)
            if numbers.dtype.kind == "f":  # a loss that has exploded: nothing to refuse
                return numbers
        raise


def _with_numbers(value):
    """True and False in lists as 1 and 0; text in lists is refused."""
    if isinstance(value, np.ndarray) and value.dtype == bool:
        return value.astype(int)
    if not isinstance(value, (list, tuple)):
        return value
    if any(isinstance(entry, str) for entry in value):
        raise Refused("It holds text: leave the quotation marks, or str(), away.")
    is_flag = (bool, np.bool_)
    return [int(one) if isinstance(one, is_flag) else _with_numbers(one) for one in value]


def is_tensor(value: Any) -> bool:
    """Whether a value is a tensor, minigrad's or PyTorch's; the class itself is none."""
    try:
        names = ("detach", "backward", "dtype")
        return not isinstance(value, type) and all(hasattr(value, name) for name in names)
    except Exception:  # an object of the learner's own that fails when looked at
        return False


def is_floating(tensor: Any) -> bool:
    """Whether a tensor, minigrad's or PyTorch's, holds floating-point numbers."""
    return tensor.dtype.is_floating_point


def as_minigrad(value: Any) -> Any:
    """A tensor of PyTorch's as one of minigrad's; all else as it is, and what cannot be turned."""
    if not is_tensor(value) or isinstance(value, minigrad.Tensor):
        return value
    try:
        dtype = getattr(minigrad, str(value.dtype).split(".")[-1])
        ours = minigrad.tensor(value.detach().tolist(), dtype=dtype)
        ours.requires_grad_(bool(value.requires_grad))
        return ours if value.is_leaf else ours.clone()
    except Exception:
        return value


def said(error: Any) -> str | None:
    """An error's type and text: "ValueError: too large"; None for what is no error."""
    if not isinstance(error, BaseException):
        return None
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)  # without file and line
    except Exception:  # an error of the learner's own that fails when looked at
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
