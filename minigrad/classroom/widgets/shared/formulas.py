"""Local rules in symbols: what a node sends to each operand when `v` arrives at it.

The engine computes the numbers; this table only says by which formula, for reading. In a formula
`v` is the upstream gradient, `out` the result, and the other names are the operation's own
parameters. A rule that is not one formula is told in words. An operation that the table does not
know is shown by the engine's own lines of Python, so that nothing is claimed that is not so.
"""

import inspect
import re
import textwrap

import numpy as np

from ...formatting import MINUS, nested, number, shape
from .functions import source_of

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
    "PowBackward2(x, y)": ("y^x", {"x": "v · out · log(y)"}),
    "NegBackward0(x)": ("−x", {"x": "−v"}),
    "AbsBackward0(x)": ("abs(x)", {"x": "v · sign(x)"}),
    "ExpBackward0(x)": ("exp(x)", {"x": "v · out"}),
    "LogBackward0(x)": ("log(x)", {"x": "v / x"}),
    "Log1PBackward0(x)": ("log1p(x)", {"x": "v / (1 + x)"}),
    "SqrtBackward0(x)": ("sqrt(x)", {"x": "v / (2 · out)"}),
    "RsqrtBackward0(x)": ("1 / sqrt(x)", {"x": "−v · out^3 / 2"}),
    "ReciprocalBackward0(x)": ("1 / x", {"x": "−v · out^2"}),
    "SinBackward0(x)": ("sin(x)", {"x": "v · cos(x)"}),
    "CosBackward0(x)": ("cos(x)", {"x": "−v · sin(x)"}),
    "TanhBackward0(x)": ("tanh(x)", {"x": "v · (1 − out^2)"}),
    "AtanBackward0(x)": ("atan(x)", {"x": "v / (1 + x^2)"}),
    "SigmoidBackward0(x)": ("sigmoid(x)", {"x": "v · out · (1 − out)"}),
    "ReluBackward0(x)": ("relu(x)", {"x": "v · (out > 0)"}),
    "CopyBackwards(x, source)": ("copy(source)", {"x": "0", "source": "v"}),
    "FillBackward2(x, source)": ("fill(source)", {"x": "0", "source": "v"}),
    "FillBackward3(x, source)": ("fill(source)", {"x": "0", "source": "v"}),
    "ZeroBackward0(x, source)": ("0", {"x": "0", "source": "v"}),
    "MmBackward0(x, y)": ("x @ y", {"x": "v @ yᵀ", "y": "xᵀ @ v"}),
    "MvBackward0(x, y)": ("x @ y", {"x": "outer(v, y)", "y": "xᵀ @ v"}),
    "DotBackward0(x, y)": ("x @ y", {"x": "v · y", "y": "v · x"}),
    "AddmmBackward0(x, y, z)": ("x + y @ z", {"x": "v", "y": "v @ zᵀ", "z": "yᵀ @ v"}),
}

_SHAPED = "v in the shape of its operand"
_TAKEN = "v at the places that were taken, 0 elsewhere"
_CHOSEN = "v where this operand was chosen, half of it at ties, 0 elsewhere"
_WITHIN = "v where x lies within the bounds, 0 elsewhere"
_LARGEST = "v at the place that was chosen, 0 elsewhere"

# nodes whose rule is said in words, whatever their parameters
WORDS = {
    "SumBackward0": "v copied to every element that was summed",
    "SumBackward1": "v copied to every element that was summed",
    "MeanBackward0": "v / n copied to every one of the n elements",
    "MeanBackward1": "v / n copied to the n elements of each mean",
    "ViewBackward0": _SHAPED,
    "UnsafeViewBackward0": _SHAPED,
    "SqueezeBackward0": _SHAPED,
    "SqueezeBackward1": _SHAPED,
    "UnsqueezeBackward0": _SHAPED,
    "TBackward0": "v transposed back",
    "TransposeBackward0": "v transposed back",
    "PermuteBackward0": "v with its dimensions put back in order",
    "ExpandBackward0": "v summed over what was repeated",
    "AsStridedBackward0": _TAKEN,
    "SelectBackward0": _TAKEN,
    "SliceBackward0": _TAKEN,
    "IndexBackward0": _TAKEN,
    "GatherBackward0": _TAKEN,
    "MaxBackward0": _LARGEST,
    "MinBackward0": _LARGEST,
    "MaxBackward1": "v at the largest element, shared equally by equal ones, 0 elsewhere",
    "MinBackward1": "v at the smallest element, shared equally by equal ones, 0 elsewhere",
    "CloneBackward0": "v as it is",
    "AliasBackward0": "v as it is",
    "StackBackward0": "its own slice of v",
    "CatBackward0": "its own part of v",
    "UnbindBackward0": "the pieces' gradients put together again",
    "SplitBackward0": "the pieces' gradients put together again",
    "WhereBackward0": "v where this operand was chosen, 0 elsewhere",
    "SoftmaxBackward0": "out · (v − sum of v · out)",
    "LogSoftmaxBackward0": "v − exp(out) · (sum of v)",
    "LogsumexpBackward0": "v · exp(x − out)",
    "MaximumBackward0": _CHOSEN,
    "MinimumBackward0": _CHOSEN,
    "ClampBackward1": _WITHIN,
    "MseLossBackward0": "v · 2 · (x − y), divided by n for a mean",
    "NllLossBackward0": "−v at the place of each target, divided by n for a mean, 0 elsewhere",
    "LinalgVectorNormBackward0": "v · x · |x|^(p − 2) / out^(p − 1); for p = 2: v · x / out",
    "VarBackward0": "v · 2 · (x − mean) / (n − correction)",
    "StdBackward0": "v · (x − mean) / ((n − correction) · out)",
    "ProdBackward0": "v · the product of all other elements",
    "CumsumBackward0": "v added up from the end",
    "BmmBackward0": "v times the other operand transposed, matrix by matrix",
    "CopySlices": "v outside of the part that was changed; for the part, what that change sends on",
    "MaskedFillBackward0": "v, 0 where it was filled",
    "TriuBackward0": "v with the same part set to 0",
    "TrilBackward0": "v with the same part set to 0",
    "ToCopyBackward0": "v in the dtype of its operand",
}

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
    known = FORMULAS.get(key(kind, params))
    if known is not None and set(operands) <= set(texts):
        if known[0] == "x · y" and _is_number(texts["y"]):
            return substituted("y · x", texts)  # 2 · a, as it is usually written
        return substituted(known[0], texts)
    return f"{short_name(kind)}({', '.join(texts.get(name, '…') for name in operands)})"


def _is_number(text):
    return text.lstrip("-")[:1].isdigit()


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
    if signed:
        return nested(values.tolist(), lambda value: number(value, signed=True))
    return nested(values.tolist())


def in_symbols(node, place):
    """The rule for one operand of a `GraphNode` in symbols: "v · b"."""
    known = FORMULAS.get(key(node.kind, node.params))
    operand = node.operands[place]
    if known is not None and operand in known[1]:
        texts = {name: text for name, (text, _) in node.arguments.items() if text is not None}
        return substituted(known[1][operand], {**texts, "out": node.name, "v": "v"})
    if node.kind in WORDS:
        return WORDS[node.kind]
    if not node.rules:
        return "the program's own backward"
    lines = _engine_lines(node, place)
    return f"in minigrad: {lines}" if lines else "no formula in this table; the engine's numbers"


def in_numbers(node, place, received):
    """The same formula with the numbers in place of names, or None where there is no formula."""
    known = FORMULAS.get(key(node.kind, node.params))
    operand = node.operands[place]
    if known is None or operand not in known[1] or received[0] is None:
        return None
    texts = {name: _in_formula(text, value) for name, (text, value) in node.arguments.items()}
    texts |= {"out": _in_formula(node.name, node.value), "v": _in_formula("v", received[0])}
    formula = known[1][operand]
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


def _engine_lines(node, place):
    """The engine's own rule as Python text: "return g * y"; "" where it has none."""
    rule = node.rules[place] if place < len(node.rules) else None
    if rule is None or source_of(rule) is not None:
        return rule and f"return {source_of(rule)}"
    try:
        lines = textwrap.dedent(inspect.getsource(rule)).strip().splitlines()
    except (OSError, TypeError):
        return ""
    body = [line.strip() for line in lines[1:]]
    body = [line for line in body if line and not line.startswith(("#", '"'))]
    return " ".join(body) if len(body) <= 3 else lines[0].strip() + " …"
