"""`backward` and `grad`: what a user calls to run the backward pass.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

import importlib
import operator
import warnings

import numpy as np

from .. import backward as engine
from .. import dtypes
from ..anomaly import detect_anomaly, set_detect_anomaly  # noqa: F401
from ..grad_mode import (  # noqa: F401
    enable_grad,
    is_grad_enabled,
    mode,
    no_grad,
    set_grad_enabled,
)
from ..graph import Node, edge, placed
from ..hooks import as_tensor
from ..inplace import link
from ..namespace import absent, listed, mirror
from ..ops.convert import cast
from ..ops.shape import Reshape
from ..tensor import Tensor, TypeByDtype, make, new
from ..watching import watch  # noqa: F401

__all__ = ["Function", "Variable", "backward", "grad", "no_grad", "enable_grad", "set_grad_enabled",
           "detect_anomaly", "set_detect_anomaly", "watch", "functional", "graph", "gradcheck",
           "gradgradcheck"]  # fmt: skip


def _listed(given):
    """One tensor (or `graph.GradientEdge`), or several, as a tuple."""
    return (given,) if isinstance(given, Tensor) or _is_edge(given) else tuple(given)


def _is_edge(given):
    return not isinstance(given, Tensor) and hasattr(given, "ownership_token")


def _node_of(given):
    """The node at which the gradient of a tensor or of an edge arrives; None if at none."""
    if _is_edge(given):
        if given.port is None and given.node._outputs > 1:
            raise RuntimeError("of a node with several outputs take the edge that get_gradient_edge gives")
        return given.port or given.node
    return edge(given) if given.requires_grad else None


def _roots(outputs):
    """The nodes at which a pass starts."""
    nodes = []
    for i, output in enumerate(outputs):
        node = _node_of(output)
        if node is None:
            raise RuntimeError(
                f"element {i} of tensors does not require grad and does not have a grad_fn"
            )
        nodes.append(node)
    return nodes


def _gradients(outputs, gradients, create_graph, batched=False):
    """The upstream gradient for each output: of exactly its shape, ones only for a single element."""
    found = []
    for i, (output, v) in enumerate(zip(outputs, gradients)):
        if not isinstance(output, Tensor) and not _is_edge(output):
            raise AssertionError("Expected output to be a torch.Tensor")
        array = output.like if _is_edge(output) else output._array
        if array is None:  # an edge that the user made: what arrives there is not known
            array = getattr(v, "_array", np.empty(2))
        if isinstance(v, Tensor):
            shape = v._array.shape[1:] if batched else v._array.shape
            if shape != array.shape:
                raise _mismatch(i, v, dtypes.Size(array.shape), batched)
            found.append(cast(v if create_graph else v._array, array.dtype))
        elif v is None:
            if not _is_edge(output) and not output.requires_grad:
                found.append(None)
                continue
            if array.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            ones = np.ones(array.shape, array.dtype)
            found.append(make(ones) if create_graph else ones)
        else:
            raise TypeError(
                f"gradients can be either Tensors or None, but got {type(v).__name__}"
            )
    if len(found) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(found)} gradients")
    return found


def _mismatch(i, v, shape, batched):
    if batched:
        return RuntimeError(
            f"If `is_grads_batched=True`, we interpret the first dimension of each grad_output as "
            f"the batch dimension. The sizes of the remaining dimensions are expected to match the "
            f"shape of corresponding output, but a mismatch was detected: grad_output[{i}] has a "
            f"shape of {v[0].shape[1:]} and output[{i}] has a shape of {shape}. If you only want "
            "some tensors in `grad_output` to be considered batched, consider using vmap."
        )
    return RuntimeError(
        f"Mismatch in shape: grad_output[{i}] has a shape of {v.shape} and output[{i}] has a shape "
        f"of {shape}."
    )


def _as_tuple(given, outputs):
    """Gradients as a tuple: one for each output."""
    if given is None:
        return (None,) * len(outputs)
    if isinstance(given, Tensor):
        return (given,)
    return tuple(given)


def _run(roots, gradients, retain_graph, create_graph, targets=None, captures=()):
    before, here, outer = mode.enabled, engine.here, engine.here.running
    mode.enabled, here.running = create_graph, engine.Pass(roots, targets, captures)
    try:
        with np.errstate(all="ignore"):  # not `quietly`: hooks are to see the caller's context
            engine.run(roots, gradients, retain_graph, create_graph, targets, captures)
    finally:
        mode.enabled, here.running = before, outer


def _check_input(tensor):
    if not isinstance(tensor, Tensor) and not _is_edge(tensor):
        raise RuntimeError(
            f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}"
        )


_warned_of_cycle = False


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Add the gradients of the leaves, weighed by the upstream gradients, to their `.grad`.

    `grad_tensors` holds, for each of `tensors`, an upstream gradient of exactly its shape; None stands
    for 1 and is allowed for a single element only. With `inputs` only these tensors get a `.grad`.
    RuntimeError for an upstream gradient of another shape, for roots that do not require grad, for a
    graph that has been freed, and for an empty `inputs`.
    """
    global _warned_of_cycle
    if grad_variables is not None:
        warnings.warn(
            "`grad_variables` is deprecated. Use `grad_tensors` instead.",
            FutureWarning,
            stacklevel=2,
        )
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to "
                "`backward()`. Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    if inputs is not None:
        inputs = _listed(inputs)
        if not inputs:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    tensors = _listed(tensors)
    gradients = _gradients(tensors, _as_tuple(grad_tensors, tensors), create_graph)
    if create_graph and not _warned_of_cycle:
        _warned_of_cycle = True
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the "
            "parameter and its gradient which can cause a memory leak. We recommend using "
            "autograd.grad when creating the graph to avoid this. If you have to use this function, "
            "make sure to reset the .grad fields of your parameters to None after use to break the "
            "cycle and avoid the leak.",
            UserWarning,
            stacklevel=2,
        )
    retain_graph = create_graph if retain_graph is None else operator.index(retain_graph)
    roots, targets = _roots(tensors), None
    if inputs is not None:
        targets = set()
        for tensor in inputs:
            _check_input(tensor)
            if not _is_edge(tensor):
                tensor.retain_grad()
            targets.add(_node_of(tensor))
    _run(roots, gradients, retain_graph, create_graph, targets)


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

    A tuple in the order of `inputs`; no `.grad` changes. An input that was not used is an error, None
    with `allow_unused`, zeros with `materialize_grads`. With `is_grads_batched` the first dimension of
    each upstream gradient counts several of them, and so does that of each result. RuntimeError for an
    unused input (see above), an upstream gradient of another shape, inputs or outputs that do not
    require grad, and a freed graph; ValueError if `materialize_grads` and `allow_unused` contradict
    each other.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outputs, inputs = _listed(outputs), _listed(inputs)
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To "
            "accumulate gradient for other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if not inputs:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    grad_outputs = _as_tuple(grad_outputs, outputs)
    gradients = _gradients(outputs, grad_outputs, create_graph, is_grads_batched)
    retain_graph = create_graph if retain_graph is None else operator.index(retain_graph)
    if is_grads_batched:
        results = _batch_of_grads(
            outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused
        )
        return _materialized(results, inputs, create_graph) if materialize_grads else results
    roots = _roots(outputs)
    for tensor in inputs:
        _check_input(tensor)
        if not _is_edge(tensor) and not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    # A view made under no_grad has no node: nothing leads to it.
    nodes = [_node_of(tensor) or placed(new(Node)) for tensor in inputs]
    captures = dict.fromkeys(nodes)
    _run(roots, gradients, retain_graph, create_graph, set(nodes), captures)
    # What arrived unchanged is handed out as the very tensor that was handed in.
    upstream = [v if v is not None and (g is v or g is v._array) else as_tensor(g)
                for v, g in zip(grad_outputs, gradients) if g is not None]  # fmt: skip
    known = {id(v if create_graph else v._array): v for v in upstream}
    results = []
    for i, (tensor, node) in enumerate(zip(inputs, nodes)):
        found = captures[node]
        if found is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if found is not None:
            array, found = found, known.setdefault(id(found), as_tensor(found))
            if not create_graph and array.base is not None:
                _note_views(found, upstream)
        results.append(found)
    return _materialized(results, inputs, create_graph) if materialize_grads else tuple(results)


def _note_views(gradient, upstream):
    """Note of which gradient this one is a view: it is not to be changed unawares."""
    array = gradient._array
    expanded = [make(array.base)] if 0 in array.strides and array.size else []
    with no_grad():
        for v in (*expanded, *upstream):
            if gradient is not v:
                link(gradient, v, Reshape, (array.shape,))


def _materialized(results, inputs, create_graph):
    """The results, with zeros in the input's shape where there is none."""
    return tuple(
        make(np.zeros_like(x._array)).requires_grad_(create_graph) if found is None else found
        for x, found in zip(inputs, results)
    )


def _batch_of_grads(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused):
    """One pass for each upstream gradient of the batch, the results stacked."""
    from ..ops.join import stack

    if any(v is None for v in grad_outputs):  # a single 1, and so no batch
        raise ValueError(
            "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a "
            "Tensor of dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
        )
    sizes = [len(v) for v in grad_outputs]
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    rows = [
        grad(outputs, inputs, [v[k] for v in grad_outputs], retain_graph or k < sizes[0] - 1,
             create_graph, allow_unused=allow_unused)
        for k in range(sizes[0])
    ]  # fmt: skip
    return tuple(None if column[0] is None else stack(column) for column in zip(*rows))


def _tensor_backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run the backward pass from this tensor, with the upstream gradient `gradient`.

    `gradient` has exactly this tensor's shape; it may be left out for a single element, where it
    is 1. What arrives at a leaf is added to its `.grad`: the vector-Jacobian product v·J.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Tensor.backward.html
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_tensor_backward.__name__, _tensor_backward.__qualname__ = "backward", "Tensor.backward"
Tensor.backward = _tensor_backward


class Variable(metaclass=TypeByDtype):
    """The tensor type of old programs; every tensor is a Variable.

    `Variable(data, requires_grad=True)` makes a plain tensor that shares the memory of `data`.
    TypeError for what is no tensor. Mirrors
    https://docs.pytorch.org/docs/2.13/autograd.html#variable-deprecated
    """

    _place = "torch.autograd.variable."
    _accepts = staticmethod(lambda x: isinstance(x, Tensor))

    def __new__(cls, data, requires_grad=False, volatile=None):
        if not isinstance(data, Tensor):
            raise TypeError(
                f"Variable data has to be a tensor, but got {dtypes.type_name(data)}"
            )
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                UserWarning,
                stacklevel=2,
            )
        variable = data.detach()
        if requires_grad:
            variable.requires_grad = True
        return variable


from . import function  # noqa: E402  (needs what is above)
from .function import Function  # noqa: E402
from .gradcheck import gradcheck, gradgradcheck  # noqa: E402

mirror(globals(), "generated/torch.autograd.{}.html")


def __getattr__(name):
    if name in ("functional", "graph"):  # loaded when first asked for
        return importlib.import_module(f"minigrad.autograd.{name}")
    return absent(__name__)(name)


__dir__ = listed(globals())
