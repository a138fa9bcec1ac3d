"""Modules, layers, losses and initialisation against torch, with equal weights.

What would break a learner's network: a parameter that is not listed or not trained, another output or
gradient than PyTorch's, a text that cannot be searched for, a state_dict that does not load.
"""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad
from tests.engine.both import attempt, compare, run, same


def numbers(*shape, seed=0):
    """The same normal numbers for both engines."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def seeded(torch, module):
    """The module with the same weights in both engines."""
    with torch.no_grad():
        for i, (name, tensor) in enumerate([*module.named_parameters(), *module.named_buffers()]):
            if tensor.is_floating_point():
                values = numbers(*tensor.shape, seed=i)
                tensor.copy_(torch.tensor(np.abs(values) if "var" in name else values))
    return module


def trained(torch, make, *inputs):
    """Output, gradients of inputs and parameters, and buffers of a module after one pass each way."""
    module = seeded(torch, make(torch, torch.nn))
    given = [torch.tensor(x, requires_grad=x.dtype == np.float32) for x in inputs]
    out = module(*given)
    out.backward(torch.tensor(numbers(*out.shape, seed=99)))
    grads = [x.grad for x in given if x.requires_grad]
    return [out, grads, {n: p.grad for n, p in module.named_parameters()}, dict(module.named_buffers())]


IMAGE, ROWS, LINE = numbers(2, 4, 6, 5), numbers(5, 4), numbers(2, 4, 7)

LAYERS = {
    "Linear": (lambda torch, nn: nn.Linear(4, 3), ROWS),
    "Linear, no bias": (lambda torch, nn: nn.Linear(4, 3, bias=False), ROWS),
    "Linear of images": (lambda torch, nn: nn.Linear(5, 3), IMAGE),
    "Bare Linear of one row": (lambda torch, nn: nn.Linear(4, 3), ROWS[0]),
    "Conv1d": (lambda torch, nn: nn.Conv1d(4, 3, 2, stride=2, padding=1), LINE),
    "Conv2d": (lambda torch, nn: nn.Conv2d(4, 6, 3, padding=1, groups=2), IMAGE),
    "Conv2d same": (lambda torch, nn: nn.Conv2d(4, 2, (3, 5), padding="same"), IMAGE),
    "Conv2d, reflected": (lambda torch, nn: nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), IMAGE),
    "Conv2d, replicated": (lambda torch, nn: nn.Conv2d(4, 2, 3, padding=(2, 1), padding_mode="replicate"), IMAGE),
    "Conv2d, around": (lambda torch, nn: nn.Conv2d(4, 2, 3, padding=1, padding_mode="circular"), IMAGE),
    "Conv2d, same and reflected": (lambda torch, nn: nn.Conv2d(4, 2, (2, 3), padding="same", padding_mode="reflect"), IMAGE),
    "ConvTranspose1d": (lambda torch, nn: nn.ConvTranspose1d(4, 3, 2, stride=2), LINE),
    "ConvTranspose2d": (lambda torch, nn: nn.ConvTranspose2d(4, 3, 3, 2, 1, 1), IMAGE),
    "MaxPool1d": (lambda torch, nn: nn.MaxPool1d(2), LINE),
    "MaxPool2d": (lambda torch, nn: nn.MaxPool2d(3, 2, padding=1, ceil_mode=True), IMAGE),
    "AvgPool1d": (lambda torch, nn: nn.AvgPool1d(3, 1, 1), LINE),
    "AvgPool2d": (lambda torch, nn: nn.AvgPool2d(2, count_include_pad=False, padding=1), IMAGE),
    "AdaptiveAvgPool1d": (lambda torch, nn: nn.AdaptiveAvgPool1d(3), LINE),
    "AdaptiveAvgPool2d": (lambda torch, nn: nn.AdaptiveAvgPool2d((2, None)), IMAGE),
    "Flatten": (lambda torch, nn: nn.Flatten(), IMAGE),
    "Flatten the middle": (lambda torch, nn: nn.Flatten(1, 2), IMAGE),
    "Unflatten": (lambda torch, nn: nn.Unflatten(1, (2, 2)), IMAGE),
    "ZeroPad2d": (lambda torch, nn: nn.ZeroPad2d((1, 0, 2, 0)), IMAGE),
    "Identity": (lambda torch, nn: nn.Sequential(nn.Identity(3, of="anything"), nn.ReLU()), ROWS),
    "Dropout at rest": (lambda torch, nn: nn.Sequential(nn.Dropout(0.9), nn.Tanh()).eval(), ROWS),
    "Dropout of nothing": (lambda torch, nn: nn.Sequential(nn.Dropout(0.0), nn.Tanh()), ROWS),
    "Dropout of all": (lambda torch, nn: nn.Dropout(1.0), ROWS),
    "Embedding": (lambda torch, nn: nn.Embedding(5, 3), np.array([[1, 2], [4, 1]])),
    "Embedding with padding": (lambda torch, nn: nn.Embedding(5, 3, padding_idx=1), np.array([1, 2, 1])),
    "LayerNorm": (lambda torch, nn: nn.LayerNorm(4), ROWS),
    "LayerNorm of images": (lambda torch, nn: nn.LayerNorm((6, 5), bias=False), IMAGE),
    "LayerNorm without weights": (lambda torch, nn: nn.LayerNorm(4, elementwise_affine=False), ROWS),
    "BatchNorm1d": (lambda torch, nn: nn.BatchNorm1d(4), ROWS),
    "BatchNorm1d of lines": (lambda torch, nn: nn.BatchNorm1d(4, momentum=None), LINE),
    "BatchNorm2d": (lambda torch, nn: nn.BatchNorm2d(4, affine=False), IMAGE),
    "BatchNorm2d at rest": (lambda torch, nn: nn.BatchNorm2d(4).eval(), IMAGE),
    "BatchNorm2d without memory": (lambda torch, nn: nn.BatchNorm2d(4, track_running_stats=False).eval(), IMAGE),
    "PReLU": (lambda torch, nn: nn.PReLU(4), ROWS),
    "CosineSimilarity": (lambda torch, nn: nn.CosineSimilarity(), ROWS, ROWS[::-1].copy()),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYERS)
def test_layer(name):
    make, *inputs = LAYERS[name]
    compare(*(run(trained, engine, make, *inputs) for engine in (torch, minigrad)))


ACTIVATIONS = """ReLU() ReLU(inplace=True) ReLU6() LeakyReLU() LeakyReLU(0.2,True) ELU() ELU(2.0,True) SELU()
CELU() CELU(0.5) GELU() GELU('tanh') SiLU() Mish() Softplus() Softplus(2,1) Softsign() Softshrink() Hardshrink(0.3)
Hardtanh() Hardtanh(-0.2,0.4,True) Hardsigmoid() Hardswish() Sigmoid() Tanh() LogSigmoid() Tanhshrink()
Threshold(0.1,20) Threshold(0.1,20,True) GLU() GLU(1) Softmax(dim=1) Softmax() LogSoftmax(dim=0) LogSoftmax() Softmin(1)"""


@pytest.mark.parametrize("text", ACTIVATIONS.split())
def test_activation(text):
    def make(torch, nn):
        return nn.Sequential(nn.Linear(4, 4), eval(f"nn.{text}"))

    compare(*(run(trained, engine, make, ROWS) for engine in (torch, minigrad)), scale=1)


PROBABILITIES = 1 / (1 + np.exp(-numbers(5, 4, seed=3)))
CLASSES = np.array([0, 3, 1, 1, 2])
LOSSES = {
    "MSELoss()": PROBABILITIES, "MSELoss(reduction='sum')": PROBABILITIES, "L1Loss()": PROBABILITIES,
    "SmoothL1Loss(beta=0.5)": PROBABILITIES, "HuberLoss(delta=0.5)": PROBABILITIES,
    "HuberLoss('none', 2.0)": PROBABILITIES,
    "CrossEntropyLoss()": CLASSES, "CrossEntropyLoss(torch.arange(1.0, 5))": CLASSES,
    "CrossEntropyLoss(ignore_index=1, label_smoothing=0.1)": CLASSES,
    "CrossEntropyLoss(reduction='sum', label_smoothing=0.2)": PROBABILITIES,
    "NLLLoss()": CLASSES, "NLLLoss(torch.arange(1.0, 5), reduction='none')": CLASSES,
    "BCEWithLogitsLoss()": PROBABILITIES, "KLDivLoss(reduction='batchmean')": PROBABILITIES,
    "BCEWithLogitsLoss(pos_weight=torch.arange(1.0, 5))": PROBABILITIES,
}  # fmt: skip


@pytest.mark.parametrize("text", LOSSES)
def test_loss(text):
    def program(torch):
        x = torch.tensor(ROWS, requires_grad=True)
        target = torch.tensor(LOSSES[text].astype(np.float32) if LOSSES[text].ndim > 1 else LOSSES[text])
        criterion = eval(f"torch.nn.{text}", {"torch": torch})
        loss = criterion(x, target)
        loss.backward(torch.ones_like(loss))
        return [loss, x.grad, criterion, criterion.state_dict()]

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=1)


@same
def test_bce_of_probabilities(torch):
    x = torch.tensor(PROBABILITIES.astype(np.float32), requires_grad=True)
    loss = torch.nn.BCELoss(torch.arange(1.0, 5))(x, torch.tensor(PROBABILITIES[::-1].astype(np.float32)))
    loss.backward()
    return loss, x.grad


# -- Module ---------------------------------------------------------------------------------------


def net(torch):
    """A class of a module that holds all there is to hold."""
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.rest = nn.ModuleList([nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 1), nn.ReLU())])
            self.scale = nn.Parameter(torch.ones(1))
            self.absent = None
            self.register_parameter("missing", None)
            self.register_buffer("seen", torch.zeros(2))
            self.register_buffer("scratch", torch.zeros(2), persistent=False)
            self.tied = self.first
            self.note = "plain"

        def forward(self, x):
            x = self.first(x)
            for module in self.rest:
                x = module(x)
            return x * self.scale

    return seeded(torch, Net())


@same
def test_what_a_module_holds(torch):
    model = net(torch)
    frozen = net(torch).requires_grad_(False)
    return [
        [n for n, _ in model.named_parameters()],
        [n for n, _ in model.named_parameters(prefix="net", recurse=False)],
        [n for n, _ in model.named_parameters(remove_duplicate=False)],
        [n for n, _ in model.named_buffers()], [n for n, _ in model.named_modules()],
        [n for n, _ in model.named_modules(remove_duplicate=False)],
        [n for n, _ in model.named_children()], [type(m).__name__ for m in model.modules()],
        len(list(model.parameters())), len(list(model.children())), len(list(model.buffers())),
        model, repr(model.rest[1][0].weight), model.state_dict(), model.state_dict(prefix="p."),
        [type(v).__name__ for v in model.state_dict(keep_vars=True).values()],
        model.state_dict()._metadata, sum(p.numel() for p in model.parameters()),
        [p.requires_grad for p in frozen.parameters()],
        [name for name in dir(model) if not name.startswith("_") and name in model.state_dict()],
        model.get_submodule("rest.1.0"), model.get_parameter("rest.0.bias"), model.get_buffer("seen"),
        model.missing is None, model.training, hasattr(model, "nothing"),
    ]  # fmt: skip


@same
def test_it_computes(torch):
    model = net(torch)
    out = model(torch.tensor([[1.0, 2.0], [3.0, -1.0]]))
    out.sum().backward()
    before = [p.grad for p in model.parameters()]
    model.zero_grad(set_to_none=False)
    zeros = [p.grad for p in model.parameters()]
    model.zero_grad()
    return [out, before, zeros, [p.grad for p in model.parameters()]]


@same
def test_zeroing_keeps_or_drops_the_gradient_that_somebody_holds(torch):
    layer = seeded(torch, torch.nn.Linear(2, 1))
    layer(torch.ones(1, 2)).backward()
    held = layer.weight.grad
    layer.zero_grad(set_to_none=False)
    same_one = layer.weight.grad is held
    layer(torch.ones(1, 2)).backward()
    layer.zero_grad()
    return [same_one, held, layer.weight.grad]


@same
def test_modes(torch):
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Sequential(torch.nn.Dropout()))
    seen = [m.training for m in model.eval().modules()]
    seen += [m.training for m in model.train().modules()]
    model[1].eval()
    return [seen, [m.training for m in model.modules()], attempt(model.train, 1)]


@same
def test_apply_reaches_children_first(torch):
    names = []
    found = net(torch).apply(lambda m: names.append(type(m).__name__))
    return [names, type(found).__name__]


@same
def test_attributes_come_and_go(torch):
    nn, model = torch.nn, net(torch)
    model.first = nn.Linear(2, 2)  # another
    model.note = nn.Parameter(torch.zeros(1))  # a plain attribute turns into a parameter
    model.scale = None
    del model.rest
    model.seen = torch.ones(3)
    model.extra = torch.ones(1)  # a plain tensor is not listed
    model.given = nn.Buffer(torch.ones(1))
    return [list(model.state_dict()), model, "extra" in dir(model), list(model._modules),
            attempt(delattr, model, "rest"), attempt(getattr, model, "rest"),
            attempt(setattr, model, "first", 3), attempt(setattr, model, "note", torch.zeros(1)),
            attempt(setattr, model, "seen", "text")]  # fmt: skip


@same
def test_what_is_refused(torch):
    nn, model = torch.nn, net(torch)

    class Hasty(nn.Module):
        def __init__(self, value):
            self.held = value
            super().__init__()

    class Empty(nn.Module):
        pass

    computed = nn.Parameter(torch.ones(1)) * 2
    return [
        attempt(Hasty, nn.Linear(1, 1)), attempt(Hasty, nn.Parameter(torch.ones(1))),
        attempt(Empty(), torch.ones(1)), attempt(Empty, 1), attempt(Empty, size=1),
        attempt(model.register_parameter, "first", None), attempt(model.register_parameter, "a.b", None),
        attempt(model.register_parameter, "", None), attempt(model.register_parameter, 3, None),
        attempt(model.register_parameter, "w", torch.ones(1)),
        attempt(model.register_parameter, "w", [1]),
        attempt(model.register_buffer, "first", None), attempt(model.register_buffer, "b.c", None),
        attempt(model.register_buffer, "b", 3), attempt(model.register_buffer, 3, None),
        attempt(model.add_module, "m", 3), attempt(model.add_module, "a.b", nn.ReLU()),
        attempt(model.add_module, "note", nn.ReLU()), attempt(model.add_module, "", nn.ReLU()),
        attempt(model.add_module, 3, nn.ReLU()), attempt(model.get_submodule, "rest.7"),
        attempt(model.get_submodule, "note"), attempt(model.get_parameter, "seen"),
        attempt(model.get_buffer, "scale"), attempt(model.get_parameter, "first.nothing"),
        attempt(lambda: model.nothing), attempt(model.to, torch.int64),
        attempt(nn.Parameter, torch.tensor([1])), nn.Parameter(torch.tensor([1]), False),
        attempt(nn.Dropout, 2), attempt(nn.Conv2d, 3, 4, 3, groups=2), attempt(nn.Conv2d, 2, 3, 3, groups=2),
        attempt(nn.Conv2d, 2, 2, 3, groups=0), str(attempt(nn.Conv2d, 2, 2, 3, padding="none"))[:50],
        attempt(nn.Conv2d, 2, 2, 3, padding="same", stride=2), attempt(nn.Embedding, 3, 2, 3),
        attempt(nn.Hardtanh, 1.0, -1.0), attempt(nn.ConvTranspose2d, 1, 1, 1, padding_mode="reflect"),
        attempt(nn.ConvTranspose2d(1, 1, 2, 1, 0, 1), torch.ones(1, 1, 2, 2)),
        str(attempt(model.register_parameter, "w", computed)).partition(" To express")[0],
    ]  # fmt: skip


@same
def test_a_parameter_is_a_tensor(torch):
    Parameter = torch.nn.Parameter
    data = torch.tensor([1.0, 2.0])
    p = Parameter(data)
    data[0] = 5.0  # shared
    with torch.no_grad():
        p.mul_(2)
    whole = Parameter(torch.ones(2), requires_grad=False)
    again = copy.deepcopy(p)
    return [
        p, str(p), isinstance(p, torch.Tensor), isinstance(p, torch.nn.Parameter), p.is_leaf,
        [type(t).__name__ for t in (p, p * 2, p.detach(), p.data, p[0], p.view(-1), p.clone(), -p, again)],
        isinstance(data, Parameter), whole, Parameter(), again, again is p, data, p._version,
        isinstance(p, torch.FloatTensor), p.requires_grad_(False).requires_grad,
        Parameter(torch.ones(2, dtype=torch.float64)), type(p.requires_grad_()).__name__,
        attempt(setattr, p, "grad", torch.ones(3)),
    ]  # fmt: skip


@same
def test_copies_are_independent(torch):
    model = net(torch)
    model(torch.ones(1, 2)).backward()
    twin = copy.deepcopy(model)
    with torch.no_grad():
        model.scale.mul_(10)
    return [twin, twin.scale, twin.scale.grad, twin.tied is twin.first, twin.first is model.first,
            [n for n, _ in twin.named_parameters()]]  # fmt: skip


def test_a_model_can_be_pickled():
    model = minigrad.nn.Sequential(minigrad.nn.Linear(2, 3), minigrad.nn.Tanh())
    twin = pickle.loads(pickle.dumps(model))
    assert repr(twin) == repr(model)
    x = minigrad.randn(4, 2)
    np.testing.assert_array_equal(twin(x).tolist(), model(x).tolist())
    assert all(isinstance(p, minigrad.nn.Parameter) and p.requires_grad for p in twin.parameters())


@same
def test_dtypes(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
    parameter = model[0].weight
    kinds = [[t.dtype for t in m.state_dict().values()] for m in
             (copy.deepcopy(model).double(), copy.deepcopy(model).half(), copy.deepcopy(model).to("cpu"),
              copy.deepcopy(model).to(torch.float64))]  # fmt: skip
    seeded(torch, model)(torch.ones(3, 2)).sum().backward()
    model.double()
    return [kinds, model[0].weight is parameter, parameter.grad.dtype, model(torch.ones(3, 2).double()),
            torch.nn.Linear(2, 1, dtype=torch.float64).weight.dtype,
            attempt(model, torch.ones(3, 2))]  # fmt: skip


# -- containers -----------------------------------------------------------------------------------


@same
def test_sequential(torch):
    nn = torch.nn
    row = nn.Sequential(OrderedDict(first=nn.Linear(2, 2), second=nn.ReLU()))
    plain = nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())
    longer = plain + nn.Sequential(nn.GELU())
    cut = plain[1:]
    plain[0] = nn.SiLU()
    del longer[1]
    texts = [repr(m) for m in (row, row[:1], longer, cut, plain, plain * 2, plain.insert(1, nn.ELU()),
                               plain.append(nn.Mish()), plain.extend([nn.Tanh()]))]  # fmt: skip
    popped = plain.pop(-1)
    plain += nn.Sequential(nn.ReLU())
    plain *= 2
    return [texts, popped, plain, len(plain), row.first, row[-1], [type(m).__name__ for m in plain],
            attempt(lambda: plain[100]), type(attempt(lambda: plain + 3)),
            type(attempt(lambda: plain * 0)), type(attempt(lambda: plain * "2")), attempt(plain.insert, 100, nn.ReLU()),
            nn.Sequential()(torch.ones(1))]  # fmt: skip


@same
def test_lists_and_dictionaries(torch):
    nn = torch.nn
    rows = nn.ModuleList(nn.Linear(2, 2) for _ in range(3))
    rows.append(nn.ReLU())
    rows += [nn.Tanh()]
    rows.extend([nn.Tanh(), nn.Sequential(nn.Tanh())])
    rows.insert(0, nn.ELU())
    first = [repr(rows), repr(rows[2:4]), rows[-1], len(rows), len(list(rows.parameters()))]
    del rows[1]
    rows[0] = nn.SiLU()
    named = nn.ModuleDict({"a": nn.ReLU(), "b": nn.Linear(1, 1)})
    named["c"] = nn.Tanh()
    named.update([("d", nn.ELU())])
    taken = named.pop("a")
    weights = nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1, 2))])
    weights.append(torch.tensor([3.0]))
    return [first, rows, [n for n, _ in rows.named_parameters()], list(rows + [nn.ReLU()])[-1], rows.pop(0),
            named, taken, list(named), "b" in named, list(named.values())[0], len(named), named["d"],
            list(named.items())[0][0], list(named.keys()), weights, list(weights.state_dict()), weights[-1],
            len(weights), attempt(rows.extend, 3), attempt(lambda: rows[50]), attempt(lambda: named["zz"]),
            attempt(rows, torch.ones(1))]  # fmt: skip


# -- state_dict -----------------------------------------------------------------------------------


@same
def test_a_state_is_loaded(torch):
    nn, model = torch.nn, net(torch)
    held = model.first.weight
    state = {name: value * 2 for name, value in net(torch).state_dict().items()}
    said = model.load_state_dict(state)
    loaded = [said, model.state_dict(), held is model.first.weight, held._version]
    part = {"scale": torch.tensor([7.0]), "more": torch.zeros(1), "first.more.x": torch.zeros(1)}
    said = model.load_state_dict(part, strict=False)
    assigned = nn.Linear(2, 1)
    weight = torch.ones(1, 2)
    assigned.load_state_dict({"weight": weight, "bias": torch.zeros(1)}, assign=True)
    weight[0, 0] = 9.0
    return [*loaded, said, model.scale, assigned.weight]


@same
def test_a_state_that_does_not_fit(torch):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
    good = model.state_dict()
    wrong = {**good, "0.weight": torch.ones(3), "0.bias": torch.ones(2), "new": torch.ones(1)}
    del wrong["1.bias"]
    return [attempt(model.load_state_dict, wrong), attempt(model.load_state_dict, {}),
            attempt(model.load_state_dict, [1]), attempt(model.load_state_dict, {**good, "0.bias": 3}),
            attempt(model.load_state_dict, {**good, "2.weight": torch.ones(1)}),
            attempt(nn.Linear(1, 1, bias=False).load_state_dict, nn.Linear(1, 1).state_dict())]  # fmt: skip


@same
def test_a_state_shares_memory_with_the_module(torch):
    layer = seeded(torch, torch.nn.Linear(2, 1))
    state = layer.state_dict()
    with torch.no_grad():
        layer.weight.zero_()
    return [state, type(state).__name__, [type(v).__name__ for v in state.values()]]


# -- hooks ----------------------------------------------------------------------------------------


@same
def test_forward_hooks(torch):
    seen = []
    layer = seeded(torch, torch.nn.Linear(2, 2))
    handles = [
        layer.register_forward_pre_hook(lambda m, args: seen.append(("pre", len(args)))),
        layer.register_forward_pre_hook(lambda m, args: args[0] * 2),
        layer.register_forward_hook(lambda m, args, out: seen.append((args[0], out))),
        layer.register_forward_hook(lambda m, args, out: out + 1),
        layer.register_forward_hook(lambda m, args, out: seen.append("first"), prepend=True),
        layer.register_forward_hook(lambda m, a, kw, out: seen.append(list(kw)), with_kwargs=True),
        layer.register_forward_pre_hook(lambda m, a, kw: (a, {"input": a[0]} if a else kw) and None,
                                        with_kwargs=True),
    ]  # fmt: skip
    out = layer(torch.ones(1, 2))
    for handle in handles:
        handle.remove()
    return [out, seen, layer(torch.ones(1, 2))]


class Two:
    """Two inputs, two outputs, one input that is no tensor."""

    @staticmethod
    def of(torch):
        class Pair(torch.nn.Module):
            def forward(self, x, factor, y):
                return x * y, x * factor

        return Pair()


@same
def test_backward_hooks(torch):
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([3.0, 4.0], requires_grad=True)
    pair = Two.of(torch)
    handles = [
        pair.register_full_backward_hook(lambda m, g_in, g_out: seen.append((g_in, g_out))),
        pair.register_full_backward_hook(lambda m, g_in, g_out: (g_in[0] * 10, None, g_in[2])),
        pair.register_full_backward_hook(lambda m, g_in, g_out: seen.append("first"), prepend=True),
        pair.register_full_backward_pre_hook(lambda m, g_out: seen.append(g_out)),
        pair.register_full_backward_pre_hook(lambda m, g_out: (g_out[0] * 2, g_out[1])),
    ]
    a, b = pair(x, 3, y)
    said = [a.grad_fn.name(), a.output_nr, b.output_nr, a]
    (a.sum() + 2 * b.sum()).backward()
    first = [x.grad.clone(), y.grad.clone()]
    for handle in handles:
        handle.remove()
    pair(x, 3, y)[0].sum().backward()
    return [said, seen, first, x.grad, y.grad]


@same
def test_backward_hooks_in_a_network(torch):
    model = seeded(torch, torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1)))
    seen = []
    for i, module in enumerate(model):
        module.register_full_backward_hook(lambda m, g_in, g_out, i=i: seen.append((i, g_in, g_out)))
    model(torch.ones(2, 2)).sum().backward()  # the first layer's input requires no gradient
    with torch.no_grad():
        model(torch.ones(2, 2))
    return [seen, [p.grad for p in model.parameters()]]


@same
def test_backward_hooks_that_are_refused(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    layers = [seeded(torch, torch.nn.Linear(2, 1)) for _ in range(4)]
    layers[0].register_full_backward_hook(lambda m, g_in, g_out: ())
    layers[1].register_full_backward_pre_hook(lambda m, g_out: ())
    layers[2].register_full_backward_hook(lambda m, g_in, g_out: (torch.ones(1, 2),))
    listing = torch.nn.Module()
    listing.forward = lambda x: [x]
    listing.register_full_backward_hook(lambda *given: None)
    return [attempt(layers[0](x).backward), attempt(layers[1](x).backward),
            attempt(layers[2](x.detach()).backward), listing(x)]  # fmt: skip


# -- initialisation -------------------------------------------------------------------------------


@pytest.mark.parametrize("make, bounds", [
    (lambda nn: nn.Linear(50, 40), (50**-0.5, 50**-0.5)),
    (lambda nn: nn.Conv2d(3, 40, 5), (75**-0.5, 75**-0.5)),
    (lambda nn: nn.ConvTranspose2d(30, 40, 3), (360**-0.5, 360**-0.5)),
])  # fmt: skip
def test_layers_start_uniform_as_in_torch(make, bounds):
    """Both engines' layers start between the same bounds and reach them."""
    for engine in (torch, minigrad):
        engine.manual_seed(1)
        layer = make(engine.nn)
        for parameter, bound in zip((layer.weight, layer.bias), bounds):
            values = np.array(parameter.tolist())
            assert np.abs(values).max() <= bound
            assert np.abs(values).max() > 0.8 * bound
            assert abs(values.mean()) < 0.2 * bound


def test_numbers_come_from_manual_seed():
    def draw():
        minigrad.manual_seed(5)
        layer = minigrad.nn.Linear(3, 2)
        return layer.weight.tolist(), minigrad.nn.functional.dropout(minigrad.ones(20)).tolist()

    assert draw() == draw()
    assert minigrad.nn.Linear(3, 2).weight.tolist() != minigrad.nn.Linear(3, 2).weight.tolist()


@pytest.mark.parametrize("call", [
    "uniform_(w, -2.0, 3.0)", "normal_(w, 1.0, 0.5)", "trunc_normal_(w, 0.0, 1.0, -1.0, 0.5)",
    "xavier_uniform_(w)", "xavier_normal_(w, 2.0)", "kaiming_uniform_(w)",
    "kaiming_uniform_(w, mode='fan_out', nonlinearity='relu')", "kaiming_normal_(w, 0.3)",
    "kaiming_normal_(w, nonlinearity='tanh')",
])  # fmt: skip
def test_distributions(call):
    """Mean, spread and extremes of many numbers are torch's."""
    found = []
    for engine in (torch, minigrad):
        engine.manual_seed(2)
        w = engine.empty(300, 40, 3)
        assert eval(f"engine.nn.init.{call}", {"engine": engine, "w": w}) is w
        values = np.array(w.tolist())
        found.append([values.mean(), values.std(), *np.quantile(values, [0, 0.1, 0.5, 0.9, 1])])
    theirs, ours = map(np.array, found)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=0.03)
    np.testing.assert_allclose(ours[[0, 3, 4, 5]], theirs[[0, 3, 4, 5]], atol=0.05 * theirs[1])
    edges = 1e-3 if "uniform" in call or "trunc" in call else 0.5
    np.testing.assert_allclose(ours[[2, 6]], theirs[[2, 6]], rtol=edges, atol=edges)


@same
def test_initialisers(torch):
    init = torch.nn.init
    w = torch.nn.Parameter(torch.empty(2, 3))
    texts = [repr(init.constant_(w, 2.5)), repr(init.ones_(w)), repr(init.zeros_(w)), repr(init.eye_(w))]
    rows, columns = init.orthogonal_(torch.empty(3, 5)), init.orthogonal_(torch.empty(5, 3), gain=2)
    near = lambda a, b: bool(abs(a - b).max() < 1e-5)  # noqa: E731
    return [texts, w.requires_grad, near(rows @ rows.t(), torch.eye(3)),
            near(columns.t() @ columns, 4 * torch.eye(3)),
            [init.calculate_gain(n) for n in ("linear", "conv2d", "sigmoid", "tanh", "relu", "selu", "leaky_relu")],
            init.calculate_gain("leaky_relu", 0.2), attempt(init.calculate_gain, "swish"),
            attempt(init.calculate_gain, "leaky_relu", "steep"), attempt(init.kaiming_uniform_, torch.empty(3)),
            attempt(init.kaiming_normal_, w, mode="fan"), attempt(init.eye_, torch.empty(3)),
            init.dirac_(torch.empty(3, 4, 3)), init.dirac_(torch.empty(4, 2, 2, 3), groups=2),
            (init.sparse_(torch.empty(4, 3), 0.3) == 0).sum(0),
            attempt(init.dirac_, torch.empty(4, 2)), attempt(init.dirac_, torch.empty(3, 2, 2), 2),
            attempt(init.sparse_, torch.empty(4), 0.5),
            attempt(init.orthogonal_, torch.empty(3)), init.kaiming_uniform_(torch.empty(0, 3)).shape,
            attempt(init.xavier_uniform_, torch.empty(3))]  # fmt: skip


@pytest.mark.parametrize(
    "name, shape", [("dropout", (40, 50)), ("dropout1d", (30, 40, 5)), ("dropout2d", (20, 30, 3, 3))]
)
def test_dropout_keeps_the_mean_and_passes_the_same_gradient(name, shape):
    minigrad.manual_seed(0)
    x = minigrad.ones(*shape, requires_grad=True)
    out = getattr(minigrad.nn.functional, name)(x, 0.2)
    values = np.array(out.tolist())
    assert set(np.unique(values)) == {0.0, np.float32(1.25)}
    assert abs((values == 0).mean() - 0.2) < 0.05
    per_channel = values.reshape(*shape[:2], -1) if name != "dropout" else values.reshape(*shape, 1)
    assert (per_channel == per_channel[..., :1]).all()
    out.sum().backward()
    assert x.grad.tolist() == out.tolist()
    assert out.grad_fn.name() == "MulBackward0"


# -- utils ----------------------------------------------------------------------------------------


@same
def test_gradients_are_clipped(torch):
    utils, found = torch.nn.utils, []
    for norm_type, bound in ((2.0, 1.0), (1.0, 0.5), (float("inf"), 0.3), (2.0, 1e6)):
        model = net(torch)
        model(torch.ones(2, 2)).sum().backward()
        total = utils.clip_grad_norm_(model.parameters(), bound, norm_type)
        found.append([total, [p.grad for p in model.parameters()]])
    utils.clip_grad_value_(model.parameters(), 0.25)
    alone = torch.nn.Parameter(torch.ones(2))
    empty = utils.clip_grad_norm_(alone, 1.0)
    alone.grad = torch.tensor([float("nan"), 1.0])
    return [found, [p.grad for p in model.parameters()], empty,
            attempt(utils.clip_grad_norm_, [alone], 1.0, error_if_nonfinite=True)]  # fmt: skip


@same
def test_parameters_as_one_vector(torch):
    utils, layer = torch.nn.utils, seeded(torch, torch.nn.Linear(2, 3))
    vector = utils.parameters_to_vector(layer.parameters())
    utils.vector_to_parameters(torch.arange(9.0), layer.parameters())
    return [vector, layer.weight, layer.bias, attempt(utils.vector_to_parameters, [1.0], layer.parameters())]


# -- together -------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(st.data())
def test_convolution_and_pooling_of_any_shape(data):
    """Any window that fits: outputs and gradients of convolution, then pooling, are torch's."""
    draw = lambda low, high: data.draw(st.integers(low, high))  # noqa: E731
    groups, kernel = draw(1, 2), (draw(1, 3), draw(1, 3))
    stride, dilation = (draw(1, 3), draw(1, 2)), (draw(1, 2), draw(1, 2))
    padding = (draw(0, 2), draw(0, 2))
    least = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
    shape = (draw(1, 2), 2 * groups, least[0] + draw(0, 4), least[1] + draw(0, 4))
    pool, ceil = draw(1, 2), data.draw(st.booleans())
    kind = data.draw(st.sampled_from(["max_pool2d", "avg_pool2d"]))
    whole = data.draw(st.booleans())  # whole numbers: ties within a window

    def program(torch):
        values = numbers(*shape, seed=1), numbers(2 * groups, 2, *kernel, seed=2), numbers(2 * groups)
        if whole:
            values = [np.round(v) for v in values]
        x, w, b = [torch.tensor(v, requires_grad=True) for v in values]
        F = torch.nn.functional
        y = F.conv2d(x, w, b, stride, padding, dilation, groups)
        y = getattr(F, kind)(y, pool, stride=draw_stride, ceil_mode=ceil)
        g = torch.tensor(numbers(*y.shape, seed=5), requires_grad=True)
        first = torch.autograd.grad(y, (x, w, b), g, create_graph=True)
        second = torch.autograd.grad(sum((f * f).sum() for f in first), (x, w, g))
        return [y, [f.detach() for f in first], second]

    draw_stride = draw(1, 2)
    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=100)


@settings(max_examples=40)
@given(st.data())
def test_networks_of_any_layers(data):
    """Random networks with equal weights: output, gradients of inputs and weights are torch's."""
    widths = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=5))
    texts = data.draw(st.lists(st.sampled_from(
        ["ReLU()", "Tanh()", "Sigmoid()", "ELU()", "GELU()", "Softplus()", "LeakyReLU(0.1)", "LayerNorm(n)",
         "Softmax(dim=-1)", "Identity()", "SiLU()", "BatchNorm1d(n)"]), min_size=4, max_size=4))  # fmt: skip
    loss = data.draw(st.sampled_from(["mse_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"]))

    def program(torch):
        nn = torch.nn
        layers = []
        for a, b, text in zip(widths, widths[1:], texts):
            layers += [nn.Linear(a, b), eval(f"nn.{text}", {"nn": nn, "n": b})]
        model = seeded(torch, nn.Sequential(*layers)).double()
        x = torch.tensor(numbers(4, widths[0], seed=7), dtype=torch.float64, requires_grad=True)
        target = torch.sigmoid(torch.tensor(numbers(4, widths[-1], seed=8), dtype=torch.float64))
        out = model(x)
        value = getattr(nn.functional, loss)(out, target)
        value.backward()
        return [out, value, x.grad, {n: p.grad for n, p in model.named_parameters()}, model]

    compare(*(run(program, engine) for engine in (torch, minigrad)), scale=1e4)


@same
def test_labels_that_change_before_backward_are_noticed(torch):
    x = torch.tensor(ROWS, requires_grad=True)
    labels = torch.tensor(CLASSES)
    loss = torch.nn.functional.cross_entropy(x, labels)
    labels[0] = 2
    return attempt(loss.backward)


def test_what_is_not_there_says_so():
    for module, name in (
        (minigrad.nn, "SyncBatchNorm"),
        (minigrad.nn.functional, "grid_sample"),
        (minigrad.optim, "SparseAdam"),
        (minigrad, "compile"),
        (minigrad.linalg, "ldl_factor"),
        (minigrad.special, "zeta"),
        (minigrad.nn.utils, "weight_norm"),
        (minigrad.nn.utils.rnn, "pack_padded_sequence"),
        (minigrad.nn.init, "lecun_normal_"),
        (minigrad.optim.lr_scheduler, "LRSchedule"),
        (minigrad.utils, "tensorboard"),
        (minigrad.utils.data, "get_worker_info"),
    ):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'.*part of PyTorch"):
            getattr(module, name)
