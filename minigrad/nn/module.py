"""`Module`, the base of all layers, losses and networks, and `Parameter`, what they learn.

A module finds its parameters and the modules below it among its attributes, by their type.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html
"""

from collections import OrderedDict, namedtuple

from .. import dtypes
from ..compat.devices import device
from ..errors import type_name
from ..modes import tell
from ..tensor import Meta, Tensor, make, meta_of


class Parameter(Tensor):
    """A tensor to be trained: a module that gets one as an attribute lists it in `parameters()`.

    It shares memory with `data`. Raises RuntimeError for integers that should require grad.
    """

    __slots__ = ()
    _place = "torch.nn.parameter."

    def __new__(cls, data, requires_grad=True):
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
        plain = grad.requires_grad_(False) if grad.is_leaf else grad.detach_()
        plain._array[...] = 0
        meta_of(grad).version.count += 1
    elif grad is not None:
        parameter._meta.grad = None


class Module:
    """The base class: call `super().__init__()` first, assign layers, define `forward`."""

    def __init__(self):
        self.training, self._buffers = True, set()  # names of tensors that are not trained

    def forward(self, *input):
        """The computation; every subclass defines its own (else NotImplementedError)."""
        name = type(self).__name__
        raise NotImplementedError(f'Module [{name}] is missing the required "forward" function')

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def __setattr__(self, name, value):
        before = vars(self).get(name)
        for kind, (many, one, expected) in KINDS.items():
            if isinstance(value, kind):
                if "training" not in vars(self):
                    raise AttributeError(f"cannot assign {many} before Module.__init__() call")
                break
            if isinstance(before, kind) and value is not None:
                got = value.type() if isinstance(value, Tensor) else type_name(value)
                expected = f"({expected} or None expected)"
                raise TypeError(f"cannot assign '{got}' as {one} '{name}' {expected}")
        object.__setattr__(self, name, value)

    def add_module(self, name, module):
        """Add a module under a name, which need not be one for an attribute: "0"."""
        setattr(self, name, module)

    def register_buffer(self, name, tensor):
        """Add a tensor that belongs to the state but is not trained."""
        self._buffers.add(name)
        setattr(self, name, tensor)

    def _held(self, kind):
        """Pairs (name, value) of the attributes that are parameters, or modules."""
        return [(name, value) for name, value in vars(self).items() if isinstance(value, kind)]

    def named_modules(self, memo=None, prefix=""):
        """Pairs (name, module): this one, named `prefix`, and all below it, each once."""
        memo = set() if memo is None else memo
        if self not in memo:
            memo.add(self)
            yield prefix, self
            for name, module in self._held(Module):
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name)

    def modules(self):
        """This module and all below it, each once."""
        return (module for _, module in self.named_modules())

    def named_children(self):
        """Pairs (name, module) of the modules directly below, each once."""
        names = {}
        for name, module in self._held(Module):
            names.setdefault(module, name)
        return ((name, module) for module, name in names.items())

    def children(self):
        """The modules directly below, each once."""
        return (module for _, module in self.named_children())

    def register_parameter(self, name, param):
        """Keep a parameter, or None, under this name."""
        setattr(self, name, param)

    def named_parameters(self):
        """Pairs (name, parameter), each once: of this module and all below it."""
        seen = set()
        for path, module in self.named_modules():
            for name, parameter in module._held(Parameter):
                if parameter not in seen:
                    seen.add(parameter)
                    yield (f"{path}.{name}" if path else name), parameter

    def parameters(self):
        """The parameters, each once; what an optimizer is given."""
        return (parameter for _, parameter in self.named_parameters())

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
        if not isinstance(target, dtypes.dtype):
            device(target)
            return self
        for tensor in dict(self._state()).values():
            for held in (tensor, tensor.grad):
                if held is not None and held.is_floating_point():
                    held.data = make(held._array.astype(target.numpy))
        return self

    def float(self):
        """All parameters and buffers as float32; returns the module."""
        return self.to(dtypes.float32)

    def double(self):
        """All parameters and buffers as float64; returns the module."""
        return self.to(dtypes.float64)

    def _state(self, prefix=""):
        """Pairs (name, tensor) of all parameters and buffers, those held twice by both names."""
        buffers = [(name, vars(self)[name]) for name in vars(self) if name in self._buffers]
        for name, tensor in (*self._held(Parameter), *buffers):
            if tensor is not None:
                yield prefix + name, tensor
        for name, module in self._held(Module):
            yield from module._state(f"{prefix}{name}.")

    def state_dict(self):
        """All parameters and buffers by name, detached: an OrderedDict that shares memory."""
        return OrderedDict([(name, tensor.detach()) for name, tensor in self._state()])

    def load_state_dict(self, state_dict, strict=True):
        """Copy tensors into the parameters and buffers of the same names.

        Raises RuntimeError for other sizes and, if `strict`, for missing and unexpected names.
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
                meta_of(here).version.count += 1
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

    def __repr__(self):
        name, extra, below = type(self).__name__, self.extra_repr(), self._held(Module)
        if not below:
            return f"{name}({extra})"
        lines = [extra] if extra else []
        lines += [f"({label}): {module!r}" for label, module in below]
        inner = "\n".join(lines).replace("\n", "\n  ")
        return f"{name}(\n  {inner}\n)"


# What a module finds among its attributes, and how messages call it.
KINDS = {
    Parameter: ("parameters", "parameter", "torch.nn.Parameter"),
    Module: ("module", "child module", "torch.nn.Module"),
}


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """The names that `load_state_dict` missed, and those that it could not use."""

    def __repr__(self):
        return super().__repr__() if any(self) else "<All keys matched successfully>"
