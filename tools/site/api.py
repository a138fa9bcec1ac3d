"""What a program reaches by the names of PyTorch, from the docstrings: the book's pages on the API.

Docstrings are Markdown, as the pages are. The order is that of minigrad/__init__.py.
"""

import importlib
import inspect
import re
import types

import minigrad

OPERATIONS = (
    "elementwise compare reduce extremes softmax shape join matrices convert exchange random"
)
FILES = [  # whose functions stand on the page of functions
    "creation",
    *(f"ops.{name}" for name in OPERATIONS.split()),
    "dtypes",
    "modes",
    "printing",
]
SPACES = {  # pages of namespaces
    "autograd": ["autograd", "autograd.functional"],
    "func": ["func"],
    "nn": ["nn", "nn.functional", "nn.utils"],
    "optim": ["optim"],
}
PAGE = re.compile(r"Mirrors\s+(https:\S+?)([.)]*)(?=\s|$)")  # in PyTorch's documentation
OUR_OWN = {"watch"}  # what PyTorch does not have
FENCE = "`````"


def pages():
    """{name of a page: its Markdown}."""
    made = {"tensor": tensor(), "functions": functions()}
    made |= {name: spaces(modules) for name, modules in SPACES.items()}
    about = minigrad.__doc__.replace("(docs/engine.md", "([docs/engine.md](../docs/engine.md)")
    contents = "\n".join(["```{toctree}", *made, "```"])
    return {"index": f"# The names of minigrad\n\n{about}\n{contents}\n", **made}


def tensor():
    cls = minigrad.Tensor
    return f"# Tensor\n\n{described('Tensor', cls, 'minigrad')}\n\n" + "\n\n".join(
        described(f"Tensor.{name}", value, "minigrad", method=True)
        for name, value in sorted(members(cls))
    )


def functions():
    """The functions of `torch`, under the files of the engine in which they are written."""
    found = {}
    for name, value in vars(minigrad).items():
        if value is not minigrad.Tensor and is_public(name, value):
            found.setdefault(home(name, value), []).append(name)
    parts = ["# Functions"]
    for file in FILES:
        module = importlib.import_module(f"minigrad.{file}")
        parts += [f"## {file.rpartition('.')[2]}", told(module)]
        parts += [described(n, getattr(minigrad, n), "minigrad") for n in sorted(found.pop(file))]
    assert not found, found
    return "\n\n".join(parts)


def home(name, value):
    """The file of the engine to which a function belongs. What a table made names the table's."""
    file = value.__module__.removeprefix("minigrad.")
    if file in FILES:
        return file
    modules = (importlib.import_module(f"minigrad.{file}") for file in FILES)
    holding = [
        module.__name__.removeprefix("minigrad.") for module in modules if name in vars(module)
    ]
    return holding[0] if holding else "ops.elementwise" if "." in file else "ops.exchange"


def spaces(modules):
    """A page on namespaces. What other files have made is told on their pages."""
    parts = []
    for mark, name in zip(["#", "##", "##"], modules):
        module = importlib.import_module(f"minigrad.{name}")
        parts += [f"{mark} {name}", told(module)]
        for member, value in vars(module).items():
            if is_public(member, value) and f"{value.__module__}.".startswith(
                f"{module.__name__}."
            ):
                parts.append(described(member, value, module.__name__))
                if inspect.isclass(value):
                    parts += [
                        described(f"{member}.{one}", method, module.__name__, method=True)
                        for one, method in members(value)
                    ]
    return "\n\n".join(parts)


def is_public(name, value):
    """Whether a program reaches this by a name of PyTorch."""
    ours = (getattr(value, "__module__", None) or "").startswith("minigrad")
    told = name in OUR_OWN or PAGE.search(inspect.getdoc(value) or "")
    return name[0] != "_" and ours and callable(value) and bool(told)


def members(cls):
    """The methods and properties that a class defines, or a base that is not public."""
    found = {}
    for base in cls.__mro__:
        if base is cls or base.__name__[0] == "_" and base.__module__.startswith("minigrad"):
            for name, value in vars(base).items():
                value = getattr(value, "__func__", value)
                if name[0] != "_" and isinstance(value, (types.FunctionType, property)):
                    found.setdefault(name, value)
    return found.items()


def described(name, value, module, method=False):
    """A directive of Sphinx that describes one name."""
    if isinstance(value, property):
        kind, signature = "property", ""
    else:
        kind = "class" if inspect.isclass(value) else "method" if method else "function"
        signature = inspect.signature(value)
        given = [*signature.parameters.values()][bool(method) :]
        signature = signature.replace(parameters=[one for one in given if is_told(one)])
    head = [f"{FENCE}{{py:{kind}}} {name}{signature}", f":module: {module}", ""]
    lines = [*head, told(value), FENCE]
    return "\n".join(lines)


def is_told(parameter):
    """Not what a table hands to a rule: a name with _, or a function, printed as an address."""
    return parameter.name[0] != "_" and not inspect.isfunction(parameter.default)


def told(value):
    """A docstring, with a link to the page that it mirrors."""
    return PAGE.sub(r"[In PyTorch's documentation](\1)\2", inspect.getdoc(value) or "")
