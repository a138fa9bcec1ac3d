"""Whether a program takes its gradients from a backward pass, or writes them with a formula.

A gradient is what a pass gave: NAME.grad, what `autograd.grad` and its relatives return, what a
hook is called with, and what is computed from these. A sum is a gradient if both its parts are; a
product or a quotient, if one factor is. A function's parameter is one if each call passes one, and
its result if it returns one. None and zeros clear, and are allowed.
"""

import ast
from typing import NamedTuple

_PASSES = {"grad", "vjp", "jvp", "jacobian", "jacrev", "jacfwd"}
_CLEARS = {"zeros", "zeros_like"}
_WRITES = {"copy_", "add_", "sub_", "fill_"}


class _Function(NamedTuple):
    """A function of a program: the names of its parameters, and the expressions it returns."""

    parameters: list[str]
    returns: list[ast.expr]


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
    """The expressions that are written into a name, by whichever statement. Into w.grad a function
    may write that calls w by another name, so every .grad counts."""

    def is_meant(target):
        return _base(target) == name or name.endswith(".grad") and _base(target).endswith(".grad")

    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            if any(is_meant(one) for target in node.targets for one in _each(target)):
                yield node.value
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.op, (ast.Add, ast.Sub)) and is_meant(node.target):
                yield node.value
        elif isinstance(node, ast.Call):
            yield from _written_by_call(node, is_meant)


def _written_by_call(call, is_meant):
    """`w.grad.copy_(value)` and `setattr(w, "grad", value)`."""
    if _called(call) in _WRITES and call.args and is_meant(call.func.value):
        yield call.args[0]
    if _called(call) == "setattr" and len(call.args) == 3:
        owner, attribute, value = call.args
        if is_meant(ast.Attribute(owner, str(getattr(attribute, "value", "")))):
            yield value


def _base(target):
    """What is written into: w.grad for w.grad, w.grad[0] and w.grad.data."""
    while isinstance(target, ast.Subscript) or getattr(target, "attr", "") == "data":
        target = target.value
    return ast.unparse(target)


def _each(target):
    return target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _gradients(tree):
    """The names in a program that hold gradients: what a hook is called with, what is made of
    gradients or was given them to keep, and functions that return them."""
    functions = _functions(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    known = {name for call in calls for name in _heard_by_hook(call, functions)}
    before = None
    while known != before:
        before = set(known)
        for name, function in functions.items():
            passed = [_passed(call, function) for call in calls if _called(call) == name]
            for parameter in function.parameters:
                values = [call[parameter] for call in passed if parameter in call]
                if values and all(_is_gradient(value, known) for value in values):
                    known.add(parameter)
            if function.returns and all(_is_gradient(one, known) for one in function.returns):
                known.add(name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and _is_gradient(node.value, known):
                known |= {_base(one) for target in node.targets for one in _each(target)}
            elif isinstance(node, ast.For) and _is_gradient(node.iter, known):
                known |= {_base(one) for one in _each(node.target)}
            elif isinstance(node, ast.Call) and _keeps_gradient(node, known):
                known.add(ast.unparse(node.func).removesuffix(".append"))
    return known


def _functions(tree):
    """{name: function} of a program, whether it was made by def or by lambda."""
    by_name = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            returns = [one.value for one in ast.walk(node) if isinstance(one, ast.Return)]
            by_name[node.name] = _Function(_parameters(node), [one for one in returns if one])
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            function = _Function(_parameters(node.value), [node.value.body])
            by_name |= {ast.unparse(target): function for target in node.targets}
    return by_name


def _parameters(node):
    return [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]


def _heard_by_hook(call, functions):
    """The names of what `y.register_hook(function)` passes to the function."""
    if _called(call) != "register_hook" or not call.args:
        return []
    [hook, *_] = call.args
    if isinstance(hook, ast.Lambda):
        return _parameters(hook)
    return functions.get(ast.unparse(hook), _Function([], [])).parameters


def _passed(call, function):
    """{parameter: the expression that a call passes for it}"""
    by_name = {one.arg: one.value for one in call.keywords}
    return dict(zip(function.parameters, call.args)) | by_name


def _keeps_gradient(call, known):
    """Whether a list is given a gradient to keep: `kept.append(g)`."""
    return _called(call) == "append" and any(_is_gradient(one, known) for one in call.args)


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
