"""The decorators that make a `def` the function `torch.sum(x)` and the method `x.sum()`."""

import functools

from ..tensor import Tensor

PAGES = "https://docs.pytorch.org/docs/2.13/"
FUNCTIONS = {}  # public name -> function; minigrad/__init__.py publishes them
_ALIASES = {"axis": "dim", "keepdims": "keepdim"}


def with_page(call, name):
    """A function or class, with the address of PyTorch's page about it added to its docstring."""
    if call.__doc__ and "Mirrors" not in call.__doc__ and name[-2:] != "__":
        page = f"Mirrors {PAGES}generated/torch.{name}.html"
        call.__doc__ = f"{call.__doc__.rstrip()}\n\n    {page}\n    "
    return call


def function(call):
    """Publish `call` as a function of the package."""
    FUNCTIONS[call.__name__] = with_page(call, call.__name__)
    return call


def method(call):
    """Publish `call` as a method of `Tensor`; its first parameter is the tensor."""
    setattr(Tensor, call.__name__, with_page(call, f"Tensor.{call.__name__}"))
    return call


def both(call):
    """Publish `call` as a function, which raises TypeError without a tensor, and as a method.

    NumPy's names of parameters work, too, as in PyTorch: `x.sum(axis=0, keepdims=True)`.
    """
    code = with_page(call, call.__name__).__code__
    params = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    renamed = {alias: name for alias, name in _ALIASES.items() if name in params}

    @functools.wraps(call)
    def called(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            kind = type(input).__name__
            raise TypeError(f"{call.__name__}() needs a tensor, not {kind}; torch.tensor makes one")
        if kwargs:
            kwargs = {renamed.get(name, name): value for name, value in kwargs.items()}
        return call(input, *args, **kwargs)

    method(called if renamed else call)
    FUNCTIONS[call.__name__] = called
    return call
