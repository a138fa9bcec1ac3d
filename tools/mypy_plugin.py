"""What mypy is told of this project, since it reads programs and does not run them.

- The tables of operations give tensors their methods while `minigrad` is imported. Their names are
  asked of the engine itself; no other name is a method: `x.backwards()` is an error.
- What a class or its `__init__` sets to `None` or `()` is a place for anything, and so are a name
  in `__slots__` and what `__init_subclass__` gives to classes.
- An operation's rules have no `self`: they are functions of operands.
- A grad mode that is given a function, `no_grad(f)`, hands back a function.
"""

import sys
from pathlib import Path

from mypy.nodes import (
    MDEF,
    AssignmentStmt,
    ClassDef,
    FuncDef,
    ListExpr,
    MemberExpr,
    NameExpr,
    StrExpr,
    SymbolTableNode,
    TupleExpr,
    Var,
)
from mypy.plugin import Plugin
from mypy.types import AnyType, TypeOfAny


def plugin(version):
    """What mypy calls once it has loaded this file."""
    return Minigrad


class Minigrad(Plugin):
    def __init__(self, options):
        super().__init__(options)
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        import minigrad

        self.methods = sorted(set(dir(minigrad.Tensor)) - set(dir(object)))

    def report_config_data(self, context):
        """What makes mypy's kept answers worthless when it changes."""
        return self.methods

    def get_customize_class_mro_hook(self, fullname):
        return self.prepare if fullname.startswith("minigrad.") else None

    def get_function_hook(self, fullname):
        return around_a_function if fullname.startswith("minigrad.modes.") else None

    def prepare(self, context):
        """What is said of a class before its body is read."""
        cls = context.cls
        if cls.fullname == "minigrad.tensor.Tensor":
            body = {getattr(node, "name", None): node for node in cls.defs.body}
            add(cls, set(self.methods) - set(body))
            if "__getattr__" in body:  # which says that a name is not there
                cls.defs.body.remove(body["__getattr__"])
        add(cls, [*slots(cls), *given(cls)])
        for statement in statements(cls):
            if is_place(statement):
                statement.type = anything()
        if cls.info.has_base("minigrad.operation.Operation"):
            for node in cls.defs.body:
                if isinstance(node, FuncDef) and node.arg_names[:1] not in (["self"], ["cls"]):
                    node.is_static = True


def around_a_function(context):
    return anything() if any(context.args) else context.default_return_type


def anything():
    return AnyType(TypeOfAny.explicit)


def add(cls, names):
    """Attributes of which nothing but the name is known."""
    for name in names:
        variable = Var(name, anything())
        variable.info = cls.info
        cls.info.names[name] = SymbolTableNode(MDEF, variable)


def statements(cls):
    """The assignments of a class's body and of its `__init__`."""
    yield from (node for node in cls.defs.body if isinstance(node, AssignmentStmt))
    yield from assignments_in(cls, "__init__")


def assignments_in(cls, name):
    """The assignments that stand in a method, and in no block of it."""
    for node in cls.defs.body:
        if isinstance(node, FuncDef) and node.name == name:
            yield from (inner for inner in node.body.body if isinstance(inner, AssignmentStmt))


def given(cls):
    """The names x of `cls.x = ...` in `__init_subclass__`."""
    places = (place for node in assignments_in(cls, "__init_subclass__") for place in node.lvalues)
    return [place.name for place in places if isinstance(place, MemberExpr)]


def is_place(statement):
    """Whether it is `x = None`, `x = ()`, `self.x = None` or `self.x = ()`."""
    value, kinds = statement.rvalue, (NameExpr, MemberExpr)
    empty = isinstance(value, TupleExpr) and not value.items
    none = isinstance(value, NameExpr) and value.name == "None"
    single = len(statement.lvalues) == 1 and isinstance(statement.lvalues[0], kinds)
    return (none or empty) and single and statement.unanalyzed_type is None


def slots(cls: ClassDef):
    """The names in a class's `__slots__`, one or several."""
    for node in cls.defs.body:
        if isinstance(node, AssignmentStmt) and getattr(node.lvalues[0], "name", "") == "__slots__":
            several = isinstance(node.rvalue, (TupleExpr, ListExpr))
            for item in node.rvalue.items if several else [node.rvalue]:
                if isinstance(item, StrExpr):
                    yield from item.value.split()
