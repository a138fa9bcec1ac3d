"""Where a program is when something happens in it, and what its tensors are called."""

import sys
from inspect import CO_NEWLOCALS

from minigrad import Tensor
from minigrad.nn import Module

cell_files = set()  # what tracebacks call the cells, this one and earlier ones
_OWN = {"locals", "vars", "exec"}  # what hands out a function's variables as a dictionary


def frames():
    """The frames of the program that is being run, the innermost one first."""
    found, frame = [], sys._getframe(5)  # past the watcher that asks and the engine
    while frame is not None:
        code = frame.f_code
        if code.co_filename in cell_files:
            found.append(frame)
            if code.co_name == "<module>":  # of this cell: no other one is being run
                break
        frame = frame.f_back
    return found


def lines():
    """The lines of this cell that are being run, of calls in calls, the innermost one first."""
    found = frames()
    file = found[-1].f_code.co_filename if found else ""
    return tuple([one.f_lineno for one in found if one.f_code.co_filename == file]) or (0,)


def here():
    """The line of the program that is being run; 0 if none is, as in `lines`."""
    return lines()[0]


def name_of(tensor):
    """What a tensor is called in the program, where it got its first name: "model.fc.weight"."""
    return next((path for path, one in named() if one is tensor), "")


def named(kind=Tensor):
    """Pairs (path, tensor) of all that the program has, of what it named first at first; or of
    another kind, of modules."""
    for frame in reversed(frames()):
        is_copy = sys.version_info < (3, 13) and frame.f_code.co_flags & CO_NEWLOCALS
        if is_copy and not _OWN.isdisjoint(frame.f_code.co_names):
            continue  # the copy is the one that the program itself works with
        variables = [(n, v) for n, v in frame.f_locals.items() if n[:2] != "__"]
        if is_copy:
            frame.f_locals.clear()  # it would keep graphs alive
        for name, value in variables:
            yield from (pair for pair in _parts(name, value) if issubclass(type(pair[1]), kind))


def _parts(path, value, depth=0):
    """Pairs (path, tensor or module) of what is in an object, in lists and dictionaries."""
    inner, kind = {}, type(value)  # what an object says of its class may fail: a proxy's, say
    if issubclass(kind, (Tensor, Module)):
        yield path, value
    if issubclass(kind, dict):
        inner = {f"[{k!r}]": one for k, one in value.items() if isinstance(k, (int, str))}
    elif issubclass(kind, (list, tuple)):
        inner = {f"[{k}]": one for k, one in enumerate(value)}
    elif issubclass(kind, Module) or kind.__module__ == "__main__":
        own = getattr(value, "__dict__", {})
        held = own
        if issubclass(kind, Module):
            held = {**own, **own.get("_modules", {}), **own.get("_parameters", {})}
        inner = {f".{name}": one for name, one in held.items() if name[0] != "_"}
    for end, one in list(inner.items())[:200] if depth < 5 else ():
        yield from _parts(path + end, one, depth + 1)
