"""How operations get their public names: as functions (`torch.exp(x)`) and as methods (`x.exp()`)."""

import functools

from ..tensor import Tensor

PAGES = "https://docs.pytorch.org/docs/2.13/generated/torch."
FUNCTIONS = {}  # public name -> function, collected by minigrad/__init__.py


def _documented(call, page):
    """Note in the docstring which PyTorch page a public name mirrors, if that does not say so."""
    if call.__doc__ and "Mirrors " not in call.__doc__ and "__" not in page:
        call.__doc__ = f"{call.__doc__.rstrip()}\n\n    Mirrors {PAGES}{page}.html\n    "
    call.__qualname__ = call.__name__  # what Python's own errors call it


def function(call=None, *, name=None):
    """Publish `call` as a function of the package."""
    if call is None:
        return functools.partial(function, name=name)
    FUNCTIONS[name or call.__name__] = call
    _documented(call, name or call.__name__)
    return call


def method(call=None, *, name=None):
    """Publish `call` as a method of `Tensor`; its first parameter is the tensor."""
    if call is None:
        return functools.partial(method, name=name)
    setattr(Tensor, name or call.__name__, call)
    _documented(call, f"Tensor.{name or call.__name__}")
    return call


def both(call=None, *, name=None):
    """Publish `call` as a function, which insists on a tensor, and as a method."""
    if call is None:
        return functools.partial(both, name=name)
    name = name or call.__name__
    _documented(call, f"Tensor.{name}" if name.endswith("_") else name)

    @functools.wraps(call)
    def checked(*args, **kwargs):
        if args and not isinstance(args[0], Tensor):
            raise wrong_type(name, "input", 1, args[0])
        return call(*args, **kwargs)

    FUNCTIONS[name] = checked
    setattr(Tensor, name, call)
    return call


def type_name(value):
    """The name of a value's type as C code sees it: NumPy's types carry their module's name."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def wrong_type(name, argument, position, value, wanted="Tensor"):
    """The error for an argument of the wrong type."""
    return TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be {wanted}, "
        f"not {type_name(value)}"
    )
