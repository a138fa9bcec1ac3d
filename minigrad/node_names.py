"""How a node looks from outside: PyTorch's names for it, for its operands and for what it saved.

Nothing here decides what a pass computes. It is for programs that print `y.grad_fn`, walk
`next_functions` or read `_saved_other`, and for hooks, which get the gradients of a node's
operands. Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#grad-fn
"""

import itertools

from .errors import FREED

# a saved value's name in rules -> its name in PyTorch
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


def edge_indices(have_edges):
    """For each operand the index of its edge, or None: (0, None, 1) for True, False, True."""
    indices = itertools.count()
    return tuple([next(indices) if has_edge else None for has_edge in have_edges])


def by_operand(node, values):
    """Edges or gradients of a node as PyTorch shows them: for each operand one, or None."""
    return [None if index is None else values[index] for index in node._edge_indices]


def by_edge(node, values):
    """The inverse of `by_operand`: only the values for operands that have an edge."""
    return [value for index, value in zip(node._edge_indices, values) if index is not None]


# --- what was saved -------------------------------------------------------------------------------


class Saved:
    """`node._saved_self` and the like: what a node saved, under PyTorch's name for it."""

    def __init__(self, public):
        self.public = public

    def __get__(self, node, kind=None):
        if node is None:
            return self
        for index, name in node._plan.saved.items():
            if public_name(type(node), name) == self.public:
                if node._saved is None:
                    raise RuntimeError(FREED)
                return node._saved_value(index)
        return None  # no gradient needed it


def show_saved(cls):
    """Give an operation's class an attribute for everything that its nodes may save."""
    for name in (*cls.params, *[f"{param}_shape" for param in cls.params], "out"):
        public = public_name(cls, name)
        setattr(cls, f"_saved_{public}", Saved(public))


def public_name(cls, name):
    """PyTorch's name for what is saved."""
    return cls.torch_names.get(name) or SAVED_NAMES.get(name, name)
