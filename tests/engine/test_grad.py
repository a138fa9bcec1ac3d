"""`autograd.grad`: gradients as results."""
import pytest

from tests.engine.both import refusal, same


@same
def test_a_tuple_in_the_order_of_the_inputs(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    h = x * w
    y = (h * h).sum()
    results = torch.autograd.grad(y, [w, h, x], retain_graph=True)
    return results, torch.autograd.grad(y, (h,)), x.grad, w.grad, torch.autograd.grad(x.sum(), x)


@same
def test_only_what_leads_to_the_inputs_runs(torch):
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    ran = []
    a, b = x * 2, w * 3
    a.grad_fn.register_hook(lambda *g: ran.append("a"))
    b.grad_fn.register_hook(lambda *g: ran.append("b"))
    y = a * b
    return torch.autograd.grad(y.sum(), x, retain_graph=True), ran, torch.autograd.grad(y.sum(), a), ran


@pytest.mark.parametrize("options", [
    {}, {"allow_unused": True}, {"allow_unused": False}, {"materialize_grads": True},
    {"materialize_grads": True, "allow_unused": True}, {"materialize_grads": True, "allow_unused": False},
])  # fmt: skip
@same
def test_an_unused_input(torch, options):
    x, unused = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    return torch.autograd.grad((x * x).sum(), [x, unused], **options)


@same
def test_an_input_computed_after_the_output(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * x
    later = y * 2
    return torch.autograd.grad(y.sum(), later)


@same
def test_what_is_refused(torch):
    grad = torch.autograd.grad
    x, plain = torch.ones(2, requires_grad=True), torch.ones(2)
    y = x * x
    return [
        refusal(grad, y.sum(), plain), refusal(grad, plain.sum(), x), refusal(grad, y, x),
        refusal(grad, y, x, torch.ones(3)), refusal(grad, y.sum(), []), refusal(grad, [], x), refusal(grad, y, x, 1.0), refusal(grad, y, x, [1.0]),
        refusal(grad, y.sum(), [x, 1]), refusal(grad, y.sum(), 1), refusal(grad, [y.sum(), plain.sum()], x),
        x.grad,
    ]  # fmt: skip


@same
def test_more_gradients_than_outputs_are_passed_over(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return torch.autograd.grad(x * x, x, [torch.ones(2), torch.ones(5)])


@same
def test_several_outputs(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, z = x * x, x.exp()
    return (
        torch.autograd.grad([y, z], x, [torch.ones(2), torch.zeros(2)], retain_graph=True),
        torch.autograd.grad([y.sum(), z], x, [None, torch.ones(2)]),
    )


@same
def test_results_carry_a_graph_where_they_depend_on_something(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return (
        torch.autograd.grad((x * 2).sum(), x, create_graph=True),
        torch.autograd.grad((x * x).sum(), x, create_graph=True),
        torch.autograd.grad((x * x).sum(), x),
    )


@same
def test_second_order_through_another_input(torch):
    x, w = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0], requires_grad=True)
    y = (x * w * x).sum()
    gx, gw = torch.autograd.grad(y, (x, w), create_graph=True)
    return torch.autograd.grad((gx * gx).sum() + gw.sum(), (x, w))


@same
def test_the_upstream_gradient_can_be_differentiated(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 1.0], requires_grad=True)
    (g,) = torch.autograd.grad(x ** 3, x, v, create_graph=True)
    return g, torch.autograd.grad(g.sum(), [x, v])


@same
def test_batches_of_upstream_gradients(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    rows = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True)
    wrong = refusal(torch.autograd.grad, y, x, torch.ones(2, 2), is_grads_batched=True)
    return rows, wrong


@same
def test_views_of_the_upstream_gradient_are_handed_out_as_they_are(torch):
    x, v = torch.ones(2, 3, requires_grad=True), torch.ones(3, 2)
    (g,) = torch.autograd.grad(x.t(), x, v)
    (h,) = torch.autograd.grad(x + 1, x, x.detach())
    g[0] = 7
    return g, v, h is x, h.data_ptr() == x.data_ptr()


@same
def test_inside_no_grad(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (x ** 3).sum()
    with torch.no_grad():
        first = torch.autograd.grad(y, x, create_graph=True)
        plain = torch.autograd.grad(y, x)
    return first, plain
