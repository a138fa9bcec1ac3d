"""`backward` and `grad`: what a user calls to run the backward pass.

Both turn what they are given into roots and upstream gradients, strictly, and call `backward.run`.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

import numpy as np

from .. import errors
from ..backward import run
from ..errors import warn
from ..graph import edge, path
from ..hooks import as_tensor
from ..modes import mode, report
from ..ops.join import stack
from ..tensor import Tensor, make

_warned = []  # once a process has been told of reference cycles


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Add the gradients of the leaves, weighed by the upstream gradients, to their `.grad`.

    `grad_tensors` holds, for each of `tensors`, an upstream gradient of exactly its shape; None
    stands for 1 and is allowed for a single element only. With `inputs` only these tensors get a
    `.grad`. RuntimeError for an upstream gradient of another shape, for roots that do not require
    grad, for a graph that has been freed, and for an empty `inputs`.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.backward.html
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        grad_tensors = grad_variables
    inputs = inputs if inputs is None else _goals(inputs, "backward")
    tensors = _listed(tensors)
    report("begins", tensors, create_graph if retain_graph is None else retain_graph)
    gradients = _gradients(tensors, _listed(grad_tensors, tensors), create_graph)
    if create_graph and not _warned:
        _warned.append(True)
        warn(errors.CYCLE)
    roots, allowed = _roots(tensors), None
    if inputs is not None:
        for tensor in inputs:
            tensor.retain_grad()
        goals = {edge(tensor) for tensor in inputs}
        allowed = path(goals, roots) | goals
    _run(roots, gradients, retain_graph, create_graph, allowed)


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """The gradients of `outputs`, weighed by `grad_outputs`, with respect to each of `inputs`.

    A tuple in the order of `inputs`; no `.grad` changes. An input that was not used is an error,
    None with `allow_unused`, zeros with `materialize_grads`. With `is_grads_batched` the first
    dimension of each upstream gradient counts several of them, and so does that of each result.
    RuntimeError as for `backward`, and for inputs that do not require grad; ValueError for
    options that contradict each other.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.grad.html
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    outputs, inputs = _listed(outputs), _goals(inputs, "grad")
    report("begins", outputs, create_graph if retain_graph is None else retain_graph)
    grad_outputs = _listed(grad_outputs, outputs)
    if is_grads_batched:  # one pass for each row
        last = len(grad_outputs[0]) - 1
        rows = [
            grad(
                outputs,
                inputs,
                [v[k] for v in grad_outputs],
                retain_graph or k < last or None,
                create_graph,
                only_inputs,
                allow_unused,
                False,
                materialize_grads,
            )
            for k in range(last + 1)
        ]
        return tuple([None if column[0] is None else stack(column) for column in zip(*rows)])
    gradients = _gradients(outputs, grad_outputs, create_graph)
    roots = _roots(outputs)
    if not all(tensor.requires_grad for tensor in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    captured = dict.fromkeys(edge(tensor) for tensor in inputs)
    _run(roots, gradients, retain_graph, create_graph, path(captured, roots), captured)
    results = []
    for i, tensor in enumerate(inputs):
        g = captured[edge(tensor)]
        if g is None and not allow_unused and not materialize_grads:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if g is None and materialize_grads:
            g = make(np.zeros_like(tensor._array)).requires_grad_(create_graph)
        results.append(g if g is None else as_tensor(g))
    return tuple(results)


def _run(roots, gradients, retain_graph, create_graph, allowed=None, captured=None):
    """Run a pass in its own modes: recorded only if asked, and with inf and nan as answers."""
    keep = create_graph if retain_graph is None else retain_graph
    before, mode.enabled = mode.enabled, create_graph
    try:
        with np.errstate(all="ignore"):
            run(roots, gradients, keep, create_graph, allowed, captured)
    finally:
        mode.enabled = before


def _roots(outputs):
    """Where a pass starts: the node of each output, or the output itself if it is a leaf."""
    roots = [edge(output) for output in outputs]
    for i, root in enumerate(roots):
        if root is None:
            raise RuntimeError(errors.NO_HISTORY.format(i))
    return roots


def _gradients(outputs, gradients, create_graph):
    """The upstream gradient for each output: of exactly its shape, 1 only for a single element."""
    found = []
    for i, (output, v) in enumerate(zip(outputs, gradients)):
        array = output._array
        if v is None:
            if array.size != 1 and output.requires_grad:
                raise RuntimeError(errors.SCALAR_ONLY)
            v = make(np.ones(array.shape, array.dtype))
        elif not isinstance(v, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(v).__name__}")
        elif v._array.shape != array.shape:
            raise RuntimeError(errors.MISMATCH.format(i, v.shape, output.shape))
        found.append(v.to(output.dtype) if create_graph else np.asarray(v._array, array.dtype))
    if len(outputs) > len(gradients):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    return found


def _listed(given, outputs=None):
    """One tensor, or several, as a tuple; None stands for a None for each of `outputs`."""
    if given is None and outputs is not None:
        return (None,) * len(outputs)
    return (given,) if isinstance(given, Tensor) else tuple(given)


def _goals(inputs, caller):
    """`inputs` as a tuple. RuntimeError if there are none, and for what is no tensor."""
    inputs = _listed(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            kind = errors.type_name(tensor)
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")
    return inputs


def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run the backward pass from this tensor, with the upstream gradient `gradient`.

    `gradient` has exactly this tensor's shape; it may be left out for a single element, where it
    is 1. What arrives at a leaf is added to its `.grad`: the vector-Jacobian product v·J.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Tensor.backward.html
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_tensor_backward.__name__, _tensor_backward.__qualname__ = "backward", "Tensor.backward"
Tensor.backward = _tensor_backward
