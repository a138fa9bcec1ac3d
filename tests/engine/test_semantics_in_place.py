"""In place: what is refused, version counters, saved values that changed, views and their bases."""

import pytest

from tests.cases import over
from tests.engine.both import attempt, play, rows, same, titled

PROGRAMS = titled("""
## leaves and their views
x = torch.ones(3, requires_grad=True)
x.add_(1)  # RuntimeError
x.mul_(x)  # RuntimeError
x.zero_()  # RuntimeError
x.fill_(2)  # RuntimeError
x.copy_(torch.ones(3))  # RuntimeError
x.exp_()  # RuntimeError
x += 1  # RuntimeError
x[0] = 5  # RuntimeError
x[:1] = 5  # RuntimeError
x[...] = 5  # RuntimeError
x[x > 0] = 5  # RuntimeError
x[:1].add_(1)  # RuntimeError
x[0].mul_(2)  # RuntimeError
x.view(3, 1).add_(1)  # RuntimeError
x.unsqueeze(0).zero_()  # RuntimeError
x._version

## gather keeps its operand, of which it needs the shape alone
x = torch.ones(2, 2, requires_grad=True) * 2
y = x.gather(0, torch.tensor([[0, 1]]))
y.grad_fn._saved_self
x.clamp_(-1, 1)
y.sum().backward()  # RuntimeError

## leaves under no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    x.add_(1)
    x[0] = 5
    x[1:].mul_(3)
    x -= 1
x.is_leaf, x.requires_grad, x._version
plain = torch.ones(3)
plain += 1
plain *= x.detach()

## versions
x = torch.ones(3)
y, view, data = x.detach(), x[:1], x.data
versions = lambda: (x._version, y._version, view._version, data._version)
z = x.add_(1)
versions()
z = y.mul_(2)
versions()
z = view.zero_()
versions()
z = data.add_(1)
versions()
x[0] = 3
versions()
z = x.copy_(x)
z = x.clone().add_(1)
versions()

## the sentence names who made the value
leaf, x = (
    torch.ones(2, 3, dtype=torch.float64, requires_grad=True),
    torch.ones(2, requires_grad=True),
)


def changed(value, change):
    out = (value * value).sum()
    change(value)
    out.backward()


def under_no_grad(value):
    with torch.no_grad():
        value.add_(1)


changed(leaf, under_no_grad)  # RuntimeError
changed(x + 1, lambda v: v.add_(1))  # RuntimeError
changed(x.exp(), lambda v: v.mul_(2).mul_(2))  # RuntimeError
changed(x.relu(), under_no_grad)  # RuntimeError
changed(x * 2, lambda v: v.detach().zero_())  # RuntimeError
changed(x[:1], lambda v: v.add_(1))  # RuntimeError
changed((x * 1)[:1], lambda v: v.add_(1))  # RuntimeError
changed(x * 1, lambda v: v[0].add_(1))  # RuntimeError
changed(x**2.0, lambda v: v.data.add_(1) and v.add_(0))  # RuntimeError
changed(x * 2, lambda v: v.data.add_(1))

## what was saved as a result, too
x = torch.ones(2, requires_grad=True)
y = x.exp()
z = y.add_(0)
y.sum().backward()  # RuntimeError
y = x.sigmoid()
y[0] = 0
y.sum().backward()  # RuntimeError
labels, rows = torch.tensor([1, 0]), torch.ones(2, 3, requires_grad=True)
loss = torch.nn.functional.cross_entropy(rows, labels)
labels[0] = 2
loss.backward()  # RuntimeError

## a changed input that was not saved is fine
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
z = (y + 1).sum() + (y * 2).sum()
a = y.mul_(100)
z.backward()

## a plain tensor becomes part of the graph
x, plain, whole = torch.tensor([1.0, 2.0], requires_grad=True), torch.zeros(3), torch.zeros(2)
plain[1:] += x
a = plain.mul_(2)
b = whole.add_(x)
(plain.sum() + whole.sum()).backward()
plain._version, whole.is_leaf
out = torch.zeros(2)
out[0] = x[0] * 2
out[1] = x[1] ** 2
out.sum().backward()

## base and view stay in step
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
base = x * 1
row, column = base[0], base[:, 1]
a = row.mul_(10)
b = base.add_(1)
c = column.mul_(x[:, 0].detach())
(base.sum() + (row * row).sum()).backward()
view = base[0]
a = view.exp_()
b = base.neg_()
view._base is base, base._base, view.grad_fn, base.grad_fn
flat = x.detach().clone().view(4)
flat[1] = x[1, 0]
flat._base

## views that may not be changed
x = torch.ones(2, 2, requires_grad=True) * 1
first, second = x.unbind(0)
first.mul_(2)  # RuntimeError
second[0] = 1  # RuntimeError
a, b = torch.ones(2, 2).unbind()
b.mul_(2), a

## views made under no_grad
x = torch.ones(2, 2, requires_grad=True)
base = x * 1
with torch.no_grad():
    view = base[0]
    z = view.mul_(2)
str(view)
z = base.mul_(3)
str(view)
view.mul_(2)  # RuntimeError
view.grad_fn  # RuntimeError
base.sum().backward()

## views that nobody used since their base joined the graph
w = torch.ones(3, requires_grad=True)


def changed(change):
    x = torch.ones(3)
    view, y = x[:2], x.mul_(w)
    return change(view)


changed(lambda view: view.mul_(2))  # RuntimeError
changed(lambda view: view.requires_grad and view.exp_())  # RuntimeError
changed(lambda view: view.register_post_accumulate_grad_hook(print))  # RuntimeError
changed(lambda view: (view * 1, view.mul_(2))), changed(lambda view: (view.is_leaf, view.exp_()))

## a view that nobody used since its base joined the graph leads there
x, w = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
view, unseen, factor = x[:2], x[1:], torch.tensor([5.0, 6.0], requires_grad=True)
saves_view = view * factor
y = x.mul_(w)
with torch.no_grad():
    unrecorded = view * 2
z = view * 3
z.backward(torch.tensor([1.0, 10.0]), retain_graph=True)
torch.autograd.grad(unseen.sum() + (view * view).sum(), w), unrecorded.requires_grad
view.requires_grad, view.is_leaf, view.grad_fn, unseen.grad_fn
saves_view.sum().backward()  # RuntimeError

## integers take numbers through any view
base, w = torch.zeros(2, 2, dtype=torch.int64), torch.tensor([1.5, 2.5], requires_grad=True)
with torch.no_grad():
    view = base[0]
view.copy_(w), base.unbind()[1].copy_(w), base

## memory that is several elements
x, row = torch.ones(1, 2), torch.ones(2)
x.expand(3, 2).add_(1)  # RuntimeError
row.expand(3, 2).mul_(torch.ones(3, 2))  # RuntimeError
x.expand(3, 2).exp_()  # RuntimeError
torch.ones(3)[1:].add_(1), x.expand(1, 2).add_(1), row.add_(row)
row.expand(3, 2).zero_(), row, row._version  # one number for all
row.expand(3, 2).fill_(2.0), row
row.expand(3, 2).fill_(torch.tensor(2.0))  # RuntimeError
leaf = torch.ones(3, 2, requires_grad=True)
leaf.grad = torch.ones(2).expand(3, 2)
torch.optim.SGD([leaf], lr=1.0).zero_grad(set_to_none=False)
leaf.grad

## shapes and types that do not fit
x, whole, mask = torch.ones(2), torch.tensor([1, 2]), torch.tensor([True, False])
x.add_(torch.ones(3, 2))  # RuntimeError
torch.ones(()).add_(torch.ones(2))  # RuntimeError
torch.ones(1).sub_(torch.ones(2))  # RuntimeError
x.mul_(torch.ones(3))  # RuntimeError
whole.add_(1.5)  # RuntimeError
whole.add_(torch.ones(2))  # RuntimeError
whole.div_(2)  # RuntimeError
whole.exp_()  # RuntimeError
mask.add_(1)  # RuntimeError
x.copy_(torch.ones(3))  # RuntimeError
x.add_(torch.ones((), dtype=torch.float64)), x.mul_(whole), whole.mul_(mask), whole.copy_(x * 1.5)
whole[0] = 2.7

## what cannot be an operand
x = torch.ones(2)
x.add_("2")  # TypeError
x.mul_(None)  # TypeError

## second derivatives through what was changed in part
x, w = (
    torch.tensor([1.0, 2.0, 3.0], requires_grad=True),
    torch.tensor([2.0, 3.0], requires_grad=True),
)
y = x * x
y[0] = w[0] * w[1]
z = y[1:].mul_(w).exp_()
grads = torch.autograd.grad((y * y).sum(), [x, w], create_graph=True)
sum((g * g).sum() for g in grads).backward()

## operators in place rebind the same object
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = one = x * 1
y += 1
y -= x
y *= 3
y /= 2
y **= 2
y is one
y.sum().backward()

## assignment by index
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * 1
y[0] = 10
y[1:] = x[:2] * 3
y[torch.tensor([0, 0])] = x[2] * 5
y[y > 100] = 0
y[...] = y * 2
y[[0, 2]] += 1
y[None, 1] = x[0]
y.sum().backward()
y[5] = 1  # IndexError
y[0] = torch.ones(2)  # RuntimeError

## what no index takes
x = torch.zeros(2, 2)
x[0] = [1.0, 2.0]  # TypeError
x[0] = np.ones(2)  # TypeError
x[0, 0] = np.float32(3)  # TypeError
x[0, 0] = np.float64(3)
x

## copying converts and broadcasts
x, y = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True), torch.zeros(2, 2)
z = y.copy_(x)
y.sum().backward()
torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.7, -1.7]))
(x * 1).fill_(x[0]).sum().backward()

## a hidden state that is overwritten while it is needed
w, x, h = torch.ones(2, 2, requires_grad=True), torch.ones(3, 2), torch.zeros(3, 2)
for t in range(3):
    h[t] = torch.tanh(x[t] @ w + (h[t - 1] if t else 0))
h.sum().backward()
for t in range(1, 3):
    h[t] = h[t - 1] * w[0]
h.sum().backward()  # RuntimeError

## parameters that a step moved
a = torch.ones(2, requires_grad=True)
loss = (a * a).sum()
loss.backward(retain_graph=True)
with torch.no_grad():
    a -= a.grad
loss.backward()  # RuntimeError

## what was written into a view is freed, though nothing was saved
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x + 1
y[...] += 0.5
y.backward(torch.tensor([1.0, 10.0]))
y.backward(torch.tensor([1.0, 10.0]))  # RuntimeError

## filled with the number in a tensor
s = torch.tensor(2.0, requires_grad=True)
y = torch.ones(3)
z = y.fill_(s * 2)
(y * y).sum().backward()

## the tensor itself as the other operand, under another name too
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = x * 1
y.pow_(y.detach())
y.sum().backward()  # RuntimeError
z = x * 1
z.pow_(z)
z.sum().backward()  # RuntimeError
w = x * 1
w.add_(w)
w.sum().backward()
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title])


SAVED = rows("""
    x * y; x.exp(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.log(); x ** 2; x / y; y / x; x @ y
    x.norm(); x + y; x - y; -x; x.sum(); x.mean(); x.clone(); x.view(2, 1); x.double()
    torch.cat([x, y]); x.abs(); 2 ** x; x.sin(); x[0]; x ** y; torch.where(x > 1, x, y)
    x.reciprocal(); x.square(); x.softmax(0); x.max(); x.cumsum(0)
    x.clamp(0, 1); torch.maximum(x, y); torch.outer(x, y)
    x.log_softmax(0); torch.nn.functional.mse_loss(x, y); x.expand(2, 2)
""")


@over("changed", ["x", "y", "out"])
@over("formula", SAVED)
@same
def test_what_is_saved_must_not_change(torch, formula, changed):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    x, y = a * 1, a * 3
    out = eval(formula, {"torch": torch, "x": x, "y": y})
    result = out.sum() if changed != "out" else (out * 1).sum()
    {"x": x, "y": y, "out": out}[changed].mul_(2)
    return attempt(result.backward), a.grad
