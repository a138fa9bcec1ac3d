"""Local rules in symbols: what a node sends to each operand when `v` arrives at it.

The engine computes the numbers; this table only says by which formula, for reading. In a formula
`v` is the upstream gradient, `out` the result, and the other names are the operation's own
parameters. A rule that is not one formula is told in words; of an operation that the table does
not know nothing is claimed.
"""

import re

import numpy as np

from ...formatting import MINUS, nested, number, shape

# node(parameters) -> what it computes, and for each operand what goes back
FORMULAS = {
    "AddBackward0(x, y)": ("x + y", {"x": "v", "y": "v"}),
    "SubBackward0(x, y)": ("x − y", {"x": "v", "y": "−v"}),
    "RsubBackward1(x, y)": ("y − x", {"x": "−v", "y": "v"}),
    "MulBackward0(x, y)": ("x · y", {"x": "v · y", "y": "v · x"}),
    "DivBackward0(x, y)": ("x / y", {"x": "v / y", "y": "−v · x / y^2"}),
    "PowBackward0(x, y)": ("x^y", {"x": "v · y · x^(y − 1)"}),
    "PowBackward0(x)": ("x^2", {"x": "v · 2 · x"}),
    "PowBackward1(x, y)": ("x^y", {"x": "v · y · x^(y − 1)", "y": "v · out · log(x)"}),
    "NegBackward0(x)": ("−x", {"x": "−v"}),
    "AbsBackward0(x)": ("abs(x)", {"x": "v · sign(x)"}),
    "ExpBackward0(x)": ("exp(x)", {"x": "v · out"}),
    "LogBackward0(x)": ("log(x)", {"x": "v / x"}),
    "SqrtBackward0(x)": ("sqrt(x)", {"x": "v / (2 · out)"}),
    "ReciprocalBackward0(x)": ("1 / x", {"x": "−v · out^2"}),
    "SinBackward0(x)": ("sin(x)", {"x": "v · cos(x)"}),
    "CosBackward0(x)": ("cos(x)", {"x": "−v · sin(x)"}),
    "TanhBackward0(x)": ("tanh(x)", {"x": "v · (1 − out^2)"}),
    "SigmoidBackward0(x)": ("sigmoid(x)", {"x": "v · out · (1 − out)"}),
    "ReluBackward0(x)": ("relu(x)", {"x": "v · (out > 0)"}),
    "MmBackward0(x, y)": ("x @ y", {"x": "v @ yᵀ", "y": "xᵀ @ v"}),
    "MvBackward0(x, y)": ("x @ y", {"x": "outer(v, y)", "y": "xᵀ @ v"}),
    "DotBackward0(x, y)": ("x @ y", {"x": "v · y", "y": "v · x"}),
    "AddmmBackward0(x, y, z)": ("x + y @ z", {"x": "v", "y": "v @ zᵀ", "z": "yᵀ @ v"}),
}

# rules that are said in words: of which nodes, whatever their parameters
_TOLD = {
    "v copied to every element that was summed": "SumBackward0 SumBackward1",
    "v / n copied to every one of the n elements": "MeanBackward0",
    "v / n copied to the n elements of each mean": "MeanBackward1",
    "v in the shape of its operand": "ViewBackward0 UnsafeViewBackward0 SqueezeBackward0 "
                                     "SqueezeBackward1 UnsqueezeBackward0",
    "v transposed back": "TBackward0 TransposeBackward0",
    "v with its dimensions put back in order": "PermuteBackward0",
    "v summed over what was repeated": "ExpandBackward0",
    "v at the places that were taken, 0 elsewhere": "AsStridedBackward0 SelectBackward0 "
                                                    "SliceBackward0 IndexBackward0 GatherBackward0",
    "v at the place that was chosen, 0 elsewhere": "MaxBackward0 MinBackward0",
    "v as it is": "CloneBackward0 AliasBackward0",
    "its own slice of v": "StackBackward0",
    "its own part of v": "CatBackward0",
    "the pieces' gradients put together again": "UnbindBackward0 SplitBackward0",
    "v where this operand was chosen, 0 elsewhere": "WhereBackward0",
    "v where x lies within the bounds, 0 elsewhere": "ClampBackward1",
    "out · (v − sum of v · out)": "SoftmaxBackward0",
    "v − exp(out) · (sum of v)": "LogSoftmaxBackward0",
    "v · exp(x − out)": "LogsumexpBackward0",
    "v · 2 · (x − y), divided by n for a mean": "MseLossBackward0",
    "−v at the place of each target, divided by n for a mean, 0 elsewhere": "NllLossBackward0",
    "v · 2 · (x − mean) / (n − correction)": "VarBackward0",
    "v · the product of all other elements": "ProdBackward0",
    "v times the other operand transposed, matrix by matrix": "BmmBackward0",
    "v outside of the part that was changed; for the part, what that change sends on": "CopySlices",
}
WORDS = {kind: words for words, kinds in _TOLD.items() for kind in kinds.split()}

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


def _formula(node, place):
    """The table's formula for one operand of a `GraphNode`; None where it has none."""
    _, rules = FORMULAS.get(key(node.kind, node.params), ("", {}))
    return rules.get(node.operands[place])


def in_symbols(node, place):
    """The rule for one operand of a `GraphNode` in symbols: "v · b"."""
    formula = _formula(node, place)
    if formula:
        texts = {name: text for name, (text, _) in node.arguments.items() if text is not None}
        return substituted(formula, {**texts, "out": node.name, "v": "v"})
    if node.kind in WORDS:
        return WORDS[node.kind]
    if not node.rules:
        return "the program's own backward"
    return "no formula in this table; the engine's numbers"


def in_numbers(node, place, received):
    """The same formula with the numbers in place of names, or None where there is no formula."""
    formula = _formula(node, place)
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
