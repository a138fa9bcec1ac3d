"""autograd.graph and checkpoints: what is saved in another form, edges, hooks on several tensors.

What would break a lesson on memory: a hook that is not called, or called with something else; a packed
tensor that has lost its place in the graph; a second pass that a checkpoint does not survive.
"""
import pytest

import minigrad
from tests.engine.both import attempt, in_module, refusal, same


def hooks(torch, heard, form=lambda tensor: tensor, back=lambda packed: packed):
    """`saved_tensors_hooks` that note what they are given."""

    def pack(tensor):
        heard.append(("pack", tensor.detach().clone(), str(tensor), torch.is_grad_enabled()))
        return form(tensor)

    def unpack(packed):
        heard.append(("unpack", torch.is_grad_enabled()))
        return back(packed)

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)


PROGRAMS = [
    lambda x, torch: x * x,
    lambda x, torch: x.exp(),
    lambda x, torch: x * 2.5 + x / torch.tensor(3.0),
    lambda x, torch: x**2,
    lambda x, torch: (x.sigmoid() + x.relu()).sum(),
    lambda x, torch: x.softmax(0).log(),
    lambda x, torch: x.view(2, 1) @ torch.ones(1, 2),
    lambda x, torch: torch.ones(2) * x,
    lambda x, torch: torch.where(x > 1, x, x * x),
    lambda x, torch: torch.nn.functional.linear(x, torch.ones(3, 2), torch.ones(3)),
]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
@same
def test_what_is_packed_and_unpacked(torch, number):
    x, heard = torch.tensor([1.0, 2.0], requires_grad=True), []
    with hooks(torch, heard):
        y = PROGRAMS[number](x, torch)
    y.sum().backward(retain_graph=True)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    second = attempt(torch.autograd.grad, first.sum(), x)
    # A condition or index is packed by torch, and is no tensor here.
    return [event for event in heard if event[0] == "unpack" or event[1].dtype.is_floating_point], \
        x.grad, first.detach(), second  # fmt: skip


@same
def test_a_result_that_is_stored_in_place_is_packed_as_it_became(torch):
    x, heard = torch.tensor([1.0, 2.0], requires_grad=True), []
    with hooks(torch, heard):
        y = x.clone().exp_()
    y.sum().backward()
    return heard[0][1], heard[1:], x.grad


@same
def test_a_packed_tensor_may_be_stored_anywhere(torch):
    x, store, heard = torch.tensor([1.0, 2.0], requires_grad=True), {}, []

    def put(tensor):
        store[len(store)] = tensor.detach().numpy().copy()
        return len(store) - 1

    with hooks(torch, heard, put, lambda number: torch.from_numpy(store[number])):
        y = (x * x).exp()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return y, g.detach(), torch.autograd.grad(g.sum(), x), len(store)


@same
def test_the_innermost_hooks_count_and_only_inside_the_block(torch):
    x, outer, inner = torch.tensor([1.0, 2.0], requires_grad=True), [], []
    with hooks(torch, outer):
        with hooks(torch, inner):
            y = x.exp()
        z = y.sin()
    w = z.cos()
    w.sum().backward()
    return [event[0] for event in outer], [event[0] for event in inner], x.grad


@same
def test_hooks_that_misbehave(torch):
    x, give = torch.tensor([1.0, 2.0], requires_grad=True), lambda tensor: tensor

    def saved(pack, unpack, passes=1):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = (x * 1).exp()
        for _ in range(passes):
            y.sum().backward()

    def fail(tensor):
        raise ValueError("no")

    return [
        refusal(saved, lambda t: t.detach().mul_(2), give),
        refusal(saved, lambda t: 1, give),
        refusal(saved, lambda t: "text", give),
        refusal(saved, fail, give),
        refusal(saved, give, fail),
        refusal(saved, give, give, passes=2),
        attempt(saved, give, lambda t: t[:1]),
    ], x.grad


@same
def test_what_is_packed_is_not_checked_for_changes_in_place(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = a * a
    a.mul_(10)
    y.sum().backward()
    return x.grad


@same
def test_hooks_can_be_refused(torch):
    graph, x = torch.autograd.graph, torch.ones(2, requires_grad=True)

    def inside():
        with graph.disable_saved_tensors_hooks("not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                x.exp()

    def outside():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            with graph.disable_saved_tensors_hooks("not here"):
                x.exp()

    with graph.save_on_cpu():
        x.exp().sum().backward()
    return refusal(inside), refusal(outside), x.grad


@same
def test_a_functions_own_tensors_are_packed(torch):
    x, heard = torch.tensor([1.0, 2.0], requires_grad=True), []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x, None, y)
            return y

        @staticmethod
        def backward(ctx, g):
            x, nothing, y = ctx.saved_tensors
            heard.append((str(x), nothing, y.detach()))
            return g * 2 * x

    with hooks(torch, heard):
        y = Square.apply(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return [event[:2] for event in heard], g.detach(), torch.autograd.grad(g.sum(), x)


@same
def test_saved_values_are_unpacked_one_by_one(torch):
    x, heard = torch.tensor([1.0, 2.0], requires_grad=True), []
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    with hooks(torch, heard):
        z = x * y
    return z.grad_fn._saved_other, [event[0] for event in heard]


def test_nothing_is_left_behind():
    before = list(minigrad.hooks.recorders), list(minigrad.hooks.packers)
    with pytest.raises(ZeroDivisionError):
        with minigrad.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            assert minigrad.hooks.recorders != before[0]
            1 / 0
    assert (minigrad.hooks.recorders, minigrad.hooks.packers) == before


# -- edges ----------------------------------------------------------------------------------------


@same
def test_edges_stand_for_tensors(torch):
    graph, grad = torch.autograd.graph, torch.autograd.grad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    square = x * x
    edge, to_x, v = graph.get_gradient_edge(square), graph.get_gradient_edge(x), torch.ones(2)
    found = [
        grad(square.sum(), to_x, retain_graph=True),
        grad(square.sum(), [edge, x], retain_graph=True),
        grad(edge, x, v, retain_graph=True),
        refusal(grad, edge, x),
        refusal(grad, edge, x, torch.ones(3)),
        grad(graph.get_gradient_edge(square.sum()), x, retain_graph=True),
    ]
    torch.autograd.backward(edge, v, retain_graph=True)
    square.backward(v, inputs=[to_x])
    names = [(e.node.name(), e.output_nr) for e in (edge, to_x)]
    return found, x.grad, names, refusal(graph.get_gradient_edge, torch.ones(2))


@same
def test_edges_of_several_outputs(torch):
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    first, second = x.unbind()
    edge = torch.autograd.graph.get_gradient_edge(second)
    y = (second * second + first).sum()
    return edge.output_nr, edge.node.name(), torch.autograd.grad(y, [edge, x], retain_graph=True)


@same
def test_an_edge_made_by_hand(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    squared = x * x
    y = (squared * squared).sum()
    edge = torch.autograd.graph.GradientEdge(squared.grad_fn, 0)
    return torch.autograd.grad(y, [edge], retain_graph=True), torch.autograd.grad(edge, x, torch.ones(2))


# -- hooks on several tensors ---------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["all", "any"])
@same
def test_a_hook_on_several_tensors(torch, mode):
    a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    c, d, heard = a * b, b + 1, []
    handle = torch.autograd.graph.register_multi_grad_hook((c, d), heard.append, mode=mode)
    (c.sum() + 2 * d.sum()).backward(retain_graph=True)
    c.sum().backward(retain_graph=True)
    torch.autograd.grad(c.sum() + d.sum(), a, retain_graph=True)
    torch.autograd.grad(c.sum() + d.sum(), [a, b], retain_graph=True)
    handle.remove()
    (c.sum() + d.sum()).backward()
    return heard, a.grad, b.grad


@pytest.mark.parametrize("mode", ["all", "any"])
@same
def test_a_hook_on_several_tensors_hears_only_what_the_pass_reaches(torch, mode):
    """One root alone does not count; of `grad`'s inputs a result does, and a leaf is refused."""
    a, b = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    c, d = a * b, b + 1
    e, heard = c * c, []
    for tensors in ((a, c), (a, b), (c, e), (c, d, e)):
        register = torch.autograd.graph.register_multi_grad_hook
        register(tensors, lambda g, n=len(tensors): heard.append((n, g)), mode=mode)
    y, v = e.sum() + d.sum(), torch.ones(2)
    told = [
        attempt(torch.autograd.grad, y, inputs, retain_graph=True)
        for inputs in ([a], [b], [c], [a, b], [a, c], [c, d])
    ]
    for inputs in ([a], [b], [c], [a, b], [d], None):
        y.backward(inputs=inputs, retain_graph=True)
    torch.autograd.grad(e, [c, e], v, retain_graph=True)
    e.backward(v, retain_graph=True)
    torch.autograd.backward([e, c], [v, v], retain_graph=True)
    torch.autograd.backward([e, e], [v, v])
    return told, heard


@same
def test_hooks_on_several_tensors_that_are_refused(torch):
    hook, x = torch.autograd.graph.register_multi_grad_hook, torch.ones(2, requires_grad=True)
    return refusal(hook, (x,), print, mode="some"), refusal(hook, (x, torch.ones(2)), print)


@same
def test_versions_can_be_counted_up(torch):
    x, y = torch.ones(2), torch.ones(2, requires_grad=True)
    torch.autograd.graph.increment_version(x)
    torch.autograd.graph.increment_version([x, x])
    z = y * x
    torch.autograd.graph.increment_version(x)
    return x._version, refusal(z.sum().backward)


# -- checkpoints ----------------------------------------------------------------------------------


@pytest.mark.parametrize("use_reentrant", [True, False])
@same
def test_a_checkpoint_gives_the_same_gradients(torch, use_reentrant):
    checkpoint = in_module(torch, "utils.checkpoint").checkpoint
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    w, calls = torch.tensor(3.0, requires_grad=True), []

    def part(a):
        calls.append(torch.is_grad_enabled())
        return (a * w).exp() + a.sin()

    for _ in range(2):
        (checkpoint(part, x * 1, use_reentrant=use_reentrant) ** 2).sum().backward()
    return x.grad, w.grad, calls


@same
def test_a_checkpoint_is_computed_again_in_each_pass(torch):
    checkpoint = in_module(torch, "utils.checkpoint").checkpoint
    x, calls = torch.tensor([1.0, 2.0], requires_grad=True), []

    def part(a, b):
        calls.append(1)
        return a.exp() * b * a

    y = checkpoint(part, x, b=x * 2, use_reentrant=False)
    (first,) = torch.autograd.grad(y.sum(), x, retain_graph=True)
    counts = [len(calls)]
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    counts.append(len(calls))
    return first, g.detach(), torch.autograd.grad(g.sum(), x), counts


def test_a_checkpoint_draws_the_same_random_numbers():
    for use_reentrant in (True, False):
        x, drop = minigrad.ones(50, requires_grad=True), minigrad.nn.Dropout(0.5)
        y = minigrad.utils.checkpoint.checkpoint(
            lambda x: drop(x) * x, x, use_reentrant=use_reentrant
        )
        minigrad.rand(3)
        y.sum().backward()
        assert minigrad.equal(x.grad, 2 * y.detach())


@same
def test_what_a_checkpoint_refuses_or_warns_of(torch):
    module = in_module(torch, "utils.checkpoint")
    x, calls = torch.tensor([1.0, 2.0], requires_grad=True), []

    def shorter(a):
        calls.append(1)
        return a.exp().sin() if len(calls) == 1 else a * 1

    y = module.checkpoint(shorter, x, use_reentrant=False)
    text = str(refusal(y.sum().backward)).splitlines()[:3]
    z = module.checkpoint(lambda a: a.exp(), x, use_reentrant=True)
    plain = module.checkpoint(lambda a: a.exp(), x.detach(), use_reentrant=True)
    said = module.checkpoint(lambda a: a.exp(), x)
    named = refusal(module.checkpoint, shorter, use_reentrant=True, b=1)
    return text, refusal(torch.autograd.grad, z.sum(), x), plain, said.detach(), named


@same
def test_checkpoints_along_a_sequence(torch):
    sequential = in_module(torch, "utils.checkpoint").checkpoint_sequential
    x, calls = torch.tensor([1.0, 2.0], requires_grad=True), []

    def part(number):
        def run(a):
            calls.append(number)
            return a.sin() * number

        return run

    y = sequential([part(n) for n in range(1, 6)], 2, x, use_reentrant=False)
    y.sum().backward()
    return y.detach(), x.grad, calls
