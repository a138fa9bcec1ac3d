"""`Function`: an operation whose backward rule the user writes.

Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#torch.autograd.Function
"""

import functools
import inspect
import warnings

import numpy as np

from .. import anomaly
from ..broadcasting import undo_broadcast
from ..dtypes import type_name
from ..errors import FREED, NO_SAVING_OF_INFERENCE, modified
from ..grad_mode import mode, no_grad
from ..graph import Node, edge, placed, ports
from ..hooks import packers
from ..inplace import check, rebase
from ..namespace import absent, listed, mirror
from ..ops.shape import view_as
from ..tensor import Tensor, count, current_node, make, meta_of

__all__ = ["Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx(Node):
    """What `forward` and `backward` share: the node itself, `ctx` in both.

    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.function.FunctionCtx.html
    """

    # No __slots__: users keep their own values on ctx.

    place = "torch.autograd.function."
    frees = True

    def __init__(self, function, inputs):
        edges = [edge(x) if x.requires_grad else None for x in inputs if isinstance(x, Tensor)]
        placed(self, *edges)
        self.needs_input_grad = tuple(
            isinstance(x, Tensor) and x.requires_grad for x in inputs
        )
        self._function = function
        self._is_tensor = [isinstance(x, Tensor) for x in inputs]
        self._likes = [(x._array.shape, x._array.dtype) for x in inputs if isinstance(x, Tensor)]
        self._to_save, self._saved, self._freed = (), (), False
        self._dirty, self._non_differentiable = (), ()
        self._materialize = True

    def name(self):
        return type(self).__name__

    # -- what forward may call -------------------------------------------------------------------

    def save_for_backward(self, *tensors):
        """Keep tensors for `backward`, where they are `ctx.saved_tensors`; None is allowed."""
        self._to_save = tensors

    def mark_dirty(self, *tensors):
        """Say which inputs `forward` changed in place; it has to return them, too.

        RuntimeError for what is no tensor.
        """
        if not all(isinstance(tensor, Tensor) for tensor in tensors):
            raise RuntimeError("mark_dirty can only accept variables, but argument ")
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        """Say which outputs have no gradient.

        RuntimeError for what is no tensor.
        """
        if not all(isinstance(tensor, Tensor) for tensor in tensors):
            raise RuntimeError("mark_non_differentiable only accepts variable arguments, but got ")
        self._non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether `backward` receives zeros (the default) or None for outputs nobody used.

        TypeError for what is no bool.
        """
        if not isinstance(value, bool):
            raise TypeError(
                "set_materialize_grads received an invalid combination of arguments - got (), but "
                "expected (bool)"
            )
        self._materialize = value

    # -- what backward reads ---------------------------------------------------------------------

    @property
    def saved_tensors(self):
        """The tensors given to `save_for_backward`; RuntimeError once they have been freed.

        So they are after the backward pass, unless it retains the graph, and if one was changed in
        place.
        """
        if self._freed:
            raise RuntimeError(FREED)
        found = []
        for tensor, output, version, expected in self._saved:
            if version is None and tensor is not None:  # hooks packed it
                tensor = tensor.unpacked()
            if version is not None and version.n != expected:
                node = current_node(tensor) if output is None else self._nodes[output]
                raise modified(tensor._array, node, version.n, expected)
            if output is not None:
                node = self._nodes[output]
                tensor = make(tensor._array)
                tensor._node, tensor._requires_grad = node, node is not None
            found.append(tensor)
        return tuple(found)

    @property
    def saved_variables(self):
        """The old name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning,
                      stacklevel=2)  # fmt: skip
        return self.saved_tensors

    def _keep(self, outputs, nodes):
        """Save what `forward` asked for: an output it made as its array, else it would hold itself."""
        self._nodes = nodes
        saved = []
        for i, tensor in enumerate(self._to_save):
            if tensor is None:
                saved.append((None, None, None, 0))
                continue
            if not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward can only save variables, but argument {i} is of type "
                    f"{type(tensor).__name__}"
                )
            version = meta_of(tensor).version
            if not version.tracked:
                raise RuntimeError(NO_SAVING_OF_INFERENCE)
            output = next((k for k, out in enumerate(outputs) if out is tensor), None)
            packed = packers[0](tensor, output is not None) if packers else None
            if packed is not None:
                saved.append((packed, output, None, 0))
                continue
            if output is not None:
                tensor = make(tensor._array)
            saved.append((tensor, output, version, version.n))
        self._saved, self._to_save = saved, ()

    def release(self):
        """Forget what was saved; True if there was something."""
        had = bool(self._saved)
        self._freed = True
        self._saved = ()
        return had

    def apply(self, g, create_graph):
        """Call the user's `backward` and bring what it returns into shape.

        RuntimeError if it does not give one gradient for each input, of its shape.
        """
        gradients = g if isinstance(g, list) else [g] * self._outputs
        shown = []
        for gradient, like in zip(gradients, self._out_likes):
            if gradient is None and self._materialize and like is not None:
                gradient = np.zeros(*like)
            if gradient is not None and not isinstance(gradient, Tensor):
                gradient = make(np.asarray(gradient))
            shown.append(gradient)
        found = self._function._backward_of()(self, *shown)
        found = list(found) if isinstance(found, tuple) else [found]
        wanted = len(self._is_tensor)
        while len(found) > wanted and found[-1] is None:
            found.pop()
        if len(found) != wanted:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected "
                f"{wanted}, got {len(found)})"
            )
        grads = []
        for position, (gradient, is_tensor) in enumerate(zip(found, self._is_tensor)):
            if is_tensor:
                grads.append(self._checked(gradient, len(grads), create_graph))
            elif gradient is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position "
                    f"{position + 1}, but the corresponding forward input was not a Variable"
                )
        return grads

    def _checked(self, gradient, index, create_graph):
        if gradient is None or self._next[index] is None:
            return None
        if not isinstance(gradient, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type_name(gradient)})")
        shape, dtype = self._likes[index]
        if gradient._array.shape != shape and not _expandable(shape, gradient._array.shape):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got "
                f"{list(gradient._array.shape)} but expected shape compatible with {list(shape)}"
            )
        return undo_broadcast(gradient if create_graph else gradient._array, shape, dtype)


def _expandable(shape, to):
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


class _Applies(type):
    """Every `Function` class has a node class of its own, named after it."""

    def __init__(cls, name, bases, namespace):
        super().__init__(name, bases, namespace)
        cls._backward_cls = type(FunctionCtx)(f"{name}Backward", (FunctionCtx,), {})


class Function(metaclass=_Applies):
    """Derive from this, write `forward` and `backward` as static methods, and call `apply`.

    `forward(ctx, *inputs)` computes (with recording off) and may `ctx.save_for_backward(...)`.
    `backward(ctx, *gradients)` receives the upstream gradient of each output, in its shape, and returns
    one gradient for each input, in its shape, or None where there is none. `setup_context(ctx, inputs,
    output)` may be written apart, then `forward` takes no ctx. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.Function.html
    """

    def __init__(self, *args, **kwargs):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself. Instantiating an autograd "
            "function will raise an error in a future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args, **kwargs):
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use "
            "new-style autograd function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the outputs. NotImplementedError for a Function that does not say how."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Save what `backward` needs, if `forward` takes no ctx.

        NotImplementedError for a Function that does not say how.
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        """The vector-Jacobian product: gradients of the inputs from those of the outputs.

        NotImplementedError for a Function that does not say how; `vjp` is another name for it.
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    vjp = backward

    @classmethod
    def _backward_of(cls):
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
                "should only implement one of them."
            )
        return cls.vjp if cls.backward is Function.backward else cls.backward

    @classmethod
    def apply(cls, *inputs, **options):
        """Compute the outputs and record how their gradients go back.

        What is no tensor among the outputs is handed on as it is.
        """
        context_apart = cls.setup_context is not Function.setup_context
        if context_apart:
            bound = inspect.signature(cls.forward).bind(*inputs, **options)
            bound.apply_defaults()
            inputs = bound.args
        elif options:
            inputs = _in_order(cls.forward, inputs, options)
        ctx = cls._backward_cls(cls, inputs)
        recorded = mode.enabled and any(ctx.needs_input_grad)
        with no_grad():
            if context_apart:
                outputs = cls.forward(*inputs)
                cls.setup_context(ctx, inputs, outputs)
            else:
                outputs = cls.forward(ctx, *inputs)
        several = isinstance(outputs, tuple)
        results = cls._connect(ctx, inputs, outputs if several else (outputs,), recorded)
        return tuple(results) if several else results[0]

    @classmethod
    def _connect(cls, ctx, inputs, outputs, recorded):
        """Give the outputs their place in the graph."""
        if not all(_among(dirty, outputs) for dirty in ctx._dirty):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. "
                "The inputs that are modified inplace must all be outputs of the Function."
            )
        ctx._out_likes = [
            (out._array.shape, out._array.dtype) if isinstance(out, Tensor) else None
            for out in outputs
        ]
        ctx._outputs = len(outputs)
        nodes = [None] * len(outputs)
        if recorded:
            ctx._number = count()
            if anomaly.enabled:
                anomaly.remember(ctx)
            nodes = ports(ctx, len(outputs)) if len(outputs) > 1 else [ctx]
        made = [None if _among(out, inputs) and not _among(out, ctx._dirty) else out for out in outputs]
        for x in ctx._dirty:
            meta_of(x).version.n += 1  # as in PyTorch, on top of what forward's own change counted
        if recorded:
            ctx._keep(made, nodes)
        results = [
            _placed(out, node, ctx, inputs) if isinstance(out, Tensor) else out
            for out, node in zip(outputs, nodes)
        ]
        ctx._dirty = ctx._non_differentiable = ()
        return results


def _placed(out, node, ctx, inputs):
    """An output with its place in the graph; an input that `forward` returned becomes a view of it."""
    given, dirty = _among(out, inputs), _among(out, ctx._dirty)
    if node is None or out._array.dtype.kind != "f" or _among(out, ctx._non_differentiable):
        if out.requires_grad and given:
            out = out.detach()
        elif out.requires_grad and not out._is_view():
            out.detach_()
        elif given and not dirty:
            out = _view_of(out)
    elif dirty:
        if out.is_leaf and out._requires_grad:
            raise RuntimeError(
                "a leaf Variable that requires grad has been used in an in-place operation."
            )
        check(out, True)
        rebase(out, node)
        meta_of(out).version.n -= 1  # the change is counted already
    else:
        out = _view_of(out) if given else out
        out._node, out._requires_grad = node, True
        if out._is_view():
            out._meta.seen, out._meta.borrowed = out._version, False
    if out._is_view() and not dirty:
        out._meta.origin = "several" if len(ctx._out_likes) > 1 else "function"
    return out


def _view_of(tensor):
    with no_grad():
        return view_as(tensor, tensor)


def _in_order(forward, inputs, options):
    """Arguments given by name among those given by position; TypeError where they do not fit."""
    signature = inspect.signature(forward).parameters.values()
    names = [p.name for p in signature if p.kind is p.POSITIONAL_OR_KEYWORD][1:]  # without ctx
    left = dict(options)
    for position, name in enumerate(names):
        if position < len(inputs):
            if name in left:
                raise TypeError(f"forward() got multiple values for argument '{name}'")
        elif left.keys() & set(names[position:]):
            if name not in left:
                raise TypeError(
                    f"forward() missing required argument: '{name}' (position {position})"
                )
            inputs = (*inputs, left.pop(name))
    for name in left:
        raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
    return inputs


def _among(tensor, tensors):
    return any(tensor is other for other in tensors)


class _Twice(Node, name="Error"):
    """The node behind a gradient that must not be differentiated again."""

    __slots__ = ()

    def apply(self, g, create_graph):
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def once_differentiable(function):
    """Mark a `backward` that is computed without recording: a second derivative is refused.

    That is a RuntimeError. Mirrors
    https://docs.pytorch.org/docs/2.13/generated/torch.autograd.function.once_differentiable.html
    """

    @functools.wraps(function)
    def wrapped(ctx, *gradients):
        with no_grad():
            found = function(ctx, *gradients)
        if not mode.enabled:
            return found
        if not any(isinstance(g, Tensor) and g.requires_grad for g in gradients):
            return found
        several = isinstance(found, tuple)
        guarded = []
        for gradient in found if several else (found,):
            if gradient is not None:
                gradient = gradient.detach()
                gradient._node, gradient._requires_grad = placed(_Twice.__new__(_Twice)), True
            guarded.append(gradient)
        return tuple(guarded) if several else guarded[0]

    return wrapped


mirror(vars(FunctionCtx), "generated/torch.autograd.function.FunctionCtx.{}.html")
__getattr__, __dir__ = absent(__name__), listed(globals())
