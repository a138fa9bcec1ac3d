"""Transforms: functions that turn a function into its gradient or its Jacobian.

    grad(lambda x: (x**3).sum())(x)  # 3x², without requires_grad or .grad; grad(grad(f)) works

A transform gives `func` fresh tensors in place of the arguments that `argnums` names (a number, or
a tuple), and differentiates with respect to these. Results are cut from the graph again unless they
depend on what requires grad outside. Mirrors https://docs.pytorch.org/docs/2.13/func.api.html
"""

import functools

from .autograd.functional import fresh, gradients, rows
from .graph import edge, reached
from .modes import enable_grad, mode
from .tensor import Tensor


def grad(func, argnums=0):
    """A function that returns the gradient of `func`, shaped as the argument.

    RuntimeError if the result of `func` is not 0-d.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.grad.html
    """

    def gradient(y, xs):
        if y.ndim:
            raise RuntimeError("grad() is for functions with a 0-d result; see jacrev().")
        return gradients([y], xs, None, create_graph=True)

    return _transformed(func, gradient, argnums)


def jacrev(func, argnums=0):
    """A function that returns the Jacobian of `func`, of shape (*result.shape, *argument.shape).

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.jacrev.html
    """
    return _transformed(func, rows, argnums)


def jacfwd(func, argnums=0):
    """The same Jacobian as by `jacrev`, and here computed like it: row by row, backward.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.jacfwd.html
    """
    return _transformed(func, rows, argnums)


def vjp(func, *primals):
    """The pair (func(*primals), pull); `pull(v)` has v·J for each primal.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.vjp.html
    """
    y, xs = _called(func, primals, {}, range(len(primals)))

    def pull(v):
        found = enable_grad(gradients)([y], xs, [v], create_graph=True, retain_graph=True)
        return tuple([_cut(g) for g in found])

    return _cut(y), pull


def _transformed(func, derive, argnums):
    """The function that calls `func`, and `derive` with the result and the fresh tensors."""

    @functools.wraps(func)
    def wrapper(*args, **options):
        several = argnums if isinstance(argnums, tuple) else (argnums,)
        y, xs = _called(func, args, options, several)
        found = [_cut(g) for g in enable_grad(derive)(y, xs)]
        return tuple(found) if several is argnums else found[0]

    return wrapper


@enable_grad
def _called(func, args, options, argnums):
    """The result of `func`, and the fresh tensors with which it was called."""
    args = list(args)
    xs, _ = fresh(tuple([args[i] for i in argnums]), "a transform", True)
    for i, x in zip(argnums, xs):
        args[i] = x
    y = func(*args, **options)
    for x in xs:
        x._spent = True  # from now on: what depends on such leaves alone has no gradient outside
    return y, xs


def _cut(x):
    """A result as the caller gets it: cut off, unless a leaf outside needs its gradient."""
    if not isinstance(x, Tensor) or not x.requires_grad:
        return x
    ends = [edge(x), *[n for node in reached([edge(x)]) for n in node._next]]
    outside = [n for n in ends if n is not None and not n._is_node and "_spent" not in vars(n)]
    return x if outside and mode.enabled else x.detach()
