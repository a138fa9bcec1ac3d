"""Batches of data, in both engines: what a loop over a DataLoader gets."""

import pytest
import torch

import minigrad
from minigrad.classroom.compare.cells import Cell
from tests.engine.both import play, same, titled

PROGRAMS = titled("""
## batches in order, the last one smaller, or dropped
x, y = torch.arange(10.0).reshape(5, 2), torch.arange(5)
data = TensorDataset(x, y)
len(data), data[1], data[-1], [len(DataLoader(data, n)) for n in (1, 2, 5, 9)]
list(DataLoader(data, batch_size=2)), list(DataLoader(data, 2, drop_last=True))
list(DataLoader(data)), [len(DataLoader(data, n, drop_last=True)) for n in (2, 9)]
DataLoader(data, 0)  # ValueError

## a dataset of the user's own
class Squares(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return torch.ones(2) * i, i * i, i / 2, np.float32(i)


list(DataLoader(Squares(), 2)), list(DataLoader([1.0, 2.0], 2))
""")
NAMES = "DataLoader", "Dataset", "TensorDataset"


@pytest.mark.parametrize("title", PROGRAMS)
def test_program(title):
    found = "\n".join(f"{name} = torch.utils.data.{name}" for name in NAMES)
    play(f"{found}\n{PROGRAMS[title]}")


@pytest.mark.parametrize(
    "line", [f"from torch.utils.data import {', '.join(NAMES)}", "import torch.utils.data"]
)
def test_a_cell_imports_it_as_programs_do(line):
    made = "torch.utils.data." if line.startswith("import") else ""
    source = f"{line}\nlen({made}DataLoader({made}TensorDataset(torch.ones(5)), 2))"
    assert [[*Cell(source)(engine).values()] for engine in (torch, minigrad)] == [[3], [3]]


@same
def test_shuffling_loses_nothing_and_is_another_order_each_time(torch):
    data = torch.utils.data.TensorDataset(torch.arange(100), torch.arange(100.0) * 2)
    loader = torch.utils.data.DataLoader(data, batch_size=7, shuffle=True)
    orders = [torch.cat([x for x, _ in loader]).tolist() for _ in range(2)]
    pairs = all(bool((x * 2 == y).all()) for x, y in loader)
    return [sorted(order) for order in orders], orders[0] != orders[1], pairs


def test_a_seed_repeats_the_order():
    def order(generator=None):
        data = minigrad.utils.data.TensorDataset(minigrad.arange(50))
        minigrad.manual_seed(3)
        loader = minigrad.utils.data.DataLoader(data, 50, shuffle=True, generator=generator)
        return next(iter(loader))[0].tolist()

    assert order() == order() != order(minigrad.Generator().manual_seed(8))


@pytest.mark.parametrize("engine", [torch, minigrad])
def test_tensors_of_different_lengths_are_no_dataset(engine):
    with pytest.raises(AssertionError, match="^Size mismatch between tensors$"):
        engine.utils.data.TensorDataset(engine.ones(3), engine.ones(2))
