"""One program, two engines: what comes of it has to agree.

    @same
    def test_x_grad_is_weighed(torch):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        (x * x).backward(torch.tensor([1.0, 10.0]))
        return x.grad

The program runs with torch and with minigrad. What it returns, what it warns of and the error it
ends with have to agree: tensors in values, dtype, shape and place in the graph. Texts agree word
for word where they concern backward (`QUOTED`); of other refusals only the kind of error counts.

`play` does the same for a program that is a text, statement by statement.
"""

import ast
import functools
import gc
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
# What a learner searches for: whatever is said about gradients and the graph, and about shapes.
QUOTED = re.compile(
    r"grad|[Bb]ackward|in-?place|differentia|detach|deepcopy|hook|Variable|save_for_|Anomaly"
    r"|inputs. argument|been freed|nan values|element of the written-to|broadcast shape"
    r"|desired output type|m1 and m2|numpy\(\)|copy construct|Scalar|Boolean value|0-d(im)? tensor"
    r"|size of tensor|mat1 and mat2 shapes|size mismatch|inconsistent tensor"
    r"|invalid for input of size|not compatible with input|stack expects|Sizes of tensors"
    r"|expanded size|index -?\d+ is out of bounds|too many indices|Dimension out of range"
    r"|sequence of length|infer output dtype"
)
# What minigrad computes by other operations, and so with other nodes (docs/differences.md).
COMPOSED = ("LeakyRelu", "Gelu", "Softplus", "SmoothL1Loss")
COMPOSED += ("BinaryCrossEntropyWithLogits", "Convolution", "MaxPool2DWithIndices")
COMPOSED += ("Std", "Prod", "Cumprod", "Logsumexp", "MaskedFill")
# Torch warns of these once in a process, whoever comes first.
NOT_COMPARED = (
    "Using backward() with create_graph=True",
    "Converting a tensor with requires_grad=True to a scalar",
)


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

    Only the program's own warnings: those of other threads are not, nor those of what other tests
    left behind (an open socket, say) and the garbage collector happens to find now.
    """
    heard, here, collecting = [], threading.get_ident(), gc.isenabled()

    def hear(message, *where, **what):
        said = str(message)
        if (
            threading.get_ident() == here
            and QUOTED.search(said)
            and not said.startswith(NOT_COMPARED)
        ):
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


# -- programs that are texts ---------------------------------------------------------------------


def titled(text):
    """The programs of a text, by the titles that stand above each: `## title`."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)[1:]
    assert len({*parts[::2]}) * 2 == len(parts), "two programs have one title"
    return dict(zip(parts[::2], parts[1::2]))


def rows(table):
    """The expressions of a table; between two stands a `;` or a line's end."""
    return [row.strip() for row in re.split("[;\n]", table.strip())]


def play(source, scale=0.0, coarse=None, **names):
    """Run a program statement by statement on both engines; after each, all there is to see agrees.

    `scale` and `coarse` say which rounding errors are allowed, see `assert_close`.
    What is to be refused, by both, says so at its end: `y.backward()  # RuntimeError`.
    """
    spaces = [
        {"torch": engine, "np": np, "function": functools.partial(function, engine), **names}
        for engine in (torch, minigrad)
    ]
    lines, named = source.splitlines(), "create_graph" not in source
    for statement in ast.parse(source).body:
        expected = re.search(r"  # (\w+Error)$", lines[statement.end_lineno - 1])
        shown = isinstance(statement, ast.Expr)
        kind, tree = (
            ("eval", ast.Expression(statement.value))
            if shown
            else ("exec", ast.Module([statement], []))
        )
        code = compile(tree, "program", kind)
        theirs, ours = [run(evaluate, space["torch"], code, space) for space in spaces]
        try:
            refused = type(theirs[0]).__name__ if isinstance(theirs[0], Exception) else None
            assert refused == (expected and expected[1]), f"torch: {theirs[0]!r}"
            compare(theirs, ours, scale, coarse, named)
            visible = [run(seen, space["torch"], space)[0] for space in spaces]
            compare(*visible, scale, coarse, named)
        except AssertionError as error:
            raise AssertionError(f"{ast.unparse(statement)}\n{error}") from None


def evaluate(torch, code, space):
    return eval(code, space)


def seen(torch, space):
    """All that a program has at hand: its tensors with their `.grad`, lists, numbers, texts."""
    plain = {
        name: value
        for name, value in space.items()
        if isinstance(value, (torch.Tensor, list, tuple, dict, int, float, str))
        and not name.startswith("__")
    }
    tensors = {name: value for name, value in plain.items() if isinstance(value, torch.Tensor)}
    return [plain, {name: tensor.grad for name, tensor in tensors.items()}]


def function(torch, forward, backward=None, **others):
    """The class F of an `autograd.Function` with these methods."""
    methods = {"forward": forward, "backward": backward, **others}
    methods = {name: staticmethod(method) for name, method in methods.items() if method}
    return type("F", (torch.autograd.Function,), methods)


# -- comparing -----------------------------------------------------------------------------------


def compare(theirs, ours, scale=0.0, coarse=None, named=True):
    """AssertionError unless minigrad's result `ours` agrees with torch's.

    `scale` and `coarse` say which rounding errors are allowed, see `assert_close`. With
    `named=False` the node that made a tensor may have another name: a backward pass that is
    recorded may compute the same gradient by other operations.
    """
    if (
        isinstance(theirs, (list, tuple))
        and type(theirs) is not torch.Size
        and isinstance(ours, (list, tuple))
    ):
        assert_equal(len(theirs), len(ours), "results")
        for pair in zip(theirs, ours):
            compare(*pair, scale, coarse, named)
    elif isinstance(theirs, dict) and isinstance(ours, dict):
        compare([*theirs, *theirs.values()], [*ours, *ours.values()], scale, coarse, named)
    elif isinstance(theirs, torch.Tensor) and isinstance(ours, minigrad.Tensor):
        named = named and not is_composed(theirs)
        assert_equal(place(theirs, named), place(ours, named))
        assert_close(theirs.data.numpy(force=True), ours.data.numpy(), scale, coarse)
    elif isinstance(theirs, (np.ndarray, np.generic, float)) and type(theirs) is type(ours):
        theirs, ours = np.asarray(theirs), np.asarray(ours)
        assert_equal((theirs.dtype, theirs.shape), (ours.dtype, ours.shape))
        assert_close(theirs, ours, scale, coarse)
    elif (
        isinstance(theirs, Exception)
        and isinstance(ours, Exception)
        and not QUOTED.search(str(theirs))
    ):
        assert_equal(type(theirs), type(ours), f"\n   torch: {theirs}\nminigrad: {ours}")
    else:
        assert_equal(text(theirs), text(ours))


def assert_equal(theirs, ours, what=""):
    """AssertionError, with both, unless they are equal."""
    assert theirs == ours, f"\n   torch: {theirs} {what}\nminigrad: {ours} {what}"


def is_composed(tensor):
    """Whether PyTorch made it by an operation that minigrad puts together from others."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return False
    return node is not None and node.name().startswith(tuple(f"{name}B" for name in COMPOSED))


def place(tensor, named=True):
    """All that can be said of a tensor in words: its kind, and its place in the graph."""
    try:
        node = tensor.grad_fn
    except RuntimeError as error:  # a view that was made under no_grad, and whose base was changed
        return text(error)
    name = node.name() if node is not None and named else node is not None
    return (
        f"{tensor.dtype!s} {tuple(tensor.shape)} requires_grad={tensor.requires_grad} "
        f"is_leaf={tensor.is_leaf} grad_fn={name} nr={tensor.output_nr} "
        f"retains_grad={tensor.retains_grad}"
    )


def text(value):
    """What a result says, without what may differ: addresses, the engine's name, torch's C++."""
    words = f"{type(value).__name__}: " if isinstance(value, BaseException) else ""
    words += str(value) if isinstance(value, (BaseException, str)) else repr(value)
    words = re.sub(r" \(Triggered internally at .*\)", "", words.strip(), flags=re.DOTALL)
    words = re.sub(r"(Traceback of forward call).*", r"\1", words, flags=re.DOTALL)
    words = re.sub(r"<[\w.]*?(\w+) object at 0x\w+>", r"<\1 object>", words)
    return words.replace("minigrad", "torch").replace("<RemovableHandle", "<Handle")


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
