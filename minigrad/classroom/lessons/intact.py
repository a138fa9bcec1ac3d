"""A check judges with the engine as it was when the lesson began.

    with kept_intact() as changed:
        torch.Tensor.backward = None
    changed                 # ["torch.Tensor.backward"]: in its place again

A program may put something else in the place of a function of the engine's, of PyTorch's or of
NumPy's. Then the reference would fail with it, and whatever is compared with it would be right. So
what was replaced is put back, before a check and after each program, and is told. What PyTorch
wraps itself, as it does with torch.manual_seed at a kernel's first optimizer, stays wrapped.
"""

import contextlib
import inspect
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

import minigrad

from ..compare import engines

_ENGINE_PARTS = ("", ".autograd", ".autograd.functional", ".func", ".nn.functional")
_COMPILER = (["torch", "_compile"], ["torch", "_dynamo"])
# {how it is called: (owner, what it holds, all names that it had)}
_KNOWN: dict[str, tuple[Any, dict[str, Any], set[str]]] = {}
_CHANGED: list[str] = []  # what was put back since a check began


@contextlib.contextmanager
def kept_intact() -> Iterator[list[str]]:
    """Put back what was changed before the block and in it; yields the list of their names."""
    _CHANGED.clear()
    put_back()
    try:
        yield _CHANGED
    finally:
        put_back()


def what_was_changed(names: list[str]) -> list[str]:
    """One sentence on it, in a list; none if nothing was."""
    if not names:
        return []
    verb = "were replaced, and are" if len(set(names)) > 1 else "was replaced, and is"
    return [f"{', '.join(dict.fromkeys(names))} {verb} put back: the engine is not to be changed."]


def put_back() -> None:
    """Put back what is no longer as it was first seen: before the next program runs."""
    for called, owner in _owners():
        if called not in _KNOWN:
            _KNOWN[called] = owner, _held(owner), set(vars(owner))
        owner, held, own = _KNOWN[called]
        now = dict(vars(owner))
        for name, value in held.items():
            if (new := now.get(name)) is value:
                continue
            if _wrapped_for_its_compiler(new, value):
                held[name] = new
            else:
                with contextlib.suppress(AttributeError, TypeError):
                    setattr(owner, name, value)
                    _CHANGED.append(f"{called}.{name}")
        for name in _hidden(owner, now, own):
            delattr(owner, name)
            _CHANGED.append(f"{called}.{name}")


def _wrapped_for_its_compiler(now, before):
    """Whether this is the same function in a wrapper of PyTorch's compiler, which changes no result
    and is put on when the compiler is first imported."""
    maker = getattr(now, "__globals__", {}).get("__name__", "").split(".")
    return maker[:2] in _COMPILER and inspect.unwrap(now) is before


def _hidden(owner, now, own):
    """What a class was given that hides something of its parents'. What is new may stay."""
    if not isinstance(owner, type):
        return []
    return [
        name
        for name in now
        if name not in own and any(name in vars(base) for base in owner.__mro__[1:])
    ]


def _owners():
    """Each module and class that a program may reach, with its name: "torch.Tensor". No optimizers:
    PyTorch itself puts a function of its own in the place of their step."""
    for engine, name in ((minigrad, "torch"), (engines.torch_if_loaded(), "PyTorch's torch")):
        if engine is None:
            continue
        yield f"{name}.Tensor", engine.Tensor
        for part in _ENGINE_PARTS:
            module = sys.modules.get(engine.__name__ + part)
            if module is not None:
                yield name + part, module
    yield "np", np


def _held(owner):
    """What a module or a class holds that programs call or read, but for modules and counters."""
    kinds = (property, classmethod, staticmethod)
    return {
        name: value
        for name, value in vars(owner).items()
        if (callable(value) or isinstance(value, kinds) or hasattr(value, "__get__"))
        and not isinstance(value, ModuleType)
        and (not name.startswith("_") or isinstance(owner, type) and name.startswith("__"))
        and name not in ("__dict__", "__weakref__", "__doc__", "__module__")
    }


put_back()  # the engine as it is when a lesson begins
