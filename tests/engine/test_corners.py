"""Corners that no other test looked into: each line kills a mutant that had survived (tools/mutation.py).

What would a learner's program lose if nobody looked here? A value, a gradient or a sentence of PyTorch's.
"""
import numpy as np
import pytest

from tests.engine.both import attempt, same

FORMULAS = """
torch.einsum(a, [0, 1], b, [1, 2], [0, 2])
torch.einsum(a, [0, 1], b, [1, 2])
torch.einsum(a, [0, 1], b, [1, 2], a, [0, 1], [2])
[torch.can_cast(getattr(torch, x), getattr(torch, y)) for x in KINDS for y in KINDS]
torch.quantile(a, torch.tensor([0.2, 0.7]), dim=0, keepdim=True)
torch.quantile(a, torch.tensor([0.2, 0.7]), keepdim=True)
torch.quantile(a, torch.tensor([0.2, 0.7]), dim=1, keepdim=True)
torch.nanquantile(a.where(a > 0, a / 0 * 0), torch.tensor([0.0, 0.4, 1.0]), dim=1, keepdim=True)
torch.quantile(a, 0.3, dim=1, keepdim=True)
torch.zeros(7, 3).fill_diagonal_(5, wrap=True)
torch.zeros(3, 7).fill_diagonal_(5, wrap=True)
torch.zeros(7, 3).fill_diagonal_(5)
torch.zeros(4, 3).fill_diagonal_(5, True)
torch.zeros(3, 3, 3).fill_diagonal_(5, wrap=True)
s[1:]
s[:]
v[1:2, :1]
s[0]
torch.addbmm(v, t, t.transpose(1, 2)[:, :, :2], beta=0.5, alpha=2)
torch.addbmm(s, t, t.transpose(1, 2))
"""


def lines(formulas):
    return [line for line in formulas.splitlines() if line]


@pytest.mark.parametrize("formula", lines(FORMULAS))
@same
def test_values_gradients_and_sentences(torch, formula):
    draw = np.random.default_rng(0)
    given = {name: torch.tensor(draw.normal(size=shape).tolist(), requires_grad=True)
             for name, shape in {"a": (2, 3), "b": (3, 4), "t": (2, 2, 3), "v": (2,), "s": ()}.items()}  # fmt: skip
    kinds = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
    result = attempt(eval, formula, {"torch": torch, "KINDS": kinds, **given})
    outs = [y for y in (result if isinstance(result, (list, tuple)) else [result])
            if isinstance(y, torch.Tensor) and y.requires_grad]  # fmt: skip
    for n, out in enumerate(outs):
        upstream = torch.tensor(np.random.default_rng(n).normal(size=out.shape).tolist())
        out.backward(upstream.reshape(out.shape), retain_graph=True)
    values = result.detach() if isinstance(result, torch.Tensor) else result
    return values, [x.grad for x in given.values()]
