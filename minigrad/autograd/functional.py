"""Jacobians and Hessians, whole or multiplied by a vector: `vjp`, `jvp`, `jacobian`, `hessian`, ...

Everything here is `autograd.grad` applied once or twice. A backward pass multiplies a vector from the
left, v·J; `jvp` multiplies from the right, J·v, by a trick: v·J is linear in v, with the Jacobian Jᵀ, so
a backward pass through the backward pass, weighed by u, gives u·Jᵀ = J·u.

`inputs`, what `func` returns and `v` are a tensor or a tuple of tensors, and results are nested alike.
With `create_graph` results can be differentiated again; with `strict` an input on which nothing depends
is a RuntimeError, else its part of the result is zeros.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#functional-higher-level-api
"""

import numpy as np

from ..grad_mode import enable_grad
from ..namespace import absent, listed, mirror
from ..ops.join import stack
from ..tensor import Tensor, make
from . import grad

__all__ = ["vjp", "jvp", "jacobian", "hessian", "hvp", "vhp"]


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), v·J): one backward pass with the upstream gradient `v`.

    `v` has the shape of the output, and may be left out if that has a single element; v·J has the shape
    of `inputs`. RuntimeError for a `v` of another shape, or left out elsewhere.
    """
    with enable_grad():
        one_input, inputs = as_tensors(inputs, "inputs", "vjp")
        inputs = fresh(inputs, create_graph)
        one_output, outputs = evaluate(func, inputs, "vjp", strict)
        if v is not None:
            v = vector(v, outputs, one_output, "vjp", create_graph)
        elif len(outputs) != 1 or outputs[0].nelement() != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single "
                "Tensor with a single element."
            )
    found = gradients(outputs, inputs, v, create_graph)
    found = filled(found, inputs, strict, create_graph, "vjp")
    return given_back(outputs, one_output, create_graph), given_back(found, one_input, create_graph)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), J·v), by a backward pass through a backward pass.

    `v` has the shape of `inputs`, and may be left out if they are a single element; J·v has the shape
    of the output. RuntimeError for a `v` of another shape.
    """
    with enable_grad():
        one_input, inputs = as_tensors(inputs, "inputs", "jvp")
        inputs = fresh(inputs, create_graph)
        v = vector_like_inputs(v, inputs, one_input, "jvp", create_graph)
        one_output, outputs = evaluate(func, inputs, "jvp", strict)
        weights = tuple(zeros_like(out, requires_grad=True) for out in outputs)  # any values do
        pulled = gradients(outputs, inputs, weights, create_graph=True)
        require_grad(pulled, "grad_inputs", strict)
    found = gradients(pulled, weights, v, create_graph)
    found = filled(found, outputs, strict, create_graph, "jvp")
    return given_back(outputs, one_output, create_graph), given_back(found, one_output, create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), v·H) for the Hessian H of a function with a single result.

    `v` and v·H have the shape of `inputs`.
    """
    one_input, inputs, v, outputs, jac = scalar_and_gradient(
        func, inputs, v, "vhp", create_graph, strict
    )
    found = gradients(jac, inputs, v, create_graph)
    found = filled(found, inputs, strict, create_graph, "vhp")
    return given_back(outputs, True, create_graph), given_back(found, one_input, create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The pair (func(*inputs), H·v) for the Hessian H of a function with a single result.

    `v` and H·v have the shape of `inputs`. Where H is symmetric `vhp` gives the same sooner.
    """
    one_input, inputs, v, outputs, jac = scalar_and_gradient(
        func, inputs, v, "hvp", create_graph, strict
    )
    with enable_grad():
        weights = tuple(zeros_like(x, requires_grad=True) for x in inputs)
        pulled = gradients(jac, inputs, weights, create_graph=True)
    found = gradients(pulled, weights, v, create_graph)
    found = filled(found, inputs, strict, create_graph, "hvp")
    return given_back(outputs, True, create_graph), given_back(found, one_input, create_graph)


def jacobian(
    func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"
):
    """The Jacobian J of `func` at `inputs`, row by row: row i is a backward pass from output i.

    One input and one output give a tensor of shape (*output.shape, *input.shape); tuples give tuples,
    `J[i][j]` for output i and input j. `vectorize` and `strategy="forward-mode"` are accepted where
    PyTorch accepts them, and change how PyTorch computes, not what: here rows are always computed one
    after the other. AssertionError for another strategy; for what PyTorch's forward mode cannot do
    NotImplementedError or RuntimeError; with `strict` RuntimeError for an output that does not depend
    on an input.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your '
            'function has more outputs than inputs, "forward-mode" tends to be more performant. '
            'Otherwise, prefer to use "reverse-mode".'
        )
    if strategy == "forward-mode":
        refuse_in_forward_mode(create_graph, strict)
    one_input, inputs = as_tensors(inputs, "inputs", "jacobian")
    if strategy == "forward-mode":
        if not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian is"
                "only implemented for `vectorize=True`."
            )
        create_graph = any(x.requires_grad for x in inputs)  # PyTorch keeps the graph there
    with enable_grad():
        inputs = fresh(inputs, create_graph)
        one_output, outputs = evaluate(func, inputs, "jacobian", strict)
        if vectorize and strict:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not "
                "supported together. Please either set `strict=False` or `vectorize=False`."
            )
        blocks = []
        for i, out in enumerate(outputs):
            flat = out.reshape(-1)
            rows = [
                row_of_jacobian(i, flat[k], inputs, create_graph, strict)
                for k in range(flat.numel())
            ]
            blocks.append(tuple(
                stack(column).view(out.shape + x.shape)
                for x, column in zip(inputs, zip(*rows) if rows else [[] for _ in inputs])
            ))  # fmt: skip
    blocks = [given_back(block, one_input, create_graph) for block in blocks]
    return blocks[0] if one_output else tuple(blocks)


def row_of_jacobian(i, element, inputs, create_graph, strict):
    """The gradients of one element of output i, zeros where it does not depend on an input."""
    row = gradients((element,), inputs, None, create_graph, retain_graph=True)
    for j, found in enumerate(row):
        if strict and found is None:
            raise RuntimeError(
                f"Output {i} of the user-provided function is independent of input {j}. This is "
                "not allowed in strict mode."
            )
        if strict and create_graph and not found.requires_grad:
            raise RuntimeError(CONSTANT.format("jacobian", i))
    return [zeros_like(x) if found is None else found for x, found in zip(inputs, row)]


def refuse_in_forward_mode(create_graph, strict):
    """The combinations that PyTorch's forward mode does not have."""
    if create_graph:
        raise NotImplementedError(
            "torch.autograd.functional.jacobian: `create_graph=True` and "
            '`strategy="forward-mode"` are not supported together (yet). Please either set '
            '`create_graph=False` or `strategy="reverse-mode"`.'
        )
    if strict:
        raise RuntimeError(
            'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
            "not supported together (yet). Please either set `strict=False` or "
            '`strategy="reverse-mode"`.'
        )


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """The Hessian of a function with a single result: the Jacobian of its gradient.

    One input gives a tensor of shape (*input.shape, *input.shape); a tuple of inputs gives a tuple of
    tuples, `H[i][j]` for inputs i and j. RuntimeError for a function with several results,
    AssertionError for a strategy that is not known.
    """
    one_input, inputs = as_tensors(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def scalar(*inputs):
        (out,) = evaluate_scalar(func, inputs, "hessian", strict)
        return out.squeeze()

    def gradient(*inputs):
        jac = jacobian(scalar, inputs, create_graph=True)
        require_grad(jac, "jacobian", strict)
        return jac

    found = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found[0][0] if one_input else found


# -- what they share -----------------------------------------------------------------------------


def gradients(outputs, inputs, v=None, create_graph=False, retain_graph=None):
    """`autograd.grad` that passes over outputs without a graph, and gives None where there is none."""
    v = (None,) * len(outputs) if v is None else v
    pairs = [(out, g) for out, g in zip(outputs, v) if out is not None and out.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    outputs, v = zip(*pairs)
    return grad(outputs, inputs, v, retain_graph, create_graph, allow_unused=True)


def zeros_like(x, requires_grad=False):
    """Zeros of the same shape and dtype, whatever the strides of `x`."""
    return make(np.zeros(x._array.shape, x._array.dtype)).requires_grad_(requires_grad)


def as_tensors(given, what, name):
    """Whether there is just one tensor, and the tensors as a tuple."""
    one = not isinstance(given, tuple)
    tensors = (given,) if one else given
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            where = f"given {what} has" if one else f"value at index {i} has"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the "
                f"{where} type {type(x)}."
            )
    return one, tensors


def given_back(tensors, one, create_graph):
    """Results as the user gets them: cut from the graph, unless asked for, and one tensor as such."""
    if not create_graph:
        tensors = tuple(x.detach() for x in tensors)
    return tensors[0] if one else tuple(tensors)


def fresh(tensors, create_graph, need_graph=True):
    """New tensors for `func` to work on, so that only its arguments count as inputs, not the same
    tensors met on another way."""
    return tuple(
        x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_(need_graph)
        for x in tensors
    )


def evaluate(func, inputs, name, strict):
    """Whether `func` returned just one tensor, and the tensors it returned."""
    one, outputs = as_tensors(func(*inputs), "outputs of the user-provided function", name)
    require_grad(outputs, "outputs", strict)
    return one, outputs


def evaluate_scalar(func, inputs, name, strict):
    """What `func` returned, as a tuple of one tensor, which must have a single element."""
    one, outputs = evaluate(func, inputs, name, strict)
    if not one:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].nelement() != 1:
        raise RuntimeError(
            f"The Tensor returned by the function given to {name} should contain a single element"
        )
    return outputs


def scalar_and_gradient(func, inputs, v, name, create_graph, strict):
    """How both products with a Hessian begin: whether there is just one input, the inputs and v
    checked, what `func` returned and its gradient, with the graph to differentiate it again."""
    with enable_grad():
        one_input, inputs = as_tensors(inputs, "inputs", name)
        inputs = fresh(inputs, create_graph)
        v = vector_like_inputs(v, inputs, one_input, name, create_graph)
        outputs = evaluate_scalar(func, inputs, name, strict)
        gradient = gradients(outputs, inputs, create_graph=True)
        require_grad(gradient, "jacobian", strict)
    return one_input, inputs, v, outputs, gradient


def vector(v, like, one, name, create_graph):
    """The vector to multiply with, checked: a tensor of the same shape for each of `like`."""
    _, v = as_tensors(v, "v", name)
    v = fresh(v, create_graph, need_graph=False)
    if len(v) != len(like):
        raise RuntimeError(
            "The given v should contain a single Tensor."
            if one
            else f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}."
        )
    for i, (mine, other) in enumerate(zip(v, like)):
        if mine.shape != other.shape:
            entry = "" if one else f"Entry {i} in "
            raise RuntimeError(
                f"{entry}v has invalid size: should be {other.shape} but got {mine.shape}."
            )
    return v


def vector_like_inputs(v, inputs, one, name, create_graph):
    """`vector` for a product from the right, where one element needs none."""
    if v is not None:
        return vector(v, inputs, one, name, create_graph)
    if len(inputs) != 1 or inputs[0].nelement() != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single "
            "Tensor with a single element."
        )


def filled(found, like, strict, create_graph, name):
    """Zeros in place of None; with `strict` an error, also for what cannot be differentiated again."""
    result = []
    for i, (x, other) in enumerate(zip(found, like)):
        if x is None:
            if strict:
                raise RuntimeError(INDEPENDENT[name].format(i))
            x = zeros_like(other)
        elif strict and create_graph and not x.requires_grad:
            raise RuntimeError(CONSTANT.format(INDEPENDENT_OF[name], i))
        result.append(x)
    return tuple(result)


def require_grad(tensors, what, strict):
    """With `strict`, an error for the first tensor that is not connected to the inputs."""
    if not strict:
        return
    for i, x in enumerate(tensors):
        if x is None:
            raise RuntimeError(INDEPENDENT["vjp"].format(i))
        if not x.requires_grad:
            raise RuntimeError(UNCONNECTED[what].format(i))


INDEPENDENT = {
    "vjp": "The output of the user-provided function is independent of input {}. This is not allowed "
    "in strict mode.",
    "jvp": "The gradient with respect to the input is independent of entry {} in the grad_outputs "
    "when using the double backward trick to compute forward mode gradients. This is not allowed in "
    "strict mode.",
    "vhp": "The jacobian of the user-provided function is independent of input {}. This is not "
    "allowed in strict mode.",
    "hvp": "The hessian of the user-provided function is independent of entry {} in the "
    "grad_jacobian. This is not allowed in strict mode as it prevents from using the double backward "
    "trick to replace forward mode AD.",
}

INDEPENDENT_OF = {"vjp": "jacobian", "jvp": "jacobian", "vhp": "hessian", "hvp": "hessian"}

CONSTANT = (
    "The {} of the user-provided function is independent of input {}. This is not allowed in strict "
    "mode when create_graph=True."
)

UNCONNECTED = {
    "outputs": "Output {} of the user-provided function does not require gradients. The outputs must "
    "be computed in a differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {} is independent of the inputs of the "
    "user-provided function. This is not allowed in strict mode.",
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function "
    "with respect to input {} is independent of the input. This is not allowed in strict mode. You "
    "should ensure that your function is twice differentiable and that the jacobian depends on the "
    "inputs (this would be violated by a linear function for example).",
}


mirror(globals(), "generated/torch.autograd.functional.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
