"""Local rules in symbols: what a node sends to each operand when `v` arrives at it.

The engine computes the numbers; the table, `local_rules.py`, only says by which formula.
"""

import re

import numpy as np

from ..formatting import MINUS, nested, number, shape
from .local_rules import FORMULAS, WORDS

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_HYPHEN = re.compile(r"(?<!e)-")  # a minus sign, not that of 1e-05
_LONG = 30  # letters: an array that takes more is written by its name


def key(kind, params):
    """Under which name an operation stands in `FORMULAS`."""
    return f"{kind}({', '.join(params)})"


def short_name(kind):
    """ "LogSoftmaxBackward0" is "log_softmax"."""
    plain = re.sub(r"Backward\d*.*$", "", kind) or kind
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()


def expression(kind, params, operands, arguments):
    """What a node computed, with its operands' names: "3 · a"; of an unknown one "foo(a, b)"."""
    texts = {name: text for name, (text, _) in arguments.items() if text is not None}
    formula, _ = FORMULAS.get(key(kind, params), (None, None))
    if formula and set(operands) <= set(texts):
        if formula == "x · y" and texts["y"].lstrip("-")[:1].isdigit():
            formula = "y · x"  # 2 · a, as it is usually written
        return substituted(formula, texts)
    return f"{short_name(kind)}({', '.join(texts.get(name, '…') for name in operands)})"


def substituted(formula, texts):
    """A formula with names replaced; what starts with a minus gets parentheses."""

    def put(match):
        text = _HYPHEN.sub(MINUS, texts.get(match[0], match[0]))
        return f"({text})" if text.startswith(MINUS) else text

    return _WORD.sub(put, formula)


def amount(values, signed=False):
    """Numbers in one short line: all, or their shape if they are many; None is "nothing"."""
    if values is None:
        return "nothing"
    if isinstance(values, tuple):
        return "(" + ", ".join(amount(value, signed) for value in values) + ")"
    if not isinstance(values, np.ndarray):
        return str(values)
    if values.size > 16:
        return f"shape {shape(values.shape)}"
    return nested(values.tolist(), lambda value: number(value, signed))


def _formula(node, which):
    """The table's formula for one operand of a `GraphNode`; None where it has none."""
    _, rules = FORMULAS.get(key(node.kind, node.params), ("", {}))
    return rules.get(node.operands[which])


def in_symbols(node, which):
    """The rule for one operand of a `GraphNode` in symbols: "v · b"."""
    formula = _formula(node, which)
    if formula:
        texts = {name: text for name, (text, _) in node.arguments.items() if text is not None}
        return substituted(formula, {**texts, "out": node.name, "v": "v"})
    if node.kind in WORDS:
        return WORDS[node.kind]
    if not node.rules:
        return "the program's own backward"
    return "no formula in this table; the engine's numbers"


def in_numbers(node, which, received):
    """The same formula with the numbers in place of names, or None where there is no formula."""
    formula = _formula(node, which)
    if not formula or received[0] is None:
        return None
    texts = {name: _in_formula(text, value) for name, (text, value) in node.arguments.items()}
    texts |= {"out": _in_formula(node.name, node.value), "v": _in_formula("v", received[0])}
    if any(texts.get(name, "") is None for name in _WORD.findall(formula)):
        return None
    return substituted(formula, texts)


def _in_formula(name, value):
    """A value as it stands in a formula: numbers; of a long array the name."""
    if value is None:
        return None
    text = amount(value)
    if isinstance(value, np.ndarray) and (len(text) > _LONG or text.startswith("shape")):
        return name or shape(value.shape)
    return text
