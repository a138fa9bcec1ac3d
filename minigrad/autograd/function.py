"""`Function`: an operation whose backward rule the user writes.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.Function
"""

import functools
import inspect

import numpy as np

from ..errors import FREED, type_name, warn
from ..graph import Node, edge, new_node, output_nodes
from ..hooks import as_tensors
from ..inplace import take_over
from ..modes import listeners, mode, no_grad, tell
from ..node_names import NodeType, by_edge
from ..operation import Operation, check_version, reconnected, saved_output, undo_broadcast
from ..tensor import Tensor, absent, meta_of


class FunctionCtx(Node):
    """The `ctx` of `forward` and `backward`, which is the node itself.

    Users keep values of their own on it, under any name without a leading underscore.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.function.FunctionCtx.html
    """

    _place = "torch.autograd.function."
    _frees = True
    _to_save = _saved = _non_differentiable = _dirty = ()
    _materialize = True

    def save_for_backward(self, *tensors):
        """Save tensors for `backward`, which finds them in `ctx.saved_tensors`. None is allowed."""
        self._to_save = tensors

    def mark_dirty(self, *tensors):
        """Say which inputs `forward` changes in place; it has to return them, too."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether `backward` gets zeros (the default) or None for outputs that were not used."""
        self._materialize = value

    @property
    def saved_tensors(self):
        """What was saved. Raises RuntimeError if it was freed, or changed in place since."""
        if self._saved is None:
            raise RuntimeError(FREED)
        return tuple([self._saved_value(*saved) for saved in self._saved])

    def _saved_value(self, tensor, output_nr, saved_at):
        """One saved tensor. One with an `output_nr` is an output, and gets its node again."""
        if tensor is None:
            return None
        node = None
        if output_nr is not None:
            node = self if self._outputs == 1 else output_nodes(self)[output_nr]
        if tensor._meta is not None:
            check_version(tensor, saved_at, node)
        return tensor if node is None else reconnected(tensor, node)

    def _save(self):
        """Save what `forward` asked for, outputs without their node, to avoid a reference cycle.

        Raises TypeError for anything but tensors and None.
        """
        saved = []
        for i, tensor in enumerate(self._to_save):
            if not (tensor is None or isinstance(tensor, Tensor)):
                raise TypeError(
                    "save_for_backward can only save variables, but argument "
                    f"{i} is of type {type(tensor).__name__}"
                )
            output_nr = None
            if tensor is not None and tensor.grad_fn is self:
                tensor, output_nr = saved_output(tensor), tensor.output_nr
            version = 0 if tensor is None else tensor._version
            saved.append((tensor, output_nr, version))
        self._saved, self._saved_count = saved, len(saved)
        self._to_save = self._non_differentiable = self._dirty = ()

    def _vjp(self, g, create_graph=False):
        """Run the user's `backward`; returns a gradient for each input that requires grad."""
        upstream = []
        for v, like in zip([g] if self._outputs == 1 else g, self._output_likes):
            upstream.append(np.zeros(*like) if v is None and like and self._materialize else v)
        returned = self._forward_cls.backward(self, *as_tensors(upstream))
        return by_edge(self, self._checked(returned, create_graph))

    def _checked(self, returned, create_graph):
        """What `backward` returned, checked, as a gradient for each tensor among the inputs."""
        returned = list(returned) if isinstance(returned, tuple) else [returned]
        name, expected = type(self).__name__, len(self._input_likes)
        while len(returned) > expected and returned[-1] is None:
            returned.pop()
        if len(returned) != expected:
            raise RuntimeError(
                f"function {name} returned an incorrect number of gradients "
                f"(expected {expected}, got {len(returned)})"
            )
        grads = []
        for position, (gradient, like) in enumerate(zip(returned, self._input_likes), 1):
            if like is not None:
                grads.append(self._fit(gradient, len(grads), like, create_graph))
            elif gradient is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different than None at position "
                    f"{position}, but the corresponding forward input was not a Variable"
                )
        return grads

    def _fit(self, gradient, index, like, create_graph):
        """A gradient that `backward` returned, in the shape and dtype of its input."""
        if not (gradient is None or isinstance(gradient, Tensor)):
            raise RuntimeError(f"expected Variable or None (got {type_name(gradient)})")
        if gradient is None or self._edge_indices[index] is None:
            return None
        (shape, dtype), got = like, gradient._array.shape
        pairs = zip(reversed(shape), reversed(got))
        if len(got) < len(shape) or not all(length in (1, other) for length, other in pairs):
            raise RuntimeError(
                f"Function {type(self).__name__} returned an invalid gradient at index {index} - "
                f"got {list(got)} but expected shape compatible with {list(shape)}"
            )
        return undo_broadcast(gradient if create_graph else gradient._array, shape, dtype)


class Function:
    """Derive from this, write `forward` and `backward` as static methods, and call `apply`.

    `forward(ctx, *inputs)` computes without recording, and may call `ctx.save_for_backward(...)`.
    `backward(ctx, *gradients)` gets the upstream gradient of each output, in its shape, and returns
    a gradient for each input, in its shape, or None. With `setup_context(ctx, inputs, output)` as
    a third static method, `forward` takes no ctx. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.Function.html
    """

    setup_context = None

    def __init_subclass__(cls):
        """Make a class for the nodes of this function, named after it."""
        own = {"_forward_cls": cls}
        cls._backward_cls = NodeType(f"{cls.__name__}Backward", (FunctionCtx,), own)

    def __init__(self, *inputs):
        """Warns: what is meant is `apply`."""
        warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
        )

    def __call__(self, *inputs):
        """Raises RuntimeError: only programs of before 2019 call an instance."""
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*inputs):
        """Compute the outputs. Raises NotImplementedError unless a subclass defines it."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The vector-Jacobian product. Raises NotImplementedError unless a subclass defines it."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *inputs, **named):
        """Compute the outputs, and record a node that runs `backward`."""
        if cls.setup_context is not None:  # a parameter with a default is an input, too
            bound = inspect.signature(cls.forward).bind(*inputs, **named)
            bound.apply_defaults()
            inputs = bound.args
        tensors = [x for x in inputs if isinstance(x, Tensor)]
        ctx = new_node(cls._backward_cls, [edge(x) for x in tensors])
        ctx.needs_input_grad = tuple([isinstance(x, Tensor) and x.requires_grad for x in inputs])
        with no_grad():
            if cls.setup_context is None:
                outputs = cls.forward(ctx, *inputs, **named)
            else:
                outputs = cls.forward(*inputs)
                cls.setup_context(ctx, inputs, outputs)
        results = outputs if isinstance(outputs, tuple) else (outputs,)
        ctx._input_likes = [_like(x) for x in inputs]
        ctx._output_likes = [_like(x) for x in results]
        ctx._outputs = len(results)
        recording = mode.enabled and any(ctx.needs_input_grad)
        for x in ctx._dirty:
            _check_dirty(x, results, recording)
        nodes = [ctx] if len(results) == 1 else output_nodes(ctx)
        connected = []
        for out, node in zip(results, nodes):
            connected.append(_with_node(out, node if recording else None, ctx, tensors))
        if recording:
            ctx._save()
            if listeners and connected:
                tell("recorded", ctx, inputs, connected[0])
        return tuple(connected) if isinstance(outputs, tuple) else connected[0]


def _like(x):
    """The shape and dtype of a tensor; None for anything else."""
    return (x._array.shape, x._array.dtype) if isinstance(x, Tensor) else None


def _check_dirty(x, results, recording):
    """Count the change of an input marked as dirty. Raises RuntimeError if it is not allowed."""
    if not any(out is x for out in results):
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. "
            "The inputs that are modified inplace must all be outputs of the Function."
        )
    if recording and x.requires_grad and x.is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    if recording and x._base is not None:
        raise RuntimeError(absent("There is no mark_dirty() of a view"))
    meta_of(x).version.count += 1


def _with_node(out, node, ctx, inputs):
    """One output with its node, unless that is None.

    An input that `forward` returns is replaced by a view of it, unless it is marked as dirty.
    """
    if not isinstance(out, Tensor):
        return out
    if any(out is x for x in ctx._dirty):
        if node is not None:
            take_over(out, node)
        return out
    if any(out is x for x in inputs):
        with no_grad():
            out = out.view(out.shape)
    constant = any(out is x for x in ctx._non_differentiable) or out._array.dtype.kind != "f"
    if node is None or constant:
        return out.detach() if out.requires_grad else out
    out._node, out._requires_grad = node, True
    if out._base is not None:
        out._meta.view.restriction = "Function"
    return out


class Error(Operation, name="Error"):
    """Passes on a gradient that must not be differentiated again."""

    def forward(x):
        return x

    def grad_x(g, _x):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(function):
    """A decorator for a `backward` whose second derivative is a RuntimeError. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.function.once_differentiable.html
    """

    @functools.wraps(function)
    def wrapped(ctx, *gradients):
        grads = no_grad(function)(ctx, *gradients)
        if not any(g is not None and g.requires_grad for g in gradients):
            return grads
        grads = grads if isinstance(grads, tuple) else (grads,)
        return tuple([g if g is None else Error.apply(g.detach().requires_grad_()) for g in grads])

    return wrapped
