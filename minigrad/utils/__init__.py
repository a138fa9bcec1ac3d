"""What surrounds training: `utils.data` feeds it. Mirrors https://docs.pytorch.org/docs/2.13/utils.html"""

from ..namespace import absent
from . import data  # noqa: F401

__getattr__ = absent(__name__)
