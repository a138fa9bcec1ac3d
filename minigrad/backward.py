"""The backward pass: `backward` and `grad`, which a user calls, and the `backward_pass` they run.

A pass starts with a gradient at each root and walks to the leaves. The node made last goes first:
every user of a node is younger, so by then everything that goes to the node has arrived. Nothing
recurses, so a chain of a million operations is fine.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html
"""

from heapq import heappop, heappush

import numpy as np

from . import errors
from .anomaly import anomaly, checked_vjp
from .errors import warn
from .graph import edge, incoming_at_leaves, path, plus
from .hooks import after_leaf, after_node, as_tensors, before_node, run_hooks, tensor_hooks
from .inplace import refuse_expanded
from .modes import listeners, mode, tell
from .node_names import by_operand
from .ops.convert import Copy
from .tensor import Tensor, absent, make, meta_of

_warned = []  # not empty once this process has been warned of reference cycles


def backward(
    tensors,
    grad_tensors=None,
    retain_graph=None,
    create_graph=False,
    grad_variables=None,
    inputs=None,
):
    """Run the backward pass from some tensors, and add what arrives at each leaf to its `.grad`.

    `grad_tensors` holds an upstream gradient for each of `tensors`, of exactly its shape; None is
    allowed for a single element, and means 1. With `inputs`, only these tensors get a `.grad`.
    Raises RuntimeError for an upstream gradient of another shape, for tensors that do not require
    grad, for a graph that has been freed, and for empty `inputs`.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.backward.html
    """
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        grad_tensors = grad_variables
    inputs = inputs if inputs is None else _checked_inputs(inputs, "backward")
    keep_graph = create_graph if retain_graph is None else retain_graph
    roots, gradients = _starts(tensors, grad_tensors, keep_graph, create_graph)
    if create_graph and not _warned:
        _warned.append(True)
        warn(errors.CYCLE)
    on_path, requested = None, {}  # the whole graph; what arrives at leaves goes to their `.grad`
    if inputs is not None:
        for tensor in inputs:
            tensor.retain_grad()
        goals = {edge(tensor) for tensor in inputs}
        on_path = path(goals, roots) | goals  # the goals run, too: retain_grad is a hook
        requested = dict.fromkeys(_only_root(roots) - goals)
    run(roots, gradients, keep_graph, create_graph, on_path, requested)


def backward_of_tensor(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    """Run the backward pass from this tensor, with the upstream gradient `gradient`.

    `gradient` has exactly this tensor's shape; for a single element it may be left out, and is 1.
    What arrives at a leaf is added to its `.grad`: the vector-Jacobian product v·J.
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
    """The vector-Jacobian product of `outputs`, with `grad_outputs` as v, for each of `inputs`.

    Returns a tuple in the order of `inputs`; no `.grad` changes. An input that was not used is an
    error, None with `allow_unused`, or zeros with `materialize_grads`. Raises RuntimeError as
    `backward` does, and for inputs that do not require grad, ValueError for options that contradict
    each other, and NotImplementedError for `is_grads_batched`. `only_inputs` has no effect.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.grad.html
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
            "allow_unused=False."
        )
    if is_grads_batched:
        raise NotImplementedError(absent("There is no is_grads_batched=True"))
    inputs = _checked_inputs(inputs, "grad")
    keep_graph = create_graph if retain_graph is None else retain_graph
    roots, gradients = _starts(outputs, grad_outputs, keep_graph, create_graph)
    if not all(tensor.requires_grad for tensor in inputs):
        raise RuntimeError("One of the differentiated Tensors does not require grad")
    goals = [edge(tensor) for tensor in inputs]
    requested = dict.fromkeys(_only_root(roots) | set(goals))
    run(roots, gradients, keep_graph, create_graph, path(goals, roots), requested)
    results = []
    for i, (tensor, goal) in enumerate(zip(inputs, goals)):
        g = requested[goal]
        if g is None and not allow_unused and not materialize_grads:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the "
                "graph. Set allow_unused=True if this is the desired behavior."
            )
        if g is None and materialize_grads:
            g = make(np.zeros_like(tensor._array)).requires_grad_(create_graph)
        results.append(g)
    return as_tensors(results)


# --- the pass -------------------------------------------------------------------------------------


def run(roots, gradients, keep_graph, create_graph, on_path, requested):
    """Run a pass, recorded only with `create_graph`, without NumPy's warnings of inf and nan."""
    before, mode.enabled = mode.enabled, create_graph
    try:
        with np.errstate(all="ignore"):
            backward_pass(roots, gradients, keep_graph, create_graph, on_path, requested)
    finally:
        mode.enabled = before


def backward_pass(roots, gradients, keep_graph, create_graph, on_path, requested):
    """Walk from the roots to the leaves, and give each leaf the sum of what arrives there.

    `arrived` holds what has arrived at nodes so far, `ready` the nodes to run, and `leaves` what
    has arrived at leaves. Gradients are plain arrays; with `create_graph` they are tensors, and the
    pass is recorded. Unless `on_path` is None, the pass visits only the nodes and leaves in it and
    in the dictionary `requested`, whose values become what arrives at its keys.
    """
    arrived, ready, leaves = {}, [], incoming_at_leaves(roots, on_path)
    edges, grads, watchful = roots, gradients, anomaly.enabled
    while True:
        for target, g in zip(edges, grads):
            if on_path is not None and target not in on_path and target not in requested:
                continue
            if target in leaves:
                at_leaf(target, g, leaves[target], create_graph, requested)
            elif target in arrived:
                arrived[target] = plus(arrived[target], g)
            else:
                arrived[target] = g
                heappush(ready, target)
        if not ready:
            return
        node = heappop(ready)  # the youngest
        edges, g = node._next, arrived.pop(node)
        if node in requested and ends_here(node, g, on_path, requested):
            edges = ()
            continue
        plain = node._hooks is None and not watchful
        grads = node._vjp(g, create_graph) if plain else with_hooks(node, g, create_graph)
        if node._frees and not keep_graph:
            node._saved = None
        if listeners:
            tell("ran", node, g, by_operand(node, grads))


def ends_here(node, g, on_path, requested):
    """Store a requested gradient. Returns True if no other requested gradient lies behind it.

    Only then are the tensor's hooks called here. Otherwise the node still runs, with its hooks, and
    what is stored is the gradient from before them.
    """
    goes_on = node in on_path
    requested[node] = g if goes_on else tensor_hooks(node._hooks, g)
    return not goes_on


def with_hooks(node, g, create_graph):
    """Run a node in anomaly mode, or with the user's hooks around it."""
    if node._hooks is not None:
        g = before_node(node, g)
    grads = (checked_vjp if anomaly.enabled else type(node)._vjp)(node, g, create_graph)
    return grads if node._hooks is None else after_node(node, g, grads)


# --- leaves ---------------------------------------------------------------------------------------


def at_leaf(leaf, g, incoming, create_graph, requested):
    """Add up what arrives at a leaf, until everything has arrived."""
    if incoming.total is None:
        incoming.total = g
    elif incoming.owned and g is not None:
        incoming.total += g
    elif g is not None:
        incoming.total, incoming.owned = incoming.total + g, not create_graph
    incoming.missing -= 1
    if incoming.missing:
        return
    got, expected = getattr(incoming.total, "shape", ()), leaf._array.shape
    if got != expected and incoming.total is not None:
        raise RuntimeError(f"a gradient of shape {got} arrived at a tensor of shape {expected}")
    meta = leaf._meta or meta_of(leaf)
    if requested or listeners or meta.hooks is not None:
        with_leaf_hooks(leaf, incoming.total, create_graph, requested)
    else:
        accumulate(leaf, incoming.total, incoming.owned, create_graph)


def with_leaf_hooks(leaf, g, create_graph, requested):
    """Store a leaf's gradient if it is requested, or accumulate it, with hooks and listeners."""
    hooks = leaf._meta.hooks
    g = tensor_hooks(hooks, g)
    if leaf in requested:
        requested[leaf] = g
        return
    if hooks is not None:
        [g] = run_hooks(hooks.before, [g])
    accumulate(leaf, g, False, create_graph)
    if hooks is not None:
        after_leaf(leaf, g)


def accumulate(leaf, g, owned, create_graph):
    """Add a gradient to a leaf's `.grad`: in place, unless the pass is being recorded.

    An array that the pass made itself, `owned`, becomes the `.grad`; any other is copied. Its
    elements stand row by row, so that `.view(-1)` works. A leaf whose `requires_grad` has been
    turned off since gets no gradient.
    """
    if g is None or not leaf._requires_grad:
        return
    meta = leaf._meta
    before = meta.grad
    if create_graph:
        # a copy, with the node that PyTorch's copy_ leaves
        meta.grad = Copy.apply(g.detach(), g) if before is None else before + g
    elif before is not None:
        refuse_expanded(before)
        before._array += g
        meta_of(before).version.count += 1
    else:
        meta.grad = make((np.asarray if owned else np.array)(g, order="C"))
    if listeners:
        tell("accumulated", leaf, g)


# --- the arguments --------------------------------------------------------------------------------


def _starts(outputs, gradients, keep_graph, create_graph):
    """The nodes, or leaves, where a pass starts, and the upstream gradient for each."""
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    if listeners:
        tell("begins", outputs, keep_graph)
    if gradients is None:
        gradients = (None,) * len(outputs)
    elif isinstance(gradients, Tensor):
        gradients = (gradients,)
    upstream = []
    for i, (output, v) in enumerate(zip(outputs, gradients)):
        upstream.append(_upstream(i, output, v, create_graph))
    if len(outputs) > len(gradients):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    roots = []
    for i, output in enumerate(outputs):
        roots.append(edge(output))
        if roots[i] is None:
            raise RuntimeError(errors.NO_HISTORY.format(i))
    return roots, upstream


def _upstream(i, output, v, create_graph):
    """The upstream gradient `v` of output `i`, in its dtype; 1 by default for a single element."""
    array = output._array
    if v is None:
        if array.size != 1 and output.requires_grad:
            raise RuntimeError(errors.SCALAR_ONLY)
        v = make(np.ones(array.shape, array.dtype))
    elif not isinstance(v, Tensor):
        raise TypeError(f"gradients can be either Tensors or None, but got {type(v).__name__}")
    elif v._array.shape != array.shape:
        raise RuntimeError(errors.MISMATCH.format(i, v.shape, output.shape))
    return v.to(output.dtype) if create_graph else np.asarray(v._array, array.dtype)


def _checked_inputs(inputs, caller):
    """`inputs` as a tuple. Raises RuntimeError unless they are tensors, at least one."""
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{caller}()` cannot be empty.")
    for tensor in inputs:
        if not isinstance(tensor, Tensor):
            kind = errors.type_name(tensor)
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {kind}")
    return inputs


def _only_root(roots):
    """A single root, as a set: its hooks are called even if no path leads from it to the inputs."""
    return set(roots if len(roots) == 1 else ())
