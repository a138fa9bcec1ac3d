"""`backward` and `grad`: root and upstream gradient, what is freed, accumulation, orders."""

import pytest

import minigrad
from tests.cases import over
from tests.engine.both import attempt, play, rows, same, titled

PROGRAMS = titled("""
## only a single element needs no gradient
a, b, c = (
    torch.ones((), requires_grad=True),
    torch.ones(1, requires_grad=True),
    torch.ones((1, 1), requires_grad=True),
)
[(t * 3).backward() for t in (a, b, c)], [t.backward() for t in (a, b, c)]
x, e, f = (
    torch.ones(2, requires_grad=True),
    torch.ones(0, requires_grad=True),
    torch.ones((1, 0), requires_grad=True),
)
(x * 3).backward()  # RuntimeError
x.backward()  # RuntimeError
(e * 3).backward()  # RuntimeError
f.backward()  # RuntimeError
torch.autograd.backward([x * 3], [None])  # RuntimeError

## a root that needs no gradient
x, plain = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(())
with torch.no_grad():
    unrecorded = (x * 2).sum()
plain.backward()  # RuntimeError
unrecorded.backward()  # RuntimeError
x.detach().sum().backward()  # RuntimeError
x.argmax().backward()  # RuntimeError
torch.tensor([1, 2]).sum().backward()  # RuntimeError
torch.autograd.backward([x.sum(), plain])  # RuntimeError
torch.autograd.backward([plain, x.sum()])  # RuntimeError
plain.backward(torch.ones(3))  # RuntimeError
torch.ones(2).backward()  # RuntimeError

## the gradient has exactly the root's shape
x, s, e = (
    torch.ones(3, requires_grad=True),
    torch.ones((), requires_grad=True),
    torch.ones(2, 3, requires_grad=True),
)
(x * 2).backward(torch.ones(2))  # RuntimeError
(x * 2).backward(torch.ones(1))  # RuntimeError
(x * 2).backward(torch.ones(()))  # RuntimeError
(x * 2).backward(torch.ones(3, 1))  # RuntimeError
(x * 2).backward(torch.ones(1, 3))  # RuntimeError
(s * 2).backward(torch.ones(1))  # RuntimeError
(e * 2).backward(torch.ones(3))  # RuntimeError
x[:1].backward(torch.ones(()))  # RuntimeError
(
    (x * 2).backward(torch.arange(3.0)),
    (s * 2).backward(torch.tensor(5.0)),
    (e * 2).backward(torch.ones(2, 3)),
)

## the gradient is converted to the root's dtype
x, seen = torch.ones(2, requires_grad=True), []
y = x * 3
h = y.register_hook(lambda g: seen.append(g))
y.backward(torch.tensor([1.0, 0.5], dtype=torch.float64), retain_graph=True)
y.backward(torch.tensor([1, 2]), retain_graph=True)
y.backward(torch.tensor([True, False]), retain_graph=True)
y.backward(torch.ones(2).half(), retain_graph=True)
(x.double() * 2).backward(torch.ones(2))

## a gradient that is no tensor
y = torch.ones(2, requires_grad=True) * 2
y.backward([1.0, 2.0])  # TypeError
y.backward([1, 2])  # TypeError
y.backward((1.0,))  # TypeError
y.backward("v")  # TypeError
y.backward(1.0)  # TypeError
y.backward(2)  # TypeError
y.backward([])  # RuntimeError
y.backward(np.ones(2))  # TypeError
y.sum().backward([1.0])  # TypeError
y.sum().backward(np.ones(1))  # TypeError

## as many gradients as roots
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward([x.sum(), x.norm()], [torch.ones(())])  # RuntimeError
torch.autograd.backward([]), torch.autograd.backward([], None)
torch.autograd.backward([x.sum(), x.norm()], [None, torch.tensor(10.0)])
torch.autograd.backward(x.sum(), [torch.ones(()), torch.ones(3)])
torch.autograd.backward((x.sum(), x.norm()))

## the caller's gradient stays the caller's
x, w, v = (
    torch.ones(2, requires_grad=True),
    torch.ones(2, requires_grad=True),
    torch.tensor([1.0, 2.0]),
)
x.backward(v)
x.grad is v
z = v.zero_()
m, n = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
v = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
(m + n).backward(v), m.grad.mul_(10), n.t().backward(v), v.zero_()

## a gradient that requires grad
x, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(x * x).backward(v)
first = x.grad
(x * x).backward(v, create_graph=True)
x.grad.sum().backward()

## several roots are one graph
x, runs = torch.tensor([1.0, 2.0], requires_grad=True), []
shared = x * x
h = shared.register_hook(lambda g: runs.append(g.clone()))
torch.autograd.backward([shared.sum(), (shared * 3).sum()])
y = x.exp()
torch.autograd.backward([y, y], [torch.ones(2), torch.ones(2)])
inner = x * 2
torch.autograd.backward([inner, (inner * inner).sum()], [torch.tensor([10.0, 20.0]), None])

## the old name of the argument
x = torch.ones(2, requires_grad=True)
torch.autograd.backward(x * 2, grad_variables=torch.ones(2))

## retained graphs run until one pass does not retain
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
[y.backward(retain_graph=True) for _ in range(3)]
y.backward(retain_graph=False)
y.backward()  # RuntimeError
trunk = x * x
first, second = trunk.sum(), (trunk * 2).sum()
first.backward()
second.backward()  # RuntimeError
z = (x + 1).sum()
z.backward(), z.backward()

## what did not run is not freed
x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
a, b = x * x, w * w
y = (a + b).sum()
torch.autograd.grad(y, x)
a.sum().backward()  # RuntimeError
b.sum().backward()

## grad frees as well, and so does a pass without retaining that creates a graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
y, z = (x * x).sum(), (x**3).sum()
torch.autograd.grad(y, x)
torch.autograd.grad(y, x)  # RuntimeError
y.backward()  # RuntimeError
(first,) = torch.autograd.grad(z, x, create_graph=True)
(again,) = torch.autograd.grad(z, x, create_graph=True, retain_graph=False)
torch.autograd.grad(first.sum(), x)
z.backward()  # RuntimeError
again.sum().backward()

## reading what was freed
x = torch.tensor([1.0, 2.0], requires_grad=True)
y, z = x * x, x.exp()
y.grad_fn._saved_self, z.grad_fn._saved_result
(y + z).sum().backward()
y.grad_fn._saved_self  # RuntimeError
z.grad_fn._saved_result  # RuntimeError

## no gradient is None, a zero gradient is zeros
x, unused, plain = (
    torch.ones(2, requires_grad=True),
    torch.ones(2, requires_grad=True),
    torch.ones(2),
)
(x * 0 + plain).sum().backward()
Cut = function(lambda ctx, x: x * 2, lambda ctx, g: None)
Cut.apply(unused).sum().backward()

## passes add to the same object, create_graph into a new one
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * 2).sum().backward()
first = x.grad
(x * 3).sum().backward()
first is x.grad, first._version
(x * x).sum().backward(create_graph=True)
first is x.grad
x.grad = mine = torch.tensor([10.0, 10.0])
(x * 2).sum().backward()
x.grad is mine

## starting anew
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * 2).sum().backward()
first = x.grad
z = x.grad.zero_()
(x * 3).sum().backward()
x.grad is first
x.grad = None
(x * 4).sum().backward()
x.grad is first

## what a gradient requires
x, y, z = [torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(3)]
(x * 2 + y * y).sum().backward(create_graph=True)
(z * z).sum().backward()

## leaves share no memory
a, b, v = (
    torch.ones(2, requires_grad=True),
    torch.ones(2, requires_grad=True),
    torch.tensor([1.0, 2.0]),
)
(a + b).backward(v), a.grad.zero_()
a.grad = b.grad = None
(b - a + b).backward(v), b.grad.add_(10)
m, n = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
torch.cat([m, n]).backward(torch.ones(4, 2)), m.grad.zero_()
(m.t() + n).sum().backward(), n.grad.mul_(5)

## a sum changes nothing that somebody else holds
x, v, seen = torch.ones(2, requires_grad=True), torch.tensor([1.0, 2.0]), []
y = x * 2
m = y * 4
z = y + 0
z.retain_grad()
h = z.register_hook(lambda g: seen.append(g))
torch.autograd.backward([z * 3 + m, y], [v, v])
x.grad, z.grad, seen, v
x.grad = None
y = x * 2
m = y * 4
z = y + 0
h = z.register_hook(lambda g: seen.append(g))
(z * 3 + m).backward(v), seen, v, x.grad

## expanded gradients are stored whole
x, seen = torch.ones(2, 3, requires_grad=True), []
y = x * 1
h = y.register_hook(lambda g: seen.append(g.stride()))
y.sum().backward()
x.grad[0, 0] = 5
x.grad.stride()

## writes to data are not noticed
a = torch.tensor([1.0], requires_grad=True)
y = (a * a).sum()
b = a.data.mul_(10)
y.backward()
a._version

## a leaf that stops to require grad, or begins to
x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(x * w).sum().backward()
y = (x * w).sum()
z = x.requires_grad_(False)
y.backward()
z = x * 2
x.requires_grad_() is x
z.sum().backward()  # RuntimeError

## only the inputs get a gradient
x, w, other = [torch.ones(2, requires_grad=True) for _ in range(3)]
h = x * w
y = (h * h).sum()
y.backward(inputs=x, retain_graph=True)
y.backward(inputs=[h, w, other])
h.retains_grad
y = (x * w).sum()
y.backward(inputs=[])  # RuntimeError
y.backward(inputs=[torch.ones(2)])  # RuntimeError
y.backward(inputs=[1])  # RuntimeError
torch.autograd.backward(y, inputs=())  # RuntimeError

## grad gives a tuple in the order of the inputs and writes nothing
x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
h = x * w
y = (h * h).sum()
torch.autograd.grad(y, [w, h, x], retain_graph=True), torch.autograd.grad(y, (h,))
(
    torch.autograd.grad(x.sum(), x),
    torch.autograd.grad(w[0], w[0].detach().requires_grad_(), allow_unused=True),
)
s = torch.tensor(2.0, requires_grad=True)
torch.autograd.grad(s, s)
a, b = x * x, x.exp()
torch.autograd.grad([a, b], x, [torch.ones(2), torch.zeros(2)], retain_graph=True)
torch.autograd.grad([a.sum(), b], x, [None, torch.ones(2)])

## only what leads to the inputs runs
x, w, ran = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), []
a, b = x * 2, w * 3
h = (
    a.grad_fn.register_hook(lambda *g: ran.append("a")),
    b.grad_fn.register_hook(lambda *g: ran.append("b")),
)
y = (a * b).sum()
(
    torch.autograd.grad(y, x, retain_graph=True),
    torch.autograd.grad(y, a, retain_graph=True),
    y.backward(inputs=[w]),
)

## an unused input
x, unused = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
y = (x * x).sum()
torch.autograd.grad(y, [x, unused], retain_graph=True)  # RuntimeError
torch.autograd.grad(y, [x, unused], retain_graph=True, allow_unused=False)  # RuntimeError
torch.autograd.grad(y, [x, unused], retain_graph=True, allow_unused=True)
torch.autograd.grad(y, [x, unused], retain_graph=True, materialize_grads=True)
torch.autograd.grad(y, [x, unused], retain_graph=True, materialize_grads=True, create_graph=True)
torch.autograd.grad(y, [x, unused], materialize_grads=True, allow_unused=False)  # ValueError
later = x * y
torch.autograd.grad(y, later)  # RuntimeError

## what grad refuses
x, plain, v = torch.ones(2, requires_grad=True), torch.ones(2), torch.ones(3)
y = x * x
torch.autograd.grad(y.sum(), plain)  # RuntimeError
torch.autograd.grad(plain.sum(), x)  # RuntimeError
torch.autograd.grad(y, x)  # RuntimeError
torch.autograd.grad(y, x, v)  # RuntimeError
torch.autograd.grad(y.sum(), [])  # RuntimeError
torch.autograd.grad(y, x, [1.0, 1.0])  # TypeError
torch.autograd.grad(y.sum(), [x, 1])  # RuntimeError
torch.autograd.grad([y.sum(), plain.sum()], x)  # RuntimeError
torch.autograd.grad([y, y], x, [torch.ones(2)])  # RuntimeError

## derivatives of any order
x = torch.tensor(2.0, requires_grad=True)
(d1,) = torch.autograd.grad(x**4, x, create_graph=True)
(d2,) = torch.autograd.grad(d1, x, create_graph=True)
(d3,) = torch.autograd.grad(d2, x, create_graph=True)
(d4,) = torch.autograd.grad(d3, x, create_graph=True)
torch.autograd.grad(d4, x)
x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
gx, gw = torch.autograd.grad((x * w * x).sum(), (x, w), create_graph=True)
torch.autograd.grad((gx * gx).sum() + gw.sum(), (x, w))
(x**3).sum().backward(create_graph=True)
slope, x.grad = x.grad, None
slope.sum().backward()

## the upstream gradient can be differentiated
x, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([1.0, 1.0], requires_grad=True)
(g,) = torch.autograd.grad(x**3, x, v, create_graph=True)
torch.autograd.grad(g.sum(), [x, v])

## create_graph works under no_grad, and a linear function's gradient requires none
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
with torch.no_grad():
    y.backward(create_graph=True)
slope = x.grad.sum()
with torch.no_grad():
    second, plain = torch.autograd.grad(slope, x, create_graph=True), torch.autograd.grad(y, x)
torch.autograd.grad((x * 2).sum(), x, create_graph=True)

## a node runs after all its users, and of those that are ready the latest first
x, order = torch.ones(1, requires_grad=True), []
a, b, c = x * 1, x * 2, x * 3
d = a + b + c
e = d * b
note = lambda name: lambda g: order.append((name, g.item()))
h = [t.register_hook(note(n)) for n, t in zip("abcde", (a, b, c, d, e))]
(b + (a + c)).backward(retain_graph=True), (c + (b + a)).backward(retain_graph=True)
torch.autograd.backward([d * b, e, a])

## leaves that somebody listens to are filled as soon as they are complete
order, note = [], lambda name: lambda *_: order.append(name)
a, b, c = [torch.ones(2, requires_grad=True) for _ in range(3)]
h = [t.register_post_accumulate_grad_hook(note(n)) for n, t in zip("abc", (a, b, c))]
first, second = a * 2, b * 3
third, fourth = first * c + second, a * 5
h = [t.grad_fn.register_prehook(note(n)) for n, t in zip("1234", (first, second, third, fourth))]
ones = torch.ones(2)
torch.autograd.backward([first, fourth, second], [ones] * 3, retain_graph=True)
torch.autograd.backward([third, fourth], [ones] * 2, retain_graph=True)
torch.autograd.backward([second, second, third], [ones] * 3)

## a pass within a pass
x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
y = x * x


def hook(g):
    with torch.enable_grad():
        (w * w).backward()
    return g * w.grad


h = y.register_hook(hook)
y.sum().backward()
Inner = function(
    lambda ctx, x: x * 2,
    lambda ctx, g: torch.autograd.grad(torch.enable_grad()(lambda t: (t * t).sum())(w), w)[0] * g,
)
Inner.apply(x).sum().backward()
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title])


SAVES = rows("""
    x * 3; x * x; x / 2; 2 / x; x ** 2; x.exp(); x.log(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu()
    x.abs(); x @ x; x.norm(); x.reciprocal(); x.sin(); torch.where(x > 1, x, 0); x[x > 1]
    x[torch.tensor([0, 0])]; x + 1; x - x; 1 - x; -x; x.sum(); x.sum(0); x.mean(); x.view(2, 1)
    x.t(); x[0]; x[:1]; x.expand(3, 2); torch.cat([x, x]); torch.stack([x, x]); x.clone()
    x.double(); x.floor(); x.unsqueeze(0); x.sign(); x.cumsum(0); x.max(); x.clamp(0, 1)
    x.std(); x.var()
""")


@over("formula", SAVES)
@same
def test_a_second_pass_fails_where_something_was_saved(torch, formula):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = eval(formula, {"torch": torch, "x": x}).sum()
    return y.backward(), attempt(y.backward), x.grad


SHAPES = [
    ((2, 3), (3,)),
    ((2, 3), ()),
    ((2, 1), (1, 3)),
    ((1,), (4, 1)),
    ((2, 0), (1,)),
    ((1, 1), (2, 3)),
    ((), ()),
]


@over("left, right", [*SHAPES, *[(b, a) for a, b in SHAPES]])
@over("operator", ["+", "-", "*", "/", "**"])
@same
def test_a_broadcast_operand_gets_the_sum(torch, operator, left, right):
    def numbers(shape):
        return (torch.arange(torch.ones(shape).numel()).reshape(shape) / 2.0 + 0.5).requires_grad_()

    a, b = numbers(left), numbers(right)
    out = eval(f"a {operator} b", {"a": a, "b": b})
    out.backward(numbers(tuple(out.shape)).detach())
    return out, a.grad, b.grad


def test_grad_shares_no_memory_with_a_view_of_the_upstream_gradient():
    # PyTorch keeps the view itself here, so that zeroing one leaf's .grad zeroes the other's.
    x, w = (minigrad.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    v = minigrad.tensor([[3.0], [4.0]])
    (x.view(2, 1) + w.view(2, 1)).backward(v)
    x.grad.zero_()
    assert w.grad.tolist() == [3.0, 4.0] and v.tolist() == [[3.0], [4.0]]
