"""The operations: what a first course calls, each with its rule beside it if it has one.

What is `renamed` (shape.py) differs only in the name of its nodes, which is PyTorch's.
docs/torch-coverage.md lists them; `registry.FUNCTIONS` has those that are functions of the package.
"""

from . import (  # noqa: F401  (importing a module publishes what it defines)
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
