"""autograd.Function: what a user's own operation may do, and what it is told when it is wrong."""
import pytest

from tests.engine.both import attempt, doubling, same


def asking(torch, forward):
    """A function that calls `forward(ctx, x)`; its `backward` reads what was saved."""

    class Ask(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            said = forward(ctx, x)
            return x * 2 if said is None else said

        @staticmethod
        def backward(ctx, *gs):
            ctx.seen = ctx.saved_tensors
            return gs[0]

    return Ask


ANSWERS = """3; None; g; (g,); [g]; (g, g); (g, None); (g, None, None); (); g[:1]; torch.ones(3); torch.ones(3, 2)
    torch.ones(2, 1); torch.tensor(1.0); g.double(); g.int(); g.expand(4, 2); np.ones(2); {}["key"]; g.requires_grad
    torch.ones(2, requires_grad=True) * g"""


@pytest.mark.parametrize("answer", [a.strip() for a in ANSWERS.replace("\n", ";").split(";")])
@same
def test_what_backward_returns(torch, answer):
    import numpy as np

    function = doubling(torch, lambda g: eval(answer, {"g": g, "torch": torch, "np": np}))
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    first = attempt(function.apply(x).sum().backward)
    return first, x.grad, attempt(torch.autograd.grad, function.apply(x).sum(), x, create_graph=True)


FORWARDS = """3; None; [x]; (x * 2, 3); (3, x * 2); (None, x); (); x; x.view(2, 1); x[0]; x.int(); (x * 2, x * 3)
    (x, x); x.detach(); torch.ones(3); (x * 2, x.int())"""


@pytest.mark.parametrize("forward", [a.strip() for a in FORWARDS.replace("\n", ";").split(";")])
@same
def test_what_forward_returns(torch, forward):
    class Give(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return eval(forward, {"x": x, "torch": torch})

        @staticmethod
        def backward(ctx, *gs):
            return sum(g.sum() for g in gs if g is not None and g.is_floating_point()).expand(2)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    results = Give.apply(x)
    for result in results if isinstance(results, tuple) else (results,):
        if isinstance(result, torch.Tensor) and result.requires_grad:
            result.sum().backward(retain_graph=True)
    return results, x.grad


@same
def test_what_ctx_takes_and_gives(torch):
    x, results, seen = torch.tensor([1.0, 2.0], requires_grad=True), [], []
    for forward in (
        lambda ctx, x: ctx.save_for_backward(3),
        lambda ctx, x: ctx.save_for_backward([x]),
        lambda ctx, x: ctx.save_for_backward(None),
        lambda ctx, x: ctx.save_for_backward(x, None, x * 2),
        lambda ctx, x: (ctx.save_for_backward(x), ctx.save_for_backward(x * 3)) and None,
        lambda ctx, x: ctx.mark_dirty(3),
        lambda ctx, x: ctx.mark_dirty(x),
        lambda ctx, x: ctx.mark_non_differentiable(x),
        lambda ctx, x: ctx.mark_non_differentiable(3),
        lambda ctx, x: ctx.set_materialize_grads(1),
        lambda ctx, x: ctx.missing,
        lambda ctx, x: seen.append((ctx.name(), ctx.needs_input_grad, torch.is_grad_enabled(), repr(ctx))),
        lambda ctx, x: seen.append([type(ctx), ctx.metadata, ctx.saved_tensors, ctx.saved_variables]),
        lambda ctx, x: seen.append([(node.name(), i) for node, i in ctx.next_functions]),
    ):
        y = attempt(asking(torch, forward).apply, x)
        results.append(y)
        if isinstance(y, torch.Tensor) and y.requires_grad:
            results.append([attempt(y.sum().backward), attempt(getattr, y.grad_fn, "seen")])
    return results, seen, x.grad


@pytest.mark.parametrize("reads", [True, False])
@same
def test_a_second_pass_fails_where_saved_tensors_are_read(torch, reads):
    function = asking(torch, lambda ctx, x: None) if reads else doubling(torch, lambda g: g)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = function.apply(x)
    return attempt(y.sum().backward), attempt(y.sum().backward), x.grad


@same
def test_arguments_by_name(torch):
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, by=2.0, *, plus=0.0):
            ctx.by = by
            return x * by + plus

        @staticmethod
        def backward(ctx, *gs):
            return gs[0] * ctx.by

    class Apart(torch.autograd.Function):
        @staticmethod
        def forward(x, by=2.0):
            return x * by

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.x, ctx.by = inputs

        @staticmethod
        def backward(ctx, g):
            return g * ctx.by, None

    x, results = torch.tensor([1.0, 2.0], requires_grad=True), []
    for call in (lambda: Scale.apply(x), lambda: Scale.apply(x, by=3.0), lambda: Scale.apply(x, plus=1.0),
                 lambda: Scale.apply(by=3.0), lambda: Scale.apply(x, x=x), lambda: Apart.apply(x), lambda: Apart.apply(x, by=3.0), lambda: Apart.apply(),
                 lambda: Apart.apply(x, wrong=1)):  # fmt: skip
        y = attempt(call)
        results += [y, attempt(lambda: y.sum().backward())]
    return results, x.grad


@same
def test_in_place(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, how):
            x.mul_(2)
            if "marked" in how:
                ctx.mark_dirty(x)
            return x if "same" in how else x + 1

        @staticmethod
        def backward(ctx, g):
            return g * 2, None

    x, results = torch.tensor([1.0, 2.0], requires_grad=True), []
    for how in ("marked same", "marked", "same", ""):
        y = x * 1
        z = attempt(Double.apply, y, how)
        results += [z is y, z, y]
    results.append(Double.apply(x * 1, "marked same")._version)
    v = (x * 1)[:1]
    w = Double.apply(v, "marked same")
    w.sum().backward()
    with torch.no_grad():
        results.append(attempt(Double.apply, x * 1, "marked"))
    return results, v, w, x.grad, attempt(Double.apply, x, "marked same"), Double.apply(torch.ones(1), "marked same")


@same
def test_a_node_in_words(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = doubling(torch, lambda g: g).apply(x)
    assert repr(y.grad_fn).startswith("<torch.autograd.function.DoubleBackward object at 0x")
    return y, repr(type(y.grad_fn)), y.grad_fn.name(), y.grad_fn.needs_input_grad


@same
def test_saved_values_that_changed(torch):
    class Keep(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, what):
            y = x.exp()
            ctx.save_for_backward({"in": x, "out": y}[what])
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0], None

    a, results = torch.tensor([1.0, 2.0], requires_grad=True), []
    for what in ("in", "out"):
        for changed in ("in", "out", ""):
            x = a * 1
            y = Keep.apply(x, what)
            if changed:
                {"in": x, "out": y}[changed].add_(1)
            results.append(attempt(y.sum().backward))
        y = Keep.apply(a, what)
        (g,) = torch.autograd.grad(y.sum(), a, create_graph=True)
        results.append(attempt(torch.autograd.grad, g.sum(), a))
    return results, a.grad


@same
def test_the_methods_a_function_lacks(torch):
    class Nothing(torch.autograd.Function):
        pass

    class Forward(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    class Both(Forward):
        @staticmethod
        def backward(ctx, g):
            return g

        @staticmethod
        def vjp(ctx, g):
            return g

    class Vjp(Forward):
        @staticmethod
        def vjp(ctx, g):
            return g * 2

    x, results = torch.tensor([1.0, 2.0], requires_grad=True), []
    for function in (Nothing, Forward, Both, Vjp):
        y = attempt(function.apply, x)
        results += [y, attempt(lambda: y.sum().backward())]
    return results, x.grad


@same
def test_once_differentiable(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = torch.tensor([1.0, 5.0], requires_grad=True)
    (g,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    h = g * 1
    Square.apply(x).sum().backward()
    return g, h, attempt(g.sum().backward), x.grad


@same
def test_gradients_of_outputs_nobody_used(torch):
    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    for materialize in (True, False):

        class Pair(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, materialize):
                ctx.set_materialize_grads(materialize)
                return x * 2, x * 3

            @staticmethod
            def backward(ctx, g, h):
                seen.append((g, h))
                return (0 if g is None else 2 * g) + (0 if h is None else 3 * h), None

        a, b = Pair.apply(x, materialize)
        a.sum().backward()
        (Pair.apply(x, materialize)[1] * 2).sum().backward()
        seen.append((a.grad_fn is b.grad_fn, a.output_nr, b.output_nr))
    return seen, x.grad
