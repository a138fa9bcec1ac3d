"""Whether a program takes its gradients from a backward pass, or writes them with a formula.

A gradient is what a pass gave: NAME.grad, what `autograd.grad` and its relatives return, what a
hook is called with, and what is computed from these. A sum is a gradient if both its parts are; a
product or a quotient, if one factor is. None and zeros clear, and are allowed.
"""

import ast

_PASSES = {"grad", "vjp", "jvp", "jacobian", "jacrev", "jacfwd"}
_CLEARS = {"zeros", "zeros_like"}
_WRITES = {"copy_", "add_", "sub_", "fill_"}


def calls_grad(source: str) -> bool:
    """Whether a program asks for gradients that are not written into .grad."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return any(_called(call) in _PASSES for call in calls)


def is_written_by_hand(source: str, name: str) -> bool:
    """Whether a program writes into `name`, "w.grad" or "g", what did not come from a pass."""
    tree = ast.parse(source)
    known = _gradients(tree)
    values = [value for value in _written(tree, name) if not _clears(value)]
    return not all(_is_gradient(value, known) for value in values)


def _clears(value):
    is_none = isinstance(value, ast.Constant) and value.value is None
    return is_none or isinstance(value, ast.Call) and _called(value) in _CLEARS


def _written(tree, name):
    """The expressions that are written into a name, by whichever statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            if name in (_base(one) for target in node.targets for one in _each(target)):
                yield node.value
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.op, (ast.Add, ast.Sub)) and _base(node.target) == name:
                yield node.value
        elif isinstance(node, ast.Call):
            yield from _written_by_call(node, name)


def _written_by_call(call, name):
    """`w.grad.copy_(value)` and `setattr(w, "grad", value)`."""
    if _called(call) in _WRITES and call.args and _base(call.func.value) == name:
        yield call.args[0]
    if _called(call) == "setattr" and len(call.args) == 3:
        owner, attribute, value = call.args
        if f"{ast.unparse(owner)}.{getattr(attribute, 'value', '')}" == name:
            yield value


def _base(target):
    """What is written into: w.grad for w.grad, w.grad[0] and w.grad.data."""
    while isinstance(target, ast.Subscript) or getattr(target, "attr", "") == "data":
        target = target.value
    return ast.unparse(target)


def _each(target):
    return target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _gradients(tree):
    """The names in a program that hold gradients: parameters, which a hook is called with, and
    what is made of gradients, or was given them to keep."""
    known = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    before = None
    while known != before:
        before = set(known)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _is_gradient(node.value, known):
                known |= {_base(one) for target in node.targets for one in _each(target)}
            elif isinstance(node, ast.For) and _is_gradient(node.iter, known):
                known |= {_base(one) for one in _each(node.target)}
            elif _called(node) == "append" and _is_gradient(node.args[0], known):
                known.add(ast.unparse(node.func.value))
    return known


def _is_gradient(value, known):
    """Whether an expression is computed from gradients."""
    if isinstance(value, ast.UnaryOp):
        return _is_gradient(value.operand, known)
    if isinstance(value, ast.BinOp):
        parts = [_is_gradient(side, known) for side in (value.left, value.right)]
        return all(parts) if isinstance(value.op, (ast.Add, ast.Sub)) else any(parts)
    return any(
        _called(node) in _PASSES
        or getattr(node, "attr", "") == "grad"
        or getattr(node, "id", "") in known
        for node in ast.walk(value)
    )


def _called(node):
    called = getattr(node, "func", None)
    return getattr(called, "attr", getattr(called, "id", ""))
