"""Jacobians, and Jacobians multiplied by a vector: `jacobian`, `vjp`, `jvp`.

Everything here is `grad` applied once or twice. A backward pass multiplies a vector from the left,
v·J. `jvp` multiplies from the right, J·v, by a trick: u·J is linear in u, and its Jacobian is Jᵀ.
So a backward pass through the backward pass, with v as the upstream gradient, gives v·Jᵀ = J·v.

`inputs`, the results of `func` and `v` are each a tensor or a tuple of tensors, and so are results.
`v` may be left out if it has a single element. With `create_graph`, results can be differentiated
again. An input on which nothing depends gets zeros, or a RuntimeError with `strict`.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#functional-higher-level-api
"""

import numpy as np

from ..backward import grad
from ..errors import type_name
from ..modes import enable_grad
from ..ops.join import stack
from ..tensor import Tensor, make


@enable_grad
def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), v·J) for an upstream gradient `v` of the output's shape. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.functional.vjp.html
    """
    xs, one_x = fresh(inputs, "vjp", create_graph)
    ys, one_y = _tuple(func(*xs), "vjp")
    product = gradients(ys, xs, _vector(v, ys, "vjp", create_graph), create_graph, strict)
    return _results(ys, one_y, create_graph), _results(product, one_x, create_graph)


@enable_grad
def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), J·v) for a direction `v` of the shape of `inputs`. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.functional.jvp.html
    """
    xs, _ = fresh(inputs, "jvp", create_graph)
    ys, one_y = _tuple(func(*xs), "jvp")
    u = [make(np.zeros_like(y._array)).requires_grad_() for y in ys]  # u·J is linear: any u will do
    uJ = gradients(ys, xs, u, True, strict)
    product = gradients(uJ, u, _vector(v, xs, "jvp", create_graph), create_graph, strict)
    return _results(ys, one_y, create_graph), _results(product, one_y, create_graph)


@enable_grad
def jacobian(func, inputs, create_graph=False, strict=False):
    """The Jacobian of `func` at `inputs`, a row from each backward pass, with a one-hot v.

    One input and one output give a tensor of shape (*output.shape, *input.shape); tuples give
    tuples, `J[i][j]` for output i and input j.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.functional.jacobian.html
    """
    xs, one_x = fresh(inputs, "jacobian", create_graph)
    ys, one_y = _tuple(func(*xs), "jacobian")
    blocks = []
    for y in ys:
        columns = zip(*rows(y, xs, create_graph, strict))
        block = [stack(column).reshape(y.shape + x.shape) for x, column in zip(xs, columns)]
        blocks.append(_results(block, one_x, create_graph))
    return blocks[0] if one_y else tuple(blocks)


def _tuple(given, name):
    """A tuple of tensors, and whether a single one was given. Raises TypeError for other types."""
    tensors = given if isinstance(given, tuple) else (given,)
    for x in tensors:
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} works on tensors, or tuples of them, not {type_name(x)}.")
    return tensors, tensors is not given


def fresh(inputs, name, create_graph):
    """New tensors for `func`, so that only its use of `inputs` counts; and whether it is one."""
    xs, one = _tuple(inputs, name)
    linked = [create_graph and x.requires_grad for x in xs]  # results depend on `inputs` as well
    views = [x.view(x.shape) if on else x.detach().requires_grad_() for x, on in zip(xs, linked)]
    return views, one


def _vector(v, like, name, create_graph):
    """The vector to multiply by: a tensor of the same shape for each of `like`."""
    if v is None and len(like) == 1 and like[0].numel() == 1:
        return None
    if v is None:
        who = "user-provided function returns"
        who = who if name == "vjp" else "input to the user-provided function is"
        raise RuntimeError(
            f"The vector v can only be None if the {who} a single Tensor with a single element."
        )
    vs = _tuple(v, name)[0]
    given, expected = (", ".join(str(x.shape) for x in tensors) for tensors in (vs, like))
    if given != expected:
        raise RuntimeError(f"v has invalid size: should be {expected} but got {given}.")
    return [x if create_graph else x.detach() for x in vs]


def gradients(outputs, inputs, v, create_graph, strict=False, retain_graph=None):
    """`grad`, with zeros if nothing depends on an input; with `strict` that is an error."""
    pairs = [(y, g) for y, g in zip(outputs, v or [None] * len(outputs)) if y.requires_grad]
    grads = [None] * len(inputs)
    if pairs:
        ys, vs = zip(*pairs)
        grads = grad(ys, inputs, vs, retain_graph, create_graph, allow_unused=True)
    depends = [g is not None and (g.requires_grad or not create_graph) for g in grads]
    if strict and not (len(pairs) == len(outputs) and all(depends)):
        raise RuntimeError("A result is independent of an input, which strict=True does not allow.")
    return [make(np.zeros_like(x._array)) if g is None else g for x, g in zip(inputs, grads)]


def rows(y, xs, create_graph=False, strict=False):
    """The rows of the Jacobian of one output: the gradients of `xs` for each one-hot v."""
    one_hot = [make(v.reshape(y.shape)) for v in np.eye(y.numel(), dtype=y._array.dtype)]
    return [gradients([y], xs, [v], create_graph, strict, retain_graph=True) for v in one_hot]


def _results(tensors, one, create_graph):
    """Results with or without a graph, as a tuple or a single tensor."""
    tensors = tuple(tensors if create_graph else [x.detach() for x in tensors])
    return tensors[0] if one else tensors
