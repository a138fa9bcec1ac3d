"""The graph as a user can walk it: nodes, names, edges, what is saved, what keeps what alive."""

import gc
import weakref

import pytest

import minigrad
from tests.cases import over
from tests.engine.both import play, rows, same, titled

NAMES = rows("""
    x + x; x - x; 1 - x; x * x; x * 2; x / x; x / 2; 1 / x; -x; x ** 2; x ** x; 2 ** x; x.mm(x)
    x @ x[0]; x[0].dot(x[0]); x @ x; x @ x[0]; x[0] @ x[0]; x[None] @ x[None]; x[None] @ x; x.sum()
    x.sum(0); x.sum((0, 1)); x.mean(); x.mean(0); x.norm(); x.norm(dim=0); x.view(4); x.reshape(4)
    x.reshape(2, 2); x.flatten(); x.transpose(0, 1); x.t(); x.T; x.permute(1, 0); x.squeeze()
    x.squeeze(0); x.unsqueeze(0); x[0]; x[:1]; x[::2]; x[None]; x[...]; x[:]; x[torch.tensor([0])]
    x[x > 0]; x[0, 1]; x[0, 1:]; x[:, 0]; x.expand(3, 2, 2); x[:1].expand(2, 2); torch.cat([x, x])
    torch.stack([x, x]); torch.where(x > 0, x, 0); x.clone(); x.double(); x.contiguous(); x.exp()
    x.log(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.abs(); x.sin(); x.cos(); x.reciprocal()
    x.square(); x.log1p(); x.floor(); x.round(); x.sign(); torch.outer(x[0], x[0])
    x.clone().add_(1); x.clone().mul_(2); x.clone().zero_(); x.clone().fill_(1); x.clone().copy_(x)
    x.clone().exp_(); x.clone()[0].mul_(2); x.detach(); x > 0; x.argmax(); x.long()
    x.type(torch.float64); x.sub(1); x.max(); x.min(); x.max(0)[0]; x.max(0)[1]
    x.cumsum(0); x.clamp(0, 1); x.clamp(min=0); x.mv(x[0]); x.unbind(0)[1]; x.log10(); x.erf()
    x.softmax(0); x.log_softmax(0); torch.maximum(x, x); torch.minimum(x, x); nn.linear(x, x)
    nn.linear(x, x, x[0]); nn.mse_loss(x, x.detach()); nn.cross_entropy(x, i); nn.nll_loss(x, i)
    nn.l1_loss(x, x.detach()); nn.binary_cross_entropy(x / 4, x.detach() / 4)
""")


@over("formula", NAMES)
@same
def test_names(torch, formula):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = eval(
        formula, {"torch": torch, "x": x, "nn": torch.nn.functional, "i": torch.tensor([0, 1])}
    )
    return y, y.grad_fn and (repr(type(y.grad_fn)), y.grad_fn, len(y.grad_fn.next_functions))


def walked(node):
    """The whole graph behind a node, as nested names."""
    if node is None:
        return None
    return node.name(), [(walked(below), number) for below, number in node.next_functions]


PROGRAMS = titled("""
## edges
x, w, plain = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
[
    walked(y.grad_fn)
    for y in (x * 2, 2 * x, x * plain, plain * x, (x * w + x).sum(), x**2, torch.cat([x, plain, w]))
]
[
    walked(y.grad_fn)
    for y in (
        torch.where(plain > 0, x, w),
        x.view(2, 1) @ w.view(1, 2),
        x.double() * 2,
        -(x / w).exp(),
    )
]
[
    walked(y.grad_fn)
    for y in (torch.stack([plain, x]), x.unbind()[1] * x[0], 1 / x, 1 - x, x + 1, x.float() + plain)
]

## edges of what was changed in part
x, w, mask = (
    torch.ones(3, requires_grad=True),
    torch.ones(2, requires_grad=True),
    torch.tensor([True, False]),
)


def part(change, base):
    change(base)
    return base.grad_fn and (walked(base.grad_fn), base[0].grad_fn, walked(base[:2].grad_fn))


y, plain = x * 2, torch.ones(3)
y[...] = 5
walked(y.grad_fn)


def number(y):
    y[0] = 5


def tensor(y):
    y[0] = w[1]


(
    [part(number, base) for base in (x * 2, plain * 2)],
    [part(tensor, base) for base in (x * 2, plain * 2)],
)
(
    [part(lambda y: y[:2].mul_(w), base) for base in (x * 2, plain * 2)],
    part(lambda y: y[:2].copy_(w.double()), x * 2),
)
[
    part(change, x * 2)
    for change in (
        lambda y: y[0].fill_(5),
        lambda y: y[0].zero_(),
        lambda y: y[:2].add_(1),
        lambda y: y[:2].pow_(2),
    )
]
[
    part(change, x * 2)
    for change in (
        lambda y: y[:2].clamp_(0, 1),
        lambda y: y[0].exp_(),
        lambda y: y[:2][0].mul_(w[0]),
    )
]

## a hook on a node sees a gradient for each edge
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []


def told(y):
    y.grad_fn.register_hook(lambda sent, arrived: seen.append([sent, arrived]))
    y.sum().backward()


(
    told(x**2),
    told(1 - x),
    told(x * 2),
    told(2**x),
    told(x % 2),
    told(x.clone().fill_(2)),
    told(x + 1),
    told(x**x),
)
seen

## a leaf is one node
x = torch.ones(2, requires_grad=True)
y = x * x
(first, _), (second, number) = y.grad_fn.next_functions
(
    first is second,
    first is (x + 1).grad_fn.next_functions[0][0],
    first.variable is x,
    number,
    first.next_functions,
    first.name(),
)
first, repr(type(first)), y.grad_fn, type(y.grad_fn)

## outputs are numbered
x = torch.arange(6.0).reshape(3, 2).requires_grad_()
a, b, c = x.unbind(0)
values, indices = x.max(1)
(
    a.output_nr,
    b.output_nr,
    c.output_nr,
    a.grad_fn is c.grad_fn,
    values.output_nr,
    indices.grad_fn,
    walked((b * c).grad_fn),
)
(b * c).sum().backward(), a.sum().backward()

## where one output is asked for, the hooks of the others are called
for inputs in (lambda a, b, y: [b], lambda a, b, y: [b, y], lambda a, b, y: [a, b]):
    a, b = torch.ones(2, 2, requires_grad=True).unbind(0)
    a.retain_grad(), b.register_hook(lambda g: print("b gets", g))
    y, z = (3 * a).sum(), (2 * b).sum()
    torch.autograd.grad(y, inputs(a, b, y), retain_graph=True, allow_unused=True), a.grad
    torch.autograd.grad([y, z], inputs(a, b, y), retain_graph=True, allow_unused=True), a.grad
    z.backward(inputs=[a], retain_graph=True), y.backward(inputs=[b]), a.grad, b.grad

## what is saved
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x.detach()
z = y.exp()
w = z**2.5
y.grad_fn._saved_other, z.grad_fn._saved_result, w.grad_fn._saved_self
(x * x).grad_fn._saved_self is x, x.sum().grad_fn._saved_self_sym_sizes
(x * 2.0).grad_fn._saved_self
(
    (x**2).grad_fn._saved_exponent,
    (x**-0.1).grad_fn._saved_exponent,
    (2**x).grad_fn._saved_self,
    (2**x).grad_fn._saved_exponent is x,
)
a = y.add_(1)
z.sum().backward()

## a node has room for notes, and can be called
x, w, v = (
    torch.tensor([1.0, 2.0], requires_grad=True),
    torch.tensor([3.0, 4.0], requires_grad=True),
    torch.tensor([1.0, 10.0]),
)
y = x * w
y.grad_fn.metadata["note"] = 1
y.grad_fn.metadata, y.grad_fn.metadata is y.grad_fn.metadata
y.grad_fn(v), x.exp().grad_fn(v), (x + 1).grad_fn(v)
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], walked=walked)


SAVED = rows("""
    x * y; x / y; x ** 2; x ** 0.5; x ** y; x.exp(); x.log(); x.sqrt(); x.sin(); x.tanh()
    x.sigmoid(); x.relu(); x.abs(); x.sum(0); x.max(); x.max(1).values
    x.softmax(0); x.cumsum(1); x @ y; x @ y[0]; x[0].dot(y[0])
    x.permute(1, 0); x.transpose(0, 1); x[:1]; x[0]; x[x > 1]; x.expand(3, 2, 2)
    torch.where(x > 1, x, y); x.clamp(0, 1); torch.nn.functional.mse_loss(x, y); x.log10()
    x.log1p()
""")


@over("formula", SAVED)
@same
def test_what_a_node_keeps_under_pytorchs_names(torch, formula):
    x = torch.tensor([[0.5, 2.0], [3.0, 4.5]], requires_grad=True)
    y = torch.tensor([[1.0, 3.0], [2.0, 4.0]], requires_grad=True)
    node = eval(formula, {"torch": torch, "x": x, "y": y}).grad_fn
    return [getattr(node, name, None) for name in ("_saved_self", "_saved_other", "_saved_result")]


# -- memory: no garbage collector is needed -------------------------------------------------------


@pytest.fixture
def no_collector():
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "use",
    [
        lambda x, y, z: None,
        lambda x, y, z: z.backward(),
        lambda x, y, z: z.backward(retain_graph=True),
        lambda x, y, z: minigrad.autograd.grad(z, [x, y]),
        lambda x, y, z: minigrad.autograd.grad(z, x, create_graph=True)[0].sum().backward(),
        lambda x, y, z: y.mul_(2),
        lambda x, y, z: (y.retain_grad(), z.backward()),
        lambda x, y, z: (y[0].add_(1), y.sum().backward()),
        lambda x, y, z: (z.grad_fn.next_functions, z.grad_fn.metadata.update(a=1)),
        lambda x, y, z: (
            x.register_hook(lambda g: None),
            y.register_hook(lambda g: None),
            z.backward(),
        ),
    ],
)
def test_memory_is_freed_at_once(use, no_collector):
    def make():
        x = minigrad.ones(3, requires_grad=True)
        y = x * 2
        z = (y.exp() + y[1:].sum() + y.softmax(0) + y.unbind()[0]).sum()
        use(x, y, z)
        return [weakref.ref(thing) for thing in (x, y, z, z.grad_fn, y.grad_fn)]

    assert [ref() for ref in make()] == [None] * 5


def test_unsaved_results_are_freed_while_the_graph_lives_and_saved_ones_by_the_pass(no_collector):
    x = minigrad.ones(3, requires_grad=True)
    h, k = x * 2, x * 3
    y = (h + 1).sum() + (k * k).sum()
    unsaved, saved = weakref.ref(h), weakref.ref(k)
    del h, k
    assert unsaved() is None and saved() is not None
    y.backward()
    assert saved() is None and x.grad.tolist() == [20, 20, 20]


def test_a_graph_keeps_its_leaves(no_collector):
    y = (minigrad.ones(3, requires_grad=True) * 2).sum()
    leaf = weakref.ref(y.grad_fn.next_functions[0][0].next_functions[0][0].variable)
    assert leaf().requires_grad
    y.backward()
    assert leaf().grad.tolist() == [2, 2, 2]
    del y
    assert leaf() is None


@same
def test_a_hook_before_a_node_of_several_outputs_sees_each(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = x.unbind()
    seen = []
    a.grad_fn.register_prehook(lambda gs: seen.append([g if g is None else g.tolist() for g in gs]))
    (a * 2 + b * 3).backward()
    return seen, x.grad


@same
def test_an_output_that_was_saved_gets_the_sum_of_both_ways(torch):
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            a, b = x.exp(), x * x
            ctx.save_for_backward(a)
            return a, b

        @staticmethod
        def backward(ctx, ga, gb):
            (a,) = ctx.saved_tensors
            return ga * a + gb * 2 * a

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = Pair.apply(x)
    (g,) = torch.autograd.grad((a * b).sum(), x, create_graph=True)
    (g.sum() + a.sum()).backward()
    return x.grad


@same
def test_numbers_that_a_node_keeps_are_its_own(torch):
    x = torch.tensor([2.0], requires_grad=True)
    (x * 3.5).grad_fn._saved_other.zero_()
    return x * 3.5


def test_a_node_says_what_it_does_not_have():
    node = (minigrad.ones(1, requires_grad=True) * 2).grad_fn
    for name in ("zzz", "_a", "_saved_zzz"):
        with pytest.raises(AttributeError, match=name):
            getattr(node, name)
