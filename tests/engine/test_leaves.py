"""Leaves and results: the flags, `retain_grad`, assigning `.grad`, copies."""
import copy

import pytest

from tests.engine.both import refusal, same


def flags(tensor):
    return tensor.is_leaf, tensor.requires_grad, tensor.grad_fn is None


# -- what is a leaf ----------------------------------------------------------------------------------


@same
def test_flags(torch):
    x, plain = torch.ones(2, requires_grad=True), torch.ones(2)
    with torch.no_grad():
        unrecorded, factory, view = x * 2, torch.ones(2, requires_grad=True), x[:1]
    tensors = [x, plain, x * 2, plain * 2, x.detach(), x.data, unrecorded, factory, view, x.clone(), x[0],
               x.argmax(), x > 0, x.long(), x.floor(), x.detach() * x, torch.zeros_like(x), x.double(),
               torch.tensor([1.0], requires_grad=True), torch.autograd.Variable(plain, requires_grad=True)]
    return [flags(tensor) for tensor in tensors]


@same
def test_switching_requires_grad(torch):
    x = torch.ones(2)
    same_object = x.requires_grad_() is x
    x.requires_grad = False
    off = x.requires_grad
    y = torch.ones(2, requires_grad=True) * 2

    def assign(tensor, value):
        tensor.requires_grad = value

    return (
        same_object, off, y.requires_grad_() is y, refusal(y.requires_grad_, False),
        refusal(assign, y, True), refusal(assign, y, False), refusal(assign, x, 1), refusal(assign, x, None),
        flags(y), flags(x),
    )  # fmt: skip


@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8", "int8", "float16", "float64"])
@same
def test_only_floats_require_grad(torch, dtype):
    dtype = getattr(torch, dtype)
    x = torch.ones(2, dtype=dtype)
    results = [x.requires_grad_(False)]
    for attempt in (
        lambda: torch.ones(2, dtype=dtype, requires_grad=True),
        lambda: torch.tensor([1], dtype=dtype, requires_grad=True),
        lambda: setattr(x, "requires_grad", True),
        lambda: x.requires_grad_(),
        lambda: setattr(x, "requires_grad", False),
        lambda: torch.tensor([1, 2], requires_grad=True),
    ):
        try:
            results.append(attempt())
        except RuntimeError as error:
            results.append(error)
    return results, x


@same
def test_detach_shares_memory_and_version(torch):
    x = torch.ones(2, requires_grad=True)
    detached, data = x.detach(), x.data
    detached.mul_(3)
    data.add_(1)
    return x, detached, data, x._version, detached._version, data._version, detached.data_ptr() == x.data_ptr()


@same
def test_detach_in_place(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    returned = y.detach_() is y
    view = (x * 2)[:1]
    return returned, flags(y), refusal(view.detach_), flags(x.detach_())


@same
def test_copies_and_shared_memory(torch):
    import numpy as np

    array = np.array([1.0, 2.0], dtype=np.float32)
    copied, shared, as_tensor = torch.tensor(array), torch.from_numpy(array), torch.as_tensor(array)
    array[0] = 5
    listed = torch.as_tensor([1, 2])
    x = torch.ones(2)
    return copied, shared, as_tensor, listed, torch.as_tensor(x) is x, refusal(torch.from_numpy, [1.0])


@same
def test_a_tensor_of_a_tensor(torch):
    x = torch.ones(2, requires_grad=True)
    return torch.tensor(x), torch.tensor(x * 2, requires_grad=True), torch.tensor([x[0], 2.0])


@same
def test_deepcopy(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    other = copy.deepcopy(x)
    other.grad.zero_()
    twice = copy.deepcopy([x, x])
    plain = copy.copy(torch.ones(2))
    return other, other.grad, x.grad, twice[0] is twice[1], plain, refusal(copy.deepcopy, x * 2)


# -- .grad of a result -------------------------------------------------------------------------------


@same
def test_reading_the_grad_of_a_result_warns(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    before = y.grad
    y.sum().backward()
    return before, y.grad, (x.detach() * 2).grad, x.grad


@same
def test_retain_grad(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = (y * y).sum()
    results = [y.retains_grad, y.retain_grad(), y.retain_grad(), y.retains_grad, y.grad]
    z.retain_grad()
    z.backward(retain_graph=True)
    first = y.grad.clone(), z.grad.clone()
    z.backward()
    return results, first, y.grad, z.grad, x.grad


@same
def test_retain_grad_on_leaves_and_plain_tensors(torch):
    x = torch.ones(2, requires_grad=True)
    return x.retain_grad(), x.retains_grad, refusal(torch.ones(2).retain_grad), x.retains_grad


@same
def test_what_is_retained_comes_after_all_hooks(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.register_hook(lambda g: g * 5)
    y.sum().backward()
    return y.grad, x.grad


@same
def test_retain_grad_of_a_tensor_that_is_changed_in_place(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    z = y * 5
    z.sum().backward()
    return y.grad, x.grad


@same
def test_create_graph_retains_gradients_with_a_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    y.retain_grad()
    (y ** 2).sum().backward(create_graph=True)
    return y.grad, torch.autograd.grad(y.grad.sum(), x)


# -- assigning .grad ---------------------------------------------------------------------------------


@same
def test_what_grad_can_be(torch):
    x, plain = torch.ones(2, requires_grad=True), torch.ones(2)

    def assign(grad, to=x):
        to.grad = grad

    refused = [refusal(assign, grad) for grad in (
        1, [1.0, 2.0], "g", torch.ones(3), torch.ones(2, 1), torch.ones(()), torch.ones(2, dtype=torch.float64),
        torch.ones(2, dtype=torch.int64), x,
    )]  # fmt: skip
    mine = torch.ones(2)
    assign(mine)
    assign(mine, plain)
    kept = x.grad is mine, plain.grad is mine
    del x.grad
    return refused, kept, x.grad


@same
def test_double_and_whole_numbers_as_grad(torch):
    double, whole = torch.ones(2, dtype=torch.float64), torch.ones(2, dtype=torch.int64)

    def assign(to, grad):
        to.grad = grad

    return [refusal(assign, double, torch.ones(2)), refusal(assign, whole, torch.ones(2)),
            refusal(assign, double, torch.ones(2, dtype=torch.float16))]  # fmt: skip


@same
def test_a_gradient_that_was_assigned_to_a_result(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.grad = torch.ones(2)
    y.sum().backward()
    return y.grad, x.grad


# -- hooks -------------------------------------------------------------------------------------------


@same
def test_a_hook_sees_the_total_gradient_once(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    y = x * 2
    x.register_hook(lambda g: seen.append(g.clone()))
    y.register_hook(lambda g: seen.append(g.clone()))
    (y + y * y).sum().backward()
    (x * 10).sum().backward()
    return seen, x.grad


@same
def test_hooks_replace_in_turn(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    handle = x.register_hook(lambda g: g * 2)
    x.register_hook(lambda g: None)
    x.register_hook(lambda g: g + 1)
    x.sum().backward()
    first = x.grad.clone()
    handle.remove()
    handle.remove()
    return first, torch.autograd.grad(x.sum(), x), x.grad


@pytest.mark.parametrize("answer", ["g.sum()", "1.0", "'g'", "g[:1]", "g.double()", "{}['missing']", "g.long()"])
@same
def test_what_a_hook_may_answer(torch, answer):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2

    def hook(g):
        return eval(answer, {"g": g})

    y.register_hook(hook)
    try:
        y.sum().backward()
    except Exception as error:
        return error, x.grad
    return x.grad


@same
def test_hooks_that_are_refused(torch):
    plain, y = torch.ones(2), torch.ones(2, requires_grad=True) * 2
    return (
        refusal(plain.register_hook, print), refusal(y.register_post_accumulate_grad_hook, print),
        refusal(plain.register_post_accumulate_grad_hook, print),
    )  # fmt: skip


@same
def test_a_hook_in_place_is_seen_upstream_and_by_the_caller(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, v = x * 2, torch.ones(2)
    y.register_hook(lambda g: g.mul_(10) and None if False else g.mul_(10))
    y.backward(v)
    return x.grad, v


@same
def test_grad_mode_in_hooks(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    y = x * x
    y.register_hook(lambda g: seen.append((torch.is_grad_enabled(), g.requires_grad)))
    y.sum().backward(retain_graph=True)
    y.sum().backward(create_graph=True)
    return seen


@same
def test_the_order_around_one_node(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, order = x * 2, []

    def note(name):
        def hook(*gradients):
            order.append((name, len(gradients)))

        return hook

    y.grad_fn.register_hook(note("after"))
    y.grad_fn.register_prehook(note("before"))
    y.register_hook(note("tensor"))
    leaf = y.grad_fn.next_functions[0][0]
    leaf.register_hook(note("leaf after"))
    leaf.register_prehook(note("leaf before"))
    x.register_post_accumulate_grad_hook(note("accumulated"))
    x.register_hook(note("leaf"))
    y.sum().backward()
    return order, x.grad


@same
def test_node_hooks_replace_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    y.grad_fn.register_hook(lambda inputs, outputs: tuple(g and g * 3 if False else g for g in inputs))
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.sum().backward()
    return x.grad


@same
def test_post_accumulate_hooks(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    handle = x.register_post_accumulate_grad_hook(lambda leaf: seen.append((leaf is x, leaf.grad.clone())))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    handle.remove()
    x.register_post_accumulate_grad_hook(lambda leaf: 1)
    return seen, refusal((x * 2).sum().backward), x.grad


@same
def test_a_hook_belongs_to_the_value_it_was_registered_on(torch):
    x = torch.ones(2, requires_grad=True)
    y, seen = x * 1, []
    y.register_hook(lambda g: seen.append(("before", g.clone())))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("after", g.clone())))
    (y * 5).sum().backward()
    return seen, x.grad


@same
def test_no_hook_without_a_gradient(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    seen = []
    w.register_hook(lambda g: seen.append(g))
    y = x * w
    y.register_hook(lambda g: seen.append(g))
    torch.autograd.grad((x * 2).sum(), x)
    return seen
