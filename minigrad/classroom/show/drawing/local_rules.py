"""The local rule of each operation in symbols: a table that is only read.

`v` is the upstream gradient, `out` the result, other names are the operation's own parameters.
"""

# {"node(parameters)": (what it computes, {operand: what goes back to it})}
FORMULAS = {
    "AddBackward0(x, y)": ("x + y", {"x": "v", "y": "v"}),
    "SubBackward0(x, y)": ("x − y", {"x": "v", "y": "−v"}),
    "RsubBackward1(x, y)": ("y − x", {"x": "−v"}),
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

# {what goes back: the nodes}, where that is not one formula.
_NODES = {
    "v copied to every element that was summed": "SumBackward0 SumBackward1",
    "v / n copied to every one of the n elements": "MeanBackward0",
    "v / n copied to the n elements of each mean": "MeanBackward1",
    "v in the shape of its operand": "ViewBackward0 UnsafeViewBackward0 SqueezeBackward0 "
    "SqueezeBackward1 UnsqueezeBackward0",
    "v transposed back": "TBackward0 TransposeBackward0",
    "v with its dimensions put back in order": "PermuteBackward0",
    "v summed over what was repeated": "ExpandBackward0",
    "v at the places that were taken, 0 elsewhere": "AsStridedBackward0 SelectBackward0 "
    "SliceBackward0 IndexBackward0",
    "v at the place that was chosen, 0 elsewhere": "MaxBackward0 MinBackward0",
    "v as it is": "CloneBackward0 AliasBackward0",
    "its own slice of v": "StackBackward0",
    "its own part of v": "CatBackward0",
    "the pieces' gradients put together again": "UnbindBackward0",
    "v where this operand was chosen, 0 elsewhere": "WhereBackward0",
    "v where x lies within the bounds, 0 elsewhere": "ClampBackward1",
    "out · (v − sum of v · out)": "SoftmaxBackward0",
    "v − exp(out) · (sum of v)": "LogSoftmaxBackward0",
    "v · 2 · (x − y), divided by n for a mean": "MseLossBackward0",
    "−v at the place of each target, divided by n for a mean, 0 elsewhere": "NllLossBackward0",
    "v times the other operand transposed, matrix by matrix": "BmmBackward0",
    "v outside of the part that was changed; for the part, what that change sends on": "CopySlices",
}
WORDS = {node: words for words, nodes in _NODES.items() for node in nodes.split()}
