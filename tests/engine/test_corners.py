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
torch.addmm(v, v[:, None], v[None], beta=2, alpha=3)
torch.addmm(a, a, b)
torch.baddbmm(v, t, t.transpose(1, 2), beta=2)
torch.addmv(s, a, a[0], alpha=3)
torch.addr(v[:1], v, a[0])
a.detach().map_(torch.ones(3), lambda x, y: x + 2 * y)
a.map_(a, lambda x, y: x)
a.apply_(abs)
a.detach().apply_(abs)
torch.minimum(a, a.detach())
torch.maximum(a, a * 1)
torch.fmax(a, a.detach())
torch.histc(a.detach())
torch.histc(a.detach(), 4)
torch.histc(a.detach(), 4, -1, 1)
torch.histc(a.detach(), 3, 2, 1)
torch.histc(a.detach(), 0)
torch.histc(torch.ones(3), 4)
torch.bincount(torch.tensor([-1]))
torch.bincount(torch.tensor([1, 2]), torch.ones(3))
torch.bincount(torch.tensor([1.5]))
torch.remainder(5, a)
a.divide(2), a.true_divide(2), (a * 1).divide_(2), (a * 1).true_divide_(b[:, 0])
a.detach().as_strided((2, 3), (3, 1), 0), a.detach().as_strided((2, 2), (1, 3), 1)
a.detach().as_strided((2, 3), (3, 1), 1)
a.detach().as_strided((2, 3), (4, 1))
torch.linalg.svd(v)
torch.linalg.qr(v)
torch.linalg.matrix_norm(a, 2), torch.linalg.matrix_norm(a, -2), torch.linalg.matrix_norm(a, "nuc")
torch.linalg.matrix_norm(a, 1), torch.linalg.matrix_norm(a, -1), torch.linalg.matrix_norm(a, float("-inf"))
torch.linalg.matrix_norm(a, "fro", keepdim=True), torch.linalg.matrix_norm(a.detach(), 2, keepdim=True)
torch.linalg.matrix_rank(a.detach()), torch.linalg.matrix_rank(t.detach()), torch.linalg.matrix_rank(torch.zeros(2, 3, 3))
torch.linalg.matrix_rank(torch.diag(torch.tensor([1.0, 1e-3, 1e-9])))
torch.linalg.matrix_rank(torch.diag(torch.tensor([1e-9, 1.0, 1e-3])))
torch.digamma(torch.tensor([-0.5, -1.5, -2.25, 0.0, -1.0, -3.0, 0.1, 1e-3]))
torch.digamma(a * 3)
torch.erfinv(torch.tensor([0.1, -0.9, 0.99999, 1.0, -1.0, 2.0, 0.0], requires_grad=True))
torch.dot(v, 2)
v.dot(a[0])
torch.signbit(torch.tensor([-1, 0, 1])), torch.signbit(torch.tensor([True, False]))
s.get_device(), a.is_signed(), torch.is_floating_point(a), torch.is_complex(a), torch.is_nonzero(s), a.is_same_size(b)
torch.is_floating_point(3)
a.lerp(a.flip(0), 0.3), a.lerp(a.flip(0), 0.7), torch.lerp(v, v * 1e8, 0.5), v.lerp(v + 1, v)
torch.lerp(torch.tensor(-1e8), torch.tensor(1.0), 1.0), torch.lerp(torch.tensor(-1e8), torch.tensor(1.0), torch.tensor([1.0, 0.0]))
torch.quantile(s.detach(), 0.5), torch.quantile(s.detach(), torch.tensor([0.5]))
torch.quantile(a, 2.0)
torch.quantile(a, torch.tensor([[0.5]]))
torch.quantile(a, torch.tensor([0.5], dtype=torch.float64))
torch.quantile(a, 0.5, interpolation="x")
torch.quantile(torch.tensor([]), 0.5)
[torch.quantile(a.detach(), 0.3, interpolation=kind) for kind in ("midpoint", "nearest", "higher", "lower", "linear")]
torch.var_mean(a, 1), torch.std_mean(a, 0), torch.var_mean(a, 0, keepdim=True)
torch.var(v, 0, False), a.std(False)
torch.corrcoef(v), torch.cov(v)
torch.sum(a, 0, dtype=torch.float64), a.mean(0, dtype=torch.float64), a.norm(dtype=torch.float64)
torch.tensor([]).norm(float("inf"))
s.scatter(0, torch.tensor(0), 5.0), s.gather(0, torch.tensor(0)), s.index_select(0, torch.tensor(0)), s.index_fill(0, torch.tensor(0), 2.0)
torch.take(a, torch.tensor([[0, -1], [5, 2]])), a.take(torch.tensor(3))
v.scatter_reduce(0, torch.tensor([0, 0, 1]), a[0], "mean", include_self=False), v.scatter_reduce(0, torch.tensor([1, 1, 1]), a[0], "mean")
torch.zeros(3).scatter_reduce(0, torch.tensor([0, 0, 2]), a[0], "mean", include_self=False)
torch.full((3,), 7.0).scatter_reduce(0, torch.tensor([0, 0, 2]), a[0], "amin", include_self=False)
a[:, None, 0], t[..., 0], t[0, ..., 1], t[1], t[:, :, None, ..., 0], t[0, 1]
v[0, 0]
s.mT, s.mH
t.H
v.mT
v.H
s.T, s.H, a.mT, a.H, a.mH, t.mT
torch.zeros(0, 3).split(2), torch.zeros(2, 0).split(0, 1), torch.zeros(3).chunk(5), torch.zeros(0).chunk(3)
a.split([1, 1]), a.split([1, 2], 1), a.split_with_sizes([1, 1]), torch.split_with_sizes(a, [1, 1])
s.split(1)
a.split([1, 2])
a.split(-1)
a.split(0)
torch.tensor_split(a, torch.tensor([1, 2]), 1), torch.tensor_split(a, 2, 1), a.hsplit(3), a.vsplit(2)
s.tensor_split(2)
a.hsplit(2)
torch.cat([])
torch.stack([])
torch.cat([a, v])
torch.cat([a, s])
torch.cat([torch.tensor([]), a])
torch.block_diag(), torch.block_diag(a, v, s)
torch.meshgrid(v, s, indexing="ij"), torch.meshgrid(v, a[0], indexing="xy")
torch.cartesian_prod(v), torch.cartesian_prod(v, a[0]), torch.combinations(v), torch.combinations(a)
torch.broadcast_shapes((2, 1), 3, (1, 3)), torch.broadcast_shapes((2,), (3,))
torch.broadcast_shapes((2, 1), (1, 3), (4, 3))
torch.broadcast_shapes((5,), (1,), (4, 5), 3)
torch.broadcast_shapes((2, 1), 3, (1, 3)), torch.broadcast_shapes((0,), (1,)), torch.broadcast_shapes()
torch.searchsorted(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([[2, 9], [4, 5]])), torch.searchsorted(torch.tensor([3, 1, 2]), torch.tensor([2, 3]), sorter=torch.tensor([1, 2, 0]))
torch.searchsorted(torch.tensor([[1, 2, 3], [4, 5, 6]]), torch.tensor([[2, 9]]))
torch.unravel_index(torch.tensor([1, 5]), (2, 3))
a.kthvalue(4)
a.topk(4)
torch.tensor([True, False]).topk(1)
a.reshape(-1, -1)
a.reshape(-2, 3)
a.reshape(4, -1)
a.view(7)
a.detach().ldexp(torch.tensor([1, 2, 3])), a.detach().ldexp_(torch.tensor([1, 2, 3])), a.float_power(2)
(a * 1).float_power_(2)
torch.tensordot(a, b, -1)
torch.tensordot(a, b.double(), 1)
torch.tensordot(a[:1], b, 1), torch.tensordot(torch.ones(4, 1), b, dims=([1], [0]))
torch.tensordot(a, b, 1), torch.tensordot(t, a, ([2, 1], [1, 0]))
torch.triu(v)
torch.tril(v)
torch.fliplr(v)
torch.flipud(s)
torch.roll(s, 1)
a.repeat()
a.repeat_interleave(torch.tensor([1, -1]), 0)
s.repeat_interleave(3), v.repeat_interleave(2), a.repeat_interleave(torch.tensor([2, 0]), 0)
torch.zeros(3).fill_diagonal_(1)
torch.zeros(2, 3, 2).fill_diagonal_(1)
torch.where(a, 1, 2)
a.clamp()
torch.clamp_min(a, 0.2), torch.clamp_max(a, 0.1), (a * 1).clamp_min_(0.1), (a * 1).clamp_max_(0.1)
a.bitwise_and(1)
torch.tensor([1, 2]).bitwise_not_(), torch.tensor([True]).bitwise_not_()
a.copy_("x")
a.masked_fill(a > 0, v)
torch.chain_matmul(a, b), torch.linalg.multi_dot([a, b]), torch.linalg.multi_dot([v, a, b])
torch.kron(a, v), torch.kron(s, a)
torch.inner(a, b.T), torch.inner(s, a), torch.outer(v, a[0])
torch.outer(a, v)
torch.bmm(a, t)
torch.mv(a, v)
torch.mm(a, a)
torch.einsum("ij,jk", a)
torch.einsum("ij", a, a)
torch.einsum(a)
torch.einsum("ij,kj->", a, t[0]), torch.einsum("ii->i", t[0, :, :2]), torch.einsum("...j,j->...", t, a[0]), torch.einsum("ba", a)
torch.cumsum(s, 0), torch.cumprod(s, 0), torch.logcumsumexp(s, 0), torch.cummax(s, 0), torch.diff(s[None])
torch.diff(s)
torch.div(torch.tensor([1]), torch.tensor([0]), rounding_mode="floor")
torch.tensor([1]) // torch.tensor([0])
torch.tensor([1]) % torch.tensor([0])
(a * 1).div_(2, rounding_mode="floor"), (a * 1).div_(v[0], rounding_mode="trunc")
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


@same
def test_the_order_in_which_a_pass_runs(torch):
    """Later nodes before earlier ones, leaves as soon as they are ready, also from several roots."""
    order = []
    a, b, c = [torch.ones(2, requires_grad=True) for _ in range(3)]

    def note(name):
        return lambda *_: order.append(name)

    for name, leaf in {"a": a, "b": b, "c": c}.items():
        leaf.register_post_accumulate_grad_hook(note(name))
    first = a * 2
    second = b * 3
    third = first * c + second
    fourth = a * 5
    for name, y in {"first": first, "second": second, "third": third, "fourth": fourth}.items():
        y.grad_fn.register_prehook(note(name))
    ones = torch.ones(2)
    torch.autograd.backward([first, fourth, second], [ones] * 3, retain_graph=True)
    order.append("then")
    torch.autograd.backward([third, fourth], [ones] * 2, retain_graph=True)
    order.append("then")
    torch.autograd.backward([second, second, third], [ones] * 3)
    return order, a.grad, b.grad, c.grad
