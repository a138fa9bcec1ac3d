"""Every public name says what it does, which errors it raises, and whose page it mirrors.

Public is what a program reaches by the names of PyTorch: the functions, classes, methods and
properties of the namespaces below. What a docstring lacks is told by `lacks`.
"""

import ast
import functools
import importlib
import inspect
import re
import textwrap
import types

import pytest

import minigrad

NAMESPACES = [
    "minigrad",
    "minigrad.autograd",
    "minigrad.autograd.functional",
    "minigrad.func",
    "minigrad.utils.data",
    "minigrad.nn",
    "minigrad.nn.functional",
    "minigrad.nn.utils",
    "minigrad.optim",
]
OUR_OWN = {"watch"}  # what PyTorch does not have
SITE = "https://docs.pytorch.org/docs/2.13/"


def lacks(value, page_of=None):
    """What the docstring of a public name does not say, as a list of words.

    For the page of a method, that of its class `page_of` will do.
    """
    doc = inspect.getdoc(value) or ""
    says, page = parted(doc)
    if page_of and not page:
        page = parted(inspect.getdoc(page_of) or "")[1]
    missing = []
    if len(re.findall(r"\w+", says)) < 3:
        missing.append("words")
    if not page.startswith(SITE):
        missing.append("page")
    if doc.count("Mirrors") > 1:
        missing.append("a single page")
    return missing + [error for error in raised(value) if error not in says]


def parted(doc):
    """A docstring without, and with only, the page it mirrors."""
    says, *pages = re.split(r"Mirrors\s+", doc)
    return says, "".join(pages[-1:])


def raised(value):
    """The errors that a function, or a class's constructor, itself raises, and no one it calls."""
    if inspect.isclass(value):
        value = vars(value).get("__init__")
    value = value.fget if isinstance(value, property) else value
    value = getattr(value, "__func__", inspect.unwrap(value) if callable(value) else value)
    return raised_in(value.__code__) if inspect.isfunction(value) else set()


@functools.cache
def raised_in(code):
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError):  # a lambda in the middle of a line
        return set()
    calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    names = {
        call.func.id
        for call in calls
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    return {name for name in names if name.endswith("Error")}


def public(namespace):
    """The public names of a namespace with what they stand for; methods as `Class.method`."""
    module = importlib.import_module(namespace)
    theirs = importlib.import_module(namespace.replace("minigrad", "torch", 1))
    for name, value in vars(module).items():
        home = getattr(value, "__module__", None) or ""
        if (
            name[0] != "_"
            and callable(value)
            and home.startswith("minigrad")
            and (hasattr(theirs, name) or name in OUR_OWN)
        ):
            yield name, value, None
            if inspect.isclass(value):
                yield from members(name, value)


def members(name, cls):
    """The methods and properties that a class defines, or a base that is not public."""
    for base in cls.__mro__:
        if base is cls or base.__name__[0] == "_" and base.__module__.startswith("minigrad"):
            for member, value in vars(base).items():
                value = getattr(value, "__func__", value)
                if member[0] != "_" and isinstance(value, (types.FunctionType, property)):
                    yield f"{name}.{member}", value, cls


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_name_has_a_docstring_that_says_enough(namespace):
    thin = {}
    for name, value, owner in public(namespace):
        missing = lacks(value, owner)
        if name in OUR_OWN:
            missing.remove("page")
        if missing:
            thin[name] = missing
    assert not thin, "\n".join(f"{name} lacks {', '.join(m)}" for name, m in thin.items())


def test_the_walk_meets_what_learners_use():
    found = {namespace: {name for name, *_ in public(namespace)} for namespace in NAMESPACES}
    assert {
        "cumsum",
        "tensor",
        "no_grad",
        "Tensor.backward",
        "Tensor.grad",
        "Tensor.add_",
        "Tensor.shape",
        "Tensor.max",
    } <= found["minigrad"]
    assert {"Linear", "Module.parameters", "ReLU"} <= found["minigrad.nn"]
    assert {"relu", "cross_entropy"} <= found["minigrad.nn.functional"] and {
        "SGD",
        "SGD.step",
    } & found["minigrad.optim"]
    assert all(found.values()) and sum(map(len, found.values())) > 350


PAGE = f"\n\n    Mirrors {SITE}generated/torch.double_it.html\n    "


@pytest.mark.parametrize(
    "doc, missing",
    [
        (None, ["words", "page", "ValueError"]),
        ("Doubled.", ["words", "page", "ValueError"]),
        ("Every element, twice as large.", ["page", "ValueError"]),
        ("Every element, twice as large." + PAGE, ["ValueError"]),
        ("Every element, twice as large. ValueError for none." + PAGE, []),
        ("Every element, twice as large. ValueError for none." + PAGE * 2, ["a single page"]),
    ],
)
def test_a_thin_docstring_is_noticed(doc, missing):
    def double_it(input):
        if input is None:
            raise ValueError("there is nothing to double")
        return input * 2

    double_it.__doc__ = doc
    assert lacks(double_it) == missing


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_namespace_says_what_it_does_not_have(namespace):
    with pytest.raises(AttributeError, match="PyTorch may have it"):
        _ = importlib.import_module(namespace).nothing


def test_a_tensor_says_what_it_does_not_have():
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = minigrad.tensor(1.0).nothing
