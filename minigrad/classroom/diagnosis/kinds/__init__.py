"""The kinds of mistakes, in files by where they show. Importing a file lists its kinds.

They are looked for as `KINDS` has them: in the order of the import, the surest first.
"""

from ..kind import KINDS

from . import gradients, parameters, upstream, graphs, errors, losses  # isort: skip

__all__ = ["KINDS", "errors", "gradients", "graphs", "losses", "parameters", "upstream"]
