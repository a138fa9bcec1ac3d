"""One program, two engines: `@same` turns a function of the engine into a test.

    @same
    def test_x_grad_is_weighed(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).backward(torch.tensor([1.0, 10.0]))
        return x.grad

The program runs with torch and with minigrad. What it returns, what it warns of and the error it
ends with have to agree: tensors in values, dtype, shape and place in the graph, texts word for word.
"""
import functools
import gc
import importlib
import inspect
import re
import threading
import warnings

import numpy as np
import torch

import minigrad

torch.set_num_threads(1)  # the sums of one thread are the same each time

# relative to a number itself, and to the largest number that went into it
ROUNDING = {"float16": (1e-2, 1e-2), "float32": (1e-5, 2e-6), "float64": (1e-12, 1e-14)}
# Torch warns of the first ones once in a process, whoever comes first; of the last NumPy warns torch.
NOT_COMPARED = ("This overload of", "Using backward() with create_graph=True", "The use of `x.T` on tensors of dimension other",
        "Tensor.T is deprecated on 0-D tensors",
        "Tensor.mT is deprecated on 0-D", "Tensor.mH is deprecated on 0-D", "Tensor.H is deprecated on 0-D", "Creating a tensor from a list of numpy.ndarrays",
        "Converting a tensor with requires_grad=True to a scalar",
        "Using a non-tuple sequence for multidimensional indexing",
        "__array_wrap__ must accept context and return_scalar",
        "TypedStorage is deprecated",
        "enable_nested_tensor is True, but",  # there are no nested tensors here
        "__array__ implementation doesn't accept a copy keyword")  # fmt: skip


def same(program):
    """The test that `program` does the same with torch and with minigrad."""

    @functools.wraps(program)
    def test(**given):
        compare(*(run(program, engine, **given) for engine in (torch, minigrad)))

    parameters = list(inspect.signature(program).parameters.values())
    test.__signature__ = inspect.Signature(parameters[1:])  # pytest gives all but the engine
    return test


def run(program, engine, *args, **given):
    """What `program(engine)` comes to: its result (an error, if it ends with one) and its warnings.

    Only the program's own warnings: those of other threads are not, nor those of what other tests left
    behind (an open socket, say) and the garbage collector happens to find now.
    """
    heard, here, collecting = [], threading.get_ident(), gc.isenabled()

    def hear(message, *where, **what):
        if threading.get_ident() == here and not str(message).startswith(NOT_COMPARED):
            heard.append(message)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = hear
        gc.disable()
        try:
            result = program(engine, *args, **given)
        except (NameError, SyntaxError, AssertionError):  # a slip of whoever wrote the program
            raise
        except Exception as error:
            result = error
        finally:
            if collecting:
                gc.enable()
            engine.set_grad_enabled(True)  # a program may have left it off
    return [result, heard]


def attempt(call, *args, **kwargs):
    """The result of a call, or its error as a result to compare."""
    try:
        return call(*args, **kwargs)
    except Exception as error:
        return error


def refusal(call, *args, **kwargs):
    """The error of a call that has to be refused."""
    result = attempt(call, *args, **kwargs)
    assert isinstance(result, Exception), f"not refused, but answered with {result!r}"
    return result


def compare(theirs, ours, scale=0.0, coarse=None, named=True):
    """AssertionError unless minigrad's result `ours` agrees with torch's.

    `scale` and `coarse` say which rounding errors are allowed, see `assert_close`. With `named=False`
    the node that made a tensor may have another name: a backward pass that is recorded may compute
    the same gradient by other operations.
    """
    if isinstance(theirs, (list, tuple)) and type(theirs) is not torch.Size and (
        type(ours).__name__ == type(theirs).__name__  # tuple, or return_types.max
    ):
        assert_equal(len(theirs), len(ours), "results")
        for pair in zip(theirs, ours):
            compare(*pair, scale, coarse, named)
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        compare([*theirs, *theirs.values()], [*ours, *ours.values()], scale, coarse, named)
    elif isinstance(theirs, torch.Tensor) and isinstance(ours, minigrad.Tensor):
        assert_equal(place(theirs, named), place(ours, named))
        assert_close(theirs.data.numpy(), ours.data.numpy(), scale, coarse)
    elif isinstance(theirs, (np.ndarray, np.generic, float)) and type(theirs) is type(ours):
        theirs, ours = np.asarray(theirs), np.asarray(ours)
        assert_equal((theirs.dtype, theirs.shape), (ours.dtype, ours.shape))
        assert_close(theirs, ours, scale, coarse)
    else:
        assert_equal(text(theirs), text(ours))


def assert_equal(theirs, ours, what=""):
    """AssertionError, with both, unless they are equal."""
    assert theirs == ours, f"\n   torch: {theirs} {what}\nminigrad: {ours} {what}"


def place(tensor, named=True):
    """All that can be said of a tensor in words: its kind, and its place in the graph."""
    try:
        node = tensor.grad_fn
    except RuntimeError as error:  # a view that was made under no_grad, and whose base was changed
        return text(error)
    name = node.name() if node is not None and named else node is not None
    return (f"{tensor.dtype!s} {tuple(tensor.shape)} requires_grad={tensor.requires_grad} "
            f"is_leaf={tensor.is_leaf} grad_fn={name} nr={tensor.output_nr} "
            f"retains_grad={tensor.retains_grad}")  # fmt: skip


def text(value):
    """What a result says, without what may differ: addresses, the engine's name, torch's C++."""
    words = f"{type(value).__name__}: " if isinstance(value, BaseException) else ""
    words += str(value) if isinstance(value, (BaseException, str)) else repr(value)
    words = re.sub(r" \(Triggered internally at .*\)", "", words.strip(), flags=re.DOTALL)
    words = re.sub(r"(Traceback of forward call).*", r"\1", words, flags=re.DOTALL)
    words = re.sub(r"<[\w.]*?(\w+) object at 0x\w+>", r"<\1 object>", words)
    return words.replace("minigrad", "torch")


def assert_close(theirs, ours, scale=0.0, coarse=None):
    """AssertionError unless two arrays are equal, floats up to rounding.

    Rounding is that of numbers as large as `scale`, or as the largest one of the array, and of the
    array's dtype, or the dtype `coarse`.
    """
    if np.array_equal(theirs, ours, equal_nan=theirs.dtype.kind == "f"):
        return
    if theirs.dtype.name in ROUNDING:
        relative, absolute = np.maximum(ROUNDING[theirs.dtype.name], ROUNDING[coarse or "float64"])
        absolute *= max(scale, largest(theirs))
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(ours, theirs, relative, absolute, err_msg="minigrad, torch")
    else:
        np.testing.assert_array_equal(ours, theirs, "minigrad, torch")


def largest(array):
    """The largest absolute finite value of an array; 0 if there is none."""
    finite = array[np.isfinite(array)]
    return float(np.abs(finite.astype(np.float64)).max()) if finite.size else 0.0


def in_module(engine, name):
    """A module of the engine, such as "utils.checkpoint", that it loads when first asked for."""
    return importlib.import_module(f"{engine.__name__}.{name}")


def doubling(torch, answer):
    """A `Function` that doubles, and whose `backward` gives what `answer(g)` gives."""

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return answer(g)

    return Double
