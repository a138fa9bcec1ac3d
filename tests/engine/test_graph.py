"""The graph as a user can walk it: nodes, names, edges, what keeps what alive."""
import gc
import weakref

import pytest

import minigrad
from tests.engine.both import refusal, same

NAMES = """x + x; x - x; 1 - x; x * x; x * 2; x / x; x / 2; 1 / x; -x; x ** 2; x ** x; 2 ** x; x @ x; x.mm(x); x.mv(x[0]); x[0].dot(x[0]); x[0] @ x; x @ x[0]; x[None] @ x[None]; x[None] @ x; x.sum(); x.sum(0); x.sum((0, 1))
    x.mean(); x.mean(0); x.norm(); x.norm(dim=0); x.view(4); x.reshape(4); x.reshape(2, 2); x.flatten(); x.ravel()
    x.transpose(0, 1); x.t(); x.T; x.permute(1, 0); x.squeeze(); x.squeeze(0); x.unsqueeze(0); x[0]; x[:1]; x[::2]; x[None]
    x[...]; x[:]; x[torch.tensor([0])]; x[x > 0]; x[0, 1]; x[0, 1:]; x[:, 0]; x.expand(3, 2, 2); x[:1].expand(2, 2)
    torch.cat([x, x]); torch.stack([x, x]); torch.where(x > 0, x, 0); x.clone(); x.double(); x.contiguous(); x.exp(); x.log()
    x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.abs(); x.sin(); x.cos(); x.reciprocal(); x.rsqrt(); x.square(); x.log1p()
    x.expm1(); x.floor(); x.round(); x.sign(); torch.outer(x[0], x[0]); torch.add(x, x, alpha=2); x.clone().add_(1)
    x.clone().mul_(2); x.clone().zero_(); x.clone().fill_(1); x.clone().copy_(x); x.clone().exp_(); x.clone()[0].mul_(2)
    x.detach(); x > 0; x.argmax(); x.long(); torch.broadcast_to(x, (3, 2, 2)); x.type(torch.float64); x.sub(1); torch.rsub(x, 1)
    x.max(); x.min(); x.max(0)[0]; x.max(0)[1]; x.prod(); x.cumsum(0); x.clamp(0, 1); x.clamp(min=0); x.narrow(0, 0, 1)
    x.select(0, 1); x.unbind(0)[1]; x.chunk(2)[0]; x.split(1)[1]; x.std(); x.var(); x.softmax(0); x.logsumexp(0); x.diagonal()
    x.triu(); x.index_select(0, torch.tensor([0])); x.gather(0, torch.zeros(2, 2, dtype=torch.int64)); x.amax(); x.median()
    torch.maximum(x, x); x.sort()[0]; x.topk(1)[0]; x.movedim(0, 1); x.flip(0); x.repeat(2, 1)"""


@pytest.mark.parametrize("formula", [row.strip() for row in NAMES.replace("\n", ";").split(";")])
@same
def test_names(torch, formula):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = eval(formula, {"torch": torch, "x": x})
    return y, y.grad_fn and (repr(type(y.grad_fn)), y.grad_fn, len(y.grad_fn.next_functions))


def walked(node):
    """The whole graph behind a node, as nested names."""
    if node is None:
        return None
    return node.name(), [(walked(below), number) for below, number in node.next_functions]


@same
def test_edges(torch):
    x, w, plain = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
    formulas = (x * 2, 2 * x, x * plain, plain * x, (x * w + x).sum(), x ** 2, torch.cat([x, plain, w]),
                torch.where(plain > 0, x, w), x.view(2, 1) @ w.view(1, 2), x.double() * 2, -(x / w).exp(),
                torch.stack([plain, x]), x.unbind()[1] * x[0], 1 / x, 1 - x)  # fmt: skip
    return [walked(y.grad_fn) for y in formulas]


@same
def test_a_leaf_is_one_node(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * x
    (first, _), (second, number) = y.grad_fn.next_functions
    again = (x + 1).grad_fn.next_functions[0][0]
    return first is second, first is again, first.variable is x, number, first.next_functions, first.name(), first


@same
def test_outputs_are_numbered(torch):
    x = torch.arange(6.0).reshape(3, 2).requires_grad_()
    a, b, c = x.unbind(0)
    values, indices = x.max(1)
    return [a.output_nr, b.output_nr, c.output_nr, a.grad_fn is c.grad_fn, values.output_nr, indices.grad_fn], walked((b * c).grad_fn)


@same
def test_saved_values(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x.detach()
    z = y.exp()
    w = z ** 2.5
    return (
        y.grad_fn._saved_other, z.grad_fn._saved_result, w.grad_fn._saved_self, w.grad_fn._saved_exponent,
        (x * x).grad_fn._saved_self, x.sum().grad_fn._saved_self_sym_sizes, refusal(lambda: x.sum().grad_fn._saved_self),
        (x + x).grad_fn._saved_alpha,
    )  # fmt: skip


@same
def test_a_node_has_room_for_notes(torch):
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.metadata["note"] = 1
    return y.grad_fn.metadata, y.grad_fn.metadata is y.grad_fn.metadata


@same
def test_a_node_can_be_called(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    v = torch.tensor([1.0, 10.0])
    return (x * w).grad_fn(v), x.exp().grad_fn(v), (x + 1).grad_fn(v)


# -- memory: no garbage collector is needed ------------------------------------------------------------


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def gone(make):
    """Whether what `make` returns is freed as soon as nobody holds it."""
    held = [weakref.ref(thing) for thing in make()]
    return [ref() is None for ref in held]


def a_graph(torch):
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    z = (y.exp() + y[1:].sum()).sum()
    return x, y, z


@pytest.mark.parametrize("use", [
    lambda torch, x, y, z: None,
    lambda torch, x, y, z: z.backward(),
    lambda torch, x, y, z: z.backward(retain_graph=True),
    lambda torch, x, y, z: torch.autograd.grad(z, [x, y]),
    lambda torch, x, y, z: torch.autograd.grad(z, x, create_graph=True)[0].sum().backward(),
    lambda torch, x, y, z: y.mul_(2),
    lambda torch, x, y, z: (y.retain_grad(), z.backward()),
    lambda torch, x, y, z: (y[0].add_(1), y.sum().backward()),
    lambda torch, x, y, z: (z.grad_fn.next_functions, z.grad_fn.metadata.update(a=1)),
    lambda torch, x, y, z: (x.register_hook(lambda g: None), y.register_hook(lambda g: None), z.backward()),
])  # fmt: skip
def test_memory_is_freed_at_once(use, no_collector):
    def make():
        x, y, z = a_graph(minigrad)
        use(minigrad, x, y, z)
        yield from (x, y, z, z.grad_fn, y.grad_fn)

    assert all(gone(make))


def test_unsaved_results_are_freed_while_the_graph_lives(no_collector):
    x = minigrad.ones(3, requires_grad=True)
    h = x * 2
    y = (h + 1).sum()
    held = weakref.ref(h)
    del h
    assert held() is None
    y.backward()
    assert x.grad.tolist() == [2, 2, 2]


def test_what_was_saved_is_freed_by_the_pass(no_collector):
    x = minigrad.ones(3, requires_grad=True)
    h = x * 2
    y = (h * h).sum()
    held = weakref.ref(h)
    del h
    assert held() is not None
    y.backward()
    assert held() is None


def test_a_graph_keeps_its_leaves(no_collector):
    y = (minigrad.ones(3, requires_grad=True) * 2).sum()
    leaf = weakref.ref(y.grad_fn.next_functions[0][0].next_functions[0][0].variable)
    assert leaf().requires_grad
    y.backward()
    assert leaf().grad.tolist() == [2, 2, 2]
    del y
    assert leaf() is None


SAVED = """x * y; x * 2; x * 2.0; x * 2.5; x * True; 2 * x; x / y; x / 2; 1 / x; x ** 2; x ** 2.0; x ** 0.5; x ** y; 2 ** x
    x.exp(); x.log(); x.sqrt(); x.sin(); x.tanh(); x.sigmoid(); x.relu(); x.abs(); x.sum(0); x.sum((0, 1), True)
    x.prod(); x.max(); x.amax(0); x.max(1).values; x.min(0)[0]; x.sort(0)[0].sum(0); x.logsumexp(0); x.softmax(0)
    x.cumsum(1); x @ y; x @ y[0]; x[0].dot(y[0]); x.permute(1, 0); x.transpose(0, 1); x[:1]; x[0]
    x[x > 1]; x[torch.tensor([0])]; x.expand(3, 2, 2); torch.where(x > 1, x, y); x.clamp(0, 1); x.flip(0)
    torch.nn.functional.mse_loss(x, y); torch.nn.functional.leaky_relu(x); torch.addcmul(x, x, y)
    torch.linalg.inv(x); x.index_select(0, torch.tensor([0])); x.lerp(y, 0.5)"""


@pytest.mark.parametrize("formula", [row.strip() for row in SAVED.replace("\n", ";").split(";")])
@same
def test_what_a_node_keeps(torch, formula):
    """Under PyTorch's names; of what minigrad keeps as well, the same values."""
    x = torch.tensor([[0.5, 2.0], [3.0, 4.5]], requires_grad=True)
    y = torch.tensor([[1.0, 3.0], [2.0, 4.0]], requires_grad=True)
    node = eval(formula, {"torch": torch, "x": x, "y": y}).grad_fn
    left = (  # shapes, ways to compute, and what a constant is called
        "_sym_", "_alpha", "_reduction", "_sparse_grad", "_rounding", "gather", "_value", "_weight"
    )  # fmt: skip
    names = [n for n in dir(node) if n.startswith("_saved_") and not any(part in n for part in left)]
    return sorted(names), [getattr(node, n) for n in sorted(names)]
