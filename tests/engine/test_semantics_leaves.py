"""Leaves and results: the flags, `retain_grad`, assigning `.grad`, copies, hooks."""

import copy

import pytest

from tests.engine.both import play, titled

PROGRAMS = titled("""
## what is a leaf: is_leaf, requires_grad and grad_fn of each
x, plain = torch.ones(2, requires_grad=True), torch.ones(2)
with torch.no_grad():
    unrecorded, factory, view = x * 2, torch.ones(2, requires_grad=True), x[:1]
results = [
    x * 2,
    plain * 2,
    x.detach(),
    x.data,
    x.clone(),
    x[0],
    x.argmax(),
    x > 0,
    x.long(),
    x.floor(),
    x.detach() * x,
]
results += [
    torch.zeros_like(x),
    x.double(),
    x.float() is x,
    torch.tensor([1.0], requires_grad=True),
]
Variable = torch.autograd.Variable
results += [Variable(plain, requires_grad=True), Variable(x), isinstance(x, Variable)]
plain

## switching requires_grad
x, y = torch.ones(2), torch.ones(2, requires_grad=True) * 2
x.requires_grad_() is x, y.requires_grad_() is y
x.requires_grad = False
y.requires_grad_(False)  # RuntimeError
y.requires_grad = True  # RuntimeError
y.requires_grad = False  # RuntimeError
late = y.detach().requires_grad_()
(late * 3).sum().backward()

## only floats require grad
torch.ones(2, dtype=torch.int64, requires_grad=True)  # RuntimeError
torch.tensor([1, 2], requires_grad=True)  # RuntimeError
torch.tensor([True], requires_grad=True)  # RuntimeError
torch.zeros(2, dtype=torch.bool, requires_grad=True)  # RuntimeError
whole = torch.tensor([1, 2])
whole.requires_grad = True  # RuntimeError
whole.requires_grad_()  # RuntimeError
whole.requires_grad = False
whole.requires_grad_(False), torch.ones(2, dtype=torch.float16, requires_grad=True)

## detach shares memory and version, data only memory
x = torch.ones(2, requires_grad=True)
detached, data = x.detach(), x.data
a, b = detached.mul_(3), data.add_(1)
x._version, detached._version, data._version, detached.data_ptr() == x.data_ptr()
x.data = torch.zeros(3)

## detach in place
x = torch.ones(2, requires_grad=True)
y = x * 2
y.detach_() is y
view = (x * 2)[:1]
view.detach_()  # RuntimeError
x.view(2).detach_()  # RuntimeError
z = x.detach_()
z is x, x.is_leaf, x.requires_grad

## copies and shared memory
array = np.array([1.0, 2.0], dtype=np.float32)
copied, shared, as_tensor = torch.tensor(array), torch.from_numpy(array), torch.as_tensor(array)
array[0] = 5
x = torch.ones(2)
torch.as_tensor(x) is x, x.numpy()
x.numpy()[0] = 7
array = np.arange(3.0)
torch.from_numpy(array).add_(1)
array

## a tensor of a tensor
x = torch.ones(2, requires_grad=True)
torch.tensor(x), torch.tensor(x * 2, requires_grad=True)
torch.tensor([x[0], 2.0])

## copies
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
x.note = ["kept"]
other, twice = copy.deepcopy(x), copy.deepcopy([x, x])
z = other.grad.zero_()
twice[0] is twice[1], other.note, other.note is x.note
copy.deepcopy(x * 2)  # RuntimeError
copy.deepcopy(torch.arange(3))

## reading the grad of a result warns
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad
y.sum().backward()
y.grad
(x.detach() * 2).grad, x.grad, x.data.grad

## retain_grad
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
z = (y * y).sum()
y.retains_grad, y.retain_grad(), y.retain_grad(), y.retains_grad, y.grad, z.retain_grad()
z.backward(retain_graph=True)
z.backward()
x.retain_grad(), x.retains_grad
torch.ones(2).retain_grad()  # RuntimeError
y = x * 1
h = y.register_hook(lambda g: g * 2)
y.retain_grad()
h = y.register_hook(lambda g: g * 5)
y.sum().backward()
y = x * 2
y.retain_grad()
z = y.mul_(3)
(y * 5).sum().backward()
y = x * x
y.retain_grad()
(y**2).sum().backward(create_graph=True)
torch.autograd.grad(y.grad.sum(), x)

## a grad stands row by row, whatever order its numbers arrived in
w, x = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
(torch.arange(12.0).reshape(4, 3) @ w.t()).sum().backward()
(x * 2).backward(torch.arange(6.0).reshape(3, 2).t())
w.grad.view(-1), x.grad.view(-1), w.grad.is_contiguous(), x.grad.stride()

## what grad can be
x, plain, mine = torch.ones(2, requires_grad=True), torch.ones(2), torch.ones(2)
x.grad = 1  # TypeError
x.grad = [1.0, 2.0]  # TypeError
x.grad = "g"  # TypeError
x.grad = np.ones(2)  # TypeError
x.grad = torch.ones(3)  # RuntimeError
x.grad = torch.ones(2, 1)  # RuntimeError
x.grad = torch.ones(())  # RuntimeError
x.grad = torch.ones(2, dtype=torch.float64)  # RuntimeError
x.grad = torch.ones(2, dtype=torch.int64)  # RuntimeError
x.grad = x  # RuntimeError
x.grad = plain.grad = mine
x.grad is mine, plain.grad is mine
del x.grad
y = x * 2
y.grad = torch.ones(2)
y.sum().backward()
y.grad

## a hook sees the total gradient, once
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
y = x * 2
h = (
    x.register_hook(lambda g: seen.append(g.clone())),
    y.register_hook(lambda g: seen.append(g.clone())),
)
(y + y * y).sum().backward()
(x * 10).sum().backward()

## hooks replace in turn
x = torch.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(lambda g: g * 2)
h = x.register_hook(lambda g: None), x.register_hook(lambda g: g + 1)
x.sum().backward()
torch.autograd.grad(x.sum(), x)
handle.remove(), handle.remove()
x.sum().backward()

## what a hook may answer
x = torch.tensor([1.0, 2.0], requires_grad=True)


def answered(hook):
    y = x * 2
    y.register_hook(hook)
    y.sum().backward()


answered(lambda g: g.sum())  # RuntimeError
answered(lambda g: g[:1])  # RuntimeError
answered(lambda g: 1.0)  # TypeError
answered(lambda g: "g")  # TypeError
answered(lambda g: (g, g))  # TypeError
answered(lambda g: g.double())  # RuntimeError
answered(lambda g: {}["missing"])  # KeyError
answered(lambda g: 1 / 0)  # ZeroDivisionError
answered(lambda: 1)  # TypeError
x.grad
answered(lambda g: g.sum().expand(2))


def named(g):
    return g.sum()


answered(named)  # RuntimeError

## hooks that are refused
plain, y = torch.ones(2), torch.ones(2, requires_grad=True) * 2
plain.register_hook(print)  # RuntimeError
plain.register_post_accumulate_grad_hook(print)  # RuntimeError
y.register_post_accumulate_grad_hook(print)  # RuntimeError

## a hook in place is seen upstream, and on the root by the caller
x, v = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2)
y = x * 2
h = y.register_hook(lambda g: g.mul_(10))
y.backward(v)
v

## grad mode in hooks
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
y = x * x
h = y.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
y.sum().backward(retain_graph=True), y.sum().backward(create_graph=True)

## the order around one node
x, order = torch.tensor([1.0, 2.0], requires_grad=True), []
y, note = x * 2, lambda name: lambda *gs: order.append((name, len(gs), y.grad is None))
y.retain_grad()
leaf = y.grad_fn.next_functions[0][0]
h = [
    y.grad_fn.register_hook(note("after")),
    y.grad_fn.register_prehook(note("before")),
    y.register_hook(note("tensor")),
]
h = [leaf.register_hook(note("leaf after")), leaf.register_prehook(note("leaf before"))]
h = [x.register_post_accumulate_grad_hook(note("accumulated")), x.register_hook(note("leaf"))]
y.sum().backward()

## hooks of nodes replace gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
h = y.grad_fn.register_hook(lambda sent, arrived: (sent[0] * 3, None))
k = y.grad_fn.register_prehook(lambda arrived: (arrived[0] * 10,))
y.sum().backward(retain_graph=True)
h.remove(), k.remove()
h = y.grad_fn.register_hook(lambda sent, arrived: (sent[0],))
y.sum().backward(retain_graph=True)  # RuntimeError
h.remove()
h = y.grad_fn.register_hook(lambda sent, arrived: (*sent, None))
y.sum().backward(retain_graph=True)  # RuntimeError
h.remove()
h = y.grad_fn.register_hook(lambda sent, arrived: sent[0])
y.sum().backward()  # TypeError

## hooks after accumulation
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
handle = x.register_post_accumulate_grad_hook(
    lambda leaf: seen.append((leaf is x, leaf.grad.clone()))
)
(x * 2).sum().backward(), (x * 2).sum().backward()
handle.remove()
handle = x.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
(x * 2).sum().backward()  # RuntimeError
handle.remove()
h = x.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))
(x * 2).sum().backward()

## a hook belongs to the value that it was registered on
x, seen = torch.ones(2, requires_grad=True), []
y = x * 1
h = y.register_hook(lambda g: seen.append(("before", g.clone())))
z = y.mul_(3)
h = y.register_hook(lambda g: seen.append(("after", g.clone())))
(y * 5).sum().backward()

## no hook without a gradient
x, w, seen = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), []
Cut = function(lambda ctx, x: x * 2, lambda ctx, g: None)
h = w.register_hook(seen.append)
torch.autograd.grad((w * 2).sum(), w)
y = x * 2
y.retain_grad()
Cut.apply(y).sum().backward()
y.grad

## what grad returns arrived: before its hooks where the pass goes on, after them where it ends
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
y = x * 2
h = y.register_hook(lambda g: g * 10)
y.retain_grad()
h = y.grad_fn.register_prehook(lambda gs: seen.append("before") or (gs[0] * 7,))
z = (y * 3).sum()
torch.autograd.grad(z, [x, y], retain_graph=True), torch.autograd.grad(z, [y], retain_graph=True)
torch.autograd.grad(z, [x], retain_graph=True)

## for what grad returns nothing is added to a leaf: of its hooks only the tensor's is called
x, order = torch.tensor([1.0, 2.0], requires_grad=True), []
y = (x * 2).sum()
leaf, note = (
    y.grad_fn.next_functions[0][0].next_functions[0][0],
    lambda name: lambda *gs: order.append(name),
)
h = [
    leaf.register_prehook(note("before")),
    leaf.register_hook(note("after")),
    x.register_hook(note("tensor")),
]
h += [x.register_post_accumulate_grad_hook(note("accumulated"))]
torch.autograd.grad(y, x, retain_graph=True)
order.clear()
y.backward(inputs=[x], retain_graph=True)
y.backward()

## a shallow copy shares memory, and neither graph nor gradient
x = torch.ones(2, requires_grad=True)
x.sum().backward()
c, plain, result = copy.copy(x), copy.copy(torch.ones(1)), copy.copy(x * 2)
c.sum().backward()
c.sum().backward()
c.data.mul_(3)
x.grad is c.grad, type(copy.copy(torch.nn.Parameter(x))).__name__

## an optimizer in backward: what is done in a hook after accumulation
ps = [torch.full((2,), float(i), requires_grad=True) for i in range(3)]


def step(p):
    with torch.no_grad():
        p -= 0.1 * p.grad
    p.grad = None


h = [p.register_post_accumulate_grad_hook(step) for p in ps]
sum((p * p).sum() for p in ps).backward()
[p.grad for p in ps]
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], copy=copy)
