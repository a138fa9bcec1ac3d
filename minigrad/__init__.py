"""minigrad: a small NumPy engine that does what PyTorch's `backward(gradient)` does.

`import minigrad as torch` runs a first course's programs unchanged: names, arguments, dtypes,
printing and all messages about backward are PyTorch 2.13's. Read it in this order
(docs/engine.md follows `a * a` and its backward pass through these files):

    tensor.py       what a tensor is; Python's operators call operations
    ops/            the operations: elementwise.py first; elements.py: how one is declared
    operation.py    how an operation is applied and recorded, and its node undone
    plan.py         which rules a node will run, and what it saves for them
    graph.py        nodes, and the edges that lead back
    backward.py     backward() and grad(), and the pass they run: backward_pass

That is the way from `a * a` to `a.grad`. Then, each when you meet it:

    errors.py       PyTorch's messages about backward, word for word
    dtypes.py       element types, their promotion, and shapes
    modes.py        whether anything is recorded, and who listens
    node_names.py   what PyTorch calls nodes, their operands and what they saved
    hooks.py        the user's functions that a pass calls
    inplace.py      views, and changing tensors in place
    anomaly.py      how a pass detects nan
    autograd/       function.py: operations that users write; listeners.py: watching the engine
    creation.py     new tensors; sampling.py: of random numbers; printing.py: how they print
    func.py         functions that turn functions into their Jacobians
    nn/, optim.py   layers and optimizers, for lessons that train; utils/: batches of data
    compat/         not for reading: what old programs and Python's own modules expect
"""

from functools import partial as _partial
from importlib import import_module as _import_module

from . import autograd, dtypes, func, ops, sampling  # noqa: F401
from .compat import copies as _copies  # noqa: F401
from .compat.devices import cuda, device  # noqa: F401
from .compat.old import DoubleTensor, FloatTensor, LongTensor  # noqa: F401
from .dtypes import Size, dtype, get_default_dtype, set_default_dtype  # noqa: F401
from .modes import (  # noqa: F401
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from .ops.registry import FUNCTIONS as _FUNCTIONS
from .ops.registry import with_page as _with_page
from .printing import set_printoptions  # noqa: F401
from .tensor import Tensor  # noqa: F401
from .tensor import absent as _absent

__version__ = "0.2.0"
newaxis = None  # as an index: a new dimension of length 1
inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045

globals().update({d.name: d for d in dtypes.ALL} | dtypes.ALIASES | _FUNCTIONS)

_import_module(".compat.absent", __name__)  # when all names are there that will be

for _call in (get_default_dtype, set_default_dtype, is_grad_enabled):
    _with_page(_call, _call.__name__)


def _missing(place, name):
    """What a namespace says of a name that it does not have."""
    raise AttributeError(_absent(f"There is no {place}.{name}"))


def __getattr__(name):
    """Import `nn`, `optim` or `utils` on first use; for other names, AttributeError."""
    return _import_module(f".{name}", __name__) if name in _LATER else _missing("torch", name)


_LATER = "nn", "optim", "utils"  # few programs need them, and importing them takes time
__dir__ = lambda: {*globals(), *_LATER}  # noqa: E731
for _space in (autograd, autograd.functional, func):
    _space.__getattr__ = _partial(_missing, _space.__name__.replace("minigrad", "torch"))
