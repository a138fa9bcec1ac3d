"""How a node looks from outside: PyTorch's names for it, for its operands and for what it saved.

Nothing here decides what a pass computes. It is for programs that print `y.grad_fn`, walk
`next_functions` or read `_saved_other`, and for hooks, which get the gradients of a node's
operands. Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#grad-fn
"""

from .errors import FREED

# the names of saved values in rules, and in PyTorch
SAVED_NAMES = {"x": "self", "y": "other", "out": "result", "x_shape": "self_sym_sizes"}


class NodeType(type):
    """Node classes print as in PyTorch: <class 'AddBackward0'>."""

    _place = ""  # the module that PyTorch shows before the name of a user's Function

    def __repr__(cls):
        return f"<class '{cls._place}{cls.__name__}'>"


def short_name(node):
    """A node's name as error messages have it: Add for AddBackward0, Pow1 for PowBackward1."""
    name = type(node._owner).name(node._owner)  # a user may keep a `ctx.name`
    kind, backward, number = name.rpartition("Backward")
    return kind + number.removeprefix("0") if backward and "::" not in name else name


# --- operands -------------------------------------------------------------------------------------


def shown_operands(operands, wanted):
    """For each operand with a rule, its place among those that get a gradient, or None."""
    return tuple([wanted.index(i) if i in wanted else None for i in operands])


def shown(node, values):
    """Edges or gradients of a node as PyTorch shows them: for each operand one, or None."""
    return [None if place is None else values[place] for place in node._shown]


def taken_back(node, values):
    """The inverse of `shown`: the values for operands that have an edge, in that order."""
    taken = [None] * len(node._next)
    for place, value in zip(node._shown, values):
        if place is not None:
            taken[place] = value
    return taken


# --- what was saved -------------------------------------------------------------------------------


class Saved:
    """`node._saved_self` and the like: what a node saved, under PyTorch's name for it."""

    def __init__(self, names):
        self.names = names

    def __get__(self, node, kind=None):
        if node is None:
            return self
        places = [i for i, name in node._plan.saved.items() if name in self.names]
        if not places:
            return None  # no gradient needed it
        if node._saved is None:
            raise RuntimeError(FREED)
        return node._unpacked(places[0])


def show_saved(cls):
    """Give an operation's class an attribute for everything that its nodes may save."""
    public = {}
    for name in (*cls.params, *[f"{param}_shape" for param in cls.params], "out"):
        public.setdefault(public_name(cls, name), set()).add(name)
    for shown_name, names in public.items():
        setattr(cls, f"_saved_{shown_name}", Saved(names))


def public_name(cls, name):
    """PyTorch's name for what is saved."""
    return cls.called.get(name) or SAVED_NAMES.get(name, name)
