"""minigrad: a small NumPy engine that does what PyTorch's `backward(gradient)` does.

`import minigrad as torch` runs a first course's programs unchanged: names, arguments, dtypes,
printing and what is said about backward are PyTorch 2.13's. It is to be read in this order
(docs/engine.md follows `a * a` and its backward pass through it):

    tensor.py       what a tensor is, and which operation each of Python's operators is
    dtypes.py       types of elements, and shapes; errors.py: what is refused, and with which words
    ops/            the operations: elementwise.py first, with table.py and registry.py
    operation.py    how an operation is applied and recorded, and its node undone
    plan.py         what is read off an operation's rules before it is applied
    modes.py        whether anything is recorded
    graph.py        nodes, and the edges that lead back; look.py: how PyTorch shows them
    backward.py     backward() and grad(), and the pass they run: backward_pass
    hooks.py        what a pass asks the user's functions; anomaly.py: how it looks for nan
    inplace.py      views, and changing tensors in place
    autograd/       function.py: operations whose rule the user writes; and what is built on all this

Besides, in any order:

    creation.py     new tensors
    printing.py     how tensors print
    func.py         functions that turn functions into their gradients
    nn/, optim.py   layers and steps, for the lessons that train
    absent.py       what PyTorch's tensors have and these have not
"""

from functools import partial as _partial
from importlib import import_module as _import_module

from . import autograd, dtypes, func, ops  # noqa: F401
from .creation import legacy_types as _legacy_types
from .dtypes import Size, dtype, get_default_dtype, set_default_dtype  # noqa: F401
from .modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: F401
from .ops.exchange import device  # noqa: F401
from .ops.registry import FUNCTIONS as _FUNCTIONS
from .ops.registry import with_page as _with_page
from .printing import set_printoptions  # noqa: F401
from .tensor import Tensor  # noqa: F401
from .tensor import absent as _absent

__version__ = "0.2.0"
newaxis = None  # as an index: a new dimension of length 1
inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045

globals().update({d.name: d for d in dtypes.ALL} | dtypes.ALIASES | _legacy_types() | _FUNCTIONS)

_import_module(".absent", __name__)  # when all names are there that will be

for _call in (get_default_dtype, set_default_dtype, is_grad_enabled):
    _with_page(_call, _call.__name__)


class cuda:
    """Nothing here computes on a GPU, and a program that asks is told so.

    Mirrors https://docs.pytorch.org/docs/2.13/cuda.html
    """

    @staticmethod
    def is_available():
        """False: there is no GPU here."""
        return False


def _missing(place, name):
    """What a namespace says of a name that it does not have."""
    raise AttributeError(_absent(f"There is no {place}.{name}"))


def __getattr__(name):
    """What is imported when first asked for; for all else the sentence."""
    return _import_module(f".{name}", __name__) if name in _LATER else _missing("torch", name)


_LATER = "nn", "optim"  # few programs need them, and importing them takes time
__dir__ = lambda: {*globals(), *_LATER}  # noqa: E731
for _space in (autograd, autograd.functional, func):
    _space.__getattr__ = _partial(_missing, _space.__name__.replace("minigrad", "torch"))
