"""Arguments that do not fit: what is said of them, for every function and method that PyTorch's parser serves."""
import random
import types

import numpy as np
import pytest
import torch

import minigrad
from minigrad.ops import signatures
from tests.engine.both import same, text
from tools.signatures import table

KEYWORDS = ["dim", "keepdim", "axis", "input", "other", "size", "alpha", "dtype", "p", "index", "nonsense"]
# What others say: a method without parameters has no parser, and some look at their data themselves.
OTHERS = ("takes no arguments", "takes no keyword", "exactly one argument", "map_:", "new():", "must be real number")


def values(engine):
    x = engine.ones(2)
    return [
        x, engine.ones(2, 2), engine.tensor(1.0), engine.tensor(2), engine.ones(2, requires_grad=True),
        1, 2.5, True, None, "a", float, object, {}, np.ones(2), np.float32(1), engine.float32, engine.Size([2]),
        engine.device("cpu"), [1, 2], (1, 2), (1, True), [1.5], [], (1, "a"), ("a", 1), [[1]], (x, x), [x, 1],
    ]  # fmt: skip


def refusal_of_torch(call, args, kwargs):
    """What torch says of arguments that do not fit; None where they do."""
    try:
        call(*args, **kwargs)
    except TypeError as error:
        return text(error)
    except Exception:
        return None


def refusal(name, args, kwargs, method):
    """What minigrad says of them."""
    try:
        signatures.refuse(name, args, kwargs, method)
    except TypeError as error:
        return text(error)


def parsed(name, method):
    """Whether PyTorch's parser reads what is given to the function, or method, of that name."""
    if method:
        return name != "to" and isinstance(getattr(torch.Tensor, name, None), types.MethodDescriptorType)
    return name != "to" and name in signatures.table() and name in FUNCTIONS


FUNCTIONS = {
    function.__name__: function
    for space in (torch.nn.functional, torch.special, torch)
    for function in map(space.__dict__.get, dir(space))
    if isinstance(function, types.BuiltinFunctionType)
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", [False, True])
def test_what_is_said_is_what_torch_says(method):
    draw, theirs, ours = random.Random(0), values(torch), values(minigrad)
    names = sorted({name.removeprefix(".") for name in signatures.table()})
    for name in [name for name in names if parsed(name, method) and "__" not in name]:
        for _ in range(12):
            places = draw.choices(range(len(ours)), k=draw.choice([0, 1, 1, 2, 2, 3, 4]))
            if places and not method and draw.random() < 0.6:
                places[0] = 0
            named = {key: draw.randrange(len(ours)) for key in draw.sample(KEYWORDS, draw.choice([0, 0, 1]))}
            call = getattr(torch.ones(2), name) if method else FUNCTIONS[name]
            args, kwargs = [theirs[i] for i in places], {key: theirs[i] for key, i in named.items()}
            wanted = refusal_of_torch(call, args, kwargs)
            if wanted is None or not any(words in wanted for words in OTHERS):
                args, kwargs = tuple(ours[i] for i in places), {key: ours[i] for key, i in named.items()}
                assert refusal(name, args, kwargs, method) == wanted, (name, args, kwargs)


def test_the_table_is_torchs():
    assert table() == signatures.TABLE.read_text("utf-8")


CALLS = """
torch.softmax(x) | x.softmax() | torch.zeros() | torch.zeros("a") | torch.zeros(2, "a") | torch.zeros([1.5]) |
torch.ones(size=2) | x.sum(1, 2, 3) | x.sum("a") | x.sum(axis="a") | x.sum(nonsense=1) | torch.sum(x, dims=0) |
x.view() | x.view("a") | x.view(2, 1.5) | x.reshape() | x.permute(0, "a") | x.repeat("a", 2) | x.expand() |
torch.reshape(x, 2) | torch.flip(x, 0) | x.flip("a") | torch.cat(x) | torch.cat([x, 1]) | torch.cat() |
torch.stack([x], dim="a") | torch.max(x, "a") | torch.exp(1.0) | torch.exp([1.0]) | torch.matmul(x) |
torch.arange() | torch.arange("a") | torch.arange(1, 2, 3, 4) | torch.linspace(0, 1) | torch.eye(2.5) |
torch.full((2,)) | torch.full((2,), "a") | torch.randint(5) | torch.randint(2.5, (2,)) | torch.normal(0.0) |
torch.where(x > 0, x) | torch.zeros_like([1.0]) | torch.linalg.inv(2) | torch.linalg.solve(x) | x.new_zeros() |
x.new_ones(1, "a") | torch.tensor() | torch.tensor([1], dtype="float") | x.topk(1.5) | x.gather(0) | x.argmax("a") |
torch.mul(2, x) | torch.sub(3, x) | torch.add(1, 2) | torch.div(1, x) | torch.mul(0.1, x.double()) | torch.pow(2, x) |
torch.mul(2.5, torch.tensor([1, 2])) | torch.mul("a", x) | torch.chunk(x, 2.5) | x.add(-0.5, x) | torch.sub(x, 2, x) |
x.detach().add_(-0.5, x.detach()) | x.detach().sub_(2, x.detach()) | x.addcmul(0.5, x, x) | torch.addcdiv(x, 2, x, x) |
x.detach().addcdiv_(-1, x.detach(), x.detach()) | torch.addmm(2, x[None], 3, x[:1, None], x[None]) |
x.add_(1, "a") | x.addcmul("a", x, x) | torch.addmm(x, "a", x, beta=1, alpha=2) | torch.sort(x, dim="a", stable=True) | torch.addcmul(x, x)
"""


@same
def test_calls_that_do_not_fit_are_explained(torch):
    said = []
    for call in " ".join(CALLS.split()).split(" | "):
        try:
            said.append(eval(call, {"torch": torch, "x": torch.ones(2, requires_grad=True)}))
        except Exception as error:
            said.append(error)
    return said
