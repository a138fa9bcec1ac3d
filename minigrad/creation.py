"""New tensors: from data, filled with one number, counted, and random.

Mirrors https://docs.pytorch.org/docs/2.13/torch.html#creation-ops
"""

import operator

import numpy as np

from . import dtypes
from .data import array_of, infer, is_sequence, need_positive_strides
from .errors import warn
from .grad_mode import mode
from .ops.arguments import fitting, only_floats
from .ops.random import NormalAround, NormalPair, NormalScaled, check_std, stream
from .ops.registry import explain, function, method, refuse_new, type_name, wrong_type
from .properties import need_cpu
from .tensor import Tensor, TypeByDtype, made_for_inference, make


def _leaf(name, array, requires_grad=False, device=None, pin_memory=False):
    """A leaf around a new array, made by the function of that name."""
    if device is not None:
        need_cpu(device)
    if pin_memory:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory "
            "allocator is available on this system."
        )
    if not isinstance(requires_grad, bool):
        raise _wrong(name, "requires_grad", "bool", requires_grad)
    tensor = make(array)
    if mode.inference:
        made_for_inference(tensor)
    if requires_grad:
        if array.dtype.kind != "f":
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require gradients"
            )
        tensor._requires_grad = True
    return tensor


def _wrong(name, argument, wanted, value):
    return TypeError(
        f"{name}(): argument '{argument}' must be {wanted}, not {type(value).__name__}"
    )


def _type(name, dtype, default=None):
    """The NumPy type for a `dtype` argument; without one the default's."""
    try:
        found = dtypes.numpy_dtype(dtype)
    except (TypeError, KeyError):
        raise _wrong(name, "dtype", "torch.dtype", dtype) from None
    return found or default


@function
def tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A leaf that holds a copy of `data`: numbers, nested lists, or an array.

    Its shape is that of the nesting. Whole numbers give int64, floats float32, bools bool; an array
    keeps its own type. ValueError for lists of different lengths, TypeError for what holds no numbers,
    RuntimeError for integers that should require grad.
    """
    if isinstance(data, Tensor):
        warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() "
            "or sourceTensor.detach().clone().requires_grad_(True), rather than "
            "torch.tensor(sourceTensor).",
        )
    array = array_of(data, None if dtype is None else _type("tensor", dtype))
    return _leaf("tensor", array, requires_grad, device, pin_memory)


@function
def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor of its shape, sharing the memory of an array or tensor where possible."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and dtypes.numpy_dtype(dtype) in (None, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


@function
def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """`obj` as a tensor of its shape, sharing memory where possible; with `copy` never.

    With `copy=False` a ValueError where it cannot be shared.
    """
    found = as_tensor(obj, dtype=dtype, device=device)
    shared = isinstance(obj, (Tensor, np.ndarray)) and np.may_share_memory(
        found._array, getattr(obj, "_array", obj)
    )
    if copy is False and not shared:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    if copy and shared:
        found = found.detach().clone()
    return found.requires_grad_() if requires_grad and not found.requires_grad else found


@function
def from_numpy(ndarray):
    """A tensor of the same shape and dtype that shares the memory of an array.

    TypeError for what is no array, or holds no numbers; ValueError for negative steps.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    dtypes.of(ndarray)
    need_positive_strides(ndarray)
    return make(ndarray)


def legacy_tensor(cls, dtype, data, options):
    """`Tensor(...)` and `FloatTensor(...)`: sizes, or one sequence of numbers, or a tensor.

    A type that names its dtype takes no tensor of another one.
    """
    need_cpu(options.pop("device", None))
    first = data[0] if len(data) == 1 else 0
    if options or len(data) > 1 and not isinstance(data[0], (int, np.integer, Tensor)):
        refuse_new(data, options)
    if isinstance(first, (int, np.integer)) and not isinstance(first, bool):
        return make(np.zeros(_size("new", data) if data else 0, (dtype or dtypes.get_default_dtype()).numpy), cls)
    if isinstance(first, Tensor):
        if dtype is not None and first.dtype is not dtype:
            wanted, got = (_OPTIONS.format(dtypes.CXX_NAMES[d.tensor_name]) for d in (dtype, first.dtype))
            raise TypeError(f"expected {wanted} (got {got})")
        return make(first._array, cls)
    dtype = dtype or dtypes.get_default_dtype()
    if isinstance(first, dtypes.Size):
        return make(np.zeros(first, dtype.numpy), cls)
    if not is_sequence(first):
        raise TypeError(f"new(): data must be a sequence (got {type_name(first)})")
    return make(array_of(first, dtype.numpy), cls)


@method
def new(self, *data, **options):
    """`Tensor(...)` in this tensor's dtype: of a shape, `x.new(2, 3)`, or with numbers, `x.new([1, 2])`.

    TypeError for another dtype.
    """
    return legacy_tensor(Tensor, self.dtype, data, options)


_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), "
    "pinned_memory=false (default), memory_format=(nullopt))"
)


LEGACY = """`{0}([1, 2])` makes a {1} tensor, `{0}(2, 3)` one of that shape; the old way to say `tensor`.

    Mirrors https://docs.pytorch.org/docs/2.13/tensors.html
    """


def legacy_type(name, dtype):
    """The old constructor of one dtype, such as `FloatTensor`; also for `isinstance`."""

    def __new__(cls, *data, **options):
        return legacy_tensor(Tensor, dtype, data, options)

    return TypeByDtype(
        name,
        (),
        {
            "__new__": __new__,
            "__doc__": LEGACY.format(name, dtype),
            "_place": "torch.",
            "_dtype": dtype,
            "_accepts": staticmethod(lambda x: isinstance(x, Tensor) and x.dtype is dtype),
        },
    )


# -- filled with one number -----------------------------------------------------------------------


def _size(name, args, size=None):
    """A shape given as numbers, as one sequence, or by the name `size`."""
    given = args if size is None else size
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        given = args[0]
    try:
        if (not args) is (size is None):
            raise TypeError("one size is needed")
        shape = [operator.index(n) for n in given]
    except TypeError:
        explain(name, args, {}, method=name.startswith("new_"))
        raise
    for n in shape:
        if n < 0 and name == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {shape}")
    return tuple(shape)


def _float_type(name, dtype):
    return _type(name, dtype, dtypes.get_default_dtype().numpy)


def _publish_filled(name, fill, fill_like, says):
    def create(*args, size=None, dtype=None, device=None, requires_grad=False, pin_memory=False):
        array = fill(_size(name, args, size), _float_type(name, dtype))
        return _leaf(name, array, requires_grad, device, pin_memory)

    def create_like(input, *, dtype=None, device=None, requires_grad=False, memory_format=None):
        array = fill_like(input._array, _type(f"{name}_like", dtype, input._array.dtype))
        return _leaf(f"{name}_like", array, requires_grad, device)

    def new(self, *args, size=None, dtype=None, device=None, requires_grad=False):
        array = fill(_size(f"new_{name}", args, size), _type(f"new_{name}", dtype, self._array.dtype))
        return _leaf(f"new_{name}", array, requires_grad, device)

    create.__name__, create_like.__name__, new.__name__ = name, f"{name}_like", f"new_{name}"
    create.__doc__ = f"""A tensor of {says} in the shape given, `{name}(2, 3)` or `{name}((2, 3))`.

    RuntimeError for negative lengths, TypeError for what is no int.
    """
    create_like.__doc__ = f"A tensor of {says} in the shape and dtype of `input`."
    new.__doc__ = f"A tensor of {says} in the shape given and this tensor's dtype."
    function(create)
    function(create_like)
    method(new)


_publish_filled("zeros", np.zeros, np.zeros_like, "zeros")
_publish_filled("ones", np.ones, np.ones_like, "ones")
_publish_filled("empty", np.empty, np.empty_like, "whatever memory held")


@function
def full(size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of shape `size` filled with one number, whose kind decides the dtype.

    TypeError for a size that is no tuple, or what is no number.
    """
    if not isinstance(size, (tuple, list)):
        raise wrong_type("full", "size", 1, size, "tuple of ints")
    if isinstance(fill_value, (Tensor, np.generic)):
        fill_value = fill_value.item()
    if not isinstance(fill_value, (int, float)):
        raise wrong_type("full", "fill_value", 2, fill_value, "Number")
    numpy_type = _type("full", dtype) or infer(fill_value)
    value = dtypes.fitting(fill_value, numpy_type)
    return _leaf("full", np.full(_size("full", (), size), value, numpy_type), requires_grad, device)


@function
def full_like(input, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor filled with one number, in the shape and dtype of `input`."""
    value = full((), fill_value, dtype=dtype or input.dtype)._array
    return _leaf("full", np.full_like(input._array, value, value.dtype), requires_grad, device)


@method
def new_full(self, size, fill_value, *, dtype=None, device=None, requires_grad=False):
    """A tensor of shape `size` filled with one number, in this tensor's dtype."""
    return full(size, fill_value, dtype=dtype or self.dtype, requires_grad=requires_grad)


@method
def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False):
    """A tensor that holds a copy of `data`, in its shape and this tensor's dtype."""
    return tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


@function
def eye(n, m=None, *, dtype=None, device=None, requires_grad=False):
    """Ones on the diagonal of a matrix (n, n) or (n, m), zeros elsewhere.

    RuntimeError for negative lengths.
    """
    for name, length in (("n", n), ("m", n if m is None else m)):
        if length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return _leaf("eye", np.eye(n, m, dtype=_float_type("eye", dtype)), requires_grad, device)


# -- counted --------------------------------------------------------------------------------------


@function
def arange(
    start=None, end=None, step=1, *, dtype=None, device=None, requires_grad=False, pin_memory=False
):
    """Numbers from `start` up to, not including, `end`, `step` apart: one line (n).

    int64 if all three are whole numbers, else float32. RuntimeError (for int64 ValueError) if the step
    is 0 or has the wrong sign, or an end is not finite; TypeError for what is no number,
    NotImplementedError for bools.
    """
    if end is None:
        start, end = 0, start
    start = 0 if start is None else start
    numbers = (start, end, step)
    start, end, step = [v.item() if isinstance(v, (Tensor, np.generic)) else v for v in numbers]
    if not np.isfinite([start, end]).all():
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    kinds = {type(value) for value in (start, end, step)}
    numpy_type = _type("arange", dtype) or infer(1.0 if float in kinds else 1)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if numpy_type.kind == "b":
        raise NotImplementedError("\"arange_cpu\" not implemented for 'Bool'")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    count = (end - start) / step
    if numpy_type.kind != "f":  # whole numbers are counted with whole numbers
        start, end, step = int(start), int(end), int(step)
        if numpy_type == np.int64:
            if step == 0:
                raise ValueError("step must be nonzero")
            count = (end - start) / step
    count = int(np.ceil(count))
    array = start + step * np.arange(count, dtype=np.float64 if numpy_type.kind == "f" else None)
    return _leaf("arange", array.astype(numpy_type), requires_grad, device)


@function
def linspace(start, end, steps, *, dtype=None, device=None, requires_grad=False):
    """`steps` numbers, evenly spaced from `start` to `end`: one line (steps).

    RuntimeError for a negative number of steps.
    """
    numpy_type = _float_type("linspace", dtype)
    array = _spaced("linspace", start, end, steps, numpy_type).astype(numpy_type)
    return _leaf("linspace", array, requires_grad, device)


def _spaced(name, start, end, steps, numpy_type):
    """Evenly spaced numbers; between whole ones, if the type is one of integers."""
    ends = [("start", start), ("end", end)]
    wrong = [f"{which} with {x.ndim} dimension(s)" for which, x in ends
             if isinstance(x, Tensor) and x.ndim]  # fmt: skip
    if wrong:
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got "
            f"{' and '.join(wrong)}."
        )
    start, end = [x.item() if isinstance(x, Tensor) else x for _, x in ends]
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if numpy_type.kind == "b":
        raise NotImplementedError(f"\"{name}_cpu\" not implemented for 'Bool'")
    if numpy_type.kind != "f":
        start, end = int(start), int(end)
    return np.linspace(start, end, steps)


@function
def logspace(start, end, steps, base=10.0, *, dtype=None, device=None, requires_grad=False):
    """`steps` powers of `base`, whose exponents are evenly spaced from `start` to `end`.

    One line (steps). RuntimeError for a negative number of steps.
    """
    numpy_type = _float_type("logspace", dtype)
    exponents = _spaced("logspace", start, end, steps, numpy_type)
    array = np.power(float(base), exponents).astype(numpy_type)
    return _leaf("logspace", array, requires_grad, device)


# -- random: the stream is that of ops/random.py, not PyTorch's -----------------------------------


def _publish_random(name, draw, kernel, says):
    def drawn(shape, generator, dtype):
        only_floats(kernel, np.empty(0, dtype))
        return draw(stream(generator), shape).astype(dtype)

    def create(
        *args, size=None, dtype=None, device=None, requires_grad=False, generator=None,
        pin_memory=False,
    ):  # fmt: skip
        array = drawn(_size(name, args, size), generator, _float_type(name, dtype))
        return _leaf(name, array, requires_grad, device, pin_memory)

    def create_like(
        input, *, dtype=None, device=None, requires_grad=False, generator=None, memory_format=None
    ):
        array = drawn(input._array.shape, generator, _type(name, dtype, input._array.dtype))
        return _leaf(f"{name}_like", array, requires_grad, device)

    create.__name__, create_like.__name__ = name, f"{name}_like"
    create.__doc__ = f"""Random numbers, {says}, in the shape given; see `manual_seed`.

    RuntimeError for negative lengths, NotImplementedError for integers.
    """
    create_like.__doc__ = f"Random numbers, {says}, in the shape and dtype of `input`."
    function(create)
    function(create_like)


_publish_random(
    "rand", lambda stream, shape: stream.random(shape), "check_uniform_bounds", "uniform between 0 and 1"
)
_publish_random(
    "randn", lambda stream, shape: stream.standard_normal(shape), "normal_kernel_cpu",
    "normal with mean 0 and variance 1",
)  # fmt: skip


@function
def randint(
    low=0, high=None, size=None, *, generator=None, dtype=None, device=None, requires_grad=False
):
    """Random whole numbers from `low` up to, not including, `high`: `randint(high, size)`, too.

    A tensor of shape `size`, int64. RuntimeError if the bounds are in the wrong order or outside of the
    dtype.
    """
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    if not isinstance(size, (tuple, list)):
        raise wrong_type("randint", "size", 3, size, "tuple of ints")
    low, high = operator.index(low), operator.index(high)
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    numpy_type = _type("randint", dtype, dtypes.int64.numpy)
    for what, bound in (("from", low), ("to - 1", high - 1)):
        least, most = (0, 1) if numpy_type.kind == "b" else _range(numpy_type)
        if not least <= bound <= most:
            name = dtypes.CXX_NAMES[dtypes.of_numpy(numpy_type).tensor_name]
            raise RuntimeError(f"{what} is out of bounds for {name}")
    array = stream(generator).integers(low, high, _size("randint", (), size))
    return _leaf("randint", array.astype(numpy_type), requires_grad, device)


def _range(numpy_type):
    """The least and the largest whole number of a type."""
    limits = (np.finfo if numpy_type.kind == "f" else np.iinfo)(numpy_type)
    return limits.min, limits.max


@function
def randperm(n, *, generator=None, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """The numbers 0 to n-1 in random order: one line (n) of int64.

    RuntimeError for a negative n.
    """
    array = stream(generator).permutation(*_size("randperm", (n,)))
    array = array.astype(_type("randperm", dtype, dtypes.int64.numpy))
    return _leaf("randperm", array, requires_grad, device, pin_memory)


@function
def randint_like(input, low, high=None, *, dtype=None, device=None, requires_grad=False, generator=None):
    """Random whole numbers from `low` up to `high`, or 0 to `low`, in the shape and dtype of `input`.

    RuntimeError if the bounds are in the wrong order.
    """
    return randint(low, high, input._array.shape, generator=generator, dtype=dtype or input.dtype,
                   device=device, requires_grad=requires_grad)  # fmt: skip


@function
def normal(
    mean=0.0, std=1.0, size=None, *, generator=None, dtype=None, device=None, requires_grad=False
):
    """Normal numbers: `mean` and `std` are tensors or numbers; with two numbers `size` is the shape.

    Two tensors broadcast, one gives its shape; gradients flow to both. RuntimeError for a negative
    `std` or shapes that do not broadcast, TypeError for two numbers without `size`.
    """
    tensors = [x for x in (mean, std) if isinstance(x, Tensor)]
    if size is not None and not tensors:
        shape, numpy_type = _size("normal", (), size), _float_type("normal", dtype)
        drawn = make(np.empty(shape, numpy_type)).normal_(mean, std, generator=generator)
        return _leaf("normal", drawn._array, requires_grad, device)
    if not tensors or size is not None:
        raise TypeError("two numbers need a size, and tensors have theirs")
    if not isinstance(std, Tensor):
        check_std(std)
    elif (std._array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    for x in tensors:
        only_floats("normal_kernel_cpu", x._array)
    arrays = [x._array if isinstance(x, Tensor) else x for x in (mean, std)]
    shape = fitting(lambda: np.broadcast_shapes(*map(np.shape, arrays)), mean, std)
    numbers = arrays[0] + arrays[1] * stream(generator).standard_normal(shape)
    numbers = np.asarray(numbers).astype(dtypes.result_numpy(*[x._array for x in tensors]))
    if len(tensors) == 2:
        return NormalPair(mean, std, numbers)
    return (NormalAround if tensors[0] is mean else NormalScaled)(tensors[0], numbers)
