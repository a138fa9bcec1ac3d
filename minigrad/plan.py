"""Plans: what is read off the class of an operation before it is ever applied.

A class says by its signatures what each rule needs. For each choice of operands that require grad
there is one `Plan`: which rules will run, and what has to be saved for them.
"""

from functools import partial
from inspect import CO_VARARGS

import numpy as np

from .errors import NO_DERIVATIVE
from .node_names import shown_operands


def signature(function):
    """The names of a function's parameters, and that of its `*rest`, or None."""
    if isinstance(function, np.ufunc):
        return ("x", "y")[: function.nin], None
    code = function.__code__
    end = code.co_argcount + code.co_kwonlyargcount
    rest = code.co_varnames[end] if code.co_flags & CO_VARARGS else None
    return code.co_varnames[: code.co_argcount], rest


def needs(cls, operands):
    """What the rules of some operands need: {"x": "x", "y": "y_shape", "out": "out"}.

    The keys are parameters of forward, and "out" for the result. TypeError if one rule needs an
    operand and another only its shape: what is saved serves all rules.
    """
    needed = {}
    for operand in operands:
        given, rest = signature(cls.rules[operand])
        named = dict(zip((*cls.params, "out"), given[1:]))
        if rest:
            named[cls.rest] = rest
        for param, name in named.items():
            if name.startswith("_"):
                continue
            need = f"{param}_shape" if name.endswith("_shape") else param
            if needed.setdefault(param, need) != need:
                raise TypeError(
                    f"{cls.__name__}: one rule names {param}, another {param}_shape; "
                    f"let both name {param}"
                )
    return needed


class Plan:
    """What a node does if the operands at certain places, `wanted`, require grad.

    `rules` are the rules of these. `saved` is what they need, {place: name}: at the places `whole`
    all of it, at the places `shapes` its shape alone, and behind them perhaps the result. `kept`
    are the places of all that is saved whole, and `nothing` is what is saved if nothing is needed.
    `shown` is for node_names.py.
    """

    def __init__(self, cls, requires_grad):
        count = len(requires_grad)
        names = cls.params + (cls.rest,) * (count - len(cls.params))
        wanted = [place for place in range(count) if requires_grad[place]]
        for place in wanted:
            if names[place] not in cls.rules:
                raise RuntimeError(NO_DERIVATIVE.format(names[place]))
        needed = needs(cls, {names[place] for place in wanted})
        self.operation, self.wanted, self.nothing = cls, wanted, (None,) * count
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
    """The rule of an operand; that of a `*rest` is told which of them it is for."""
    rule = cls.rules[name]
    return partial(rule, which=place - len(cls.params)) if name == cls.rest else rule


class Plans(dict):
    """The plans of a class: 0b110, after its 1, is for a first operand alone that requires grad."""

    def __init__(self, cls):
        self.cls = cls

    def __missing__(self, choice):
        plan = self[choice] = Plan(self.cls, [digit == "1" for digit in f"{choice:b}"[1:]])
        return plan
