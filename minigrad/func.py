"""Transforms: functions that turn a function into its Jacobian, or its products with a vector.

`func` gets new tensors instead of its arguments. Results can be differentiated again if an
argument requires grad, as it does inside another transform, so `jacrev(jacrev(f))(x)` works.
Mirrors https://docs.pytorch.org/docs/2.13/func.api.html
"""

import functools

from .autograd.functional import fresh, gradients, jacobian
from .modes import enable_grad, is_grad_enabled


def jacrev(func, argnums=0):
    """A function that returns the Jacobian of `func`, of shape (*result.shape, *argument.shape).

    `argnums` is the argument's index; a tuple of indices gives a tuple of Jacobians.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.jacrev.html
    """

    @functools.wraps(func)
    def transformed(*args):
        indices = argnums if isinstance(argnums, tuple) else (argnums,)

        def of_chosen(*chosen):
            by_index = dict(enumerate(args)) | dict(zip(indices, chosen))
            return func(*by_index.values())

        chosen = tuple([args[index] for index in indices])
        inputs = chosen if isinstance(argnums, tuple) else chosen[0]
        return jacobian(of_chosen, inputs, _differentiable(chosen))

    return transformed


def jacfwd(func, argnums=0):
    """The same Jacobian as from `jacrev`, and here computed like it: row by row, backward.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.jacfwd.html
    """
    return jacrev(func, argnums)


def vjp(func, *primals):
    """The pair (func(*primals), pull); `pull(v)` returns v·J for each primal.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.func.vjp.html
    """
    create_graph = _differentiable(primals)
    xs, _ = fresh(primals, "vjp", True)
    y = enable_grad(func)(*xs)

    def pull(v):
        return tuple(gradients([y], xs, [v], create_graph, retain_graph=True))

    return y if create_graph else y.detach(), pull


def _differentiable(args):
    """Whether the results may be differentiated again: one of the arguments requires grad."""
    return is_grad_enabled() and any([getattr(x, "requires_grad", False) for x in args])
