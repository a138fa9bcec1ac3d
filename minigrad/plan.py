"""Plans: what a node does, worked out from an operation's class before it is applied.

The parameters of a rule say what it needs. For each choice of operands that require grad there is
one `Plan`: which rules will run, and what has to be saved for them.
"""

from functools import partial
from inspect import CO_VARARGS

import numpy as np

from .node_names import shown_operands


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
    for name in cls.params:
        if name in ("g", "out") or name[0] == "_" or name.endswith("_shape"):
            raise TypeError(f"{cls.__name__}: in a rule, forward's {name!r} has another meaning")
    for name in dir(cls):
        if name.startswith("grad_") and name.removeprefix("grad_") not in cls.params:
            raise TypeError(f"{cls.__name__}: {name} is the rule of no parameter of forward")
    expected = ["g", *[f"{name} or _{name} or {name}_shape" for name in cls.params]]
    if cls.saves_output:
        expected.append("out or _out")
    needed = {}
    for operand, rule in cls.rules.items():
        given, rest = signature(rule)
        fits = [name in names.split(" or ") for name, names in zip(given, expected)]
        if len(given) != len(expected) or not all(fits) or (rest is None) != (cls.rest is None):
            raise TypeError(
                f"{cls.__name__}: the rule of {operand} has the parameters {', '.join(given)}; "
                f"they have to be: {', '.join(expected)}"
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
    """What a node does if the operands at certain places, `wanted`, require grad.

    `rules` are the rules of these. `saved` is what they need, {place: name}: at the places `whole`
    all of it, at the places `shapes` its shape alone, and after them perhaps the result. `kept`
    are the places of all that is saved whole, and `blank` is the list of what is saved before
    anything is filled in. `shown` is for node_names.py.
    """

    def __init__(self, cls, requires_grad):
        count = len(requires_grad)
        names = cls.params + (cls.rest,) * (count - len(cls.params))
        wanted = [place for place in range(count) if requires_grad[place]]
        for place in wanted:
            if names[place] not in cls.rules:
                raise RuntimeError(f"the derivative for '{names[place]}' is not implemented")
        needed = needs(cls, {names[place] for place in wanted})
        self.operation, self.wanted, self.blank = cls, wanted, (None,) * count
        self.rules = tuple([_rule(cls, names[place], place) for place in wanted])
        self.saved = {i: needed[name] for i, name in enumerate(names) if name in needed}
        self.shapes = tuple([i for i, name in self.saved.items() if name.endswith("_shape")])
        self.whole = self.kept = tuple([i for i in self.saved if i not in self.shapes])
        self.saves_output = cls.saves_output
        if self.saves_output:
            self.saved[count] = "out"
            self.kept += (count,)
        operands = [i for i, name in enumerate(names) if name in cls.rules]
        self.shown = shown_operands(operands, wanted)


def _rule(cls, name, place):
    """The rule of an operand; the rule of a `*rest` gets its number as `which`."""
    rule = cls.rules[name]
    return partial(rule, which=place - len(cls.params) + 1) if name == cls.rest else rule


class Plans(dict):
    """The plans of a class: 0b110, after its 1, is for a first operand alone that requires grad."""

    def __init__(self, cls):
        self.cls = cls

    def __missing__(self, choice):
        plan = self[choice] = Plan(self.cls, [digit == "1" for digit in f"{choice:b}"[1:]])
        return plan
