"""The operations, one small class each, and the names under which they are known.

Importing the modules below attaches their methods to `Tensor`. `python -m minigrad.ops` lists all
operations with their rules.
"""

from . import (  # noqa: F401
    addmm,
    assign,
    bounds,
    convert,
    counting,
    cumulate,
    diagonal,
    division,
    einsum,
    elementwise,
    factors,
    gamma,
    join,
    linalg,
    logic,
    masks,
    matrices,
    more_math,
    order,
    pairs,
    products,
    quantile,
    random,
    rearrange,
    reduce,
    replace,
    scatter,
    scatter_reduce,
    select,
    shape,
    softmax,
    split,
)
from .registry import FUNCTIONS  # noqa: F401
