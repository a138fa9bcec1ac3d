"""Knowing a program again: a name for its code and for the data it reads.

PyTorch's recorded answer to a program is only shown for exactly that program.
"""

import dis
import hashlib
import inspect
import textwrap
import types


def fingerprint(program):
    """A name for exactly this program: its source, and the data and functions that it reads.

    None where that cannot be told (no source, or objects from outside that are not plain data);
    such a program is not recorded.
    """
    try:
        parts = _ingredients(program, set())
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
        elif _is_plain_data(value):
            parts.append(f"{name}={value!r}")
        else:
            raise _Unknown(name)
    return parts


def _read_from_outside(function):
    """{name: value} of the globals and enclosing variables that the function's code loads."""
    names, codes = set(), [function.__code__]
    while codes:
        code = codes.pop()
        names |= {
            step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"
        }
        codes += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    found = {name: function.__globals__[name] for name in names if name in function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        found[name] = cell.cell_contents
    return found


def _is_plain_data(value):
    if isinstance(value, (list, tuple)):
        return all(_is_plain_data(item) for item in value)
    if isinstance(value, dict):
        return all(_is_plain_data(item) for pair in value.items() for item in pair)
    return value is None or isinstance(value, (bool, int, float, str))
