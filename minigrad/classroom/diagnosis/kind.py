"""What a kind of mistake is, and what its rules share.

A kind is one function, its rule, decorated with what is told of it and what mends it. It gets the
`Case` and yields what `Case.finding` takes: line, sentence; changed lines and advice if they are
not the kind's.
"""

import re

from ..show.formatting import nested, number

KINDS = {}  # {name: Kind}, in the order in which they are looked for

# What gives whole numbers, or yes and no: no gradient goes through.
HARD = re.compile(r"argmax|\.round\(|\.int\(|\.long\(|\.floor\(|torch\.sign\(|==|!=| [<>]=? ")


class Kind:
    """A kind of mistake; decorating its rule lists it.

    lesson: the notebook that explains it; why: why it matters; advice: what to do. fixes: pairs
    (pattern, replacement), of which the first that fits the line is taken. error: a part of the
    message with which its programs stop, if they do. certain: whether it is wrong whatever was
    meant (what an error proves always is); drawn: whether the loss is drawn beside it.
    """

    def __init__(self, *, lesson, why, advice, fixes=(), error="", certain=False, drawn=False):
        self.lesson, self.why, self.advice, self.fixes = lesson, why, advice, fixes
        self.certain, self.drawn, self._error = certain, drawn, error
        self.rules, self.errors = [], {}  # rules of programs that run; {part of a message: rule}

    def __call__(self, rule):
        self.name = rule.__name__.replace("_", "-")
        KINDS[self.name] = self
        if self._error:
            self.errors[self._error] = rule
        else:
            self.rules.append(rule)
        return self

    def error(self, part):
        """Decorates another rule, for programs that stop with a message that has this part."""
        return lambda rule: self.errors.setdefault(part, rule)


def names(leaves):
    """Their names, as they are read: "w and b"."""
    told = list(dict.fromkeys(leaf.name or "a parameter" for leaf in leaves))
    told = [*told[:3], f"{len(told) - 3} more"] if len(told) > 4 else told
    return " and ".join(filter(None, [", ".join(told[:-1]), told[-1]]))


def short(array):
    """Numbers as they are read; of many the largest."""
    if array.size > 6:
        return f"entries up to {number(float(abs(array).max()), digits=4)}"
    return nested(array.tolist(), lambda value: number(value, digits=4))


def grouped(leaves, key=lambda leaf: leaf.line):
    """Pairs (line of their last pass, leaves), or by another key."""
    found = {}
    for leaf in leaves:
        found.setdefault(key(leaf), []).append(leaf)
    return found.items()
