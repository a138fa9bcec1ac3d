"""The kinds of mistakes, in files by where they show. Importing a file lists its kinds.

They are looked for as `KINDS` has them, the surest first: gradients, graphs, errors, losses.
"""

from ..kind import KINDS
from . import errors, gradients, graphs, losses

__all__ = ["KINDS", "errors", "gradients", "graphs", "losses"]
