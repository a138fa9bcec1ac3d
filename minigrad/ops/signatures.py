"""What is said of arguments that do not fit: what PyTorch's argument parser says.

It is asked when a call has failed, and only then. `signatures.txt` holds what PyTorch's functions take (and its
methods, where that is not the same without `input` and `out`), in the order in which it is tried; made by
`python -m tools.signatures`.
"""

import functools
import operator
import pathlib
import re

import numpy as np

from .. import dtypes
from ..dtypes import type_name
from ..properties import device
from ..tensor import Tensor
from .arguments import warn_once

TABLE = pathlib.Path(__file__).with_name("signatures.txt")
OTHER_NAMES = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}
NUMBERS_AS_TENSORS = {f"{name}{end}" for end in ("", "_") for name in (
    "add", "sub", "mul", "div", "divide", "multiply", "subtract", "true_divide", "floor_divide")}  # fmt: skip


def refuse(name, args, kwargs, method=False):
    """TypeError, in PyTorch's words, if the function, or method, of that name does not take these arguments.

    If only an outdated way of calling fits, `add_(alpha, other)`, the arguments under their names.
    """
    signatures = _signatures(name, method)
    if not signatures:
        return None
    shown = [signature for signature in signatures if not signature.outdated]
    for signature in sorted(signatures, key=operator.attrgetter("outdated")):
        if signature.mismatch(args, kwargs) is None:
            wrong = signature.unfit_size(args, kwargs)
            if wrong is not None:
                raise TypeError(wrong) from None
            return signature.instead(shown, args, kwargs) if signature.outdated else None
    count = len(args) + len(kwargs)
    plausible = [s for s in shown if s.least <= count <= len(s.parameters)]
    if len(signatures) == 1:
        plausible = signatures
    if len(plausible) == 1:
        raise TypeError(plausible[0].mismatch(args, kwargs)) from None
    backwards = dict(reversed(kwargs.items()))  # the order in which PyTorch's hash map names them
    raise TypeError(_no_match(name, args, backwards, [signature.text for signature in shown])) from None


def takes(name, parameter):
    """Whether the function of that name has a parameter of that name."""
    return any(p.name == parameter for signature in _signatures(name, False) for p in signature.parameters)


def takes_a_number_first(name, args):
    """Whether these arguments, the first of them a number, fit the function of that name."""
    return any(signature.mismatch(args, {}) is None for signature in _signatures(name, False))


@functools.cache
def table():
    """Name -> the lines of the functions of that name, or of the methods: `.name`."""
    found = {}
    for line in TABLE.read_text("utf-8").splitlines():
        found.setdefault(line.partition("(")[0], []).append(line)
    return found


@functools.cache
def _signatures(name, method):
    lines = table().get(f".{name}" if method else name)
    if lines is None and method:
        lines = map(of_method, table().get(name, ()))
    return [Signature(line) for line in lines or ()]


def of_method(line):
    """What a method takes if the function takes what `line` says: the same without `input` and `out`."""
    line = re.sub(r"Tensor input(, )?", "", line)
    line = re.sub(r"(, )?(Tensor|tuple of Tensors\[\d\]) out=None", "", line)
    return line.replace("(, ", "(").replace(", *)", ")").replace("(*)", "()")


class Parameter:
    """One parameter, read from `tuple of ints[1]? dim=None`."""

    __slots__ = ("kind", "size", "nullable", "name", "default", "keyword")

    def __init__(self, text, keyword):
        kind, self.name, self.default = re.fullmatch(r"(.+) (\w+)(?:=(.*))?", text).groups()
        self.nullable = kind.endswith("?") or self.default == "None"
        self.kind, _, size = kind.removesuffix("?").partition("[")
        self.size = bool(size)  # one number will do
        self.keyword = keyword

    @property
    def text(self):
        """How messages show it."""
        default = "" if self.default is None else f" = {self.default}"
        return f"{self.kind} {self.name}{default}"

    def key(self, kwargs):
        """Under which of its names the parameter is given in `kwargs`, if it is."""
        return next((k for k in (self.name, *OTHER_NAMES.get(self.name, ())) if k in kwargs), None)

    def takes(self, value, name):
        """Whether the function of that name takes `value` here."""
        if value is None and self.nullable:
            return True
        if self.size and _is_index(value):
            return True
        if self.kind == "Tensor" and name in NUMBERS_AS_TENSORS and _is_number(value):
            return True
        return _CHECKS.get(self.kind, _anything)(value)


class Signature:
    """One way in which a function may be called: a line of the table."""

    def __init__(self, line):
        line, _, mark = line.removeprefix(".").partition("|")
        self.name, _, given = line.partition("(")
        self.outdated = bool(mark)
        self.parameters, keyword = [], False
        for part in re.split(r", (?![^{]*\})", given[:-1]) if given != ")" else ():
            if part == "*":
                keyword = True
            else:
                self.parameters.append(Parameter(part, keyword))
        self.positional = sum(not p.keyword for p in self.parameters)
        self.least = sum(p.default is None for p in self.parameters)
        shown = [p.text for p in self.parameters]
        if self.positional < len(shown):
            shown.insert(self.positional, "*")
        self.text = f"({', '.join(shown)})"
        # `x.view(2, 3)`: all places together are one tuple of ints
        self.spread = self.positional == 1 and self.parameters[0].kind == "tuple of ints"

    def mismatch(self, args, kwargs):
        """What is wrong with these arguments; None if nothing is."""
        name = self.name
        if len(args) > self.positional and not self.spread:
            return self._too_many(len(args))
        place, used = 0, 0
        for i, parameter in enumerate(self.parameters):
            named = place >= len(args)
            if not named and parameter.keyword:
                return self._too_many(len(args))
            if named:
                key = parameter.key(kwargs)
                used += key is not None
                value = kwargs.get(key)
                if key is None:
                    if parameter.default is None:
                        return self._missing(i)
                    continue
            else:
                value = args[place]
            if not parameter.takes(value, name):
                if self.spread and place == 0 and not named and _is_index(value):
                    place = len(args)
                    continue
                if len(args) > self.positional:
                    return self._too_many(len(args))
                where, got = f" (position {place + 1})", f"not {type_name(value)}"
                if named:
                    where = ""
                elif parameter.kind == "tuple of ints" and isinstance(value, (tuple, list)):
                    got = f"but found element of type {type_name(value[0])} at pos 0"
                elif parameter.kind == "tuple of Tensors" and isinstance(value, (tuple, list)):
                    k = next(k for k, element in enumerate(value) if not _is_tensor(element))
                    return f"expected Tensor as element {k} in argument {place}, but got {type_name(value[k])}"
                return f"{name}(): argument '{parameter.name}'{where} must be {parameter.kind}, {got}"
            if self.spread and len(args) > self.positional:
                return self._too_many(len(args))
            place += not named
        if used < len(kwargs):
            return self._unknown(kwargs, len(args))
        return None

    def instead(self, shown, args, kwargs):
        """The arguments of an outdated way of calling under their names, with PyTorch's warning."""
        newer = "".join(f"\n\t{signature.name}{signature.text}" for signature in shown)
        warn_once(
            f"This overload of {self.name} is deprecated:\n\t{self.name}{self.text}\n"
            f"Consider using one of the following signatures instead:{newer}",
            "outdated",
        )
        return dict(zip([parameter.name for parameter in self.parameters], args)) | kwargs

    def unfit_size(self, args, kwargs):
        """What is wrong with a size in arguments that fit: only its first number has been looked at."""
        for i, parameter in enumerate(self.parameters):
            if parameter.kind == "tuple of ints":
                value = args[i] if i < len(args) else kwargs.get(parameter.key(kwargs))
                if i == 0 and self.spread and not isinstance(value, (tuple, list)):
                    value = args
                for k, number in enumerate(value if isinstance(value, (tuple, list)) else ()):
                    if not _is_index(number) and not isinstance(number, bool):
                        return (
                            f"{self.name}(): argument '{parameter.name}' failed to unpack the object at pos "
                            f'{k + 1} with error "type must be tuple of ints,but got {type_name(number)}"'
                        )
        return None

    def _too_many(self, given):
        if self.least != self.positional:
            takes = f"from {self.least} to {self.positional} positional arguments but {given} were"
        else:
            takes = f"{self.positional} positional argument{'s' * (self.positional != 1)} but {given} "
            takes += "was" if given == 1 else "were"
        return f"{self.name}() takes {takes} given"

    def _missing(self, first):
        names = [f'"{p.name}"' for p in self.parameters[first:] if p.default is None]
        return (
            f"{self.name}() missing {len(names)} required positional argument"
            f"{'s' * (len(names) == 1)}: {', '.join(names)}"  # the s is where PyTorch has it
        )

    def _unknown(self, kwargs, given):
        names = [parameter.name for parameter in self.parameters]
        for key in kwargs:
            if key not in names:
                return f"{self.name}() got an unexpected keyword argument '{key}'"
            if names.index(key) < given:
                return f"{self.name}() got multiple values for argument '{key}'"
        return "invalid keyword arguments"


# -- what a value may be --------------------------------------------------------------------------


def _is_index(value):
    if isinstance(value, bool):
        return False
    try:
        operator.index(value)
    except Exception:
        return False
    return True


def _is_number(value):
    if isinstance(value, Tensor):
        return value.ndim == 0 and not value.requires_grad
    return isinstance(value, (int, float, complex, np.number, np.bool_))


def _is_int(value):
    if isinstance(value, Tensor):
        return value.ndim == 0 and value._array.dtype.kind in "iu"
    return _is_index(value)


def _is_float(value):
    return _is_number(value) and not isinstance(value, complex)


def _sequence_of(check, first=False):
    def takes(value):
        if not isinstance(value, (tuple, list)):
            return False
        return all(map(check, value[:1] if first else value))

    return takes


def _of_type(*types):
    return lambda value: isinstance(value, types)


def _is_tensor(value):
    return isinstance(value, Tensor)


def _anything(value):
    return True


_CHECKS = {
    "Tensor": _is_tensor,
    "Number": _is_number,
    "int": _is_int,
    "float": _is_float,
    "bool": _of_type(bool),
    "str": _of_type(str),
    "tuple of Tensors": _sequence_of(_is_tensor),
    "tuple of ints": _sequence_of(_is_index, first=True),
    "tuple of floats": _sequence_of(_is_float, first=True),
    "tuple of Scalars": _sequence_of(_is_number, first=True),
    "torch.dtype": lambda value: isinstance(value, dtypes.dtype) or any(value is t for t in (float, int, bool)),
    "torch.device": lambda value: isinstance(value, (str, int, device)),
    "torch.Generator": lambda value: type(value).__name__ == "Generator",
}


# -- where no way of calling fits: all of them ------------------------------------------------------


def _no_match(name, args, kwargs, options):
    said = f"{name}() received an invalid combination of arguments - "
    if len(options) == 1:
        named = _named(options[0])
        if kwargs and (wrong := _wrong_keywords(named, kwargs)):
            return f"{said}got unrecognized keyword arguments: {', '.join(wrong)}"
        fits = len(named) == len(args) + len(kwargs)
        got = _marked(named, args, kwargs) if fits else _listed(args, kwargs)
        return f"{said}got {got}, but expected {options[0]}"
    said += f"got {_listed(args, kwargs)}, but expected one of:\n"
    for option in options:
        said += f" * {option}\n"
        named = _named(option)
        if len(named) == len(args) + len(kwargs):
            if wrong := _wrong_keywords(named, kwargs):
                said += f"      didn't match because some of the keywords were incorrect: {', '.join(wrong)}\n"
            else:
                said += "      didn't match because some of the arguments have invalid types: "
                said += f"{_marked(named, args, kwargs)}\n"
    return said


def refuse_new(args, kwargs):
    """TypeError for arguments that make no tensor the old way, `Tensor(...)`, which has a parser of its own."""
    raise TypeError(_no_match("new", args, kwargs, [
        "(*, torch.device device = None)", "(torch.Storage storage)", "(Tensor other)",
        "(tuple of ints size, *, torch.device device = None)", "(object data, *, torch.device device = None)",
    ]))  # fmt: skip


def _named(option):
    """Types and names as PyTorch splits an option for this message: at the last blank, and * counts."""
    return [part.rpartition(" ")[::2] for part in option[1:-1].split(", ")]


def _listed(args, kwargs):
    kinds = [f"{type_name(value)}, " for value in args]
    kinds += [f"{key}={type_name(value)}, " for key, value in kwargs.items()]
    said = "".join(kinds)
    return f"({said.removesuffix(', ') if args else said})"


def _wrong_keywords(named, kwargs):
    names = [name for _, name in named[max(0, len(named) - len(kwargs)) :]]
    return [key for key in kwargs if key not in names]


def _marked(named, args, kwargs):
    """The types of the arguments, those that are not the option's between exclamation marks."""
    parts = []
    for (wanted, name), value in zip(named, [*args, *[kwargs.get(name) for _, name in named[len(args) :]]]):
        kind = type_name(value)
        fits = kind in ("float", "int") if wanted == "float" else kind == wanted
        if isinstance(value, (tuple, list)):
            inside = ", ".join(map(type_name, value))
            kind += f" of [{inside}]" if isinstance(value, list) else f" of ({inside}{',' * (len(value) == 1)})"
        key = f"{name}=" if len(parts) >= len(args) else ""
        parts.append(f"{key}{kind}" if fits else f"!{key}{kind}!")
    return f"({', '.join(parts)}{'' if args else ', '})"
