"""How operations get their public names: as functions (`torch.exp(x)`) and as methods (`x.exp()`)."""

import functools

from ..dtypes import type_name
from ..tensor import Tensor

PAGES = "https://docs.pytorch.org/docs/2.13/generated/torch."
FUNCTIONS = {}  # public name -> function, collected by minigrad/__init__.py


def _documented(call, page):
    """Note in the docstring which PyTorch page a public name mirrors, if that does not say so."""
    if call.__doc__ and "Mirrors " not in call.__doc__ and "__" not in page:
        call.__doc__ = f"{call.__doc__.rstrip()}\n\n    Mirrors {PAGES}{page}.html\n    "
    call.__qualname__ = call.__name__  # what Python's own errors call it


def _with_other_names(call, also):
    """`call`, whose arguments have other names `also`, and NumPy's: `x.sum(axis=0, keepdims=True)`."""
    code = call.__code__
    takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    names = {"axis": "dim", "keepdims": "keepdim"} | (also or {})
    names = {other: name for other, name in names.items() if name in takes and other not in takes}
    if not names:
        return call

    @functools.wraps(call)
    def renamed(*args, **kwargs):
        if kwargs and not names.keys().isdisjoint(kwargs):
            kwargs = {names.get(name, name): value for name, value in kwargs.items()}
        return call(*args, **kwargs)

    return renamed


def function(call=None, *, name=None, also=None):
    """Publish `call` as a function of the package.

    `also` holds other names under which its arguments may be given: {other name: name}.
    """
    if call is None:
        return functools.partial(function, name=name, also=also)
    FUNCTIONS[name or call.__name__] = _with_other_names(call, also)
    _documented(call, name or call.__name__)
    return call


def method(call=None, *, name=None, also=None):
    """Publish `call` as a method of `Tensor`; its first parameter is the tensor."""
    if call is None:
        return functools.partial(method, name=name, also=also)
    setattr(Tensor, name or call.__name__, _with_other_names(call, also))
    _documented(call, f"Tensor.{name or call.__name__}")
    return call


def both(call=None, *, name=None, also=None):
    """Publish `call` as a function, which insists on a tensor, and as a method."""
    if call is None:
        return functools.partial(both, name=name, also=also)
    name = name or call.__name__
    _documented(call, f"Tensor.{name}" if name.endswith("_") else name)

    call = _with_other_names(call, also)

    @functools.wraps(call)
    def checked(*args, **kwargs):
        if args and not isinstance(args[0], Tensor):
            raise wrong_type(name, "input", 1, args[0])
        return call(*args, **kwargs)

    FUNCTIONS[name] = checked
    setattr(Tensor, name, call)
    return call


def wrong_type(name, argument, position, value, wanted="Tensor"):
    """The error for an argument of the wrong type."""
    return TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be {wanted}, "
        f"not {type_name(value)}"
    )
