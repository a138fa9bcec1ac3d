"""Data in batches: a `Dataset` knows its examples by number, a `DataLoader` hands them out.

    for x, y in DataLoader(TensorDataset(inputs, targets), batch_size=32, shuffle=True): ...

Mirrors https://docs.pytorch.org/docs/2.13/data.html
"""

from functools import partial

import numpy as np

from .. import _missing
from ..ops.join import stack
from ..ops.registry import FUNCTIONS
from ..tensor import Tensor

tensor, randperm = FUNCTIONS["tensor"], FUNCTIONS["randperm"]


class Dataset:
    """The base of a user's own: `len(dataset)`, and `dataset[i]` with a tuple for each example.

    Mirrors https://docs.pytorch.org/docs/2.13/data.html#torch.utils.data.Dataset
    """


class TensorDataset(Dataset):
    """Examples in the rows of tensors: `dataset[i]` has row i of each.

    Raises AssertionError unless all are equally long.
    Mirrors https://docs.pytorch.org/docs/2.13/data.html#torch.utils.data.TensorDataset
    """

    def __init__(self, *tensors):
        if len({len(one) for one in tensors}) != 1:
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, index):
        return tuple([one[index] for one in self.tensors])


class DataLoader:
    """Batches of a dataset, anew and, with `shuffle`, in another order for each loop over it.

    The last batch may be smaller, or is dropped. Raises ValueError unless `batch_size` is positive.
    Mirrors https://docs.pytorch.org/docs/2.13/data.html#torch.utils.data.DataLoader
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, *, drop_last=False, generator=None):
        if batch_size < 1:
            raise ValueError(f"batch_size should be a positive integer value, but got {batch_size}")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.shuffle, self.generator = shuffle, generator

    def __len__(self):
        left_over = 0 if self.drop_last else self.batch_size - 1
        return (len(self.dataset) + left_over) // self.batch_size

    def __iter__(self):
        order = range(len(self.dataset))
        if self.shuffle:
            order = randperm(len(order), generator=self.generator).tolist()
        for i in range(len(self)):
            places = order[i * self.batch_size : (i + 1) * self.batch_size]
            yield collated([self.dataset[place] for place in places])


def collated(examples):
    """A batch of examples: tensors are stacked, numbers become a tensor, tuples lists of these."""
    first = examples[0]
    if isinstance(first, (tuple, list)):
        return [collated(parts) for parts in zip(*examples)]
    if isinstance(first, Tensor):
        return stack(examples)
    return tensor(np.array(examples))  # whose floats are float64


__getattr__ = partial(_missing, "torch.utils.data")
