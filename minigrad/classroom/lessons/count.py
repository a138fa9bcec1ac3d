"""How much of a record hangs on some values: lesson 07 counts what a program leaves behind."""

from typing import Any


def count_operations(*values: Any) -> int:
    """How many recorded operations lead to these tensors. A plain number has none."""
    operations, nodes = set(), [getattr(value, "grad_fn", None) for value in values]
    for node in nodes:
        is_operation = node is not None and not hasattr(node, "variable")
        if is_operation and node not in operations:
            operations.add(node)
            nodes += [operand for operand, _ in node.next_functions]
    return len(operations)
