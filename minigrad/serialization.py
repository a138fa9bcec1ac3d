"""`save` and `load`: objects with tensors in them, kept in files.

The files are Python pickles of our own: PyTorch's are not read, and PyTorch does not read these.
Mirrors https://docs.pytorch.org/docs/2.13/notes/serialization.html
"""

import io
import os
import pickle

from .ops.registry import function


@function
def save(obj, f, pickle_module=pickle, pickle_protocol=2):
    """Write an object, such as a `state_dict()`, to a file: its name, or an open binary file."""
    if isinstance(f, (str, os.PathLike)):
        with open(f, "wb") as file:
            return save(obj, file, pickle_module, pickle_protocol)
    pickle_module.dump(obj, f, protocol=max(pickle_protocol, 4))


@function
def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None):
    """The object that `save` wrote to a file.

    Unless `weights_only` is False only tensors, numbers, text, lists, tuples and dictionaries are read:
    a file from a stranger cannot run code. UnpicklingError for one that holds anything else.
    """
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return load(file, map_location, pickle_module, weights_only=weights_only)
    if weights_only is False or pickle_module is not None:
        return (pickle_module or pickle).load(f)
    return _Weights(io.BytesIO(f.read())).load()


class _Weights(pickle.Unpickler):
    """Reads only what weights are made of."""

    def find_class(self, module, name):
        if (module, name) in _ALLOWED or module == "minigrad.dtypes" and name in _dtype_names():
            return super().find_class(module, name)
        raise pickle.UnpicklingError(
            f"Weights only load failed. Unsupported global: {module}.{name}. Only load the file with "
            "weights_only=False if you got it from a trusted source: that can result in arbitrary "
            "code execution."
        )


_ALLOWED = {
    ("collections", "OrderedDict"), ("collections", "defaultdict"), ("collections", "Counter"),
    ("builtins", "set"), ("builtins", "dict"), ("builtins", "complex"), ("builtins", "bytearray"),
    ("_codecs", "encode"), ("numpy", "ndarray"), ("numpy", "dtype"),
    ("numpy._core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"), ("numpy.core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"), ("numpy.core.numeric", "_frombuffer"),
    ("minigrad.tensor", "_restored"), ("minigrad.tensor", "Tensor"),
    ("minigrad.nn.parameter", "Parameter"), ("minigrad.nn.parameter", "Buffer"),
    ("minigrad.dtypes", "Size"), ("minigrad.properties", "device"),
}  # fmt: skip


def _dtype_names():
    from .dtypes import ALL

    return {dtype.name for dtype in ALL}
