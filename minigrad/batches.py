"""`vmap`: a function of one example as a function of a batch of them.

Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.vmap.html
"""

import functools
from contextlib import contextmanager

import numpy as np

from .ops import random
from .ops.join import stack
from .tensor import Tensor, make, wrap_dim
from .tree import LEAF, flatten, unflatten


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """A function that applies `func` to each example of a batch, and stacks the results.

    `in_dims` says which dimension of each argument counts the examples (None: all get the whole
    argument), `out_dims` where that dimension goes; both are ints or nested like arguments and results.
    All get the same named arguments. Arguments (B, *) and a `func` of (*) that gives (+) come to
    (B, +). Random numbers are refused unless `randomness` is "same" or "different" for each example.

    Examples are computed one after the other, and no sooner than in a loop; `func` may therefore look
    at numbers (`.item()`, `if`), which PyTorch's cannot. ValueError for dimensions that do not fit, and
    for results that are no tensors; RuntimeError for random numbers.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. Got "
            f"{randomness}"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapped(*args, **kwargs):
        name = getattr(func, "__name__", repr(func))
        batch = _Batch(name, in_dims, args)
        with _random_numbers(randomness) as rewind:
            results = []
            for i in range(max(batch.size, 1)):
                rewind()
                results.append(func(*batch.example(i), **kwargs))
        return _stacked(name, out_dims, results, batch.size)

    return wrapped


class _Batch:
    """Arguments, and the dimension of each that counts the examples (None: it is the same for all)."""

    def __init__(self, name, in_dims, args):
        self.leaves, self.structure = flatten(args)
        called = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
        if not isinstance(in_dims, (int, tuple, list)):
            raise ValueError(
                f"{called}: expected `in_dims` to be int or a (potentially nested) tuple matching the "
                f"structure of inputs, got: {type(in_dims)}."
            )
        if not self.leaves:
            raise ValueError(
                f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying "
                "to vmap over a function with no inputs. The latter is unsupported."
            )
        dims = _spread(in_dims, self.structure)
        if dims is None:
            raise ValueError(
                f"{called}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{flatten(in_dims)[1]} but inputs has structure {self.structure}."
            )
        self.dims = [_checked(called, dim, leaf) for dim, leaf in zip(dims, self.leaves)]
        sizes = [x.size(d) for d, x in zip(self.dims, self.leaves) if d is not None]
        if not sizes:
            raise ValueError("vmap: Expected at least one Tensor to vmap over")
        if len(set(sizes)) > 1:
            raise ValueError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        self.size = sizes[0]

    def example(self, i):
        """The arguments of example i; of an empty batch, zeros in their place."""
        found = []
        for dim, leaf in zip(self.dims, self.leaves):
            if dim is not None and self.size:
                leaf = leaf.select(dim, i)
            elif dim is not None:
                shape = [n for d, n in enumerate(leaf.shape) if d != dim]
                leaf = make(np.zeros(shape, leaf._array.dtype))
            found.append(leaf)
        return unflatten(found, self.structure)


def _spread(dims, structure):
    """One dimension for each leaf, from a tree that may be less deep; None if that does not fit."""
    if not isinstance(dims, (tuple, list, dict)):
        return [dims] * structure.leaves()
    _, mine = flatten(dims)
    if mine.keys != structure.keys or len(mine.branches) != len(structure.branches) or structure is LEAF:
        return None
    branches = dims.values() if isinstance(dims, dict) else dims
    found = [_spread(dim, branch) for dim, branch in zip(branches, structure.branches)]
    return None if None in found else sum(found, [])


def _checked(called, dim, leaf):
    """The dimension that counts the examples in an argument, from the front."""
    if dim is None:
        return None
    if not isinstance(dim, int):
        raise ValueError(
            f"{called}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or "
            "None."
        )
    if not isinstance(leaf, Tensor):
        raise ValueError(
            f"{called}: Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap "
            "over non-Tensor arguments, please use None as the respective in_dim"
        )
    if not -leaf.ndim <= dim < leaf.ndim:
        raise ValueError(
            f"{called}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality "
            f"{leaf.ndim} so expected in_dim to satisfy -{leaf.ndim} <= in_dim < {leaf.ndim}."
        )
    return dim % leaf.ndim


def _stacked(name, out_dims, results, size):
    """The results of all examples as one, nested like each of them."""
    flat = [flatten(result) for result in results]
    structure = flat[0][1]
    dims = _spread(out_dims, structure)
    if dims is None:
        raise ValueError(
            f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
            f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has "
            f"structure {structure}."
        )
    found = []
    for dim, *column in zip(dims, *[leaves for leaves, _ in flat]):
        if dim is None:
            if any(leaf is not column[0] for leaf in column):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None"
                )
            found.append(column[0])
            continue
        for leaf in column:
            if not isinstance(leaf, Tensor):
                raise ValueError(
                    f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. Did you "
                    "mean to set out_dims= to None for output?"
                )
        place = wrap_dim(dim, column[0].ndim + 1)
        whole = stack(column, place)
        found.append(whole if size else whole.narrow(place, 0, 0))
    return unflatten(found, structure)


@contextmanager
def _random_numbers(randomness):
    """What drawing does meanwhile: an error, the same for each example (after the rewinding), or go on."""
    before, state = random.refused, None
    if randomness == "same":
        state = random.default_generator.get_state()
    random.refused = REFUSED if randomness == "error" else None

    def rewind():
        if state is not None:
            random.default_generator.set_state(state)

    try:
        yield rewind
    finally:
        random.refused = before


REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
    "'different' randomness flags on vmap or perform the randomness operation out of vmap"
)
