"""Data for training: datasets, the order of examples, batches; random numbers; files; settings."""

import collections
import importlib
import io
import pickle

import numpy as np
import pytest
import torch
import torch.utils.data

import minigrad
from tests.engine.both import refusal, same


def data(torch):
    return importlib.import_module(f"{torch.__name__}.utils.data")


@same
def test_batches_of_tensors(torch):
    D = data(torch)
    examples = D.TensorDataset(torch.arange(14.0).reshape(7, 2), torch.arange(7))
    loader = D.DataLoader(examples, batch_size=3)
    return (len(examples), examples[2], examples[[0, 3]], len(loader), list(loader), list(loader),
            loader.batch_size, list(D.DataLoader(examples, 3, drop_last=True)),
            len(D.DataLoader(examples, 3, drop_last=True)), list(D.DataLoader(examples, None)))  # fmt: skip


@same
def test_own_datasets(torch):
    D = data(torch)

    class Squares(D.Dataset):
        def __init__(self, n):
            self.n = n

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            return {"x": torch.tensor([i, i * i]), "y": i, "z": float(i), "name": str(i), "pair": (i, [1.5])}

    class Count(D.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    both = Squares(2) + Squares(3)
    return (list(D.DataLoader(Squares(3), 2)), list(D.DataLoader(Count(), 2)), len(both), both[3], both[-1],
            list(D.DataLoader(Count(), 2, drop_last=True)), list(D.DataLoader(Count(), None)),
            D.Subset(Squares(5), [3, 4])[1], list(D.DataLoader([1, 2, 3], 2, collate_fn=lambda b: b)),
            list(D.ChainDataset([Count(), Count()])), D.StackDataset([1, 2], [3, 4])[1],
            D.StackDataset(a=[1, 2], b=[3, 4])[0])  # fmt: skip


@same
def test_collating(torch):
    D, Pair = data(torch), collections.namedtuple("Pair", "x y")
    return [D.default_collate(batch) for batch in (
        [torch.ones(2), torch.zeros(2)], [np.ones(2), np.zeros(2)], [1, 2], [1.0, 2.0], [True, False],
        ["a", "b"], [(1, 2.0), (3, 4.0)], [{"a": 1, "b": [1, 2.0]}, {"a": 2, "b": [3, 4.0]}],
        [np.float32(1), np.float32(2)], [Pair(1, 2), Pair(3, 4)],
    )] + [refusal(D.default_collate, batch) for batch in (
        [object()], [torch.ones(2), torch.ones(3)], [(1,), (1, 2)],
    )]  # fmt: skip


@same
def test_what_makes_no_sense_is_refused(torch):
    D = data(torch)
    four = D.TensorDataset(torch.arange(4))
    order = D.SequentialSampler(four)

    class Count(D.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    loaders = (dict(batch_size=0), dict(shuffle=True, sampler=order), dict(num_workers=-1),
               dict(batch_size=None, drop_last=True),
               dict(batch_sampler=D.BatchSampler(order, 2, False), batch_size=2))  # fmt: skip
    return ([refusal(D.DataLoader, four, **given) for given in loaders]
            + [refusal(D.DataLoader, Count(), shuffle=True), refusal(lambda: D.Dataset()[0]),
               refusal(D.TensorDataset, torch.ones(2), torch.ones(3)), refusal(D.ConcatDataset, []),
               refusal(D.random_split, four, [1, 1]), refusal(D.RandomSampler, range(0)),
               refusal(D.WeightedRandomSampler, [1.0], 0), refusal(D.BatchSampler, order, 0, False)])  # fmt: skip


@same
def test_every_example_comes_once(torch):
    D = data(torch)
    ten = D.TensorDataset(torch.arange(10))
    torch.manual_seed(3)
    loader = D.DataLoader(ten, batch_size=4, shuffle=True)
    seen = [torch.cat([batch for (batch,) in loader]) for _ in range(2)]
    parts = D.random_split(ten, [0.33, 0.33, 0.34])
    return (sorted(seen[0].tolist()), seen[0].tolist() == seen[1].tolist(), [len(p) for p in parts],
            sorted(x.item() for part in parts for (x,) in part),
            sorted(D.SubsetRandomSampler([7, 3])), list(D.WeightedRandomSampler([0.0, 1.0], 3)),
            len(list(D.RandomSampler(ten, num_samples=15))),
            [len(b) for b in D.BatchSampler(D.RandomSampler(ten), 4, True)])  # fmt: skip


@same
def test_a_seed_repeats_the_numbers(torch):
    def drawn(**given):
        return [torch.rand(3, **given), torch.randn(2, **given), torch.randint(9, (4,), **given),
                torch.randperm(5, **given), torch.normal(0.0, 1.0, (2,), **given),
                torch.empty(3).uniform_(2, 3, **given), torch.empty(3).exponential_(**given),
                torch.bernoulli(torch.full((20,), 0.5), **given),
                torch.multinomial(torch.ones(5), 3, **given)]  # fmt: skip

    def equal(a, b):
        return all(torch.equal(x, y) for x, y in zip(a, b))

    own = torch.Generator().manual_seed(5)
    torch.manual_seed(5)
    first, before = drawn(), own.get_state()
    torch.manual_seed(5)
    again, mine = drawn(), drawn(generator=own)
    own.set_state(before)
    state = torch.get_rng_state()
    later = drawn()
    torch.set_rng_state(state)
    return (equal(first, again), equal(mine, drawn(generator=own)), equal(later, drawn()),
            equal(first, later), torch.initial_seed(), own.initial_seed(), own.device,
            torch.manual_seed(-1).initial_seed(), isinstance(torch.seed(), int))  # fmt: skip


@same
def test_random_numbers_have_their_distribution(torch):
    torch.manual_seed(0)
    many = 100_000
    wide = torch.empty(many)
    shares = torch.bincount(torch.tensor([1.0, 2.0, 1.0]).multinomial(many, True)) / many
    means = [torch.randn(many).var(), wide.normal_(3, 2).std(), wide.uniform_(2, 6).mean(),
             wide.exponential_(4).mean(), wide.geometric_(0.25).mean(), wide.log_normal_(0, 0.5).mean(),
             wide.cauchy_(2).median(), wide.random_(0, 11).mean(), wide.bernoulli_(0.3).mean(),
             torch.poisson(torch.full((many,), 2.5)).mean(), torch.rand(many).mean(),
             torch.randint(0, 11, (many,)).float().mean()]  # fmt: skip
    return [round(m.item() * 20) / 20 for m in (*means, *shares)]


def test_drawing_without_replacement():
    minigrad.manual_seed(0)
    drawn = minigrad.stack([minigrad.tensor([1.0, 2.0, 5.0]).multinomial(2) for _ in range(4000)])
    assert (drawn[:, 0] != drawn[:, 1]).all()
    first = minigrad.bincount(drawn[:, 0]) / 4000
    assert minigrad.allclose(first, minigrad.tensor([0.125, 0.25, 0.625]), atol=0.03)


@same
def test_random_arguments_are_checked(torch):
    x = torch.zeros(2)
    return [refusal(call) for call in (
        lambda: x.uniform_(2, 1), lambda: x.normal_(0, -1), lambda: x.random_(3, 2), lambda: x.exponential_(-1),
        lambda: x.geometric_(2), lambda: x.log_normal_(0, -1), lambda: x.cauchy_(0, -1), lambda: x.bernoulli_(2),
        lambda: torch.bernoulli(x + 2), lambda: torch.poisson(x - 1), lambda: torch.normal(x, -x - 1),
        lambda: torch.normal(0.0, -1.0, (2,)), lambda: torch.multinomial(x, 1),
        lambda: torch.multinomial(x - 1, 1), lambda: torch.multinomial(x + 1, 3),
        lambda: torch.multinomial(x.long(), 1), lambda: torch.multinomial(x, 0), lambda: torch.randint(5, 2, (1,)),
        lambda: torch.randint(0, 300, (2,), dtype=torch.uint8), lambda: torch.manual_seed(2**70),
        lambda: x.requires_grad_().normal_(),
    )]  # fmt: skip


@same
def test_limits_of_types(torch):
    floats = [torch.finfo(t) for t in (torch.float16, torch.float32, torch.float64)] + [torch.finfo()]
    whole = [torch.iinfo(t) for t in (torch.uint8, torch.int8, torch.int32, torch.int64)]
    names = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")
    return (floats, whole, [[getattr(f, n) for n in names] for f in floats],
            [(i.bits, i.min, i.max, i.dtype) for i in whole], torch.finfo() == torch.finfo(torch.float32),
            refusal(torch.finfo, torch.int32), refusal(torch.iinfo, torch.float32),
            refusal(torch.iinfo, torch.bool), refusal(torch.finfo, 3))  # fmt: skip


@same
def test_files(torch):
    def through(thing, **given):
        file = io.BytesIO()
        torch.save(thing, file)
        file.seek(0)
        return torch.load(file, **given)

    net = torch.nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.copy_(torch.tensor([[1.0, 2.0]]))
        net.bias.zero_()
    optimizer = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    other = torch.nn.Linear(2, 1)
    told = other.load_state_dict(through(net.state_dict()))
    kept = {"epoch": 3, "t": torch.arange(3), "name": "x", "list": [1.5, None], "dtype": torch.float64,
            "leaf": torch.ones(2, requires_grad=True), "shape": torch.Size([2])}  # fmt: skip
    return (other.weight, str(told), through(kept), through(optimizer.state_dict()),
            through(net, weights_only=False).weight)  # fmt: skip


def test_a_file_cannot_run_code():
    class Trap:
        def __reduce__(self):
            return print, ("ran",)

    file = io.BytesIO()
    minigrad.save({"trap": Trap()}, file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="Unsupported global: builtins.print"):
        minigrad.load(file)


def test_files_by_name(tmp_path):
    minigrad.save(minigrad.arange(3), tmp_path / "x.pt")
    assert minigrad.load(str(tmp_path / "x.pt")).tolist() == [0, 1, 2]


@same
def test_devices(torch):
    here = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.ones(2, device=here)
    net = torch.nn.Linear(2, 2).to(here)
    torch.cuda.manual_seed_all(0)
    torch.backends.cudnn.deterministic = True
    return (x, here, str(here), here.type, net.weight.device, torch.device("cuda:1"), torch.device("cuda", 1),
            torch.device("cpu") == torch.device("cpu:0"), str(torch.device("cuda:1")),
            [refusal(call) for call in (
                lambda: torch.device("gpu"), lambda: torch.ones(2, device="cuda"), lambda: x.cuda(), net.cuda,
                lambda: x.to("cuda:0"), lambda: net.to("mps"), lambda: x.to("gpu"),
            )])  # fmt: skip


@same
def test_inference_mode(torch):
    w = torch.ones(2, requires_grad=True)

    @torch.inference_mode()
    def doubled(x):
        return (x * 2).requires_grad, torch.is_inference_mode_enabled()

    @torch.inference_mode
    def tripled(x):
        return (x * 3).requires_grad

    with torch.inference_mode():
        inside = (w * 2).requires_grad, torch.is_grad_enabled()
        with torch.inference_mode(False):
            again = (w * 2).requires_grad, torch.is_inference_mode_enabled()
    return inside, again, doubled(w), tripled(w), torch.is_inference_mode_enabled(), (w * 2).requires_grad
