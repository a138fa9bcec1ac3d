"""Copies of tensors, as Python's `copy` and `pickle` make them, and files of them.

Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.save.html
"""

import copy
import pickle

from ..ops.registry import function, method
from ..tensor import make, meta_of

NO_COPY_OF_A_RESULT = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at "
    "the moment.  If you were attempting to deepcopy a module, this may be because of a "
    "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
)


def restored(kind, array, requires_grad, attributes):
    """A leaf as it was pickled."""
    tensor = make(array, kind)
    tensor._requires_grad = requires_grad
    vars(tensor).update(attributes)
    return tensor


@method
def __reduce_ex__(self, protocol):
    """What `pickle` and `copy.copy` keep: numbers, `requires_grad` and the user's attributes."""
    return restored, (type(self), self._array, self.requires_grad, vars(self))


@method
def __deepcopy__(self, memo):
    if self.grad_fn is not None:
        raise RuntimeError(NO_COPY_OF_A_RESULT)
    twin = memo[id(self)] = make(self._array.copy(), type(self))
    twin._requires_grad = self._requires_grad
    twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
    if self._meta is not None and self._meta.grad is not None:
        meta_of(twin).grad = copy.deepcopy(self._meta.grad, memo)
    return twin


@function
def save(obj, f):
    """Write tensors, or lists and dictionaries of them, to a file, which PyTorch cannot read."""
    with open(f, "wb") as file:
        pickle.dump(obj, file)


@function
def load(f, map_location=None, weights_only=False):
    """Read what `save` wrote. Such a file can run any code: load only what you trust.

    Programs for PyTorch give the options; here they have no effect.
    """
    with open(f, "rb") as file:
        return pickle.load(file)
