"""The memory of a tensor as one row of numbers, or of bytes: what its views share.

Mirrors https://docs.pytorch.org/docs/2.13/storage.html
"""

import numpy as np

from .. import dtypes
from ..dtypes import Named
from .arguments import warn_once
from .registry import method


def _memory(array):
    """All of the memory that a view's array is part of, as one row."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    order = np.argsort([-step for step in array.strides], kind="stable")
    return array.transpose(order).reshape(-1)


class UntypedStorage(metaclass=Named):
    """The memory of a tensor as bytes."""

    __slots__ = ("_row",)
    _place = "torch.storage."

    def __init__(self, row):
        self._row = row

    def __len__(self):
        return self._row.size

    size = __len__

    def nbytes(self):
        """Its length in bytes."""
        return self._row.nbytes

    def data_ptr(self):
        """The address of its first byte."""
        return self._row.__array_interface__["data"][0]

    def tolist(self):
        """Its numbers as a list."""
        return self._row.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        return self._row[self._existing(index)].item()

    def __setitem__(self, index, value):
        self._row[self._existing(index)] = value

    def _existing(self, index):
        if not isinstance(index, int):
            raise RuntimeError(f"can't index a {type(self)} with {type(index)}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def __repr__(self):
        lines = "\n ".join(map(str, self))
        return f" {lines}\n[torch.storage.{type(self).__name__}({self._described}) of size {len(self)}]"

    _described = "device=cpu"


class TypedStorage(UntypedStorage):
    """The memory of a tensor as numbers of its dtype; out of date."""

    __slots__ = ()
    _place = "torch.storage."

    @property
    def dtype(self):
        """The type of the numbers."""
        return dtypes.of(self._row)

    def element_size(self):
        """Bytes for one number."""
        return self._row.itemsize

    def untyped(self):
        """The same memory as bytes."""
        return UntypedStorage(self._row.view(np.uint8))

    @property
    def _described(self):
        return f"dtype={self.dtype}, device=cpu"


@method
def untyped_storage(self):
    """The memory that the tensor, of any shape, shares with its views, as bytes."""
    return UntypedStorage(_memory(self._array).view(np.uint8))


@method
def storage(self):
    """The memory that the tensor, of any shape, shares with its views, as a row of numbers; out of date."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
        "storage class. This should only matter to you if you are using storages directly.  To access "
        "UntypedStorage directly, use tensor.untyped_storage() instead of tensor.storage()"
    )
    return TypedStorage(_memory(self._array))
