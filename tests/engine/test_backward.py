"""`backward`: the root and the upstream gradient, what is freed, how .grad accumulates, `inputs`."""
import pytest

import minigrad
from tests.engine.both import attempt, refusal, same

# -- the root and the incoming gradient --------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (2,), (0,), (1, 0)])
@same
def test_only_a_single_element_needs_no_gradient(torch, shape):
    leaf = torch.ones(shape, requires_grad=True)
    results = []
    for root in (leaf * 3, leaf):
        try:
            results += [root.backward(), leaf.grad]
        except RuntimeError as error:
            results += [error, refusal(torch.autograd.backward, [root], [None])]
    return results


@same
def test_a_root_that_needs_no_gradient(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        recorded_nothing = (x * 2).sum()
    plain = [torch.ones(()), x.detach().sum(), recorded_nothing, x.argmax(), torch.tensor([1, 2]).sum()]
    second = refusal(torch.autograd.backward, [x.sum(), torch.ones(())])
    return [refusal(root.backward) for root in plain], second, x.grad


@same
def test_a_leaf_is_a_root(torch):
    x = torch.tensor(3.0, requires_grad=True)
    return x.backward(), x.grad, torch.autograd.grad(x, x)


@pytest.mark.parametrize("given", [(2,), (1,), (), (3, 1), (1, 3), (0,), (4, 3), (3, 4)])
@pytest.mark.parametrize("root", [(3,), (1,), (), (0,), (2, 3)])
@same
def test_the_gradient_has_exactly_the_roots_shape(torch, given, root):
    x = torch.ones(root, requires_grad=True)
    return (x * 2).backward(torch.ones(given)), x.grad


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "uint8", "bool"])
@pytest.mark.parametrize("leaf", ["float32", "float64"])
@same
def test_the_gradient_is_converted_to_the_roots_dtype(torch, dtype, leaf):
    x = torch.ones(2, dtype=getattr(torch, leaf), requires_grad=True)
    seen = []
    y = x * 3
    y.register_hook(lambda g: seen.append(g))
    y.backward(torch.tensor([1, 0]).to(getattr(torch, dtype)))
    return x.grad, seen


@pytest.mark.parametrize("given", [[1.0, 2.0], [1, 2], ["a"], 1.0, 2, "v", (1.0,), [], [None], [[1.0]]])
@same
def test_a_gradient_that_is_no_tensor(torch, given):
    return (torch.ones(2, requires_grad=True) * 2).backward(given)


@same
def test_as_many_gradients_as_roots(torch):
    x = torch.ones(2, requires_grad=True)
    backward = torch.autograd.backward
    return (
        refusal(backward, [x.sum(), x.prod()], [torch.ones(())]),
        attempt(backward, [x.sum()], [torch.ones(()), torch.ones(())]),
        attempt(backward, x.sum(), [None, None]),
        backward([]),
        backward([], [torch.ones(())]),
        x.grad,
    )


@same
def test_the_callers_gradient_stays_the_callers(torch):
    x = torch.ones(2, requires_grad=True)
    v = torch.tensor([1.0, 2.0])
    x.backward(v)
    aliased = x.grad is v
    v.zero_()
    return aliased, x.grad, v


@same
def test_views_and_sums_of_the_gradient_are_copied_too(torch):
    x, y = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    v = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    (x + y).backward(v)
    x.grad.mul_(10)
    y.t().backward(v)
    v.zero_()
    return x.grad, y.grad, v


@same
def test_a_gradient_that_requires_grad(torch):
    x = torch.ones(2, requires_grad=True)
    v = torch.ones(2, requires_grad=True)
    (x * x).backward(v)
    first = x.grad
    (x * x).backward(v, create_graph=True)
    return first, x.grad, v.grad


@same
def test_several_roots_are_one_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    shared, runs = x * x, []
    shared.register_hook(lambda g: runs.append(g.clone()))
    torch.autograd.backward([shared.sum(), (shared * 3).sum()])
    y = x.exp()
    torch.autograd.backward([y, y], [torch.ones(2), torch.ones(2)])
    return x.grad, runs


@same
def test_a_root_inside_the_graph_of_another(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    inner = x * 2
    outer = (inner * inner).sum()
    torch.autograd.backward([inner, outer], [torch.tensor([10.0, 20.0]), None])
    return x.grad


@same
def test_the_old_name_of_the_argument(torch):
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward(x * 2, grad_variables=torch.ones(2))
    both = refusal(torch.autograd.backward, x * 2, torch.ones(2), grad_variables=torch.ones(2))
    return x.grad, both


# -- what is freed ---------------------------------------------------------------------------------


SAVES = """x * 3; x * x; x / 2; 2 / x; x ** 2; x.exp(); x.log(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.abs()
    x @ x; x.norm(); x.reciprocal(); x.sin(); torch.where(x > 1, x, 0); x[x > 1]; x[torch.tensor([0, 0])]
    x + 1; x - x; 1 - x; -x; x.sum(); x.sum(0); x.mean(); x.view(2, 1); x.t(); x[0]; x[:1]; x.expand(3, 2)
    torch.cat([x, x]); torch.stack([x, x]); x.clone(); x.double(); x.floor(); x.unsqueeze(0); x.sign()
    x.prod(); x.cumsum(0); x.max(); x.clamp(0, 1); torch.add(x, x, alpha=2); x.std(); x.var()"""


@pytest.mark.parametrize("formula", [row.strip() for row in SAVES.replace("\n", ";").split(";")])
@same
def test_a_second_pass_fails_where_something_was_saved(torch, formula):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = eval(formula, {"torch": torch, "x": x}).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return error, x.grad
    return x.grad


@same
def test_retained_graphs_run_until_one_pass_does_not_retain(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x * x).sum()
    for _ in range(3):
        y.backward(retain_graph=True)
    y.backward(retain_graph=False)
    return refusal(y.backward), x.grad


@same
def test_a_shared_trunk_is_freed_by_the_first_head(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    trunk = x * x
    first, second = trunk.sum(), (trunk * 2).sum()
    first.backward()
    before = x.grad.clone()
    return refusal(second.backward), x.grad, before


@same
def test_what_did_not_run_is_not_freed(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    a, b = x * x, w * w
    y = (a + b).sum()
    torch.autograd.grad(y, x)
    return refusal(a.sum().backward), b.sum().backward(), w.grad, x.grad


@same
def test_grad_frees_as_well(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    return torch.autograd.grad(y, x), refusal(torch.autograd.grad, y, x), refusal(y.backward)


@same
def test_create_graph_retains_unless_told_otherwise(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x ** 3).sum()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (again,) = torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    return first, torch.autograd.grad(first.sum(), x), refusal(y.backward), again


@same
def test_reading_what_was_freed(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    kept = y.grad_fn._saved_self
    y.sum().backward()
    return kept, refusal(lambda: y.grad_fn._saved_self), refusal(lambda: y.grad_fn._saved_other)


# -- accumulation ----------------------------------------------------------------------------------


@same
def test_no_gradient_is_none_and_a_zero_gradient_is_zeros(torch):
    x, unused, plain = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True), torch.ones(2)
    before = x.grad
    (x * 0 + plain).sum().backward()
    return before, x.grad, unused.grad, plain.grad


@same
def test_passes_add_to_the_same_object(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    return first is x.grad, first, first._version


@same
def test_create_graph_adds_into_a_new_object(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    return first is x.grad, first, x.grad


@same
def test_a_gradient_of_ones_own_is_added_to(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    mine = x.grad = torch.tensor([10.0, 10.0])
    (x * 2).sum().backward()
    return x.grad is mine, mine


@same
def test_what_grad_requires(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2 + y * y).sum().backward(create_graph=True)
    z = torch.tensor([1.0], requires_grad=True)
    (z * z).backward()
    return x.grad, y.grad, z.grad


@same
def test_leaves_share_no_memory(torch):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    v = torch.tensor([1.0, 2.0])
    (a + b).backward(v)
    a.grad.zero_()
    return a.grad, b.grad, v


@same
def test_leaves_that_are_views_of_one_gradient_share_no_memory(torch):
    a, b = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    torch.cat([a, b]).backward(torch.ones(4, 2))
    a.grad.zero_()
    (a.t() + b).sum().backward()
    b.grad.mul_(5)
    return a.grad, b.grad


@same
def test_expanded_gradients_are_stored_whole(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y, seen = x * 1, []
    y.register_hook(lambda g: seen.append(g.stride()))
    y.sum().backward()
    x.grad[0, 0] = 5
    return x.grad, x.grad.stride(), seen


@same
def test_starting_anew(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    first = x.grad
    x.grad.zero_()
    (x * 3).sum().backward()
    kept = x.grad is first
    x.grad = None
    (x * 4).sum().backward()
    return kept, first, x.grad, x.grad is first


SHAPES = [((2, 3), (3,)), ((2, 3), ()), ((2, 1), (1, 3)), ((1,), (4, 1)), ((2, 0), (1,)), ((1, 1), (2, 3)), ((), ())]


@pytest.mark.parametrize("left, right", [*SHAPES, *[(b, a) for a, b in SHAPES]])
@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "**"])
@same
def test_a_broadcast_operand_gets_the_sum(torch, operator, left, right):
    def numbers(shape):
        size = torch.ones(shape).numel()
        return (torch.arange(size).reshape(shape) / 2.0 + 0.5).requires_grad_()

    a, b = numbers(left), numbers(right)
    out = eval(f"a {operator} b", {"a": a, "b": b})
    out.backward(numbers(tuple(out.shape)).detach())
    return out, a.grad, b.grad


@same
def test_writes_to_data_are_not_noticed(torch):
    a = torch.tensor([1.0], requires_grad=True)
    y = (a * a).sum()
    a.data.mul_(10)
    y.backward()
    return y, a, a.grad, a._version


@same
def test_a_leaf_that_stops_to_require_grad(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x * w).sum().backward()
    y = (x * w).sum()
    x.requires_grad_(False)
    y.backward()
    late = w.grad
    z = x * 2
    x.requires_grad_()
    return x.grad, late, z, refusal(z.sum().backward)


# -- inputs ----------------------------------------------------------------------------------------


@same
def test_only_the_inputs_get_a_gradient(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    h = x * w
    other = torch.ones(2, requires_grad=True)
    y = (h * h).sum()
    y.backward(inputs=x, retain_graph=True)
    first = x.grad.clone(), w.grad
    y.backward(inputs=[h, w, other])
    return first, x.grad, w.grad, h.grad, other.grad


@same
def test_inputs_that_are_refused(torch):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    return (
        refusal(y.backward, inputs=[]),
        refusal(y.backward, inputs=()),
        refusal(y.backward, inputs=[torch.ones(2)]),
        refusal(y.backward, inputs=[1]),
        refusal(y.backward, inputs=3),
        refusal(torch.autograd.backward, y, inputs=[]),
        x.grad,
    )


# -- create_graph ----------------------------------------------------------------------------------


@same
def test_derivatives_of_any_order(torch):
    x = torch.tensor(2.0, requires_grad=True)
    y, found = x ** 4, []
    for _ in range(6):
        found.append(y)
        if not y.requires_grad:
            break
        (y,) = torch.autograd.grad(y, x, create_graph=True)
    return found


@same
def test_backward_twice_through_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x ** 3).sum().backward(create_graph=True)
    slope = x.grad
    x.grad = None
    slope.sum().backward()
    return slope, x.grad


@same
def test_create_graph_under_no_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x ** 3).sum()
    with torch.no_grad():
        y.backward(create_graph=True)
        (second,) = torch.autograd.grad(x.grad.sum(), x, create_graph=True)
        enabled = torch.is_grad_enabled()
    return x.grad, second, enabled


@same
def test_the_root_is_run_last_created_first(torch):
    x = torch.ones(1, requires_grad=True)
    order = []
    a, b, c = x * 1, x * 2, x * 3
    for name, node in zip("abc", (a, b, c)):
        node.register_hook(lambda g, name=name: order.append(name))
    (b + (a + c)).backward()
    return order


def test_grad_shares_no_memory_with_a_view_of_the_upstream_gradient():
    # PyTorch keeps the view itself here, so that zeroing one leaf's .grad zeroes the other's.
    x, w = (minigrad.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    v = minigrad.tensor([[3.0], [4.0]])
    (x.view(2, 1) + w.view(2, 1)).backward(v)
    x.grad.zero_()
    assert w.grad.tolist() == [3.0, 4.0] and v.tolist() == [[3.0], [4.0]]
