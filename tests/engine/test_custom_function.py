"""`autograd.Function`: what a learner writes as forward and backward, and each way to get it wrong.

A case is the body of a class (and what goes with it), and an expression that uses the class as `F`.
"""
import textwrap

import pytest

from tests.engine.both import attempt, same

CASES = {
    "a square": """
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g
    """,
    "what the user keeps on ctx has the engine's own names": """
        def forward(ctx, x):
            for name in ("number", "next", "hooks", "outputs", "output_nr", "owner", "saved", "plan",
                         "release", "watch", "frees", "variable", "namespace", "place"):
                setattr(ctx, name, 3)
            return x * 3
        def backward(ctx, g):
            seen.append(ctx.number)
            return g * ctx.outputs
    """,
    "the result is saved": """
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y, None, x)
            return y
        def backward(ctx, g):
            y, nothing, x = ctx.saved_tensors
            seen.append((nothing, y, x, y.grad_fn, ctx.needs_input_grad, ctx.name()))
            return g * y
    """,
    "an input is saved and returned": """
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x
        def backward(ctx, g):
            seen.append(ctx.saved_tensors[0].is_leaf)
            return g * 3
    """,
    "setup_context": """
        def forward(x):
            return x * 2, x * 3
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            seen.append((len(inputs), len(output)))
        def backward(ctx, g, h):
            seen.append((g, h))
            return 2 * g + 3 * h
    """,
    "vjp": """
        def forward(ctx, x):
            return x * 5
        def vjp(ctx, g):
            return g * 5
    """,
    "both backward and vjp": """
        def forward(ctx, x):
            return x * 5
        def vjp(ctx, g):
            return g * 5
        def backward(ctx, g):
            return g * 5
    """,
    "no forward": """
        def backward(ctx, g):
            return g
    """,
    "no backward": """
        def forward(ctx, x):
            return x * 5
    """,
    "a gradient that was broadcast": """
        def forward(ctx, x):
            return x * 5
        def backward(ctx, g):
            return torch.ones(3, 2) * g
    """,
    "a gradient of one number": """
        def forward(ctx, x):
            return x * 5
        def backward(ctx, g):
            return g.sum()
    """,
    "a gradient of another dtype": """
        def forward(ctx, x):
            return x * 5
        def backward(ctx, g):
            return g.double()
    """,
    "no tensor is returned": """
        def forward(ctx, x):
            return 5
    """,
    "nothing is returned": """
        def forward(ctx, x):
            ctx.save_for_backward(x)
    """,
    "something else is saved": """
        def forward(ctx, x):
            ctx.save_for_backward(x, 3)
            return x * 2
    """,
    "dirty": """
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x
        def backward(ctx, g):
            return g * 2
    """,
    "dirty and saved": """
        def forward(ctx, x):
            ctx.mark_dirty(x)
            ctx.save_for_backward(x.exp_())
            return x
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]
    """,
    "non-differentiable": """
        def forward(ctx, x):
            order = x > 1
            floats = x * 2
            ctx.mark_non_differentiable(order, floats)
            return x * 2, order, floats
        def backward(ctx, g, h, i):
            seen.append((g, h, i))
            return g * 2
    """,
    "None for outputs that are not used": """
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3
        def backward(ctx, g, h):
            seen.append((g, h))
            return g if h is None else h if g is None else g + h
    """,
    "zeros for outputs that are not used": """
        def forward(ctx, x):
            return x * 2, x.sum().double()
        def backward(ctx, g, h):
            seen.append((g, h))
            return g + h
    """,
    "once differentiable": """
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        @once
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]
    """,
    "once differentiable, several": """
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        @once
        def backward(ctx, g):
            return (2 * g * ctx.saved_tensors[0],)
    """,
    "other things are returned beside": """
        def forward(ctx, x):
            return x * 2, "words", 3
        def backward(ctx, *gradients):
            seen.append(gradients)
            return gradients[0] * 2
    """,
    "the numbers are taken out": """
        def forward(ctx, x):
            ctx.shape = x.shape
            return torch.tensor([1.0, 2.0]).expand(2)
        def backward(ctx, g):
            return g.reshape(ctx.shape) * 2
    """,
}  # fmt: skip

USES = {
    "once": "F.apply(x)",
    "of a result": "F.apply(x * 1)",
    "without grad": "F.apply(x.detach())",
    "under no_grad": "quiet(F.apply, x)",
    "an instance": "F()",
    "called": "F.__new__(F)(x)",
}


def define(torch, body, seen):
    """The class whose body is given: all its functions are static."""
    names = {"torch": torch, "seen": seen, "once": torch.autograd.function.once_differentiable}
    exec(textwrap.dedent(body), names)
    methods = {n: staticmethod(f) for n, f in names.items()
               if n in ("forward", "backward", "vjp", "setup_context")}  # fmt: skip
    return type("Mine", (torch.autograd.Function,), methods)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("case", CASES)
@same
def test_a_function_of_ones_own(torch, case, use):
    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    F = define(torch, CASES[case], seen)

    def quiet(call, x):
        with torch.no_grad():
            return call(x)

    out = attempt(eval, USES[use], {"F": F, "x": x, "quiet": quiet})
    told = [out]
    for n, y in enumerate(out if isinstance(out, tuple) else (out,)):
        if isinstance(y, torch.Tensor) and y.requires_grad:
            v = torch.tensor([3.0, 5.0], dtype=y.dtype) if y.ndim else torch.tensor(3.0, dtype=y.dtype)
            told.append(attempt(y.backward, v, retain_graph=True, create_graph=n == 1))
            told += [x.grad, attempt(y.backward, v), attempt(y.backward, v)]
            told.append(attempt(getattr, y.grad_fn, "saved_tensors", None))
    return told, x.grad, seen


@pytest.mark.parametrize("case", ["a square", "the result is saved", "once differentiable", "vjp",
                                  "once differentiable, several", "dirty", "no gradient"])  # fmt: skip
@same
def test_second_derivatives(torch, case):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    out = define(torch, CASES[case], []).apply(x * 1)
    (g,) = torch.autograd.grad(out, x, torch.tensor([3.0, 5.0]), create_graph=True, allow_unused=True)
    return g, g is not None and attempt(lambda: torch.autograd.grad(g.sum(), x, allow_unused=True))


@pytest.mark.parametrize("case", ["a square", "the result is saved", "once differentiable"])
@pytest.mark.parametrize("change", ["x", "out"])
@same
def test_what_was_saved_must_not_change(torch, case, change):
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    x = leaf * 1
    out = define(torch, CASES[case], []).apply(x)
    attempt({"x": x, "out": out}[change].mul_, 2)
    return attempt(out.sum().backward), leaf.grad


@same
def test_inputs_that_are_no_tensors(torch):
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
    found = [x.grad.clone()]
    extra = torch.ones(1)
    return found, attempt(Scale.apply(x, 3).sum().backward), attempt(Scale.apply(x, 3, x).sum().backward), seen


@same
def test_a_dirty_leaf_and_a_dirty_view(torch):
    dirty = define(torch, CASES["dirty"], [])
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    base = x * 1
    first = attempt(dirty.apply, x)
    view = attempt(dirty.apply, base[:1])
    plain = torch.ones(2)
    dirty.apply(plain[:1])
    return first, view, base, base._version, plain, plain._version, attempt(base.sum().backward), x.grad
