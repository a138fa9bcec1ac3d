"""How operations get their public names: functions (`torch.exp(x)`) and methods (`x.exp()`)."""

import functools

from ..inplace import in_place
from ..tensor import Tensor
from .table import of_one, of_two

PAGES = "https://docs.pytorch.org/docs/2.13/"
FUNCTIONS = {}  # public name -> function; minigrad/__init__.py publishes them
_ALIASES = {"axis": "dim", "keepdims": "keepdim"}


def named(call, name, doc):
    """A function that was made in a loop, with a name and a docstring of its own."""
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


def with_page(call, name):
    """A function whose docstring names PyTorch's page about it."""
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
    """Publish `call` as a function, which insists on a tensor, and as a method.

    NumPy's names of parameters are understood as in PyTorch: `x.sum(axis=0, keepdims=True)`.
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


def one(name, forward, rule, doc, *, floats=True, node=None):
    """Publish an elementwise operation on one operand, a line of a table; see `table.of_one`."""
    cls = of_one(node or name.capitalize(), forward, rule, floats=floats)
    return publish(cls, cls.apply, name, f"{doc} TypeError for what is no tensor.")


def two(name, forward, rule_x, rule_y, doc, *, in_place_too=True, **options):
    """Publish an elementwise operation on two operands, a line of a table; see `table.of_two`."""
    cls = of_two(name.capitalize(), forward, rule_x, rule_y, **options)
    doc = f"{doc} TypeError for what is neither tensor nor number."
    return publish(cls, as_function(cls.apply, name), name, doc, in_place_too)


def as_function(operator, name):
    """An operator as a function: where it knows no answer, a TypeError."""

    def call(input, other):
        result = operator(input, other)
        if result is NotImplemented:
            kinds = ", ".join(type(value).__name__ for value in (input, other))
            raise TypeError(f"{name}() takes tensors and numbers, not {kinds}")
        return result

    return call


def publish(cls, call, name, doc, in_place_too=True):
    """Publish `name` and, in place, `x.name_()`. Returns what serves as operator, and in rules."""
    method(function(named(call, name, doc)))
    if in_place_too:
        doc = f"`{name}`, stored in the tensor itself, which is returned."
        method(named(lambda input, *others: in_place(cls, input, *others), f"{name}_", doc))
    return cls.apply
