"""Knowing a program again: a name for its code and for the data it reads.

PyTorch's recorded answer to a program is only shown for exactly that program.
"""

import dis
import hashlib
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any


def fingerprint(program: Callable) -> str | None:
    """A name for exactly this program: its source, and the data and functions that it reads.

    None where that cannot be known (no source, or objects from outside that are not plain data);
    such a program is not recorded.
    """
    own = getattr(program, "fingerprint_parts", None)  # a cell of a notebook knows its own
    try:
        parts = own() if own else _ingredients(program, set())
    except (OSError, TypeError, AttributeError, _Unknown):
        return None
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


class _Unknown(Exception):
    """A program reads something that has no stable text."""


def _ingredients(function, seen):
    if function in seen:
        return []
    seen.add(function)
    source = textwrap.dedent(inspect.getsource(function))
    parts = [line.rstrip() for line in source.splitlines() if line.strip()]
    for name, value in sorted(_read_from_outside(function).items()):
        if isinstance(value, types.FunctionType):
            parts += [name, *_ingredients(value, seen)]
        elif isinstance(value, types.ModuleType):
            parts.append(f"{name}=module {value.__name__}")
        elif is_plain_data(value):
            parts.append(f"{name}={value!r}")
        else:
            raise _Unknown(name)
    return parts


def _read_from_outside(function):
    """{name: value} of the globals and enclosing variables that the function's code loads."""
    names, data = names_of(function.__code__, "LOAD"), function.__globals__
    values = {name: data[name] for name in names if name in data}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        values[name] = cell.cell_contents
    return values


def names_of(code: types.CodeType, what: str) -> set[str]:
    """The global names that code, with all functions in it, reads ("LOAD") or sets ("STORE").

    What a class sets in its body, and reads there, is its own.
    """
    names, codes = set(), [code]
    while codes:
        one = codes.pop()
        steps = list(dis.get_instructions(one))
        own = set() if one is code else {s.argval for s in steps if s.opname == "STORE_NAME"}
        wanted = (f"{what}_NAME", f"{what}_GLOBAL")
        names |= {s.argval for s in steps if s.opname in wanted} - own
        codes += [constant for constant in one.co_consts if isinstance(constant, types.CodeType)]
    return names


def is_plain_data(value: Any) -> bool:
    """Whether a value is made of numbers, text, lists, tuples and dicts alone."""
    if isinstance(value, (list, tuple)):
        return all(is_plain_data(item) for item in value)
    if isinstance(value, dict):
        return all(is_plain_data(item) for pair in value.items() for item in pair)
    return value is None or isinstance(value, (bool, int, float, complex, str))
