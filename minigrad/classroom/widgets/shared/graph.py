"""The nodes of a graph of minigrad's, in the order in which a program made them."""

from minigrad.autograd.watching import age


def leaf_of(node):
    """The leaf to whose `.grad` a node of either engine adds; None for the node of an operation."""
    return node.variable if node.name().endswith("::AccumulateGrad") else None


def nodes_below(starts):
    """All nodes from which `starts` were computed, themselves included: operands before users.

    A leaf's node stands before the first node that uses the leaf.
    """
    found, stack = set(), [node for node in starts if node is not None]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += [n for n, _ in node.next_functions if n is not None]
    turns = {node: (age(node), 1, 0) for node in found}
    for node in sorted(found, key=age, reverse=True):
        for place, (n, _) in reversed(list(enumerate(node.next_functions))):
            if n is not None and leaf_of(n) is not None:
                turns[n] = (age(node), 0, place)
    return sorted(found, key=turns.get)
