"""Trees: tuples, lists and dictionaries, nested, with tensors (or anything else) as leaves.

`flatten` takes a tree apart into the list of its leaves and its structure; `unflatten` puts other leaves
into the same structure. So a function of tensors serves for a dictionary of parameters, too.
"""

from collections import OrderedDict


class Structure:
    """How a tree is nested: the type of its root, the keys if that is a dictionary, the branches.

    A leaf has no type. Prints as PyTorch's `TreeSpec`, which error messages show.
    """

    __slots__ = ("type", "keys", "branches")

    def __init__(self, type=None, keys=None, branches=()):
        self.type, self.keys, self.branches = type, keys, branches

    def __eq__(self, other):
        return (self.type, self.keys, self.branches) == (other.type, other.keys, other.branches)

    def __repr__(self, indent=2):
        if self.type is None:
            return "*"
        branches = (",\n" + " " * indent).join(b.__repr__(indent + 2) for b in self.branches)
        return f"TreeSpec({self.type.__name__}, {self.keys}, [{branches}])"

    def leaves(self):
        """How many leaves such a tree has."""
        return 1 if self.type is None else sum(branch.leaves() for branch in self.branches)


LEAF = Structure()


def flatten(tree):
    """The leaves of a tree, from left to right, and its `Structure`."""
    kind, keys = type(tree), None
    if kind in (dict, OrderedDict):
        keys, branches = list(tree), tree.values()
    elif kind in (tuple, list) or isinstance(tree, tuple) and hasattr(tree, "_fields"):
        branches = tree
    else:
        return [tree], LEAF
    leaves, structures = [], []
    for branch in branches:
        found, structure = flatten(branch)
        leaves += found
        structures.append(structure)
    return leaves, Structure(kind, keys, tuple(structures))


def unflatten(leaves, structure):
    """The tree of that structure with these leaves."""
    leaves = iter(leaves)

    def build(structure):
        if structure.type is None:
            return next(leaves)
        branches = [build(branch) for branch in structure.branches]
        if structure.keys is not None:
            return structure.type(zip(structure.keys, branches))
        if hasattr(structure.type, "_fields"):
            return structure.type(*branches)
        return structure.type(branches)

    return build(structure)


def transform(function, tree):
    """The tree with `function` applied to each leaf."""
    leaves, structure = flatten(tree)
    return unflatten([function(leaf) for leaf in leaves], structure)


class _Star:
    """A leaf that prints as an asterisk."""

    def __repr__(self):
        return "*"


def sketch(structure):
    """A structure as text, such as `(*, {'a': *})`."""
    return repr(unflatten([_Star()] * structure.leaves(), structure))
