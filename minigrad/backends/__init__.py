"""What PyTorch computes with: none of it is here, and programs that set it up run all the same.

Mirrors https://docs.pytorch.org/docs/2.13/backends.html
"""

from ..settings import cuda, mps  # noqa: F401
from . import cudnn  # noqa: F401
