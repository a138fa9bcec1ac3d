"""`autograd.Function`: what a learner writes as forward and backward, each way to get it wrong."""

import pytest

from tests.cases import over
from tests.engine.both import attempt, function, play, rows, same, titled

PROGRAMS = titled("""
## a class of one's own
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        seen.append((torch.is_grad_enabled(), ctx.needs_input_grad, ctx.name()))
        ctx.save_for_backward(x)
        ctx.note = "kept"
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        seen.append(
            (torch.is_grad_enabled(), g.requires_grad, ctx.needs_input_grad, x is X, ctx.note)
        )
        return 2 * x * g


X, seen = torch.tensor([1.0, 5.0], requires_grad=True), []
y = Square.apply(X)
(
    y.grad_fn,
    y.grad_fn.name(),
    repr(type(y.grad_fn)),
    y.grad_fn.next_functions,
    y.grad_fn.needs_input_grad,
)
(g,) = torch.autograd.grad(y, X, torch.tensor([3.0, 5.0]), create_graph=True)
torch.autograd.grad(g.sum(), X)
y.sum().backward()
y.sum().backward()  # RuntimeError
y.grad_fn.saved_tensors  # RuntimeError
Square.apply(X.detach())
with torch.no_grad():
    z = Square.apply(X)
Square.apply(X * 1).sum().backward()
X * Square.apply(X)

## a result that is saved
Exp = function(
    lambda ctx, x: [y := x.exp(), ctx.save_for_backward(y, None, x)][0],
    lambda ctx, g: g * ctx.saved_tensors[0] if ctx.saved_tensors[1] is None else None,
)
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = Exp.apply(x * 1)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(g2,) = torch.autograd.grad(g.sum(), x, create_graph=True)
g2.sum().backward()
y = Exp.apply(x)
z = y.add_(1)
y.sum().backward()  # RuntimeError

## a saved input that changed
Keep = function(
    lambda ctx, x: ctx.save_for_backward(x) or x * 2, lambda ctx, g: g * ctx.saved_tensors[0]
)
a = torch.tensor([0.0, 1.0], requires_grad=True)
x = a * 1
y = Keep.apply(x)
z = x.add_(1)
y.sum().backward()  # RuntimeError
Keep.apply(a).add_(1).sum().backward()

## what may be saved
x = torch.tensor([1.0, 2.0], requires_grad=True)
function(lambda ctx, x: ctx.save_for_backward(3) or x * 2).apply(x)  # TypeError
function(lambda ctx, x: ctx.save_for_backward(x, [x]) or x * 2).apply(x)  # TypeError
function(lambda ctx, x: ctx.save_for_backward(None) or x * 2).apply(x)
Twice = function(
    lambda ctx, x: ctx.save_for_backward(x) or ctx.save_for_backward(x * 3) or x * 2,
    lambda ctx, g: g * ctx.saved_tensors[0],
)
Twice.apply(x).sum().backward()
None_saved = function(lambda ctx, x: x * 2, lambda ctx, g: g * len(ctx.saved_tensors))
y = None_saved.apply(x)
y.sum().backward(), attempt(y.sum().backward)

## several inputs, some that are no tensors
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor, y=None):
        ctx.factor = factor
        seen.append(ctx.needs_input_grad)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, extra


x, seen, extra = torch.tensor([1.0, 2.0], requires_grad=True), [], None
Scale.apply(x, 3).sum().backward()
Scale.apply(x, 3, x).sum().backward()  # RuntimeError
extra = torch.ones(1)
Scale.apply(x, 3).sum().backward()  # RuntimeError
Scale.apply(2, x)
Scale.apply(torch.ones(2), x.detach()), Scale.apply(2, 3)

## how many gradients
x, w, count = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(2, requires_grad=True), 1
Mul = function(lambda ctx, x, w: x * w, lambda ctx, g: (g, g, None, None)[:count] if count else g)
Mul.apply(x, w).sum().backward()  # RuntimeError
count = 2
Mul.apply(x, w).sum().backward()
count = 4
Mul.apply(x, w).sum().backward()
count = 0
Mul.apply(x, w).sum().backward()  # RuntimeError
function(lambda ctx, x: x * 2, lambda ctx, g: (g, g)).apply(x).sum().backward()  # RuntimeError

## an instance of before 2019
class Old(torch.autograd.Function):
    def forward(self, x):
        return x * 2
Old.__call__(Old.__new__(Old), torch.ones(2))  # RuntimeError

## apply is forgotten
Twice = function(lambda ctx, x: x * 2, lambda ctx, g: g * 2)
type(Twice(torch.ones(2))).__name__

## what comes back as it was, or as a view, refuses a change in place
x = torch.ones(2, 2, requires_grad=True)
Same = function(lambda ctx, x: x, lambda ctx, g: g)
Turned = function(lambda ctx, x: x.t(), lambda ctx, g: g.t())
Same.apply(x).mul_(2)  # RuntimeError
Turned.apply(x * 1).mul_(2)  # RuntimeError
Same.apply(x)[0].mul_(2)  # RuntimeError
Turned.apply(x).clone().mul_(2)

## several outputs
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
Pair = function(
    lambda ctx, x: (x * 2, x.sum().double()), lambda ctx, g, h: seen.append((g, h)) or 2 * g + h
)
a, b = Pair.apply(x)
a.grad_fn is b.grad_fn, a.output_nr, b.output_nr
a.sum().backward()
Pair.apply(x)[1].backward()
(Pair.apply(x)[1] * Pair.apply(x)[0]).sum().backward()
Raw = function(
    lambda ctx, x: ctx.set_materialize_grads(False) or (x * 2, x * 3),
    lambda ctx, g, h: seen.append((g, h)) or (2 * g if h is None else h),
)
a, b = Raw.apply(x)
a.sum().backward(), (b * a).sum().backward()
function(
    lambda ctx, x: (x * 2, "words", 3), lambda ctx, g, *others: seen.append(others) or g * 2
).apply(x)[0].sum().backward()

## inputs that forward changes in place
a, held = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
Doubled = function(lambda ctx, x: (ctx.mark_dirty(x), x.mul_(2))[1], lambda ctx, g: g * 2)
b = a * 1
square = b * b
c = Doubled.apply(b)
c is b, b._version, b.grad_fn.name(), b.is_leaf
c.sum().backward()
square.sum().backward()  # RuntimeError
Doubled.apply(a)  # RuntimeError
Doubled.apply(held) is held, held._version, held.requires_grad
Lost = function(lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1], lambda ctx, g: g * 2)
Lost.apply(a * 1)  # RuntimeError

## outputs that are not differentiable
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
Some = function(
    lambda ctx, x: [
        order := x > 1,
        floats := x * 2,
        ctx.mark_non_differentiable(order, floats),
        (x * 2, order, floats),
    ][-1],
    lambda ctx, *gs: seen.append(gs) or gs[0] * 2,
)
y = Some.apply(x)
y[0].sum().backward()

## setup_context
Apart = function(
    lambda x, by=2.0: (x * by, x * 3),
    lambda ctx, g, h: (seen.append((g, h)) or ctx.by * g + 3 * h, None),
    setup_context=lambda ctx, inputs, output: (
        ctx.save_for_backward(inputs[0])
        or seen.append((len(inputs), len(output)))
        or setattr(ctx, "by", inputs[1])
    ),
)
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
Apart.apply(x, 5.0)[0].sum().backward()
Apart.apply(x, 5.0), Apart.apply(x)[0].sum().backward(), Apart.apply(x, by=3.0)[0].sum().backward()

## arguments by name
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by=2.0, *, plus=0.0):
        ctx.by = by
        return x * by + plus

    @staticmethod
    def backward(ctx, *gs):
        return gs[0] * ctx.by


x = torch.tensor([1.0, 2.0], requires_grad=True)
Scale.apply(x).sum().backward()
Scale.apply()  # TypeError
Scale.apply(x, wrong=1)  # TypeError

## what is missing
x = torch.tensor([1.0, 2.0], requires_grad=True)


class Nothing(torch.autograd.Function):
    pass


Nothing.apply(x)  # NotImplementedError
y = function(lambda ctx, x: x * 2).apply(x)
y.sum().backward()  # NotImplementedError

## once differentiable
once = torch.autograd.function.once_differentiable
Square = function(
    lambda ctx, x: ctx.save_for_backward(x) or x * x,
    once(lambda ctx, g: 2 * g * ctx.saved_tensors[0]),
)
x = torch.tensor([1.0, 5.0], requires_grad=True)
(g,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
h = g * 1
Square.apply(x).sum().backward()
g.sum().backward()  # RuntimeError

## inputs that are returned, and views of them
x = torch.tensor([1.0, 2.0], requires_grad=True)
Same = function(lambda ctx, x: x, lambda ctx, g: g * 3)
y = Same.apply(x)
y is x, y.sum().backward()
View = function(lambda ctx, x: x.view(x.shape), lambda ctx, g: g.neg())
y = View.apply(x * 1)
(y * 3).sum().backward()
Kept = function(
    lambda ctx, x: ctx.save_for_backward(x) or x, lambda ctx, g: g * ctx.saved_tensors[0]
)
Kept.apply(x * 2).sum().backward()

## numpy inside
Sin = function(
    lambda ctx, x: ctx.save_for_backward(x) or torch.from_numpy(np.sin(x.detach().numpy())),
    lambda ctx, g: g * torch.from_numpy(np.cos(ctx.saved_tensors[0].numpy(force=True))),
)
x = torch.tensor([0.3, 1.0], requires_grad=True)
Sin.apply(x).sum().backward()
Sin.apply(x)
function(lambda ctx, x: x.numpy()).apply(x)
x.numpy()  # RuntimeError

## a graph computed again inside backward
def again(ctx, g):
    x = ctx.saved_tensors[0].detach().requires_grad_()
    with torch.enable_grad():
        y = ctx.fn(x)
    y.backward(g)
    return None, x.grad


Again = function(
    lambda ctx, fn, x: setattr(ctx, "fn", fn) or ctx.save_for_backward(x) or fn(x), again
)
x = torch.tensor([1.0, 2.0], requires_grad=True)
Again.apply(lambda t: (t.sin() * t).exp(), x).sum().backward()

## names of one's own on ctx, and a note on the node
names = "number next hooks outputs output_nr owner saved plan release watch frees".split()
names += "variable namespace place fn".split()
Noted = function(
    lambda ctx, x: [setattr(ctx, name, 3) for name in names] and x * 3,
    lambda ctx, g: g * ctx.outputs * len(ctx.metadata),
)
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Noted.apply(x)
y.grad_fn.metadata["a"] = y.grad_fn.number
y.sum().backward()

## the summed gradient arrives once
x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
Twice = function(lambda ctx, x: x * 2, lambda ctx, g: seen.append(g) or g * 2)
y = Twice.apply(x)
(y * 3 + y.exp() + y[0]).sum().backward()
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    play(PROGRAMS[title], attempt=attempt)


ANSWERS = rows("""
    3; None; g; (g,); [g]; (g, None); (g, None, None); (); g[:1]; torch.ones(3); torch.ones(5, 2)
    torch.ones(4); torch.ones(2, 1); torch.tensor(1.0); g.double(); g.int(); g.expand(4, 2)
    np.ones(2); {}["key"]; g.requires_grad; 1.5; torch.ones(2, requires_grad=True) * g; g.sum()
    g.mul_(2); 1 / 0
""")


@over("answer", ANSWERS)
@same
def test_what_backward_returns(torch, answer):
    import numpy as np

    doubled = function(
        torch, lambda ctx, x: x * 2, lambda ctx, g: eval(answer, {"g": g, "torch": torch, "np": np})
    )
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    first = attempt(doubled.apply(x).sum().backward)
    return first, x.grad, attempt(torch.autograd.grad, doubled.apply(x).sum(), x, create_graph=True)


FORWARDS = rows("""
    3; None; [x]; (x * 2, 3); (3, x * 2); (None, x); (); x; x.view(2, 1); x[0]; x.int()
    (x * 2, x * 3); (x, x); x.detach(); torch.ones(3); (x * 2, x.int())
""")


@pytest.mark.parametrize("forward", FORWARDS)
@same
def test_what_forward_returns(torch, forward):
    def backward(ctx, *gs):
        return sum(g.sum() for g in gs if g is not None and g.is_floating_point()).expand(2)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    results = function(
        torch, lambda ctx, x: eval(forward, {"x": x, "torch": torch}), backward
    ).apply(x)
    for result in results if isinstance(results, tuple) else (results,):
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.sum().backward(retain_graph=True)
    return results, x.grad
