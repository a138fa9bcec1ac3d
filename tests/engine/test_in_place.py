"""In place: what is refused, version counters, views and their bases."""
import pytest

from tests.engine.both import attempt, refusal, same


@same
def test_leaves_and_their_views(torch):
    x = torch.ones(3, requires_grad=True)

    def assign(target, index):
        target[index] = 5

    return [refusal(call) for call in (
        lambda: x.add_(1), lambda: x.mul_(x), lambda: x.zero_(), lambda: x.fill_(2), lambda: x.copy_(torch.ones(3)),
        lambda: x.exp_(), lambda: assign(x, 0), lambda: assign(x, slice(1)), lambda: assign(x, ...),
        lambda: x[:1].add_(1), lambda: x[0].mul_(2), lambda: x.view(3, 1).add_(1), lambda: x.t().neg_(),
        lambda: x.unsqueeze(0).zero_(), lambda: torch.ones(3).add_(1) and x.sqrt_(),
    )], x._version  # fmt: skip


@same
def test_leaves_under_no_grad(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        x.add_(1)
        x[0] = 5
        x[1:].mul_(3)
        x -= 1
    return x, x.is_leaf, x.requires_grad, x._version


@same
def test_versions(torch):
    x = torch.ones(3)
    y, view, data = x.detach(), x[:1], x.data
    seen = [x._version]
    for change in (lambda: x.add_(1), lambda: y.mul_(2), lambda: view.zero_(), lambda: data.add_(1),
                   lambda: x.__setitem__(0, 3), lambda: x.copy_(x), lambda: x.clone().add_(1)):  # fmt: skip
        change()
        seen.append((x._version, y._version, view._version, data._version))
    return seen


SAVED = """x * y; x.exp(); x.sqrt(); x.tanh(); x.sigmoid(); x.relu(); x.log(); x ** 2; x / y; y / x; x @ y; x.norm()
    x + y; x - y; -x; x.sum(); x.mean(); x.clone(); x.view(2, 1); x.double(); torch.cat([x, y]); x.abs(); 2 ** x
    x.sin(); x[0]; x ** y; torch.where(x > 1, x, y); x.reciprocal(); x.square()"""


@pytest.mark.parametrize("changed", ["x", "y", "out"])
@pytest.mark.parametrize("formula", [row.strip() for row in SAVED.replace("\n", ";").split(";")])
@same
def test_what_is_saved_must_not_change(torch, formula, changed):
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    x, y = a * 1, a * 3
    out = eval(formula, {"torch": torch, "x": x, "y": y})
    names = {"x": x, "y": y, "out": out}
    result = out.sum() if changed != "out" else (out * 1).sum()
    names[changed].mul_(2)
    try:
        result.backward()
    except RuntimeError as error:
        return error, a.grad
    return a.grad


@same
def test_the_sentence_names_who_made_the_value(torch):
    leaf = torch.ones(2, 3, dtype=torch.float64, requires_grad=True)
    x = torch.ones(2, requires_grad=True)

    def changed(make, change):
        value = make()
        out = (value * value).sum()
        change(value)
        return refusal(out.backward)

    def under_no_grad(value):
        with torch.no_grad():
            value.add_(1)

    return [
        changed(lambda: leaf, under_no_grad), changed(lambda: x + 1, lambda v: v.add_(1)),
        changed(lambda: x.exp(), lambda v: v.mul_(2).mul_(2)), changed(lambda: x.relu(), under_no_grad),
        changed(lambda: x * 2, lambda v: v.detach().zero_()), changed(lambda: x[:1], lambda v: v.add_(1)),
        changed(lambda: x * 1, lambda v: v[0].add_(1)), changed(lambda: x.clone(), lambda v: v.data.add_(1) and v.add_(0)),
    ]  # fmt: skip


@same
def test_a_changed_input_that_was_not_saved_is_fine(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    z = (y + 1).sum() + (y * 2).sum()
    y.mul_(100)
    z.backward()
    return x.grad


@same
def test_a_plain_tensor_becomes_part_of_the_graph(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    plain = torch.zeros(3)
    plain[1:] += x
    plain.mul_(2)
    whole = torch.zeros(2)
    whole.add_(x)
    (plain.sum() + whole.sum()).backward()
    return plain, whole, x.grad


@same
def test_base_and_view_stay_in_step(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    base = x * 1
    row, column = base[0], base[:, 1]
    row.mul_(10)
    base.add_(1)
    column.mul_(x[:, 0].detach())
    (base.sum() + (row * row).sum()).backward()
    return base, row, column, x.grad


@same
def test_names_after_changes(torch):
    x = torch.ones(2, 2, requires_grad=True)
    base = x * 1
    view = base[0]
    names = [base.grad_fn.name(), view.grad_fn.name()]
    view.exp_()
    names += [base.grad_fn.name(), view.grad_fn.name()]
    base.neg_()
    return names + [base.grad_fn.name(), view.grad_fn.name()], view._base is base, base._base, view._is_view()


@same
def test_views_that_may_not_be_changed(torch):
    x = torch.ones(2, 2, requires_grad=True) * 1
    first, second = x.unbind(0)
    left, right = x.split(1)
    chunk = x.chunk(2)[0]
    rows = list(x)
    return [refusal(tensor.mul_, 2) for tensor in (first, right, chunk)], rows[0].mul_(2), x


@same
def test_detach_in_place_of_a_view(torch):
    x = torch.ones(2, 2, requires_grad=True) * 1
    return refusal(x[0].detach_), refusal(x.view(4).detach_), (x * 2).detach_()


@same
def test_memory_that_is_several_elements(torch):
    x, row = torch.ones(1, 2), torch.ones(2)
    return [attempt(call) for call in (
        lambda: x.expand(3, 2).add_(1), lambda: row.expand(3, 2).mul_(torch.ones(3, 2)),
        lambda: x.expand(3, 2).exp_(), lambda: row[1:].add_(row[:1]), lambda: row.add_(row),
        lambda: row.copy_(row[:1].expand(2)), lambda: x.expand(3, 2).zero_(), lambda: x.expand(3, 2).fill_(2),
        lambda: x.expand(3, 2).copy_(torch.ones(3, 2)),
    )], torch.ones(3)[1:].add_(1), x.expand(1, 2).add_(1), row  # fmt: skip


@same
def test_shapes_and_types_that_do_not_fit(torch):
    x, whole, mask = torch.ones(2), torch.tensor([1, 2]), torch.tensor([True, False])
    return [refusal(call) for call in (
        lambda: x.add_(torch.ones(3, 2)), lambda: x.mul_(torch.ones(3)), lambda: whole.add_(1.5),
        lambda: whole.add_(torch.ones(2)), lambda: whole.div_(2), lambda: whole.exp_(), lambda: mask.add_(1),
        lambda: torch.ones(()).add_(torch.ones(2)), lambda: torch.ones(1).sub_(torch.ones(2)),
        lambda: x.copy_(torch.ones(3)), lambda: x.__setitem__(0, torch.ones(2)),
    )], x.add_(torch.ones((), dtype=torch.float64)), x.mul_(whole), whole.mul_(mask), whole.copy_(x * 1.5)  # fmt: skip


@same
def test_operators_in_place_rebind_the_same_object(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = same_tensor = x * 1
    y += 1
    y -= x
    y *= 3
    y /= 2
    y **= 2
    y.sum().backward()
    return y is same_tensor, y, x.grad


@same
def test_assignment_by_index(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[0] = 10
    y[1:] = x[:2] * 3
    y[torch.tensor([0, 0])] = x[2] * 5
    y[y > 100] = 0
    y[...] = y * 2
    y.sum().backward()
    return y, x.grad


@same
def test_copying_converts_and_broadcasts(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(2, 2)
    y.copy_(x)
    y.sum().backward()
    return y, x.grad, torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.7, -1.7]))


@same
def test_views_made_under_no_grad(torch):
    x = torch.ones(2, 2, requires_grad=True)
    base = x * 1
    with torch.no_grad():
        view = base[0]
        view.mul_(2)
    inside = str(view)
    base.mul_(3)
    return refusal(view.mul_, 2), inside, str(view), refusal(lambda: view.grad_fn), base


@same
def test_retained_versions_of_a_value(torch):
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(0)
    return refusal(y.sum().backward), x.exp().add_(0).sum().grad_fn.name()
