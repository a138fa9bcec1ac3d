"""How operations get their public names: as functions (`torch.exp(x)`) and as methods (`x.exp()`)."""

import functools
import inspect

from ..dtypes import type_name
from ..namespace import documented
from ..tensor import Tensor

BROADCAST = """The shape is that of both after broadcasting, the dtype the larger of the two. RuntimeError for
    shapes that do not broadcast, TypeError for what is no tensor or number."""
IN_PLACE = """The result is stored in the tensor itself, which is returned. RuntimeError for a leaf that requires
    grad, unless recording is off, and for what cannot be stored: more elements, floats in integers."""
FLAGS = ("keepdim", "descending", "largest", "sorted", "unbiased")
FUNCTIONS = {}  # public name -> function, collected by minigrad/__init__.py


def _documented(call, name, page):
    """The docstring of a public name with its page; what in-place forms have in common is said here."""
    if "__" not in name:
        if name.endswith("_"):
            _say_in_place(call, name[:-1])
        documented(call, f"generated/torch.{page}.html")
    call.__qualname__ = call.__name__  # what Python's own errors call it


def _say_in_place(call, name):
    """An in-place form does what the function of that name says, to the tensor itself."""
    doc = (call.__doc__ or f"`{name}`, in place.").rstrip()
    original = FUNCTIONS.get(name) or getattr(Tensor, name, None)
    if original and doc == f"`{name}`, in place.":
        says = original.__doc__.partition("\n")[0]
        doc = f"{doc[:-1]}: {says[0].lower()}{says[1:]}"
    if IN_PLACE not in doc:
        call.__doc__ = f"{doc}\n\n    {IN_PLACE}\n    "


def _other_names(call, also):
    """Under what other names arguments may be given: those of `also`, and NumPy's (`x.sum(axis=0)`)."""
    code = call.__code__
    takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    names = {"axis": "dim", "keepdims": "keepdim"} | (also or {})
    return {other: name for other, name in names.items() if name in takes and other not in takes}


def _renamed(kwargs, names):
    return {names.get(name, name): value for name, value in kwargs.items()}


def _flags(call):
    """The places of those parameters of `call` that are to be True or False, and the first of them."""
    code = call.__code__
    takes = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    places = {name: takes.index(name) for name in FLAGS if name in takes}
    return places, min(places.values(), default=0)


def _need_flags(places, args, kwargs):
    """TypeError for a flag that is no bool: `x.sum(0, 1)` does not ask for `keepdim`."""
    for name, place in places.items():
        value = args[place] if place < len(args) else kwargs.get(name, False)
        if not isinstance(value, bool):
            raise TypeError(f"argument '{name}' must be bool, not {type_name(value)}")


def as_function(call, name, names=(), insists=False):
    """What is called as `torch.name(...)`; `insists` on a tensor."""
    flags, first_flag = _flags(call)

    @functools.wraps(call)
    def called(*args, **kwargs):
        given = kwargs
        if kwargs and names:
            kwargs = _renamed(kwargs, names)
        try:
            if flags and (kwargs or len(args) > first_flag):
                _need_flags(flags, args, kwargs)
            if insists and args and not isinstance(args[0], Tensor):
                args = (_tensor_for(name, *args), *args[1:])
            return call(*args, **kwargs)
        except Exception:
            newer = explain(name, args, given)
            if newer is not None:
                return call(**newer)
            if "out" in given:
                from .out import stored

                return stored(called, name, args, **given)
            raise

    return called


def _tensor_for(name, number, *others):
    """The number in `torch.mul(2, x)` as a tensor; TypeError where PyTorch does not make it one."""
    from .convert import constant
    from .signatures import takes_a_number_first

    if isinstance(number, (int, float)) and takes_a_number_first(name, (number, *others)):
        like = next((other for other in others if isinstance(other, Tensor)), None)
        return FUNCTIONS["tensor"](number) if like is None else constant(number, like)
    raise wrong_type(name, "input", 1, number)


def _as_method(call, name, names):
    """What is called as `x.name(...)`; where nothing but the tensor is taken, nothing stands between."""
    code = call.__code__
    if code.co_argcount == 1 and not (code.co_kwonlyargcount or code.co_flags & inspect.CO_VARARGS):
        return call
    flags, first_flag = _flags(call)

    @functools.wraps(call)
    def called(*args, **kwargs):
        given = kwargs
        if kwargs and names:
            kwargs = _renamed(kwargs, names)
        try:
            if flags and (kwargs or len(args) > first_flag):
                _need_flags(flags, args, kwargs)
            return call(*args, **kwargs)
        except Exception:
            newer = explain(name, args[1:], given, method=True)
            if newer is None:
                raise
            return call(args[0], **newer)

    return called


def explain(name, args, kwargs, method=False):
    """PyTorch's TypeError, if what failed was called with arguments that do not fit.

    Or, if they fit an outdated form, the arguments under their names.
    """
    from .signatures import refuse

    return refuse(name, args, kwargs, method)


def function(call=None, *, name=None, also=None):
    """Publish `call` as a function of the package.

    `also` holds other names under which its arguments may be given: {other name: name}.
    """
    if call is None:
        return functools.partial(function, name=name, also=also)
    name = name or call.__name__
    _documented(call, name, name)
    FUNCTIONS[name] = as_function(call, name, _other_names(call, also))
    return call


def method(call=None, *, name=None, also=None):
    """Publish `call` as a method of `Tensor`; its first parameter is the tensor."""
    if call is None:
        return functools.partial(method, name=name, also=also)
    name = name or call.__name__
    _documented(call, name, f"Tensor.{name}")
    setattr(Tensor, name, _as_method(call, name, _other_names(call, also)))
    return call


def both(call=None, *, name=None, also=None):
    """Publish `call` as a function, which insists on a tensor, and as a method."""
    if call is None:
        return functools.partial(both, name=name, also=also)
    name = name or call.__name__
    _documented(call, name, f"Tensor.{name}" if name.endswith("_") else name)
    names = _other_names(call, also)
    FUNCTIONS[name] = as_function(call, name, names, insists=True)
    setattr(Tensor, name, _as_method(call, name, names))
    return call


def refuse_new(args, kwargs):
    """PyTorch's TypeError for what `Tensor(...)` does not take."""
    from .signatures import refuse_new

    refuse_new(args, kwargs)


def reading(call, name, *params):
    """`call` where what it does first is to read tensors: what is none is refused, once that has failed.

    `name` is that of PyTorch's function inside, `params` are the arguments that it takes first, with the
    names it has for them if they are others: "input:indices".
    """

    @functools.wraps(call)
    def called(*args, **kwargs):
        try:
            return call(*args, **kwargs)
        except Exception as error:
            if error.__traceback__.tb_next is None:  # it was not called as it is to be
                raise
            code = call.__code__
            given = dict(zip(code.co_varnames[: code.co_argcount], args)) | kwargs
            for place, param in enumerate(params, 1):
                param, _, shown = param.partition(":")
                if param in given and not isinstance(given[param], Tensor):
                    raise wrong_type(name, shown or param, place, given[param]) from None
            raise

    return called


def wrong_type(name, argument, position, value, wanted="Tensor"):
    """The error for an argument of the wrong type."""
    return TypeError(
        f"{name}(): argument '{argument}' (position {position}) must be {wanted}, "
        f"not {type_name(value)}"
    )
