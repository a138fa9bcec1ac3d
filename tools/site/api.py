"""The book's pages on the API: all that a program reaches by names of PyTorch, from the docstrings.

Docstrings are Markdown, as the pages are. The names are found by inspecting the engine's modules.
"""

import importlib
import inspect
import pkgutil
import re
import types

import minigrad

MODULES = {
    one.name: importlib.import_module(one.name)
    for one in pkgutil.walk_packages(minigrad.__path__, "minigrad.")
    if not one.name.startswith("minigrad.classroom")
}
SPACES = {  # pages of namespaces, each with those below it
    "autograd": ("autograd", "autograd.functional"),
    "func": ("func",),
    "nn": ("nn", "nn.functional", "nn.utils"),
    "optim": ("optim",),
}
PAGE = re.compile(r"Mirrors\s+(https:\S+?)([.)]*)(?=\s|$)")  # in PyTorch's documentation
OUR_OWN = {"watch"}  # what PyTorch does not have
FENCE = "`````"


def pages():
    """{name of a page: its Markdown}."""
    made = {"tensor": f"# Tensor\n\n{described('Tensor', minigrad.Tensor, 'minigrad')}"}
    made |= {"functions": functions()}
    made |= {name: space(names) for name, names in SPACES.items()}
    about = minigrad.__doc__.replace("(docs/engine.md", "([docs/engine.md](../docs/engine.md)")
    contents = "\n".join(["```{toctree}", *made, "```"])
    return {"index": f"# The names of minigrad\n\n{about}\n{contents}\n", **made}


def functions():
    """The functions of `torch`, under the files of the engine in which they are written."""
    by_file = {}
    for name, value in sorted(vars(minigrad).items()):
        if value is not minigrad.Tensor and is_public(name, value):
            by_file.setdefault(value.__module__, []).append(described(name, value, "minigrad"))
    parts = ["# Functions"]
    for file, own in sorted(by_file.items()):
        parts += [f"## {file.rpartition('.')[2]}", docstring(MODULES[file]), *own]
    return "\n\n".join(parts)


def space(names):
    """A page on a namespace and those below it, with what its own modules define."""
    parts = []
    for name in names:
        module = MODULES[f"minigrad.{name}"]
        parts += [f"{'##' if parts else '#'} {name}", docstring(module)]
        parts += [
            described(member, value, module.__name__)
            for member, value in vars(module).items()
            if is_public(member, value) and f"{value.__module__}.".startswith(f"{module.__name__}.")
        ]
    return "\n\n".join(parts)


def is_public(name, value):
    """Whether a program reaches this by a name of PyTorch."""
    ours = (getattr(value, "__module__", None) or "").startswith("minigrad")
    known = name in OUR_OWN or PAGE.search(inspect.getdoc(value) or "")
    return name[0] != "_" and ours and callable(value) and bool(known)


def members(cls):
    """The methods and properties that a class defines, or a base that is not public."""
    by_name = {}
    for base in cls.__mro__:
        if base is cls or base.__name__[0] == "_" and base.__module__.startswith("minigrad"):
            for name, value in vars(base).items():
                value = getattr(value, "__func__", value)
                if name[0] != "_" and isinstance(value, (types.FunctionType, property)):
                    by_name.setdefault(name, value)
    return sorted(by_name.items())


def described(name, value, module):
    """Directives of Sphinx that describe one name, and after a class its methods."""
    if isinstance(value, property):
        kind, signature = "property", ""
    else:
        kind = "class" if inspect.isclass(value) else "method" if "." in name else "function"
        signature = inspect.signature(value)
        given = [*signature.parameters.values()][kind == "method" :]
        signature = signature.replace(parameters=[one for one in given if is_told(one)])
    head = [f"{FENCE}{{py:{kind}}} {name}{signature}", f":module: {module}", ""]
    parts = ["\n".join([*head, docstring(value), FENCE])]
    if kind == "class":
        parts += [described(f"{name}.{one}", own, module) for one, own in members(value)]
    return "\n\n".join(parts)


def is_told(parameter):
    """Whether to show a parameter: not an internal one, nor one whose default is a function."""
    return parameter.name[0] != "_" and not inspect.isfunction(parameter.default)


def docstring(value):
    """A docstring, with a link to the page that it mirrors."""
    return PAGE.sub(r"[In PyTorch's documentation](\1)\2", inspect.getdoc(value) or "")
