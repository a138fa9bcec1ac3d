"""Backward hooks of modules: functions that see the gradients of a module's outputs and inputs.

The tensors that go into the module pass through one node, those that come out through another; hooks on
these two nodes see all gradients at once.
Mirrors
https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook
"""

import functools
import warnings

from ..autograd import Function
from ..grad_mode import is_grad_enabled
from ..tensor import Tensor


class BackwardHookFunction(Function):
    """Passes tensors on, and gradients back, as they are."""

    @staticmethod
    def forward(ctx, *tensors):
        passed = [t.detach() for t in tensors]
        ctx.mark_non_differentiable(*[p for p, t in zip(passed, tensors) if not t.requires_grad])
        return tuple(passed)

    @staticmethod
    def backward(ctx, *gradients):
        return gradients


class BackwardHooks:
    """One call of a module with backward hooks."""

    def __init__(self, module):
        self.module = module
        self.grad_outputs = None  # what arrived at the outputs in the pass under way

    def inputs(self, args):
        """The arguments, on their way into the module."""
        self.count = len(args)
        args, self.places = self._through(args, self._after_inputs)
        return args

    def outputs(self, result):
        """The result, on its way out."""
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of "
                f"Tensors but received {type(result)}",
                stacklevel=3,
            )
            return result
        several = isinstance(result, tuple)
        found, _ = self._through(result if several else (result,), self._before_outputs)
        return found if several else found[0]

    def _through(self, values, arrange):
        """Let the tensors of a tuple pass one node, which `arrange(node, places, count)` equips.

        Returns the new tuple and the places of the tensors; None where nothing requires grad.
        """
        places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
        tensors = [values[i] for i in places]
        if not (is_grad_enabled() and any(t.requires_grad for t in tensors)):
            return values, None
        passed = list(values)
        for i, tensor in zip(places, BackwardHookFunction.apply(*tensors)):
            passed[i] = tensor
        node = next(t.grad_fn for t in passed if isinstance(t, Tensor) and t.grad_fn is not None)
        arrange(node, places, len(values))
        return tuple(passed), places

    def _after_inputs(self, node, places, count):
        def hook(grad_inputs, _):
            if self.grad_outputs is None:  # these gradients did not come through the module's outputs
                return None
            grads = spread(grad_inputs, places, count)
            for call in list(self.module._backward_hooks.values()):
                grads = replaced(grads, call(self.module, grads, self.grad_outputs), "", "grad_input")
            self.grad_outputs = None
            return tuple(grads[i] for i in places)

        node.register_hook(hook)

    def _before_outputs(self, node, places, count):
        def hook(grad_outputs):
            grads = spread(grad_outputs, places, count)
            for call in list(self.module._backward_pre_hooks.values()):
                grads = replaced(grads, call(self.module, grads), "pre ", "grad_output")
            self.grad_outputs = grads
            if self.places is None:  # no input requires grad: this is as far back as it goes
                self._without_inputs()
            return tuple(grads[i] for i in places)

        node.register_prehook(hook)

    def _without_inputs(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module "
            "outputs since no inputs require gradients. See https://docs.pytorch.org/docs/main/"
            "generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook for more "
            "details.",
            stacklevel=2,
        )
        nothing = (None,) * self.count
        for call in list(self.module._backward_hooks.values()):
            found = call(self.module, nothing, self.grad_outputs)
            if found is not None and not (isinstance(found, tuple) and set(found) == {None}):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always "
                    "return None or None for all gradients."
                )
        self.grad_outputs = None


def hook_the_last_node(module, args, result):
    """Let the hooks that were registered the old way see the gradients of the node that made the result."""
    first = result
    while not isinstance(first, Tensor):
        values = first.values() if isinstance(first, dict) else first[:1]
        first = next(value for value in values if isinstance(value, (Tensor, dict, list, tuple)))
    if first.grad_fn is None:
        return
    for hook in module._backward_hooks.values():
        first.grad_fn.register_hook(functools.partial(hook, module))
    what = _not_seen(args, result, first.grad_fn)
    if what is not None:
        case, missing, instead = what
        warnings.warn(
            f"Using {case} is deprecated and will be removed in future versions. This hook will be "
            f"missing some {missing}.{INSTEAD if instead else ''}",
            FutureWarning,
            stacklevel=3,
        )


INSTEAD = " Please use register_full_backward_hook to get the documented behavior."


def _not_seen(args, result, node):
    """Why a hook of the last node does not see all of a module, what it misses, whether others would; or None."""
    outputs = (result,) if isinstance(result, Tensor) else result
    for values, says, of in ((outputs, "return", "of the grad_output"), (args, "take as input", "of the grad_input")):
        if not isinstance(values, tuple) or not all(isinstance(value, Tensor) for value in values):
            case = f"non-full backward hooks on a Module that does not {says} a single Tensor or a tuple of Tensors"
            return case, of, True
    nodes = {output.grad_fn for output in outputs} - {None}
    case = "a non-full backward hook when "
    if len(nodes) == 1 and node not in nodes:
        return f"{case}outputs are nested in python data structure", "grad_output", False
    if len(nodes) > 1:
        return f"{case}outputs are generated by different autograd Nodes", "grad_output", True
    if {x.grad_fn for x in args} - {None} != {n for n, _ in node.next_functions}:
        return f"{case}the forward contains multiple autograd Nodes", "grad_input", True
    return None


def spread(tensors, places, count):
    """A tuple of `count` with tensors at their places and None elsewhere."""
    found = dict(zip(places, tensors))
    return tuple(found.get(i) for i in range(count))


def replaced(grads, found, kind, what):
    """The gradients a hook returned, or the ones it was given."""
    if found is None:
        return grads
    found = found if isinstance(found, tuple) else tuple(found)
    if len(found) != len(grads):
        raise RuntimeError(
            f"Backward {kind}hook returned an invalid number of {what}, got {len(found)}, but "
            f"expected {len(grads)}"
        )
    return found
