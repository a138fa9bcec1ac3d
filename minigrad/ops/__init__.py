"""The operations: about 130 functions of a first course, each with its rule beside it.

docs/torch-coverage.md lists them; `registry.FUNCTIONS` has those that are functions of the package.
"""

from . import (  # noqa: F401  (importing a module publishes what it defines)
    assign,
    compare,
    convert,
    elementwise,
    exchange,
    extremes,
    index,
    join,
    matrices,
    random,
    reduce,
    shape,
    softmax,
)
from .registry import FUNCTIONS, fill_operators  # noqa: F401

fill_operators()
