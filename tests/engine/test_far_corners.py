"""Corners of autograd that programs reach by mistake or by curiosity."""
import copy
import pickle

import numpy as np
import pytest

from tests.engine.both import attempt, doubling, same


@same
def test_arguments_of_a_wrong_kind(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v, backward, grad = torch.ones(2), torch.autograd.backward, torch.autograd.grad
    return [
        attempt((x * x).backward, v, v),
        attempt((x * x).backward, v, "yes"),
        attempt((x * x).backward, v, torch.tensor(1)),
        attempt((x * x).backward, np.ones(2)),
        attempt(backward, [3]),
        attempt(backward, [None]),
        attempt(backward, "ab"),
        attempt(grad, [3], x),
        attempt(grad, x.sum(), x, only_inputs=False),
        attempt(torch.set_grad_enabled, 0),
        attempt(torch.set_grad_enabled, None),
        attempt(torch.autograd.set_detect_anomaly, 1),
    ]


@same
def test_batches_of_upstream_gradients(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.ones(3, requires_grad=True)
    y = x * x

    def grad(outputs, inputs, v, **options):
        return attempt(torch.autograd.grad, outputs, inputs, v, retain_graph=True,
                       is_grads_batched=True, **options)  # fmt: skip

    return [
        grad([y, y.sum()], x, [torch.ones(2, 2), torch.ones(2)]),
        grad([y, y.sum()], x, [torch.ones(2, 2), torch.ones(3)]),
        grad([y, y.sum()], x, [torch.ones(2, 2), None]),
        grad(y, [x, w], torch.eye(2)),
        grad(y, [x, w], torch.eye(2), allow_unused=True),
        grad(y, [x, w], torch.eye(2), materialize_grads=True),
    ]


@same
def test_versions_of_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    for make in (lambda: x.sum(), lambda: (x * 2).sum(), lambda: x.exp().sum(), lambda: (x + 1).sum()):
        for _ in range(2):
            make().backward()
            seen.append(x.grad._version)
        x.grad = None
    x.backward(torch.ones(2))
    return seen, x.grad._version


@same
def test_grad_that_shares_memory_with_itself_is_not_added_to(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.grad = torch.ones(1).expand(2)
    return attempt((x * 2).sum().backward), x.grad


@same
def test_hooks_where_no_gradient_arrives(torch):
    Cut = doubling(torch, lambda g: None)
    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    x.register_hook(lambda g: seen.append(("leaf", g)))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(("after", p.grad)))
    y = x * 2
    y.register_hook(lambda g: seen.append(("y", g)))
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: seen.append(("before", gs)))
    y.grad_fn.register_hook(lambda gs, vs: seen.append(("node", gs, vs)))
    Cut.apply(y).sum().backward()
    z = x * 2
    z.register_hook(lambda g: torch.ones(2))
    return seen, x.grad, y.grad, attempt(Cut.apply(z).sum().backward)


@same
def test_what_grad_returns_is_what_arrived(torch):
    """Where the pass goes on, the gradient before its hooks; where it ends, the one after them."""
    x, seen = torch.tensor([1.0, 2.0], requires_grad=True), []
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: seen.append("before") or (gs[0] * 7,))
    y.grad_fn.next_functions[0][0].register_prehook(lambda gs: seen.append("leaf"))
    z = (y * 3).sum()
    for inputs in ([x, y], [y], [x]):
        seen.append(torch.autograd.grad(z, inputs, retain_graph=True))
        seen.append(y.grad.clone())
    return seen


@pytest.mark.parametrize("returned", ["p.grad", "3", "None", "(p,)"])
@same
def test_what_a_hook_after_accumulation_returns(torch, returned):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: eval(returned, {"p": p}))
    return attempt((x * 3).sum().backward), x.grad


@same
def test_hooks_of_an_accumulator_return_nothing(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = (x * 2).grad_fn.next_functions[0][0]
    handle = node.register_hook(lambda gs, vs: (torch.ones(2),))
    return attempt(x.sum().backward), repr(handle)


@same
def test_tensors_in_words(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    class Mine(torch.Tensor):
        pass

    kinds = torch.Tensor, torch.LongTensor, torch.nn.Parameter, torch.autograd.Variable
    return [repr(kind) for kind in kinds], "Mine" in repr(Mine), [
        attempt(lambda: value in x) for value in (2.0, 5, "a", None, [1.0], torch.ones(3), torch.tensor(1))
    ]  # fmt: skip


@same
def test_assigning_what_is_no_tensor(torch):
    y, results = torch.zeros(2), []
    for value in (np.float32(3), np.float64(3), np.int64(2), np.ones(2), np.array(1.0), True, [1, 2], "a", None):
        for index in (slice(None), torch.tensor([0, 1])):
            results.append(attempt(y.__setitem__, index, value))
            results.append(y.clone())
    return results, attempt(y.fill_, "a")


@same
def test_data_and_grad_of_another_kind(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    def assign(name, value):
        return attempt(setattr, x, name, value)

    return [
        assign("data", torch.ones(2).int()),
        assign("data", np.ones(2)),
        assign("data", [1.0]),
        assign("grad", np.ones(2)),
        assign("grad", 3),
        x,
        attempt(torch.from_numpy, np.arange(4)[::-1]),
        torch.from_numpy(np.arange(4)[::-1].copy()),
    ]


@same
def test_alpha_in_place(torch):
    z = torch.zeros(3)
    return [
        attempt(z.add_, torch.ones(size), alpha=2) for size in (3, 2, (2, 3), (1, 3), ())
    ], attempt(z.sub_, torch.ones(2), alpha=2)


@same
def test_copies_keep_what_a_user_noted(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.note = ["kept"]
    deep, shallow, stored = copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))
    return [
        deep.note, deep.note is x.note, shallow.note is x.note, stored.note, deep, shallow, stored
    ]  # fmt: skip


@same
def test_a_mode_that_is_entered_twice(torch):
    mode, seen = torch.no_grad(), []
    with mode:
        with mode:
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
    return seen, repr(torch.set_grad_enabled(False))


@same
def test_what_a_tensor_is_asked_and_told(torch):
    """`to` by Python's types, flags that are no bools, what was removed long ago, and classes printed."""
    a = torch.ones(2)
    return [
        a.to(float), a.to(int), a.to(bool),
        attempt(a.requires_grad_, 1), attempt(a.requires_grad_, None), a.requires_grad_(True),
        attempt(a.size, "x"), attempt(a.size, 1.0), a.volatile,
        torch.autograd.Variable(torch.ones(1), volatile=True),
        torch.autograd.Variable(torch.ones(1), volatile=False),
        [repr(kind) for kind in (torch.Tensor, torch.Size, torch.dtype, torch.device,
                                 type(a.max(0)), type(a.sort()))],
    ]  # fmt: skip


@same
def test_views_that_would_need_a_copy_are_refused(torch):
    x = torch.arange(24.0).reshape(2, 3, 4)
    sources = [x, x.transpose(0, 1), x.transpose(1, 2), x[:, 1:], x[..., ::2], x.expand(2, 2, 3, 4),
               torch.ones(3).expand(4, 3), x[:0], x[:1].transpose(0, 1)]  # fmt: skip
    shapes = [(-1,), (24,), (6, 4), (2, 12), (3, 2, 2, 2), (3, 8), (4, -1), (0, 5), (2, 2, 2), (12,)]
    return [attempt(source.view, *shape) for source in sources for shape in shapes]


@same
def test_no_two_gradients_share_memory(torch):
    """A `.grad` changed in place changes no other one, and not the upstream gradient."""
    found = []
    for both in (lambda a, b: a + b, lambda a, b: b - a, lambda a, b: (a + b) * 1, lambda a, b: a + b + a,
                 lambda a, b: a + b.clone()):  # fmt: skip
        a, b = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
        v = torch.tensor([3.0, 4.0])
        both(a, b).backward(v)
        a.grad.add_(10)
        found.append((b.grad.clone(), v.clone()))
        b.grad.add_(100)
        found.append((a.grad, v))
    return found
