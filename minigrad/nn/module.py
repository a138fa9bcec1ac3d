"""`Module`: the base of all layers, losses and networks.

A module keeps the parameters, buffers and modules it is given as attributes in three dictionaries, so
that it can list them, whatever else it holds.
Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.nn.Module.html
"""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from .. import dtypes
from ..grad_mode import no_grad
from ..hooks import RemovableHandle
from ..namespace import mirror
from ..properties import need_cpu
from ..tensor import Tensor
from .parameter import Buffer, Parameter


def typename(value):
    """How PyTorch's messages call the type of a value: 'torch.FloatTensor', 'int', 'numpy.ndarray'."""
    if isinstance(value, Tensor):
        return value.type()
    named = value if hasattr(value, "__qualname__") else type(value)  # a class says its own name
    if named.__module__ in (None, "builtins"):
        return named.__qualname__
    return f"{named.__module__}.{named.__qualname__}"


class IncompatibleKeys(namedtuple("IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What `load_state_dict` did not find, and what it found no use for."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        fields = f"missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys}"
        return f"_IncompatibleKeys({fields})"

    __str__ = __repr__


class Module:
    """The base class: call `super().__init__()` first, assign layers, define `forward`.

    Parameters, buffers and modules that are assigned as attributes are found by `parameters()`, `to()`,
    `state_dict()` and so on. TypeError for arguments of `super().__init__`.
    """

    _version = 1
    training = True

    def __init__(self, *args, **kwargs):
        name = f"{type(self).__name__}.__init__()"
        if kwargs:
            raise TypeError(f"{name} got an unexpected keyword argument '{next(iter(kwargs))}'")
        if args:
            raise TypeError(f"{name} takes 1 positional argument but {len(args) + 1} were given")
        self.__dict__.update(
            training=True, _parameters={}, _buffers={}, _non_persistent_buffers_set=set(),
            _modules={}, _forward_pre_hooks={}, _forward_hooks={}, _backward_pre_hooks={},
            _backward_hooks={}, _is_full_backward_hook=None,
        )  # fmt: skip

    def forward(self, *input):
        """The computation; every subclass defines its own (else NotImplementedError)."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        """`forward`, between the hooks."""
        if not (
            self._forward_pre_hooks or self._forward_hooks
            or self._backward_hooks or self._backward_pre_hooks
        ):  # fmt: skip
            return self.forward(*args, **kwargs)
        for hook, with_kwargs in list(self._forward_pre_hooks.values()):
            if with_kwargs:
                found = hook(self, args, kwargs)
                if found is not None:
                    args, kwargs = _pair(found)
            else:
                found = hook(self, args)
                if found is not None:
                    args = found if isinstance(found, tuple) else (found,)
        backward = None
        full = self._is_full_backward_hook
        if full and self._backward_hooks or self._backward_pre_hooks:
            from .hooks import BackwardHooks

            backward = BackwardHooks(self)
            args = backward.inputs(args)
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in list(self._forward_hooks.values()):
            found = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            if found is not None:
                result = found
        if backward is not None:
            result = backward.outputs(result)
        if not full and self._backward_hooks:
            from .hooks import hook_the_last_node

            hook_the_last_node(self, args, result)
        return result

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args)` before each `forward`; what it returns replaces the arguments."""
        return _register(self._forward_pre_hooks, (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call `hook(module, args, output)` after each `forward`; its result replaces the output."""
        return _register(self._forward_hooks, (hook, with_kwargs), prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call `hook(module, grad_output)` when the gradients of all outputs have arrived."""
        return _register(self._backward_pre_hooks, hook, prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call `hook(module, grad_input, grad_output)` when the gradients of all inputs are there.

        Both are tuples; what the hook returns replaces `grad_input`.
        """
        self._hooks_are_full(True)
        return _register(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """The old way: `hook(module, grad_input, grad_output)` for the node that made the output alone.

        FutureWarning, when the module is called, where that is not all of the module. RuntimeError for a
        module that has full backward hooks.
        """
        self._hooks_are_full(False)
        return _register(self._backward_hooks, hook, False)

    def _hooks_are_full(self, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = full

    # -- attributes ------------------------------------------------------------------------------

    def __getattr__(self, name):
        for kind in ("_parameters", "_buffers", "_modules"):
            held = self.__dict__.get(kind)
            if held is not None and name in held:
                return held[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        parameters, buffers, modules = [
            self.__dict__.get(kind) for kind in ("_parameters", "_buffers", "_modules")
        ]
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, self.__dict__, buffers, modules)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' "
                    "(torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, self.__dict__, parameters, buffers)
            modules[name] = value
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' "
                    "(torch.nn.Module or None expected)"
                )
            modules[name] = value
        elif isinstance(value, Buffer) or (buffers is not None and name in buffers):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{typename(value)}' as buffer '{name}' "
                    "(torch.nn.Buffer, torch.Tensor or None expected)"
                )
            if isinstance(value, Buffer):
                persistent = value.persistent
            else:
                persistent = name not in self._non_persistent_buffers_set
            self.register_buffer(name, value, persistent)
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, *holders):
        for held in holders:
            held.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def __delattr__(self, name):
        for held in (self._parameters, self._buffers, self._modules):
            if name in held:
                del held[name]
                self._non_persistent_buffers_set.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self):
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(name for name in names if not name[0].isdigit())

    def _check_name(self, kind, name, held):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in held and "." not in name and name:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            found = f", got: {name}" if kind == "module" else ""
            raise KeyError(f'{kind} name can\'t contain "."{found}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def register_parameter(self, name, param):
        """Add a parameter (or None, for one that is absent) under a name.

        AttributeError before `Module.__init__`, KeyError for an unusable name, TypeError for what is no
        Parameter, ValueError for a computed tensor.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' "
                "(torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                "the value in the forward() method."
            )
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that belongs to the state but is not trained; persistent: in `state_dict`.

        AttributeError before `super().__init__()`, TypeError for what is no tensor, KeyError for a name
        that is taken or holds a dot.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                "(torch Tensor or None required)"
            )
        self._buffers[name] = tensor
        change = self._non_persistent_buffers_set
        change.discard(name) if persistent else change.add(name)

    def add_module(self, name, module):
        """Add a child module under a name; TypeError if it is none, KeyError if the name is taken."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules)
        self._modules[name] = module

    register_module = add_module

    # -- what it holds ---------------------------------------------------------------------------

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """Pairs (name, module): this one, named `prefix`, and all below it, each once."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                below = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, below, remove_duplicate)

    def modules(self):
        """This module and all below it, each once."""
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        """Pairs (name, module) of the modules directly below, each once."""
        memo = set()
        for name, module in self._modules.items():
            if module is not None and module not in memo:
                memo.add(module)
                yield name, module

    def children(self):
        """The modules directly below, each once."""
        for _, module in self.named_children():
            yield module

    def _named_members(self, kind, prefix, recurse, remove_duplicate):
        memo = set()
        modules = [(prefix, self)]
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules:
            for name, tensor in getattr(module, kind).items():
                if tensor is None or id(tensor) in memo:
                    continue
                if remove_duplicate:
                    memo.add(id(tensor))
                yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs (name, parameter), of this module and, with `recurse`, of all below it."""
        yield from self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters, each once; what an optimizer is given."""
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Pairs (name, buffer), of this module and, with `recurse`, of all below it."""
        yield from self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers, each once, of this module and, with `recurse`, of all below it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def get_submodule(self, target):
        """The module of a dotted name such as "features.0"; AttributeError if there is none."""
        module = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def get_parameter(self, target):
        """The parameter of a dotted name; AttributeError if there is none."""
        return self._get_member(target, "_parameters", "an nn.Parameter")

    def get_buffer(self, target):
        """The buffer of a dotted name; AttributeError if there is none."""
        return self._get_member(target, "_buffers", "a buffer")

    def _get_member(self, target, kind, what):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in getattr(module, kind):
            raise AttributeError(f"`{name}` is not {what}")
        return getattr(module, name)

    # -- changing all at once --------------------------------------------------------------------

    def apply(self, fn):
        """Call `fn(module)` for all modules below and for this one; returns the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode=True):
        """Training mode, which dropout and batch norm obey, for this module and all below it.

        Returns the module. ValueError for what is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
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

    def to(self, *args, dtype=None, device=None, non_blocking=False):
        """All parameters and buffers of floating point in another dtype; the device is the CPU.

        Returns the module. TypeError for a dtype of integers.
        """
        for arg in args:
            if isinstance(arg, Tensor):
                dtype = arg.dtype
            elif isinstance(arg, dtypes.dtype):
                dtype = arg
            elif not isinstance(arg, bool):
                device = arg
        need_cpu(device)
        if dtype is not None and not dtype.is_floating_point:
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )
        if dtype is None:
            return self
        return self._apply(lambda tensor: tensor.to(dtype) if tensor.is_floating_point() else tensor)

    def _apply(self, fn):
        for module in self.modules():
            for held in (*module._parameters.values(), *module._buffers.values()):
                if held is not None:
                    held.data = fn(held.data)
                    if held._meta is not None and held._meta.grad is not None:
                        held._meta.grad.data = fn(held._meta.grad.data)
        return self

    def cpu(self):
        """The module itself: it is on the CPU."""
        return self

    def cuda(self, device=None):
        """Refused: there is no device but the CPU."""
        need_cpu("cuda")

    def half(self):
        """All parameters and buffers of floating point as float16; returns the module."""
        return self.to(dtypes.float16)

    def float(self):
        """All parameters and buffers of floating point as float32; returns the module."""
        return self.to(dtypes.float32)

    def double(self):
        """All parameters and buffers of floating point as float64; returns the module."""
        return self.to(dtypes.float64)

    def type(self, dst_type):
        """All parameters and buffers as one type; returns the module."""
        return self._apply(lambda tensor: tensor.type(dst_type))

    # -- saving and loading ----------------------------------------------------------------------

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by name, detached: an OrderedDict sharing memory."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                "state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination, prefix, keep_vars = [*args, *(None, "", False)[len(args) :]]
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = {"version": self._version}
        for name, tensor in self._state():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        return destination

    def _state(self):
        """Pairs (name, tensor) of this module's own parameters and persistent buffers."""
        for name, tensor in (*self._parameters.items(), *self._buffers.items()):
            if tensor is not None and name not in self._non_persistent_buffers_set:
                yield name, tensor

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy (or, with `assign`, put) tensors into the parameters and buffers of the same names.

        RuntimeError that lists missing and unexpected keys, if `strict`, and sizes that do not fit.
        TypeError for what is no dictionary.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", {})
        self._load(dict(state_dict), "", metadata, assign, missing, unexpected, errors)
        if strict:
            for what, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    listed = ", ".join(f'"{key}"' for key in keys)
                    errors.insert(0, f"{what} key(s) in state_dict: {listed}. ")
        if errors:
            lines = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return IncompatibleKeys(missing, unexpected)

    def _complete(self, given, prefix, version):
        """Add to `given` what an older version of this module did not save."""

    def _load(self, given, prefix, metadata, assign, missing, unexpected, errors):
        self._complete(given, prefix, metadata.get(prefix[:-1], {}).get("version"))
        own = dict(self._state())
        for name, tensor in own.items():
            key = prefix + name
            if key in given:
                error = self._load_one(name, tensor, key, given[key], assign)
                if error:
                    errors.append(error)
            else:
                missing.append(key)
        for key in given:
            first, _, below = key.removeprefix(prefix).partition(".")
            if first not in (self._modules if below else own):
                unexpected.append(key)
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}{name}."
                part = {key: value for key, value in given.items() if key.startswith(path)}
                module._load(part, path, metadata, assign, missing, unexpected, errors)

    def _load_one(self, name, tensor, key, value, assign):
        """Load one tensor; the text of the error, if any."""
        if not isinstance(value, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like '
                f"object from checkpoint but received {type(value)}"
            )
        if value.shape != tensor.shape:
            if tensor.shape == () and value.shape == (1,):
                value = value[0]
            else:
                return (
                    f"size mismatch for {key}: copying a param with shape {value.shape} from "
                    f"checkpoint, the shape in current model is {tensor.shape}."
                )
        if not assign:
            with no_grad():
                tensor.copy_(value)
            return None
        if isinstance(tensor, Parameter):
            value = Parameter(value, tensor.requires_grad)
        setattr(self, name, value)

    # -- text ------------------------------------------------------------------------------------

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What a module's text shows between the brackets; subclasses define it."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(m))}" for name, m in self._modules.items()]
        return framed(self._get_name(), lines, children)


def framed(name, lines, children):
    """A module's text: on one line if there is one line and no child, else indented."""
    if not children and len(lines) == 1:
        return f"{name}({lines[0]})"
    inner = "".join(f"\n  {line}" for line in (*lines, *children))
    return f"{name}({inner}\n)" if inner else f"{name}()"


def indented(text):
    """A child's text: all lines but the first moved right by two, blank lines left empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *[f"  {line}" if line.strip() else "" for line in rest]])


def clear_grad(parameter, set_to_none):
    """Take a tensor's `.grad` away, or fill it with zeros."""
    meta = parameter._meta
    if meta is None or meta.grad is None:
        return
    if set_to_none:
        meta.grad = None
        return
    grad = meta.grad
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def _register(hooks, entry, prepend):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = entry
    if prepend:
        rest = [(key, hooks.pop(key)) for key in list(hooks) if key != handle.id]
        hooks.update(rest)
    return handle


def _pair(found):
    if isinstance(found, tuple) and len(found) == 2:
        return found
    raise RuntimeError(
        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {found}."
    )


mirror(vars(Module), "generated/torch.nn.Module.html#torch.nn.Module.{}")
