"""What an error or a wrong kind of result most likely comes from, where no listed mistake tells it.

clue(error)                     "Did you mean .grad?", or None
clue_of_kind(None, a_tensor)    "A function without return gives None: end it with return."
"""

import builtins
import difflib
import traceback
from types import ModuleType
from typing import Any

import minigrad

from .verdict import is_tensor

_NO_RETURN = "A function without return gives None. Does yours end with return?"
_TUPLE = (
    "torch.autograd.grad returns a tuple. Take its first entry, grad(...)[0], or write a comma "
    "behind the name, g, = grad(...)."
)
_POWER = "In Python ^ is no power: write **, as in x**2."
_NO_TENSOR = "The weight is a plain number. backward takes a tensor: backward(torch.tensor(1.))."
_SEVERAL = (
    "A comparison of several numbers gives several answers, and if wants one. Whether v is None is "
    "asked with: v is None."
)
_NO_HISTORY = (
    "A plain number has no {}: what was recorded is lost with item(). Call item() where the number "
    "is only shown or kept."
)
_BRACKETS = "A method behind a number needs brackets: (a**2).mean()."
_GRADIENT = "The argument of backward is called gradient, or has no name: y.backward(v)."
_ZERO_GRAD = "zero_grad belongs to an optimizer. A tensor's gradient is cleared with .grad = None."
_OTHER_WORDS = {"true": "True", "false": "False", "none": "None", "null": "None", "nil": "None"}


def clue(error: Any) -> str | None:
    """One sentence on what an error most likely comes from, or None."""
    try:
        text = str(error)
    except Exception:  # an error of the learner's own that fails when looked at
        return None
    if "bitwise_xor" in text or "for ^" in text:
        return _POWER
    if "truth value" in text or "Boolean value" in text:
        return _SEVERAL
    if isinstance(error, TypeError) and "object is not iterable" in text and _in_backward(error):
        return _NO_TENSOR
    if isinstance(error, TypeError) and "backward() got an unexpected keyword" in text:
        return _GRADIENT
    if isinstance(error, SyntaxError) and "invalid decimal literal" in text:
        return _BRACKETS
    if isinstance(error, AttributeError) and error.name:
        return _attribute(error.name, error.obj)
    if isinstance(error, NameError) and error.name:
        return _name(error.name, error)
    return None


def clue_of_kind(yours: Any, true: Any) -> str | None:
    """The same for a result of a function that is of another kind than it should be."""
    if yours is None and true is not None and not isinstance(true, BaseException):
        return _NO_RETURN
    if is_tensor(true) and isinstance(yours, (tuple, list)) and len(yours) == 1:
        return _TUPLE if is_tensor(yours[0]) else None
    return None


def _in_backward(error):
    """Whether the engine's backward was given what it cannot read."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    names = {frame.f_code.co_name for frame in frames if "minigrad" in frame.f_code.co_filename}
    return "backward" in names


def _attribute(name, owner):
    if name == "zero_grad" and is_tensor(owner):
        return _ZERO_GRAD
    if name in ("backward", "grad", "grad_fn") and isinstance(owner, (int, float)):
        return _NO_HISTORY.format(name)
    try:
        known = [one for one in dir(owner) if one[:1] != "_"]
    except Exception:  # an object of the learner's own that fails when looked at
        return None
    before = "torch" if isinstance(owner, ModuleType) else ""
    return _did_you_mean(name, known, f"{before}.")


def _name(name, error):
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    near = {**frames[-1].f_globals, **frames[-1].f_locals} if frames else {}
    known = {*near, *dir(builtins)} - {name}
    if name.lower() in _OTHER_WORDS:
        return f"Did you mean {_OTHER_WORDS[name.lower()]}?"
    if sentence := _did_you_mean(name, [one for one in known if one[:1] != "_"], ""):
        return sentence
    return f"Did you mean torch.{name}?" if name in dir(minigrad) else None


def _did_you_mean(name, known, before):
    matches = difflib.get_close_matches(name, sorted(known), 1, 0.7)
    return f"Did you mean {before}{matches[0]}?" if matches else None
