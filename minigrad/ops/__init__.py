"""The operations: about 130 functions of a first course, each with its rule beside it.

docs/torch-coverage.md lists them; `registry.FUNCTIONS` has those that are functions of the package.
"""

from . import (  # noqa: F401  (importing a module publishes what it defines)
    assign,
    compare,
    convert,
    elementwise,
    extremes,
    index,
    join,
    matrices,
    reduce,
    shape,
    softmax,
    values,
)
from .registry import FUNCTIONS  # noqa: F401
