"""Plans: which rules a node will run, and what it saves for them.

The names of a rule's parameters say what it needs (operation.py). For each choice of operands that
require grad an operation has one `Plan`, made when that choice first occurs.
"""

from functools import partial
from inspect import CO_VARARGS

import numpy as np

from .node_names import edge_indices, public_name


def signature(function):
    """The names of a function's parameters; the name of its `*rest`, which is the last, or None.

    Raises TypeError for a function that is not written in Python, unless it is a ufunc of NumPy.
    """
    if isinstance(function, np.ufunc):
        return ("x", "y")[: function.nin], None
    code = getattr(function, "__code__", None)
    if code is None:
        raise TypeError(f"{function!r} is neither a Python function nor a ufunc")
    names = code.co_varnames[: code.co_argcount]
    if not code.co_flags & CO_VARARGS:
        return names, None
    rest = code.co_varnames[code.co_argcount + code.co_kwonlyargcount]
    return (*names, rest), rest


def check_rules(cls):
    """Raises TypeError unless each rule names all parameters of `forward`, in their order.

    A rule gets its values by position: if it left out an `_x` that it does not need, it would get
    the numbers of another operand, and a wrong gradient would be the only sign.
    """
    for name in dir(cls):
        if name.startswith("grad_") and name.removeprefix("grad_") not in cls.params:
            raise TypeError(f"{cls.__name__}: {name} is the rule of no parameter of forward")
    expected = [("g",), *[(name, f"_{name}", f"{name}_shape") for name in cls.params]]
    if cls.saves_output:
        expected.append(("out", "_out"))
    needed = {}
    for operand, rule in cls.rules.items():
        given, rest = signature(rule)
        fits = [name in names for name, names in zip(given, expected)]
        if len(given) != len(expected) or not all(fits) or (rest is None) != (cls.rest is None):
            raise TypeError(
                f"{cls.__name__}: the rule of {operand} has the parameters {', '.join(given)}; "
                f"they have to be: {', '.join(map(' or '.join, expected))}"
            )
        for param, name in needs(cls, [operand]).items():
            if needed.setdefault(param, name) != name:
                raise TypeError(
                    f"{cls.__name__}: one rule names {param}, another {param}_shape; "
                    f"let both name {param}"
                )


def needs(cls, operands):
    """What the rules of some operands need: {"x": "x", "y": "y_shape", "out": "out"}.

    The keys are parameters of forward, and "out" for the result.
    """
    needed = {}
    for operand in operands:
        given, _ = signature(cls.rules[operand])
        named = zip((*cls.params, "out"), given[1:])
        needed |= {param: name for param, name in named if name[0] != "_"}
    return needed


class Plan:
    """What a node does if a certain choice of its operation's arguments requires grad.

    `wanted` are the indices of these arguments, and `rules` their rules. `saved` is what the rules
    need, {index: name}, with the result after the last argument if any rule of the class needs it.
    Of the arguments `saved_whole` everything is saved, of `saved_shapes` the shape alone;
    `saved_arrays` are the former and the result. A node's `_saved` begins as a copy of
    `nothing_saved`.
    """

    def __init__(self, cls, requires_grad):
        count = len(requires_grad)
        names = cls.params + (cls.rest,) * (count - len(cls.params))
        wanted = [i for i in range(count) if requires_grad[i]]
        for i in wanted:
            if names[i] not in cls.rules:
                public = public_name(cls, names[i])
                raise RuntimeError(f"the derivative for '{public}' is not implemented")
        needed = needs(cls, {names[i] for i in wanted})
        self.operation, self.wanted, self.nothing_saved = cls, wanted, (None,) * count
        self.rules = tuple([_rule(cls, names[i], i) for i in wanted])
        self.saved = {i: needed[name] for i, name in enumerate(names) if name in needed}
        self.saved_shapes = tuple([i for i, name in self.saved.items() if name.endswith("_shape")])
        self.saved_whole = tuple([i for i in self.saved if i not in self.saved_shapes])
        self.saved_arrays = self.saved_whole
        self.saves_output = cls.saves_output
        if self.saves_output:
            self.saved[count] = "out"
            self.saved_arrays += (count,)
        has_edge = [requires_grad[i] for i, name in enumerate(names) if name in cls.rules]
        self.edge_indices = edge_indices(has_edge)


def _rule(cls, name, index):
    """The rule of an argument; that of a `*rest` is also told `which` of its operands it is for."""
    rule = cls.rules[name]
    return partial(rule, which=index - len(cls.params) + 1) if name == cls.rest else rule


class Plans(dict):
    """A class's plans; the one at 0b110 is for two arguments of which the first requires grad."""

    def __init__(self, cls):
        self.cls = cls

    def __missing__(self, pattern):
        plan = self[pattern] = Plan(self.cls, [digit == "1" for digit in f"{pattern:b}"[1:]])
        return plan
