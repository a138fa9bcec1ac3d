"""Modules, layers and losses against torch, with equal weights."""

import copy
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from tests.cases import over
from tests.engine.both import compare, play, run, same, titled


def numbers(*shape, seed=0):
    """The same normal numbers for both engines."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def seeded(torch, module):
    """The module with the same weights in both engines."""
    with torch.no_grad():
        for i, tensor in enumerate(module.parameters()):
            tensor.copy_(torch.tensor(numbers(*tensor.shape, seed=i)))
    return module


IMAGE, ROWS = numbers(2, 4, 6, 5), numbers(5, 4)
PROBABILITIES = 1 / (1 + np.exp(-numbers(5, 4, seed=3)))
CLASSES = np.array([0, 3, 1, 1, 2])
LAYERS = {
    "Linear(4, 3)": ROWS,
    "Linear(4, 3, bias=False)": ROWS,
    "Linear(5, 3)": IMAGE,
    "Linear(4, 1)": ROWS[0],
    "Conv2d(4, 6, 3, padding=1)": IMAGE,
    "Conv2d(4, 2, (3, 2), stride=2)": IMAGE,
    "Conv2d(4, 2, 5, 1, 2, bias=False)": IMAGE,
    "Conv2d(4, 2, (2, 3), stride=(1, 2), padding=(0, 1))": IMAGE,
    "Conv2d(4, 1, 1)": IMAGE[0],
    "MaxPool2d(2)": IMAGE,
    "MaxPool2d((2, 3), (1, 2))": IMAGE,
    "Flatten()": IMAGE,
    "Flatten(1, 2)": IMAGE,
    "Flatten(0)": IMAGE,
    "ReLU()": ROWS,
    "LeakyReLU(0.2)": ROWS,
    "Sigmoid()": ROWS,
    "Tanh()": ROWS,
    "Softmax(dim=1)": ROWS,
    "LogSoftmax(dim=1)": ROWS,
    "Softmax(-1)": IMAGE,
    "Dropout(0.9).eval()": ROWS,
    "Dropout(0.0)": ROWS,
    "Dropout(1.0)": ROWS,
    "Sequential(Conv2d(4, 2, 3), ReLU(), Flatten(), Linear(24, 3))": IMAGE,
    "ReLU(inplace=True)": ROWS * 2,
}


@over("text", LAYERS)
@same
def test_layer(torch, text):
    """Output, gradients of input and parameters, and the gradients of those."""
    module = seeded(torch, eval(text, {**vars(torch.nn)}))
    leaf = torch.tensor(LAYERS[text], requires_grad=True)
    x = leaf * 1
    out = module(x)
    v = torch.tensor(numbers(*out.shape, seed=9), requires_grad=True)
    leaves = [leaf, v, *module.parameters()]
    first = torch.autograd.grad(out, leaves, v, create_graph=True, materialize_grads=True)
    loss = sum((g * g).sum() for g in first)
    second = torch.autograd.grad(loss, leaves, materialize_grads=True)
    return repr(module), out, [g.detach() for g in first], second


LOSSES = {
    "MSELoss()": PROBABILITIES,
    "MSELoss(reduction='sum')": PROBABILITIES,
    "MSELoss(reduction='none')": PROBABILITIES,
    "CrossEntropyLoss()": CLASSES,
    "CrossEntropyLoss(reduction='none')": CLASSES,
    "CrossEntropyLoss(reduction='sum')": CLASSES,
    "CrossEntropyLoss() ": PROBABILITIES,
    "NLLLoss()": CLASSES,
    "NLLLoss(reduction='none')": CLASSES,
    "L1Loss()": PROBABILITIES,
    "L1Loss(reduction='none')": PROBABILITIES,
    "SmoothL1Loss()": PROBABILITIES,
    "SmoothL1Loss(reduction='sum')": PROBABILITIES,
    "BCEWithLogitsLoss()": PROBABILITIES,
    "BCEWithLogitsLoss(reduction='none')": PROBABILITIES,
    "BCEWithLogitsLoss(reduction='sum')": PROBABILITIES,
}


@pytest.mark.parametrize("text", LOSSES)
def test_loss(text):
    def program(torch):
        x = torch.tensor(ROWS, requires_grad=True)
        floats = LOSSES[text].ndim > 1
        target = torch.tensor(
            LOSSES[text].astype(np.float32) if floats else LOSSES[text]
        ).requires_grad_(floats)
        criterion = eval(f"torch.nn.{text}", {"torch": torch})
        loss = criterion(x, target)
        leaves = [x, target] if floats else [x]
        first = torch.autograd.grad(loss, leaves, torch.ones_like(loss), create_graph=True)
        squares = sum((g * g).sum() for g in first)
        second = (
            torch.autograd.grad(squares, leaves)
            if squares.requires_grad
            else tuple(map(torch.zeros_like, leaves))
        )
        return [loss.detach(), [g.detach() for g in first], second, criterion]

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=1)


def net(torch):
    """A module that holds all there is to hold."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.rest = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 1), nn.ReLU()))
            self.scale = nn.Parameter(torch.ones(1))
            self.missing = None
            self.register_buffer("seen", torch.zeros(2))
            self.tied, self.note = self.first, "plain"

        def forward(self, x):
            return self.rest(self.first(x)) * self.scale + self.seen.sum()

    return seeded(torch, Net())


PROGRAMS = titled("""
## what a module holds
model, frozen = net(torch), net(torch).requires_grad_(False)
[n for n, _ in model.named_parameters()]
[n for n, _ in model.named_modules()]
(
    [type(m).__name__ for m in model.modules()],
    len(list(model.parameters())),
    len(list(model.children())),
    [n for n, _ in model.named_children()],
)
model.register_parameter("none", None)
model.register_parameter("some", torch.nn.Parameter(torch.ones(1)))
model.none, [n for n, _ in model.named_parameters()]
(
    model,
    repr(model.rest[1][0].weight),
    model.state_dict(),
    sum(p.numel() for p in model.parameters()),
    model.missing is None,
    model.training,
)
[p.requires_grad for p in frozen.parameters()], hasattr(model, "nothing")
model.nothing  # AttributeError

## it computes, and its gradients are taken away
model = net(torch)
out = model(torch.tensor([[1.0, 2.0], [3.0, -1.0]]))
out.sum().backward()
held = model.scale.grad
model.zero_grad(set_to_none=False)
held is model.scale.grad, [p.grad for p in model.parameters()]
model.zero_grad()
[p.grad for p in model.parameters()]

## modes, and what reaches all modules
nn, names = torch.nn, []
model = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
[nn.functional.dropout(torch.ones(2), p, False) for p in (0, 1)]
nn.functional.dropout(torch.ones(2), 50)  # ValueError
nn.functional.dropout(torch.ones(2), -0.1, False)  # ValueError
[m.training for m in model.eval().modules()], [m.training for m in model.train().modules()]
(
    model[1].eval() is model[1],
    [m.training for m in model.modules()],
    net(torch).apply(lambda m: names.append(type(m).__name__)).training,
)

## options may be changed afterwards
nn, x = torch.nn, torch.tensor([-1.0, 2.0])
leaky, loss, drop, relu = nn.LeakyReLU(0.5), nn.MSELoss(), nn.Dropout(0.5), nn.ReLU()
leaky.negative_slope, loss.reduction, drop.p, relu.inplace = 2.0, "sum", 0.0, True
leaky(x), loss(x, x + 1), drop(x), relu(x) is x, [leaky, loss, drop, relu]

## attributes come and go
nn, model = torch.nn, net(torch)
model.first = nn.Linear(2, 2)
model.note = nn.Parameter(torch.zeros(1))
model.scale = None
model.seen = torch.ones(3)
model.extra = torch.ones(1)
model, list(model.state_dict()), model.extra, model.scale
model.first = 3  # TypeError
model.note = torch.zeros(1)  # TypeError

## a parameter is a tensor
data, Parameter = torch.tensor([1.0, 2.0]), torch.nn.Parameter
p = Parameter(data)
data[0] = 5.0
with torch.no_grad():
    q = p.mul_(2)
(
    p,
    str(p),
    isinstance(p, torch.Tensor),
    isinstance(p, Parameter),
    isinstance(data, Parameter),
    p.is_leaf,
    p._version,
)
[
    type(t).__name__
    for t in (p, p * 2, p.detach(), p.data, p[0], p.clone(), copy.deepcopy(p), p.requires_grad_())
]
Parameter(torch.ones(2), requires_grad=False), Parameter(torch.ones(2, dtype=torch.float64))
f"{p} {torch.nn.Parameter(torch.tensor(1.5))}"
f"{p:.1f}"  # TypeError
f"{torch.nn.Parameter(torch.tensor(1.5)):.1f}"  # TypeError
p.grad = torch.ones(3)  # RuntimeError

## the version that an error names: layers fill their parameters in place
def again():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
    loss, optimizer = model(torch.ones(1, 2)).sum(), torch.optim.SGD(model.parameters(), lr=0.1)
    loss.backward(retain_graph=True)
    optimizer.step()
    loss.backward()


again()  # RuntimeError
[p._version for p in torch.nn.Conv2d(1, 2, 2).parameters()]

## copies are independent
model = net(torch)
model(torch.ones(1, 2)).sum().backward()
twin = copy.deepcopy(model)
with torch.no_grad():
    model.scale.mul_(10)
(
    twin,
    twin.scale,
    twin.scale.grad,
    twin.tied is twin.first,
    twin.first is model.first,
    [n for n, _ in twin.named_parameters()],
)

## dtypes
model = seeded(torch, torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)))
weight = model[0].weight
model(torch.ones(3, 2)).sum().backward()
(
    model.double() is model,
    weight is model[0].weight,
    weight.dtype,
    weight.grad.dtype,
    model(torch.ones(3, 2).double()),
    model.to("cpu") is model,
)
model(torch.ones(3, 2))  # RuntimeError

## a row of modules
nn = torch.nn
row = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
plain = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
(
    row,
    row[0].weight.shape,
    row[-1],
    len(plain),
    [type(m).__name__ for m in plain],
    nn.Sequential()(torch.ones(1)),
)
plain[5]  # IndexError
plain.append(nn.ReLU())
plain[-1] = nn.Tanh()
plain[1:], plain[:-1](torch.tensor([-1.0])), nn.ModuleList(plain)[::2], len(plain[9:])

## a state is saved and loaded
model, held = net(torch), None
held = model.first.weight
state = {name: value * 2 for name, value in net(torch).state_dict().items()}
(
    model.load_state_dict(state),
    model.state_dict(),
    held is model.first.weight,
    type(model.state_dict()).__name__,
)
model.load_state_dict({"scale": torch.tensor([7.0]), "more": torch.zeros(1)}, strict=False)
model.load_state_dict({"scale": torch.tensor([7.0])})  # RuntimeError
model.load_state_dict({**state, "scale": torch.ones(3)})  # RuntimeError
with torch.no_grad():
    z = model.scale.zero_()
model.state_dict()["scale"], type(model.state_dict()["scale"]).__name__

## modules and tensors are pickled
def again(x):
    return pickle.loads(pickle.dumps(x))


model = seeded(torch, torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout(0.5).eval()))
model.note = "kept"
held = again(model)
held.state_dict(), repr(held), held.note, held[0].weight.requires_grad, held[1].training
w = torch.ones(2, requires_grad=True)
w.note = "kept"
w.grad = torch.ones(2)
w, w.grad, again(w).note, again(w * 2).is_leaf
again(w).grad, again(w), again(w * 2), again(torch.nn.Parameter(w)), again([torch.float64, w.shape])
file = f"{folder}/{torch.__name__}.pt"
torch.save({"state": model.state_dict(), "epoch": 3}, file)
found = torch.load(file)
del file
found["epoch"], held.load_state_dict(found["state"])

## gradients are clipped
model = seeded(torch, torch.nn.Linear(2, 2))
model(torch.ones(2, 2)).sum().backward()  # the norm is 4.9
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0), [p.grad for p in model.parameters()]
(
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1e6),
    torch.nn.utils.clip_grad_norm_(torch.nn.Parameter(torch.ones(2)), 1.0),
)

## what is refused
nn, F = torch.nn, torch.nn.functional
F.mse_loss(torch.ones(2, 3), torch.ones(4))  # RuntimeError
F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 5]))  # IndexError
F.nll_loss(torch.ones(2, 3), torch.tensor([0, -1]))  # IndexError
F.cross_entropy(torch.ones(2, 3), torch.ones(2, 2))  # RuntimeError
F.one_hot(torch.tensor([2]), 2)  # RuntimeError
F.one_hot(torch.tensor([-1]))  # RuntimeError
F.binary_cross_entropy(torch.ones(2) * 2, torch.ones(2))  # RuntimeError
F.binary_cross_entropy(torch.ones(2), torch.ones(2) * 2)  # RuntimeError
F.binary_cross_entropy(torch.ones(2), torch.ones(1))  # ValueError
nn.Linear(3, 2)(torch.ones(2, 4))  # RuntimeError
nn.Conv2d(1, 2, 3)(torch.ones(1, 3, 4, 4))  # RuntimeError
nn.NoSuchLayer  # AttributeError
F.no_such_function  # AttributeError
""")


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title, tmp_path):
    names = {"net": net, "seeded": seeded, "copy": copy, "pickle": pickle}
    play(PROGRAMS[title], folder=tmp_path, **names)


@pytest.mark.parametrize(
    "make, bound",
    [(lambda nn: nn.Linear(50, 40), 50**-0.5), (lambda nn: nn.Conv2d(3, 40, 5), 75**-0.5)],
)
def test_layers_start_uniform_as_in_torch(make, bound):
    for engine in (torch, minigrad):
        engine.manual_seed(1)
        layer = make(engine.nn)
        for parameter in (layer.weight, layer.bias):
            values = np.array(parameter.tolist())
            assert 0.8 * bound < np.abs(values).max() <= bound and abs(values.mean()) < 0.2 * bound


def test_random_numbers_come_from_manual_seed_and_dropout_keeps_the_mean():
    def draw():
        minigrad.manual_seed(5)
        x = minigrad.ones(40, 50, requires_grad=True)
        out = minigrad.nn.functional.dropout(x, 0.2)
        out.sum().backward()
        return minigrad.nn.Linear(3, 2).weight.tolist(), out.tolist(), x.grad.tolist()

    weights, values, grads = draw()
    assert draw() == (weights, values, grads) and values == grads
    assert set(np.unique(values)) == {0.0, np.float32(1.25)} and abs(np.mean(values) - 1) < 0.05


@settings(max_examples=60)
@given(st.data())
def test_convolution_of_any_shape(data):
    """Any window that fits: outputs, gradients and those of these."""
    draw = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    kernel, stride = (draw(1, 3), draw(1, 3)), (draw(1, 3), draw(1, 2))
    padding = draw(0, 2), draw(0, 2)
    shape = (draw(1, 2), draw(1, 3), kernel[0] + draw(0, 4), kernel[1] + draw(0, 4))

    def program(torch):
        values = numbers(*shape, seed=1), numbers(2, shape[1], *kernel, seed=2), numbers(2)
        x, w, b = [torch.tensor(v, requires_grad=True) for v in values]
        y = torch.nn.functional.conv2d(x, w, b, stride, padding)
        g = torch.tensor(numbers(*y.shape, seed=5), requires_grad=True)
        first = torch.autograd.grad(y, (x, w, b), g, create_graph=True)
        second = torch.autograd.grad(sum((f * f).sum() for f in first), (x, w, g))
        return [y.detach(), [f.detach() for f in first], second]

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=100)


@same
def test_one_image_is_pooled_without_a_batch(torch):
    x = torch.tensor(numbers(2, 5, 4, seed=1), requires_grad=True)
    y = torch.nn.functional.max_pool2d(x, 2)
    y.backward(torch.tensor(numbers(2, 2, 2, seed=2)))
    return y.detach(), x.grad


@pytest.mark.parametrize("engine", [torch, minigrad])
def test_class_numbers_are_not_floats(engine):
    with pytest.raises(RuntimeError, match="expected target dtype to be Long or Byte, but got Flo"):
        engine.nn.functional.cross_entropy(engine.zeros(2, 3), engine.tensor([0.0, 1.0]))
