"""Every public name says what it does, with which shapes, which errors it raises, and whose page it mirrors.

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
    "minigrad", "minigrad.autograd", "minigrad.autograd.function", "minigrad.autograd.functional",
    "minigrad.autograd.graph", "minigrad.func", "minigrad.linalg", "minigrad.special", "minigrad.nn", "minigrad.nn.functional",
    "minigrad.nn.init", "minigrad.nn.utils", "minigrad.nn.utils.rnn", "minigrad.optim",
    "minigrad.optim.lr_scheduler", "minigrad.utils", "minigrad.utils.checkpoint",
    "minigrad.utils.data",
]  # fmt: skip
WITH_SHAPES = ["minigrad", "minigrad.linalg", "minigrad.special", "minigrad.nn.functional"]

# Functions of `minigrad` that take or give no tensor with a shape, and classes.
NO_SHAPE = re.compile(
    r"(get|set|is|are|use)_\w+|manual_seed|seed|initial_seed|\w*_grad|promote_types|can_cast|typename|save"
    r"|load|\w*(Tensor|info|mode)|Generator|Size|dtype|device|result_type|initial_seed"
)
SAYS_SHAPE = re.compile(
    r"\b[Ss]hapes?\b|0-d|\([*\w, /+-]+\)|matri|vector|every element|whole tensor|flattened|\blengths?\b"
    r"|number of (elements|dimensions)|\bleaf\b|one line|\bpair of"
)
OUR_OWN = {"watch"}  # what PyTorch does not have
SITE = "https://docs.pytorch.org/docs/2.13/"


def lacks(value, shapes=False, page_of=None):
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
    if shapes and not SAYS_SHAPE.search(says):
        missing.append("shapes")
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
    """The errors that a function, or the constructor of a class, itself raises, and not one that it calls."""
    if inspect.isclass(value):
        value = vars(value).get("__init__")
    value = value.fget if isinstance(value, property) else value
    value = getattr(value, "__func__", inspect.unwrap(value) if callable(value) else value)
    if not inspect.isfunction(value):
        return set()
    return raised_in(value.__code__)


@functools.cache
def raised_in(code):
    try:
        source = textwrap.dedent(inspect.getsource(code))
        tree = ast.parse(source)
    except (OSError, SyntaxError):  # a lambda in the middle of a line
        return set()
    calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    names = {call.func.id for call in calls
             if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}  # fmt: skip
    return {name for name in names if name.endswith("Error")}


def public(namespace):
    """The public names of a namespace with what they stand for; methods as `Class.method`."""
    minigrad.ops.load_all()  # methods, too, are loaded when first asked for
    module = importlib.import_module(namespace)
    for name in dir(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None) or ""
        if name[0] == "_" or not callable(value) or not home.startswith("minigrad"):
            continue
        if is_torchs(namespace, name) or name in getattr(module, "__all__", ()):
            yield name, value, None
            if inspect.isclass(value):
                yield from members(name, value)


def is_torchs(namespace, name):
    theirs = getattr(importlib.import_module(namespace.replace("minigrad", "torch", 1)), name, None)
    return (getattr(theirs, "__module__", None) or "torch").startswith("torch") and theirs is not None


def members(name, cls):
    """The methods and properties that a class defines, or a base that is not public."""
    for base in cls.__mro__:
        if base is cls or base in (minigrad.properties.Properties,) or base.__name__[0] == "_":
            for member, value in vars(base).items():
                value = getattr(value, "__func__", value)
                if member[0] != "_" and isinstance(value, (types.FunctionType, property)):
                    yield f"{name}.{member}", value, cls


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_every_public_name_has_a_docstring_that_says_enough(namespace):
    thin = {}
    for name, value, owner in public(namespace):
        shapes = namespace in WITH_SHAPES and not NO_SHAPE.fullmatch(name) and not owner
        shapes |= namespace == "minigrad.nn" and not owner and has_forward(value)
        missing = lacks(value, shapes, owner)
        if name in OUR_OWN:
            missing.remove("page")
        if missing:
            thin[name] = missing
    assert not thin, "\n".join(f"{name} lacks {', '.join(m)}" for name, m in thin.items())


def has_forward(value):
    """Whether it is a module that computes, and not one that only holds others."""
    return any("forward" in vars(cls) for cls in value.__mro__ if cls is not minigrad.nn.Module)


def test_the_walk_meets_what_learners_use():
    def found(namespace):
        return {name for name, *_ in public(namespace)}

    assert {"cumsum", "tensor", "no_grad", "Tensor.backward", "Tensor.grad", "Tensor.add_",
            "Tensor.shape", "Tensor.max", "Tensor.cumsum_"} <= found("minigrad")  # fmt: skip
    assert {"Linear", "Module.parameters", "ReLU"} <= found("minigrad.nn")
    assert {"relu", "cross_entropy"} <= found("minigrad.nn.functional")
    assert {"SGD", "Optimizer.step"} <= found("minigrad.optim")
    assert {"StepLR", "LRScheduler.step"} <= found("minigrad.optim.lr_scheduler")
    assert sum(len(found(namespace)) for namespace in NAMESPACES) > 1500


PAGE = f"\n\n    Mirrors {SITE}generated/torch.double_it.html\n    "


@pytest.mark.parametrize("doc, missing", [
    (None, ["words", "shapes", "page", "ValueError"]),
    ("Doubled.", ["words", "shapes", "page", "ValueError"]),
    ("Every element, twice as large.", ["shapes", "page", "ValueError"]),
    ("Twice the tensor; the same shape.", ["page", "ValueError"]),
    ("Twice the tensor; the same shape." + PAGE, ["ValueError"]),
    ("Twice the tensor; the same shape. ValueError for none." + PAGE, []),
    ("Twice the tensor; the same shape. ValueError for none." + PAGE * 2, ["a single page"]),
])  # fmt: skip
def test_a_thin_docstring_is_noticed(doc, missing):
    def double_it(input):
        if input is None:
            raise ValueError("there is nothing to double")
        return input * 2

    double_it.__doc__ = doc
    assert lacks(double_it, shapes=True) == missing


def test_what_tab_shows_is_public():
    """`dir` of a namespace lists what PyTorch has there, and not what a module imports for itself."""
    for namespace in NAMESPACES[1:]:
        shown = [name for name in dir(importlib.import_module(namespace)) if name not in OUR_OWN]
        assert shown and all(is_torchs(namespace, name) for name in shown), namespace
        assert {name for name, *_ in public(namespace) if "." not in name} <= {*shown, *OUR_OWN}


def test_every_namespace_says_what_it_does_not_have():
    for namespace in NAMESPACES:
        module = importlib.import_module(namespace)
        with pytest.raises(AttributeError, match=f"^module '{namespace}' has no attribute 'nothing': "):
            module.nothing
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'nothing'"):
        minigrad.tensor(1.0).nothing
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'nothing'"):
        minigrad.nn.Linear(1, 1).nothing
