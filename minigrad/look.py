"""How a node looks from outside: PyTorch's names for it, for its operands and for what it saved.

Nothing here decides what a pass does. A program that prints `y.grad_fn`, walks `next_functions` or
reads `_saved_other` finds what it finds in PyTorch; so do hooks, which are shown the gradients of a
node's operands. Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#grad-fn
"""

from .errors import FREED

SAVED_NAMES = {"x": "self", "y": "other", "out": "result", "x_shape": "self_sym_sizes"}


class NodeType(type):
    """Node classes print as in PyTorch: <class 'AddBackward0'>."""

    _place = ""  # the module that PyTorch shows before the name of a user's Function

    def __repr__(cls):
        return f"<class '{cls._place}{cls.__name__}'>"


def short_name(node):
    """A node's name as error messages give it: AddBackward0 is Add, PowBackward1 is Pow1."""
    name = type(node._owner).name(node._owner)  # a user may keep a `ctx.name`
    return name if "::" in name else name.removesuffix("Backward0").replace("Backward", "")


# --- operands -------------------------------------------------------------------------------------


def shown_operands(operands, wanted):
    """What a plan shows: for each operand with a rule its place among those wanted, or None."""
    return tuple([wanted.index(i) if i in wanted else None for i in operands])


def shown(node, values):
    """Edges or gradients of a node as PyTorch shows them: one for each operand, or None."""
    return [None if place is None else values[place] for place in node._shown]


def taken_back(node, values):
    """The opposite of `shown`: the values of the operands that have an edge, in its order."""
    found = [None] * len(node._next)
    for place, value in zip(node._shown, values):
        if place is not None:
            found[place] = value
    return found


# --- what was saved -------------------------------------------------------------------------------


def saved_names(node):
    """What a node saved: {PyTorch's name: (place in `_saved`, name in the rule)}."""
    called = {**SAVED_NAMES, **node.called}
    return {called.get(name, name): (i, name) for i, name in node._plan.saved.items()}


def saved_value(node, public):
    """What a node saved under PyTorch's name for it; RuntimeError once it is freed."""
    names = saved_names(node)
    if public not in names:
        called = {**SAVED_NAMES, **node.called}
        if public in [called.get(param, param) for param in node.params]:
            return None  # no gradient needed it
        raise AttributeError(f"'{type(node).__name__}' object has no attribute '_saved_{public}'")
    if node._saved is None:
        raise RuntimeError(FREED)
    place, name = names[public]
    value = node._unpacked(place)
    if name in node.params and name not in node.rules and hasattr(value, "_array"):
        if name in node.tensors:
            return value
        # x**2 keeps a Python number
        number = float(str(value._array))  # 0.1, where float() gives 0.10000000149
        return int(number) if number.is_integer() else number
    return value
