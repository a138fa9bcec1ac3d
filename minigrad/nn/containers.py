"""Modules that hold modules: `Sequential`, `ModuleList`, `ModuleDict`; and `ParameterList`.

Mirrors https://docs.pytorch.org/docs/2.13/nn.html#containers
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from operator import index as as_index

from ..tensor import Tensor
from .module import Module, framed, indented
from .parameter import Parameter


class _Row(Module):
    """Modules in a row, named "0", "1", ..."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def _name(self, position):
        """The name of the module at a position, which may count from the end."""
        position = as_index(position)
        if not -len(self) <= position < len(self):
            raise IndexError(f"index {position} is out of range")
        return list(self._modules)[position]

    def __getitem__(self, position):
        if isinstance(position, slice):
            return self._cut(list(self._modules.items())[position])
        return self._modules[self._name(position)]

    def __setitem__(self, position, module):
        setattr(self, self._name(position), module)

    def __delitem__(self, position):
        names = list(self._modules)
        for name in names[position] if isinstance(position, slice) else [self._name(position)]:
            delattr(self, name)
        self._set(list(self))

    def _set(self, modules):
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def append(self, module):
        """Put a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take a module out and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Row):
    """Modules one after the other: the output of each is the input of the next.

    The input has the shape that the first one takes, the output the one that the last one gives.
    """

    def __init__(self, *args):
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        for name, module in args[0].items() if named else enumerate(args):
            self.add_module(str(name), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def _cut(self, items):
        return type(self)(OrderedDict(items))

    def insert(self, index, module):
        """Put a module before the one at `index`; returns the container.

        AssertionError for what is no module, IndexError for a place that is not there.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._set(modules)
        return self

    def extend(self, sequential):
        """Put the modules of another container at the end; returns the container."""
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other):
        return Sequential(*self, *_sequential(other))

    def __iadd__(self, other):
        return self.extend(list(_sequential(other)))

    def __mul__(self, times):
        return Sequential(*list(self) * _times(self, times))

    __rmul__ = __mul__

    def __imul__(self, times):
        return self.extend(list(self) * (_times(self, times) - 1))


def _sequential(other):
    if not isinstance(other, Sequential):
        raise ValueError(
            f"add operator supports only objects of Sequential class, but {type(other)} is given."
        )
    return other


def _times(row, times):
    if not isinstance(times, int):
        raise TypeError(f"unsupported operand type(s) for *: {type(row)} and {type(times)}")
    if times <= 0:
        raise ValueError(f"Non-positive multiplication factor {times} for {type(row)}")
    return times


class ModuleList(_Row):
    """A list of modules; all are found by `parameters()` and its like."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _cut(self, items):
        return type(self)([module for _, module in items])

    def insert(self, index, module):
        """Put a module before the one at `index`."""
        modules = list(self)
        modules.insert(index, module)
        self._set(modules)

    def extend(self, modules):
        """Put modules at the end; returns the list. TypeError for what cannot be iterated over."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got " + type(modules).__name__
            )
        for module in list(modules):
            self.append(module)
        return self

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def __repr__(self):
        """Equal neighbours share a line: (0-1): 2 x Linear(...)."""
        blocks = []  # [first, last, text]
        for i, text in enumerate(map(repr, self)):
            if blocks and blocks[-1][2] == text:
                blocks[-1][1] = i
            else:
                blocks.append([i, i, text])
        lines = [
            f"({first}): {indented(text)}" if first == last
            else f"({first}-{last}): {last - first + 1} x {indented(text)}"
            for first, last, text in blocks
        ]  # fmt: skip
        return framed(self._get_name(), [], lines)


class _ByName(Module):
    """What `ModuleDict` and `ParameterDict` share: a dictionary of what the module holds."""

    kind = called = None  # which of the module's dictionaries it is; its name in messages

    def __init__(self, held=None):
        super().__init__()
        if held is not None:
            self.update(held)

    @property
    def _held(self):
        return self.__dict__[self.kind]

    def __getitem__(self, key):
        return self._held[key]

    def __delitem__(self, key):
        del self._held[key]

    def __len__(self):
        return len(self._held)

    def __iter__(self):
        return iter(self._held)

    def __contains__(self, key):
        return key in self._held

    def keys(self):
        """The names, in order."""
        return self._held.keys()

    def items(self):
        """Pairs of names and what goes by them, in order."""
        return self._held.items()

    def values(self):
        """What is held, in order."""
        return self._held.values()

    def update(self, held):
        """Add what a mapping, or pairs with names, hold; TypeError for what holds no pairs."""
        if not isinstance(held, Iterable):
            raise TypeError(
                f"{self.called}.update should be called with an iterable of key/value pairs, but "
                f"got {type(held).__name__}"
            )
        for key, value in held.items() if isinstance(held, (Mapping, _ByName)) else held:
            self[key] = value

    def pop(self, key):
        """Take out what goes by a name, and return it; KeyError if there is nothing."""
        return self._held.pop(key)

    def clear(self):
        """Take everything out."""
        self._held.clear()


class ModuleDict(_ByName):
    """Modules by name; all are found by `parameters()` and its like."""

    kind, called = "_modules", "ModuleDict"

    def __init__(self, modules=None):
        super().__init__(modules)

    def __setitem__(self, key, module):
        self.add_module(key, module)


class ParameterList(Module):
    """A list of parameters, attributes "0", "1", ...; tensors that are put in become parameters.

    Other values are kept as they are. TypeError for what cannot be gone through, IndexError for a place
    that is not there.
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __len__(self):
        return self._size

    def __iter__(self):
        return (getattr(self, str(i)) for i in range(self._size))

    def _name(self, index):
        if not -self._size <= as_index(index) < self._size:
            raise IndexError(f"index {index} is out of range")
        return str(range(self._size)[index])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, self._name(index))

    def __setitem__(self, index, value):
        setattr(self, self._name(index), _parameter(value))

    def append(self, value):
        """Put a value at the end; returns the list."""
        self._size += 1
        self[-1] = value
        return self

    def extend(self, values):
        """Put values at the end; returns the list. TypeError for what cannot be gone through."""
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got " + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values):
        return self.extend(values)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")

    def extra_repr(self):
        return "\n".join(_described(i, value, str(value.dtype)) if isinstance(value, Tensor) else
                         f"  ({i}): Object of type: {type(value).__name__}" for i, value in enumerate(self))  # fmt: skip


def _described(name, parameter, kind):
    size = "x".join(map(str, parameter.shape))
    return f"  ({name}): Parameter containing: [{kind} of size {size}]"


def _parameter(value):
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        return Parameter(value)
    return value


class ParameterDict(_ByName):
    """Parameters by name; tensors that are put in become parameters."""

    kind, called = "_parameters", "ParametersDict"

    def __init__(self, parameters=None):
        super().__init__(parameters)

    def __getitem__(self, key):
        return getattr(self, str(key))

    def __setitem__(self, key, value):
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}'). Open an issue on github if you need non-string keys."
            )
        self.register_parameter(key, _parameter(value))

    def get(self, key, default=None):
        """The parameter of that name, or `default`."""
        return self._held.get(key, default)

    def extra_repr(self):
        return "\n".join(_described(name, p, p.type()) for name, p in self.items())
