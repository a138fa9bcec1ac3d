"""The backward pass: `backward` and `grad`, which a user calls, and the `backward_pass` they run.

A pass starts with a gradient at each root and walks to the leaves. The node made last goes first:
all who use a node are younger than it, so all that will arrive at it has arrived. Nothing recurses,
so a chain of a million operations is fine.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

from functools import partial
from heapq import heappop, heappush

import numpy as np

from . import errors
from .anomaly import anomaly, watchful_vjp
from .errors import warn
from .graph import edge, incoming_at_leaves, path
from .hooks import after_leaf, after_node, as_tensor, before_node, tensor_hooks, through
from .inplace import refuse_expanded
from .modes import listeners, mode, tell
from .node_names import shown
from .ops.convert import Copy
from .ops.join import stack
from .tensor import Tensor, make, meta_of

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
    outputs = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    keep_graph = create_graph if retain_graph is None else retain_graph
    if listeners:
        tell("begins", outputs, keep_graph)
    roots, gradients = _starts(outputs, grad_tensors, create_graph)
    if create_graph and not _warned:
        _warned.append(True)
        warn(errors.CYCLE)
    on_path, captured = None, {}
    if inputs is not None:
        for tensor in inputs:
            tensor.retain_grad()
        goals = {edge(tensor) for tensor in inputs}
        on_path = path(goals, roots) | goals
        captured = dict.fromkeys(_always_heard(roots) - goals)
    run(roots, gradients, keep_graph, create_graph, on_path, captured)


def backward_of_tensor(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run the backward pass from this tensor, with the upstream gradient `gradient`.

    `gradient` has exactly this tensor's shape; it may be left out for a single element, where
    it is 1. What arrives at a leaf is added to its `.grad`: the vector-Jacobian product v·J.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.Tensor.backward.html
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.backward = backward_of_tensor
backward_of_tensor.__qualname__ = "Tensor.backward"  # so Python's own errors call it


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
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    inputs = _goals(inputs, "grad")
    keep_graph = create_graph if retain_graph is None else retain_graph
    tell("begins", outputs, keep_graph)
    if is_grads_batched:
        options = {"allow_unused": allow_unused, "materialize_grads": materialize_grads}
        one_pass = partial(grad, outputs, inputs, create_graph=create_graph, **options)
        return _row_by_row(one_pass, grad_outputs, retain_graph)
    roots, gradients = _starts(outputs, grad_outputs, create_graph)
    if not all(tensor.requires_grad for tensor in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    goals = [edge(tensor) for tensor in inputs]
    captured = dict.fromkeys(_always_heard(roots) | set(goals))
    run(roots, gradients, keep_graph, create_graph, path(goals, roots), captured)
    results = []
    for i, (tensor, goal) in enumerate(zip(inputs, goals)):
        g = captured[goal]
        if g is None and not allow_unused and not materialize_grads:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if g is None and materialize_grads:
            g = make(np.zeros_like(tensor._array)).requires_grad_(create_graph)
        results.append(g if g is None else as_tensor(g))
    return tuple(results)


# --- the pass -------------------------------------------------------------------------------------


def run(roots, gradients, keep_graph, create_graph, on_path, captured):
    """Run a pass in its own modes: recorded only if asked, and with inf and nan as answers."""
    before, mode.enabled = mode.enabled, create_graph
    try:
        with np.errstate(all="ignore"):
            backward_pass(roots, gradients, keep_graph, create_graph, on_path, captured)
    finally:
        mode.enabled = before


def backward_pass(roots, gradients, keep_graph, create_graph=False, on_path=None, captured=()):
    """Walk from the roots to the leaves, and give each leaf the sum of what arrives there.

    `arrived` has what came to nodes so far, `ready` the nodes to run, and `leaves` what came to
    leaves. Gradients are plain arrays; with `create_graph` they are tensors, and the pass is
    recorded. Where only some gradients are asked for, the pass keeps to the nodes and
    leaves `on_path`, and puts what arrives at the keys of `captured` into that dictionary.
    """
    arrived, ready, leaves = {}, [], incoming_at_leaves(roots, on_path)
    edges, grads, watchful = roots, gradients, anomaly.enabled
    while True:
        for n, g in zip(edges, grads):
            if on_path is not None and n not in on_path and n not in captured:
                continue
            if not n._is_node:
                at_leaf(n, g, leaves[n], create_graph, captured)
            elif n in arrived:
                arrived[n] = plus(arrived[n], g)
            else:
                arrived[n] = g
                heappush(ready, n)
        if not ready:
            return
        node = heappop(ready)  # the youngest
        edges, g = node._next, arrived.pop(node)
        if node in captured and ends_here(node, g, on_path, captured):
            edges = ()
            continue
        plain = node._hooks is None and not watchful
        grads = node._vjp(g, create_graph) if plain else with_hooks(node, g, create_graph)
        if node._frees and not keep_graph:
            node._saved = None
        if listeners:
            tell("ran", node, g, shown(node, grads))


def plus(before, g):
    """The sum of two gradients, of which None is no gradient at all."""
    if before is None or g is None:
        return g if before is None else before
    return before + g


def ends_here(node, g, on_path, captured):
    """Capture what arrived at a node; whether the way back ends there."""
    goes_on = node in on_path
    captured[node] = g if goes_on else tensor_hooks(node._hooks, g)
    return not goes_on


def with_hooks(node, g, create_graph):
    """What a node sends on in anomaly mode, or if the user has hooks around it."""
    if node._hooks is not None:
        g = before_node(node, g)
    grads = (watchful_vjp if anomaly.enabled else type(node)._vjp)(node, g, create_graph)
    return grads if node._hooks is None else after_node(node, g, grads)


# --- leaves ---------------------------------------------------------------------------------------


def at_leaf(leaf, g, incoming, create_graph, captured):
    """Add up what arrives at a leaf, until all has arrived."""
    if incoming.total is None:
        incoming.total = g
    elif incoming.ours and g is not None:
        incoming.total += g
    elif g is not None:
        incoming.total, incoming.ours = incoming.total + g, not create_graph
    incoming.missing -= 1
    if incoming.missing:
        return
    meta = leaf._meta or meta_of(leaf)
    if captured or listeners or meta.hooks is not None:
        complete(leaf, incoming.total, create_graph, captured)
    else:
        accumulate(leaf, incoming.total, incoming.ours, create_graph)


def complete(leaf, g, create_graph, captured):
    """The end of the way back, where somebody looks: capture what arrived, or accumulate it."""
    hooks = leaf._hooks
    if hooks is not None:
        g = tensor_hooks(hooks, g)
    if leaf in captured:
        captured[leaf] = g
        return
    if hooks is not None:
        [g] = through(hooks.before, [g])
    if g is not None:
        accumulate(leaf, g, create_graph=create_graph)
        if listeners:
            tell("accumulated", leaf, g)
    if hooks is not None:
        after_leaf(leaf, g)


def accumulate(leaf, g, ours=False, create_graph=False):
    """Add a gradient to a leaf's `.grad`: in place, unless the pass is being recorded.

    An array that the pass made itself, `ours`, becomes the `.grad`; any other is copied. A leaf
    that no longer requires grad gets nothing.
    """
    if g is None or not leaf._requires_grad:
        return
    meta = leaf._meta
    before = meta.grad
    if create_graph:
        # a copy in new memory; its node is that of PyTorch's copy_
        meta.grad = Copy.apply(g.detach(), g) if before is None else before + g
    elif before is not None:
        refuse_expanded(before)
        before._array += g
        meta_of(before).version.bump()
    else:
        meta.grad = make(np.asarray(g) if ours else np.array(g))


# --- what is given --------------------------------------------------------------------------------


def _starts(outputs, gradients, create_graph):
    """Where a pass starts, and with which upstream gradients: two lists.

    It starts at the node of each output, or at the output itself if it is a leaf. An upstream
    gradient has exactly its output's shape; it is 1 for a single element if none is given.
    """
    upstream = []
    if gradients is None or isinstance(gradients, Tensor):
        gradients = (gradients,) * (len(outputs) if gradients is None else 1)
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
        upstream.append(v.to(output.dtype) if create_graph else np.asarray(v._array, array.dtype))
    if len(outputs) > len(gradients):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    roots = []
    for i, output in enumerate(outputs):
        roots.append(edge(output))
        if roots[i] is None:
            raise RuntimeError(errors.NO_HISTORY.format(i))
    return roots, upstream


def _goals(inputs, caller):
    """`inputs` as a tuple. RuntimeError if there are none, and for what is no tensor."""
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            kind = errors.type_name(tensor)
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")
    return inputs


def _always_heard(roots):
    """A single root's hooks hear its gradient, even if nothing leads from it to what is asked."""
    return set(roots if len(roots) == 1 else ())


def _row_by_row(one_pass, grad_outputs, retain_graph):
    """A pass for each row of the upstream gradients; its results as rows of the results."""
    if isinstance(grad_outputs, Tensor):
        grad_outputs = (grad_outputs,)
    last, rows = len(grad_outputs[0]) - 1, []
    for k in range(last + 1):
        rows.append(one_pass([v[k] for v in grad_outputs], retain_graph or k < last or None))
    return tuple([None if column[0] is None else stack(column) for column in zip(*rows)])
