"""How operations get their public names: functions (`torch.exp(x)`) and methods (`x.exp()`)."""

import functools

from ..inplace import in_place
from ..tensor import OPERATORS, Tensor
from .table import elementwise

PAGES = "https://docs.pytorch.org/docs/2.13/"
FUNCTIONS = {}  # public name -> function; minigrad/__init__.py publishes them
OPERATIONS = {}  # name -> what may be one of Python's operators, see tensor.OPERATORS
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
    """Publish an operation on each element of one operand: a line of a table (ops/table.py).

    `floats`: integers are converted to the default floating point type first. `node` is the name
    of its nodes, where it is not that of the function.
    """
    cls = elementwise(node or name.capitalize(), forward, rule, floats=floats)

    def call(input):
        return answered(name, cls.apply, input)

    return publish(cls, name, f"{doc} TypeError for what is no tensor.", call)


def two(name, forward, rule_x, rule_y, doc, *, in_place_too=True, **options):
    """Publish an operation on the elements of two operands: a line of a table (ops/table.py)."""
    cls = elementwise(name.capitalize(), forward, rule_x, rule_y, **options)
    doc = f"{doc} TypeError for what is neither tensor nor number."
    return publish(cls, name, doc, in_place_too=in_place_too)


def publish(cls, name, doc, call=None, in_place_too=True):
    """Publish the operation `cls` as a function, as a method and, in place, as `x.name_()`.

    `call` is the function, if it is more than `cls.apply`. Returns what serves as operator, and
    in rules.
    """
    operator(cls.apply, name)
    method(function(named(call or as_function(cls.apply, name), name, doc)))
    if in_place_too:

        def changed(input, *others):
            return in_place(cls, input, *others)

        doc = f"`{name}`, stored in the tensor itself, which is returned."
        method(named(changed, f"{name}_", doc))
    return cls.apply


def operator(call, name=None):
    """Keep what serves as one of Python's operators (tensor.OPERATORS), under a name."""
    OPERATIONS[name or call.__name__] = call
    return call


def as_function(operation, name):
    """An operation on two operands as a function: a TypeError where it knows no answer."""

    def call(input, other):
        return answered(name, operation, input, other)

    return call


def answered(name, operation, *operands):
    """What an operation answers. TypeError if it knows no answer, or there is no tensor."""
    if any([isinstance(operand, Tensor) for operand in operands]):
        result = operation(*operands)
        if result is not NotImplemented:
            return result
    kinds = " with ".join([type(operand).__name__ for operand in operands])
    raise TypeError(f"{name}() needs a tensor, not {kinds}")


def fill_operators():
    """Give `Tensor` Python's operators, as tensor.OPERATORS says."""
    for special, name in OPERATORS.items():
        found = OPERATIONS[name] if name in OPERATIONS else getattr(Tensor, name)
        setattr(Tensor, special, found)
