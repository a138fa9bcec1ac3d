"""Writing and reading at index tensors: which shapes, dtypes and positions fit, and what comes of them.

What would break this for a learner: an index that is too long, of another type or out of range is
taken without a word; a single number, or nothing at all, in place of a line makes NumPy speak; a
product's gradient is nan because a factor is 0.
"""

import itertools
import math
import warnings

import pytest

from tests.engine.both import attempt, same

LINES = (), (1,), (2,), (0,)
INDICES = [0, [0], [0, 0], [-1], [5], [[0, 1]], [[0]], [], [0.0], [True]]
WRITERS = {
    "index_add": lambda x, dim, index, y: x.index_add(dim, index, y),
    "index_copy": lambda x, dim, index, y: x.index_copy(dim, index, y),
    "index_reduce": lambda x, dim, index, y: x.index_reduce(dim, index, y, "prod"),
    "index_fill": lambda x, dim, index, y: x.index_fill(dim, index, 7.0),
    "scatter": lambda x, dim, index, y: x.scatter(dim, index, y),
    "scatter of a number": lambda x, dim, index, y: x.scatter(dim, index, 7.0),
    "scatter_add": lambda x, dim, index, y: x.scatter_add(dim, index, y),
    "scatter_reduce": lambda x, dim, index, y: x.scatter_reduce(dim, index, y, "mean"),
    "put": lambda x, dim, index, y: x.put(index, y),
    "put accumulating": lambda x, dim, index, y: x.put(index, y, accumulate=True),
    "gather": lambda x, dim, index, y: x.gather(dim, index),
    "take": lambda x, dim, index, y: x.take(index),
    "index_select": lambda x, dim, index, y: x.index_select(dim, index),
}


def counted(torch, shape):
    return (torch.arange(math.prod(shape)) + 2.0).reshape(shape)


def written(torch, name, shape, dim, index, source):
    """What a writer makes of it, and the gradients of both; or what it says."""
    x, y = counted(torch, shape).requires_grad_(), (counted(torch, source) + 1).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = attempt(WRITERS[name], x, dim, index, y)
        if isinstance(out, Exception) or not out.requires_grad:
            return out
        return out, attempt(torch.autograd.grad, (out * out).sum(), [x, y], allow_unused=True)


@pytest.mark.parametrize("name", WRITERS)
@same
def test_numbers_lines_and_nothing(torch, name):
    return [
        written(torch, name, shape, 0, torch.tensor(index), source)
        for shape, index, source in itertools.product(LINES, INDICES, LINES)
        if shape != (0,) or name not in ("index_fill", "index_copy")  # where PyTorch speaks of its storage
    ]


@pytest.mark.parametrize("name", ["index_add", "index_copy", "index_reduce"])
@same
def test_slices_of_other_shapes(torch, name):
    sources = [(2, 3), (2, 2), (3, 3), (2,), (), (2, 3, 4), (1, 3, 4), (2, 3, 1), (0, 3)]
    return [
        written(torch, name, shape, dim, torch.arange(count) % 2, source)
        for shape in ((2, 3), (2, 3, 4))
        for source, count, dim in itertools.product(sources, range(4), (0, 1, -1, 2))
    ]


@pytest.mark.parametrize("name", ["scatter", "scatter_add", "gather"])
@same
def test_planes_and_indices_of_other_shapes(torch, name):
    shapes = [(2, 3), (1, 3), (2, 1), (3, 3), (2, 4), (3,), (), (0, 3), (1, 2, 3)]
    return [
        written(torch, name, (2, 3), dim, torch.zeros(shape, dtype=torch.int64), source)
        for shape, source, dim in itertools.product(shapes, shapes, (0, -1))
    ]


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@same
def test_reductions_of_zeros_and_ties(torch, reduce, include_self):
    """One zero among the factors takes the product of the others, of two each takes 0."""
    x = torch.tensor([[0.0, 2.0], [0.0, 0.0], [3.0, 4.0]], requires_grad=True)
    y = torch.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 5.0], [2.0, 3.0, 4.0]], requires_grad=True)
    index = torch.tensor([[0, 0, 1], [0, 1, 1], [1, 1, 0]])
    out = x.scatter_reduce(1, index, y, reduce, include_self=include_self)
    return out, torch.autograd.grad(out.sum(), [x, y])


@same
def test_a_product_of_two_zeros_is_differentiated_only_once(torch):
    x, y = torch.ones(1, requires_grad=True), torch.tensor([0.0, 0.0, 3.0], requires_grad=True)
    out = x.scatter_reduce(0, torch.zeros(3, dtype=torch.int64), y, "prod")
    (grad,) = torch.autograd.grad(out, y, create_graph=True)
    return grad.detach(), attempt(grad.sum().backward)


@same
def test_a_mask_larger_than_what_is_written(torch):
    x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.arange(4.0).requires_grad_()
    mask = torch.tensor([[True, False], [True, True]])
    out = x.masked_scatter(mask, y)
    return [
        out,
        torch.autograd.grad(out.sum(), [x, y]),
        attempt((x * 1).masked_scatter_, mask, y),
        attempt(x.masked_scatter, mask[0], torch.arange(2)),
        attempt(x.masked_scatter, mask, y[:2]),
    ]


@same
def test_different_slices_where_there_are_none(torch):
    calls = itertools.product((torch.unique, torch.unique_consecutive),
                              ((5, 0, 5), (0,), (0, 3), (3, 0), (0, 0)), (None, 0, 1, -1))  # fmt: skip
    return [
        attempt(find, torch.zeros(shape), return_inverse=True, return_counts=True, dim=dim)
        for find, shape, dim in calls
    ]
