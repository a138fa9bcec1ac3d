"""`python -m minigrad.ops [name ...]`: the operations, each with its formula and its rules.

Everything is read from the classes and their source. With names, only operations whose class or
node name contains one of them: `python -m minigrad.ops mul exp`.
"""

import ast
import importlib
import inspect
import os
import pkgutil
import sys
import textwrap

import minigrad.ops

from ..graph import Node
from ..operation import Operation


def modules():
    """The modules of this package, in alphabetical order."""
    for info in pkgutil.iter_modules(minigrad.ops.__path__):
        if info.name != "__main__":
            yield importlib.import_module(f"minigrad.ops.{info.name}")


def operations(module):
    """The kinds of nodes that a module defines, in the order of its source.

    Each comes as (class, its syntax, the module's source); mere bases of classes are left out.
    """
    source = inspect.getsource(module)
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.ClassDef):
            cls = getattr(module, statement.name)
            if inspect.isclass(cls) and issubclass(cls, Node):
                if not issubclass(cls, Operation) or cls.forward is not None:
                    yield cls, statement, source


def formulas(cls, statement, source):
    """The formula and rules that a class states, as text; where it states none, whose it has."""
    found = []
    for item in statement.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("__"):
            found.append(_function(item, source))
        elif isinstance(item, ast.Assign):
            names = [target.id for target in item.targets if isinstance(target, ast.Name)]
            if any(name == "forward" or name.startswith("grad_") for name in names):
                found.append(ast.get_source_segment(source, item))
    return found or [f"as {base.id}" for base in statement.bases if isinstance(base, ast.Name)]


def _function(item, source):
    """A rule: on one line if it is a single expression, else as it stands."""
    body = item.body[1:] if ast.get_docstring(item) else item.body
    head = f"{item.name}({ast.unparse(item.args)})"
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return f"{head} = {ast.get_source_segment(source, body[0].value)}"
    lines = source.splitlines()[body[0].lineno - 1 : item.end_lineno]
    return f"{head}:\n" + textwrap.indent(textwrap.dedent("\n".join(lines)), "    ")


def described(cls, statement, source, path):
    """The text about one operation."""
    says = inspect.cleandoc(ast.get_docstring(statement) or "").partition("\n")[0]
    body = "\n".join([says] * bool(says) + formulas(cls, statement, source))
    title = f"{statement.name}  ({cls.__name__}, {path}:{statement.lineno})"
    return title + "\n" + textwrap.indent(body, "    ")


def main(wanted):
    """Print the operations; those named, or all."""
    count = 0
    for module in modules():
        path = module.__name__.replace(".", "/") + ".py"
        found = [
            described(cls, statement, source, path)
            for cls, statement, source in operations(module)
            if not wanted
            or any(w.lower() in f"{statement.name} {cls.__name__}".lower() for w in wanted)
        ]
        if found:
            print(f"\n=== {path}: {module.__doc__.splitlines()[0]}\n\n" + "\n\n".join(found))
        count += len(found)
    print(f"\n{count} operations")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenPipeError:  # `| head` has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
