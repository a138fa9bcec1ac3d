"""`gradcheck`: do a function's gradients agree with what nudging its inputs shows?

One number of the inputs at a time is changed by ±eps; how far the outputs move, divided by 2·eps,
is a column of the numerical Jacobian. A backward pass gives a row of the other one. Use float64,
because the difference of two close float32 numbers has only a few digits left. Mirrors
https://docs.pytorch.org/docs/2.13/autograd.html#numerical-gradient-checking
"""

import numpy as np

from ..errors import warn
from ..tensor import Tensor, make
from .functional import gradients, rows


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when it finds a wrong gradient."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """Compare what backward gives for `func(*inputs)` with what nudging the inputs shows.

    Returns True if |backward - nudged| <= atol + rtol·|nudged| for each output and each input that
    requires grad, and if backward gives zeros for upstream zeros; else it raises GradcheckError, or
    returns False without `raise_exception`. Raises ValueError if no input requires grad.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.gradcheck.gradcheck.html
    """
    inputs = _as_tuple(inputs)
    differentiated = [i for i, x in enumerate(inputs) if _requires_grad(x)]
    if not differentiated:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but "
            "none of them have requires_grad=True."
        )
    for i in differentiated:
        if inputs[i]._array.dtype != np.float64:
            warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. "
            )
    with np.errstate(all="ignore"):  # inf and nan are ordinary results
        messages = (_difference(func, inputs, i, eps, atol, rtol) for i in differentiated)
        message = next(filter(None, messages), None)
    if message and raise_exception:
        raise GradcheckError(message)
    return message is None


def _as_tuple(x):
    """Lists become tuples, anything else a tuple of one."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def _requires_grad(x):
    return isinstance(x, Tensor) and x.requires_grad


def _outputs(func, inputs):
    """The outputs of `func`: those that require grad, if any do."""
    outputs = _as_tuple(func(*inputs))
    return [out for out in outputs if _requires_grad(out)] or outputs


def _difference(func, inputs, i, eps, atol, rtol):
    """The message about a wrong gradient with respect to input `i`, or None."""
    x = inputs[i]
    by_nudging = _jacobians_by_nudging(func, inputs, x, eps)
    for k, (out, numerical) in enumerate(zip(_outputs(func, inputs), by_nudging)):
        analytical = np.reshape([g._array for (g,) in rows(out, [x])], numerical.shape)
        if not np.allclose(analytical, numerical, rtol, atol):
            jacobians = [make(J.T.astype(out._array.dtype)) for J in (numerical, analytical)]
            return (
                f"Jacobian mismatch for output {k} with respect to input {i},\n"
                "numerical:{}\nanalytical:{}\n".format(*jacobians)
            )
        zeros = make(np.zeros_like(out._array))
        [g] = gradients([out], [x], [zeros], False, retain_graph=True)
        if g._array.any():
            return "backward not multiplied by grad_output"


def _jacobians_by_nudging(func, inputs, x, eps):
    """For each output, its Jacobian with respect to `x` by nudging: a column for each number."""
    columns, numbers = [], x._array
    for index in np.ndindex(numbers.shape):
        before, ends = numbers[index], []
        for nudge in (-eps, eps):
            try:
                numbers[index] = before + nudge
                ends.append([out._array.astype(float) for out in _outputs(func, inputs)])
            finally:
                numbers[index] = before
        columns.append([(b - a).reshape(-1) / (2 * eps) for a, b in zip(*ends)])
    return [np.stack(column, 1) for column in zip(*columns)]
