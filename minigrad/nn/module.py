"""`Module`, the base of all layers, losses and networks, and `Parameter`, what they learn.

A module keeps the parameters, modules and buffers that are assigned to it as attributes in three
dictionaries; so it can list them all, whatever else it holds.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html
"""

from collections import OrderedDict, namedtuple

import numpy as np

from .. import dtypes
from ..autograd.function import Function
from ..errors import type_name, warn
from ..hooks import Handle
from ..modes import mode, tell
from ..ops.exchange import device
from ..tensor import Meta, Tensor, make, meta_of


class Parameter(Tensor):
    """A tensor to be trained: a module that gets one as an attribute lists it in `parameters()`.

    It shares memory with `data`. RuntimeError for integers that should require grad.
    """

    __slots__ = ()
    _place = "torch.nn.parameter."

    def __new__(cls, data=None, requires_grad=True):
        data = make(np.empty(0, np.float32)) if data is None else data
        parameter = make(data._array, cls)
        parameter._meta = Meta(meta_of(data).version)
        return parameter.requires_grad_(requires_grad)

    def __deepcopy__(self, memo):
        memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return memo[id(self)]


def clear_grad(parameter, set_to_none):
    """Take a parameter's `.grad` away, or fill it with zeros."""
    grad = parameter._meta and parameter._meta.grad
    tell("cleared", parameter)
    if grad is not None and not set_to_none:
        grad.detach_()._array[...] = 0
        meta_of(grad).version.bump()
    elif grad is not None:
        parameter._meta.grad = None


class Module:
    """The base class: call `super().__init__()` first, assign layers, define `forward`."""

    def __init__(self):
        vars(self).update(training=True, _forward_hooks={}, _backward_hooks={})
        vars(self).update({kind: {} for kind in KINDS})

    def forward(self, *input):
        """The computation; every subclass defines its own (else NotImplementedError)."""
        name = type(self).__name__
        raise NotImplementedError(f'Module [{name}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        ends = _Ends(self, args) if self._backward_hooks else None
        args = ends.args if ends else args
        result = self.forward(*args, **kwargs)
        for hook in list(self._forward_hooks.values()):
            found = hook(self, args, result)
            result = result if found is None else found
        return watched(result, ends.entered) if ends else result

    def register_forward_hook(self, hook):
        """Call `hook(module, args, output)` after each `forward`; what it returns replaces that."""
        return Handle(self._forward_hooks, hook)

    def register_full_backward_hook(self, hook):
        """Call `hook(module, grad_input, grad_output)`, tuples, when backward has passed.

        What it returns replaces `grad_input`, the gradients for the arguments of `forward`.
        """
        return Handle(self._backward_hooks, hook)

    def __getattr__(self, name):
        for kind in KINDS:
            if name in vars(self).get(kind, ()):
                return vars(self)[kind][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        for kind, (cls, *_) in KINDS.items():
            new = isinstance(value, cls) and kind != "_buffers"  # a plain tensor is no buffer
            if new or name in vars(self).get(kind, ()):
                return self._hold(kind, name, value)
        return object.__setattr__(self, name, value)

    def _hold(self, kind, name, value):
        """Keep a value, or None, in the dictionary of its kind; what else had the name is gone."""
        cls, what, called, expected = KINDS[kind]
        if kind not in vars(self):
            raise AttributeError(f"cannot assign {what} before Module.__init__() call")
        if value is not None and not isinstance(value, cls):
            got = value.type() if isinstance(value, Tensor) else type_name(value)
            expected = f"({expected} or None expected)"
            raise TypeError(f"cannot assign '{got}' as {called} '{name}' {expected}")
        for other in (vars(self), *[vars(self)[other] for other in KINDS if other != kind]):
            other.pop(name, None)
        vars(self)[kind][name] = value

    def _register(self, kind, name, value):
        if not name or "." in name or hasattr(self, name) and name not in vars(self)[kind]:
            raise KeyError(f"attribute '{name}' already exists, or is empty, or contains a dot")
        self._hold(kind, name, value)

    def register_parameter(self, name, param):
        """Add a parameter, or None for one that is absent; KeyError for an unusable name."""
        self._register("_parameters", name, param)

    def register_buffer(self, name, tensor):
        """Add a tensor that belongs to the state but is not trained; KeyError as above."""
        self._register("_buffers", name, tensor)

    def add_module(self, name, module):
        """Add a module under a name; KeyError as above."""
        self._register("_modules", name, module)

    def named_modules(self, memo=None, prefix=""):
        """Pairs (name, module): this one, named `prefix`, and all below it, each once."""
        memo = set() if memo is None else memo
        if self not in memo:
            memo.add(self)
            yield prefix, self
            for name, module in self.named_children():
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name)

    def modules(self):
        """This module and all below it, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self):
        """Pairs (name, module) of the modules directly below."""
        return ((name, module) for name, module in self._modules.items() if module is not None)

    def children(self):
        """The modules directly below, each once."""
        return iter(dict.fromkeys([module for _, module in self.named_children()]))

    def named_parameters(self, prefix="", recurse=True):
        """Pairs (name, parameter), each once: of this module and, with `recurse`, all below it."""
        memo = {None}
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, parameter in module._parameters.items():
                if parameter not in memo:
                    memo.add(parameter)
                    yield (f"{path}.{name}" if path else name), parameter

    def parameters(self, recurse=True):
        """The parameters, each once; what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def apply(self, fn):
        """Call `fn(module)` for all modules below, then for this one; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Training mode, which dropout obeys, here and in all modules below; returns the module."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        """The opposite of `train()`; returns the module."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Turn recording on or off for all parameters; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Take the `.grad` of all parameters away, or fill it with zeros."""
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def to(self, target):
        """All parameters and buffers in another floating dtype, or on "cpu"; returns the module."""
        if isinstance(target, dtypes.dtype):
            for tensor in dict(self._state()).values():
                for held in (tensor, tensor.grad):
                    if held is not None and held.is_floating_point():
                        held.data = make(held._array.astype(target.numpy))
        else:
            device(target)
        return self

    def float(self):
        """All parameters and buffers as float32; returns the module."""
        return self.to(dtypes.float32)

    def double(self):
        """All parameters and buffers as float64; returns the module."""
        return self.to(dtypes.float64)

    def _state(self, prefix=""):
        """Pairs (name, tensor) of all parameters and buffers, those held twice by both names."""
        for name, tensor in (*self._parameters.items(), *self._buffers.items()):
            if tensor is not None:
                yield prefix + name, tensor
        for name, module in self.named_children():
            yield from module._state(f"{prefix}{name}.")

    def state_dict(self):
        """All parameters and buffers by name, detached: an OrderedDict that shares memory."""
        return OrderedDict([(name, tensor.detach()) for name, tensor in self._state()])

    def load_state_dict(self, state_dict, strict=True):
        """Copy tensors into the parameters and buffers of the same names.

        RuntimeError for sizes that do not fit and, if `strict`, for missing and unexpected names.
        """
        own, errors = dict(self._state()), []
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        for what, names in (("Missing", missing), ("Unexpected", unexpected)):
            if strict and names:
                listed = '", "'.join(names)
                errors.append(f'{what} key(s) in state_dict: "{listed}". ')
        for name in [name for name in own if name in state_dict]:
            here, there = own[name], state_dict[name]
            if there.shape == here.shape:
                here._array[...] = there._array
                meta_of(here).version.bump()
            else:
                errors.append(
                    f"size mismatch for {name}: copying a param with shape {there.shape} "
                    f"from checkpoint, the shape in current model is {here.shape}."
                )
        if errors:
            where = f"Error(s) in loading state_dict for {type(self).__name__}:"
            raise RuntimeError("\n\t".join([where, *errors]))
        return _IncompatibleKeys(missing, unexpected)

    def extra_repr(self):
        """What a module's text shows between the brackets; subclasses define it."""
        return ""

    def _labelled(self):
        """Pairs (label, text) of the modules directly below."""
        return [(f"({name})", repr(module)) for name, module in self._modules.items()]

    def __repr__(self):
        name, extra, below = type(self).__name__, self.extra_repr(), self._labelled()
        if not below and "\n" not in extra:
            return f"{name}({extra})"
        lines = [extra] * bool(extra) + [f"{label}: {text}" for label, text in below]
        inner = "\n".join(lines).replace("\n", "\n  ")
        return f"{name}(\n  {inner}\n)"


class BackwardHookFunction(Function):
    """Tensors as they are; the node is where a module's backward hooks see their gradients."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*[x for x in tensors if not x.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *grads):
        return grads


def watched(values, hook):
    """A tensor, or a tuple with some, through a node with a hook, if there are gradients to see."""
    if not isinstance(values, tuple):
        return watched((values,), hook)[0]
    tensors = [x for x in values if isinstance(x, Tensor)]
    if not (mode.enabled and any(x.requires_grad for x in tensors)):
        return values
    passed = BackwardHookFunction.apply(*tensors)
    next(x.grad_fn for x in passed if x.requires_grad).register_hook(hook)
    passed = iter(passed)
    return tuple([next(passed) if isinstance(x, Tensor) else x for x in values])


class _Ends:
    """The two ends of one call of a module, where its backward hooks hear of gradients."""

    def __init__(self, module, args):
        self.module, self.args = module, watched(args, self.left)
        self.alone, self.grad_output = self.args is args, ()  # no argument needs a gradient

    def entered(self, _, grad_output):
        """Backward comes in at the results."""
        self.grad_output = grad_output
        if self.alone:
            warn(ALONE)
            self.left((), _)

    def left(self, grads, _):
        """It has arrived at the arguments: the hooks are told of a gradient, or None, for each."""
        grads, tensors = iter(grads), [isinstance(x, Tensor) and not self.alone for x in self.args]
        grads = tuple([next(grads) if known else None for known in tensors])
        for hook in [*self.module._backward_hooks.values()] if self.grad_output else ():
            found = hook(self.module, grads, self.grad_output)
            if found is not None and len(found) != len(grads):
                raise RuntimeError(WRONG_NUMBER.format(len(found), len(grads)))
            grads = grads if found is None else found
        return tuple([grad for grad, known in zip(grads, tensors) if known]) or None


ALONE = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since "
    "no inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module."
    "html#torch.nn.Module.register_full_backward_hook for more details."
)
WRONG_NUMBER = "Backward hook returned an invalid number of grad_input, got {}, but expected {}"


# What a module holds: its class, and how messages call it.
KINDS = {
    "_parameters": (Parameter, "parameters", "parameter", "torch.nn.Parameter"),
    "_modules": (Module, "module", "child module", "torch.nn.Module"),
    "_buffers": (Tensor, "buffer", "buffer", "torch.Tensor"),
}


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` did not find, and what it found no use for."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"
