"""Data for training: datasets, the order in which they are visited, and batches.

A `DataLoader` visits a dataset in batches, in this process: `num_workers` and what belongs to it are
accepted and make no difference.
Mirrors https://docs.pytorch.org/docs/2.13/data.html
"""

import bisect
import math
from itertools import accumulate, islice

import numpy as np

from ..creation import as_tensor, tensor
from ..dtypes import float64
from ..namespace import absent, listed, mirror
from ..ops import FUNCTIONS
from ..ops.random import stream
from ..tensor import Tensor, make

# -- datasets -------------------------------------------------------------------------------------


class Dataset:
    """Examples by number: a subclass says what `dataset[i]` and `len(dataset)` are.

    Mirrors https://docs.pytorch.org/docs/2.13/data.html#torch.utils.data.Dataset
    """

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples one after the other: a subclass says how to iterate over them."""

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Tensors of the same first length: example i holds the i-th part of each.

    AssertionError for different lengths.
    """

    def __init__(self, *tensors):
        if any(t.size(0) != tensors[0].size(0) for t in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([t[index] for t in self.tensors])

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Datasets of the same length side by side: a tuple of their examples, or a dictionary.

    ValueError for none, different lengths, or tuple and names mixed.
    """

    def __init__(self, *args, **kwargs):
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or ``dict``- (via ``kwargs``) like input/"
                "output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = {len(d) for d in (args or kwargs.values())}
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        (self._length,) = lengths

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple([dataset[index] for dataset in self.datasets])

    def __len__(self):
        return self._length


class ConcatDataset(Dataset):
    """Datasets one after the other, as one. AssertionError for an empty list."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[which][idx - (self.cumulative_sizes[which - 1] if which else 0)]

    def __len__(self):
        return self.cumulative_sizes[-1]


class ChainDataset(IterableDataset):
    """Iterable datasets one after the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            yield from dataset

    def __len__(self):
        return sum(map(len, self.datasets))


class Subset(Dataset):
    """The examples of a dataset at these indices."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Subsets of these lengths (or fractions, which sum to 1), each example in one of them.

    ValueError if they do not add up.
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for i, fraction in enumerate(lengths):
            if not 0 <= fraction <= 1:
                raise ValueError(f"Fraction at index {i} is not between 0 and 1")
        lengths = [math.floor(len(dataset) * fraction) for fraction in lengths]
        for i in range(len(dataset) - sum(lengths)):  # what is left over, one each
            lengths[i % len(lengths)] += 1
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = iter(stream(generator).permutation(len(dataset)).tolist())
    return [Subset(dataset, list(islice(order, length))) for length in lengths]


# -- the order ------------------------------------------------------------------------------------


class Sampler:
    """In which order a dataset is visited: a subclass iterates over indices."""

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    """From the first to the last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order; with `replacement` an example may come again.

    TypeError for a `replacement` that is no bool, ValueError for a number of samples below 1.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self):
        """How many examples are drawn: by default as many as there are."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        draw, count = stream(self.generator), len(self.data_source)
        if self.replacement:
            return iter(draw.integers(0, count, self.num_samples).tolist())
        rounds = -(-self.num_samples // count)
        drawn = [i for _ in range(rounds) for i in draw.permutation(count).tolist()]
        return iter(drawn[: self.num_samples])

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """These indices in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in stream(self.generator).permutation(len(self.indices)).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with these weights, which need not sum to 1.

    ValueError for weights that are no line of numbers, or a number of samples below 1.
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(
                f"num_samples should be a positive integer value, but got num_samples={num_samples}"
            )
        if not isinstance(replacement, bool):
            raise ValueError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        drawn = self.weights.multinomial(
            self.num_samples, self.replacement, generator=self.generator
        )
        return iter(drawn.tolist())

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """The indices of a sampler as lists of `batch_size`; a shorter last one unless `drop_last`.

    ValueError unless the size is a positive int.
    """

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(
                f"batch_size should be a positive integer value, but got batch_size={batch_size}"
            )
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        return _batches(self.sampler, self.batch_size, self.drop_last)

    def __len__(self):
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


def _batches(items, size, drop_last):
    """Lists of `size` items."""
    items = iter(items)
    while batch := list(islice(items, size)):
        if len(batch) == size or not drop_last:
            yield batch


# -- batches --------------------------------------------------------------------------------------


def default_collate(batch):
    """A list of examples as one batch: tensors and numbers stacked, inside of tuples and dictionaries.

    RuntimeError for lists of different lengths, TypeError for what cannot be stacked.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return FUNCTIONS["stack"](batch)
    if isinstance(first, np.ndarray):
        if first.dtype.kind in "SUO":
            raise TypeError(_NO_BATCH.format(first.dtype))
        return FUNCTIONS["stack"]([as_tensor(b) for b in batch])
    if isinstance(first, np.generic):
        return make(np.array(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        return type(first)({key: default_collate([b[key] for b in batch]) for key in first})
    if isinstance(first, (tuple, list)):
        if any(len(b) != len(first) for b in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError(_NO_BATCH.format(type(first)))


_NO_BATCH = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def default_convert(data):
    """One example, with arrays in it as tensors."""
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "SUO":
        return as_tensor(np.asarray(data))
    if isinstance(data, dict):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, (tuple, list)):
        return [default_convert(value) for value in data]
    return data


class DataLoader:
    """A dataset in batches: iterate over it once for each epoch.

    `shuffle` visits it in random order, `drop_last` leaves out a last batch that is not full,
    `collate_fn` makes a batch of a list of examples, `batch_size=None` gives single examples.
    ValueError for options that contradict each other, such as `shuffle` and a sampler.
    """

    def __init__(
        self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
        collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
        multiprocessing_context=None, generator=None, *, prefetch_factor=None,
        persistent_workers=False, pin_memory_device="", in_order=True,
    ):  # fmt: skip
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable "
                "multiprocessing."
            )
        self.dataset, self.num_workers, self.generator = dataset, num_workers, generator
        self._iterates = isinstance(dataset, IterableDataset)
        if self._iterates:
            for name, value in (("shuffle", shuffle), ("sampler", sampler),
                                ("batch_sampler", batch_sampler)):  # fmt: skip
                if value:
                    raise ValueError(
                        f"DataLoader with IterableDataset: expected unspecified {name} option, but "
                        f"got {name}={value}"
                    )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, "
                    "and drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with "
                "drop_last"
            )
        if sampler is None and not self._iterates:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else (
                SequentialSampler(dataset)
            )  # fmt: skip
        if batch_size is not None and not self._iterates:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        single = batch_size is None and batch_sampler is None
        self.collate_fn = collate_fn or (default_convert if single else default_collate)

    def __iter__(self):
        if self._iterates:
            examples = iter(self.dataset)
            if self.batch_size is not None:
                examples = _batches(examples, self.batch_size, self.drop_last)
            return map(self.collate_fn, examples)
        if self.batch_sampler is None:
            return map(self.collate_fn, map(self.dataset.__getitem__, self.sampler))
        return map(self._batch, self.batch_sampler)

    def _batch(self, indices):
        return self.collate_fn([self.dataset[i] for i in indices])

    def __len__(self):
        if self._iterates:
            length = len(self.dataset)
            if self.batch_size is None:
                return length
            return length // self.batch_size if self.drop_last else -(-length // self.batch_size)
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


mirror(globals(), "data.html#torch.utils.data.{}")
__getattr__, __dir__ = absent(__name__), listed(globals())
