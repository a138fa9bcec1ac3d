"""`gradcheck` and `gradgradcheck`: are the gradients of a function those that nudging its inputs shows?

The numerical Jacobian nudges one number of the inputs at a time by ±eps and divides how far the outputs
move by 2·eps; the analytical one has a backward pass for each row. Use float64: in float32 the difference
of two close numbers has few digits left.
Mirrors https://docs.pytorch.org/docs/2.13/autograd.html#numerical-gradient-checking
"""

import warnings

import numpy as np

from ..creation import tensor
from ..graph import Node, edge, placed
from ..ops.registry import FUNCTIONS
from ..tensor import Tensor, make
from . import grad

__all__ = ["gradcheck", "gradgradcheck", "GradcheckError"]


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when it finds a gradient to be wrong."""


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Compare the gradients of `func(*inputs)` with what nudging the inputs by `eps` shows.

    True if for each output and each input that requires grad all of |analytical - numerical| <= atol +
    rtol·|numerical|; else a GradcheckError that shows both Jacobians (inputs down, outputs across), or
    False without `raise_exception`. Backward has to give the same twice (to `nondet_tol`), zeros for a
    zero upstream gradient, and with `check_undefined_grad` for an upstream gradient that is absent.
    `fast_mode` compares v·J·u for two random vectors instead of all of J. There is no forward mode
    here, so `check_forward_ad` is a NotImplementedError; gradients always have their tensor's dtype.
    AssertionError if neither mode is to be checked.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.gradcheck.gradcheck.html
    """
    check_modes(
        {"check_forward_ad": check_forward_ad, "check_backward_ad": check_backward_ad},
        check_batched_grad=(check_batched_grad, "check_backward_ad"),
        check_batched_forward_grad=(check_batched_forward_grad, "check_forward_ad"),
    )
    if check_forward_ad:
        raise NotImplementedError("minigrad has no forward mode: leave check_forward_ad=False")
    inputs = as_tuple(inputs)
    check_inputs(inputs)
    outputs = as_tuple(func(*inputs))
    roots = [out for out in outputs if out.requires_grad]
    compare = compare_products if fast_mode else compare_jacobians
    try:
        with np.errstate(all="ignore"):  # inf and nan are answers
            compare(func, inputs, outputs, roots, eps, atol, rtol, nondet_tol)
        if roots:
            if check_batched_grad:
                check_batches(inputs, roots)
            check_zero(inputs, roots, masked)
            if check_undefined_grad:
                check_undefined(func, inputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func,
    inputs,
    grad_outputs=None,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    gen_non_contig_grad_outputs=False,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_fwd_over_rev=False,
    check_rev_over_rev=True,
    fast_mode=False,
    masked=False,
):
    """`gradcheck` of the backward pass of `func`, as a function of its inputs and upstream gradients.

    `grad_outputs` are the upstream gradients at which to check, one for each output that requires grad;
    random ones in [-1, 1) by default. AssertionError if neither mode is to be checked.
    Mirrors https://docs.pytorch.org/docs/2.13/generated/torch.autograd.gradcheck.gradgradcheck.html
    """
    check_modes(
        {"check_fwd_over_rev": check_fwd_over_rev, "check_rev_over_rev": check_rev_over_rev},
        check_undefined_grad=(check_undefined_grad, "check_rev_over_rev"),
        check_batched_grad=(check_batched_grad, "check_rev_over_rev"),
    )
    inputs = as_tuple(inputs)
    if grad_outputs is None:
        roots = [out for out in as_tuple(func(*inputs)) if out.requires_grad]
        grad_outputs = [random_like(out, gen_non_contig_grad_outputs) for out in roots]
    grad_outputs = tuple(as_tuple(grad_outputs))

    def backward(*args):
        upstream = args[len(inputs) :]
        outputs = [out for out in as_tuple(func(*args[: len(inputs)])) if out.requires_grad]
        found = grad(
            outputs, differentiable(args[: len(inputs)]), upstream, create_graph=True,
            allow_unused=True,
        )  # fmt: skip
        return tuple(x for x in found if x is not None)

    return gradcheck(
        backward,
        inputs + grad_outputs,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def random_like(out, non_contiguous):
    """A leaf of the shape and dtype of `out`, with numbers from [-1, 1)."""
    numbers = (2 * FUNCTIONS["rand"](out.shape, dtype=out.dtype) - 1).numpy()
    if non_contiguous and numbers.ndim:
        numbers = np.repeat(numbers, 2, axis=-1)[..., ::2]
    return make(numbers).requires_grad_()


# -- what is asked, and the inputs ----------------------------------------------------------------


def check_modes(modes, **options):
    """Refuse to check nothing, and an option whose mode is off. Options: (whether, its mode)."""
    if not any(modes.values()):
        raise AssertionError(f"Expected at least one of {' or '.join(modes)} to be True")
    for option, (wanted, mode) in options.items():
        if wanted and not modes[mode]:
            raise AssertionError(f"Setting {option}=True requires {mode} to be True")


def as_tuple(x):
    """Lists become tuples, anything else a tuple of one."""
    return tuple(x) if isinstance(x, (tuple, list)) else (x,)


def differentiable(inputs):
    """The tensors that require grad."""
    return [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]


def check_inputs(inputs):
    """Refuse inputs that cannot be nudged one number at a time; warn where digits are few."""
    if not differentiable(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them "
            "have requires_grad=True."
        )
    for i, x in enumerate(inputs):
        if not (isinstance(x, Tensor) and x.requires_grad):
            continue
        if x._array.dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double precision "
                "floating point or complex. ",
                stacklevel=3,
            )
        if any(step == 0 and size > 1 for step, size in zip(x.stride(), x.shape)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients correctly. "
                "You should call .contiguous on the input before passing it to gradcheck."
            )


# -- numerical: nudge the inputs -----------------------------------------------------------------


def moved(func, inputs, numbers, step, eps, where=""):
    """How far each output moves per unit when the array `numbers`, an input's own, changes by ±step."""
    before = numbers.copy()
    try:
        numbers[...] = before - step
        low = [out.detach().numpy().copy() for out in as_tuple(func(*inputs))]
        numbers[...] = before + step
        high = [out.detach().numpy().copy() for out in as_tuple(func(*inputs))]
    finally:
        numbers[...] = before
    for a, b in zip(low, high):
        for what in ("shape", "dtype"):
            mine, other = getattr(make(a), what), getattr(make(b), what)
            if mine != other:
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when inputs are "
                    f"perturbed {where}by {eps}, but got: {what}s {mine} and {other}."
                )
    return [(b - a).reshape(-1) / (2 * eps) for a, b in zip(low, high)]


def numerical_jacobians(func, inputs, outputs, x, eps):
    """For each output the Jacobian with respect to `x`: a row for each number of `x`."""
    numbers = x.detach().numpy()
    found = [np.zeros((x.numel(), out.numel()), _float_of(out)) for out in outputs]
    for row, index in enumerate(np.ndindex(numbers.shape)):
        step = np.zeros_like(numbers)
        step[index] = eps
        columns = moved(func, inputs, numbers, step, eps, f"on index {index} ")
        for jacobian, column in zip(found, columns):
            jacobian[row] = column
    return found


def _float_of(out):
    return out._array.dtype if out.is_floating_point() else np.float64


# -- analytical: one backward pass for each row --------------------------------------------------


def pulled(out, inputs, v):
    """The products of the upstream gradient `v` with the Jacobians, flat arrays."""
    found = grad(out, inputs, v, retain_graph=True, allow_unused=True)
    return [
        np.zeros(x.numel(), x._array.dtype) if g is None else g.detach().numpy().reshape(-1).copy()
        for g, x in zip(found, inputs)
    ]


def twice(compute, nondet_tol):
    """What `compute` gives, which has to be the same at a second call."""
    found, again = compute(), compute()
    for a, b in zip(found, again):
        if a.size and np.abs(a - b).max() > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output "
                "multiple times gives different values, although analytical gradient matches "
                f"numerical gradient.The tolerance for nondeterminism was {nondet_tol}."
                + NONDETERMINISTIC
            )
    return found


def analytical_jacobians(out, inputs):
    """For each input the Jacobian of `out`: a row for each number of the input."""
    basis = np.eye(out.numel(), dtype=out._array.dtype)
    columns = [pulled(out, inputs, make(v.reshape(out.shape))) for v in basis]
    if not columns:
        return [np.zeros((x.numel(), 0), x._array.dtype) for x in inputs]
    return [np.stack(column, axis=1) for column in zip(*columns)]


# -- the comparison ------------------------------------------------------------------------------


def compare_jacobians(func, inputs, outputs, roots, eps, atol, rtol, nondet_tol):
    """Both Jacobians, number by number; where no output has a graph, the numerical one is zero."""
    targets = differentiable(inputs)
    numerical = [numerical_jacobians(func, inputs, outputs, x, eps) for x in targets]
    if not roots and any(jacobian.any() for row in numerical for jacobian in row):
        raise GradcheckError("Numerical gradient for function expected to be zero")
    places = [i for i, out in enumerate(outputs) if out.requires_grad]
    for i, out in enumerate(roots):
        analytical = twice(lambda: analytical_jacobians(out, targets), nondet_tol)
        for j, a in enumerate(analytical):
            n = numerical[j][places[i]]
            if not np.allclose(a, n, rtol, atol):
                raise GradcheckError(mismatch(i, j, tensor(n), tensor(a)))


def compare_products(func, inputs, outputs, roots, eps, atol, rtol, nondet_tol):
    """v·J·u for random vectors: v·J is a backward pass, J·u a nudge along u."""
    random = np.random.default_rng(0)  # its own stream: the user's is left alone
    targets = differentiable(inputs)
    us = [direction(random, x) for x in targets]
    vs = [direction(random, out) for out in roots]
    pushed = []  # J·u, for each input and each output with a graph
    for x, u in zip(targets, us):
        numbers = x.detach().numpy()
        found = moved(func, inputs, numbers, eps * u.reshape(numbers.shape), eps)
        if not roots and any(move.size and np.abs(move).max() > nondet_tol for move in found):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        pushed.append([move for move, out in zip(found, outputs) if out.requires_grad])
    for i, (out, v) in enumerate(zip(roots, vs)):
        upstream = make(v.reshape(out.shape))
        products = twice(lambda: pulled(out, targets, upstream), nondet_tol)
        for j, (product, u) in enumerate(zip(products, us)):
            a, n = product @ u, v @ pushed[j][i]
            if not np.allclose(a, n, rtol, atol * u.sum() * v.sum()):
                a_whole = analytical_jacobians(out, targets)[j]
                n_whole = numerical_jacobians(func, inputs, outputs, targets[j], eps)
                n_whole = n_whole[[k for k, o in enumerate(outputs) if o.requires_grad][i]]
                in_full = in_slow_mode(n_whole, a_whole, rtol, atol)
                raise GradcheckError(mismatch(i, j, n.item(), a.item()) + in_full)


def direction(random, x):
    """A random vector of length 1, with a number for each of the tensor `x`."""
    vector = random.random(x.numel()).astype(x._array.dtype)
    return vector / np.linalg.norm(vector) if vector.size else vector


def mismatch(i, j, numerical, analytical):
    """The error's text for output i and input j."""
    return (
        f"Jacobian mismatch for output {i} with respect to input {j},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def in_slow_mode(numerical, analytical, rtol, atol):
    """What the error in fast mode adds."""
    passes = np.allclose(analytical, numerical, rtol, atol)
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are computed \n"
        "in fast mode. See: https://github.com/pytorch/pytorch/issues/53876 for more background \n"
        "about fast mode. Below, we recompute numerical and analytical jacobians in slow mode:\n\n"
        f"Numerical:\n {tensor(numerical)}\n"
        f"Analytical:\n{tensor(analytical)}\n\n"
        "The max per-element difference (slow mode) is: "
        f"{float(np.abs(numerical - analytical).max())}.\n" + PASSES_IN_SLOW_MODE * passes
    )


# -- what else a backward pass has to do ---------------------------------------------------------


def check_zero(inputs, roots, masked):
    """A zero upstream gradient gives zeros."""
    zeros = [make(np.zeros_like(out._array)) for out in roots]
    found = grad(roots, differentiable(inputs), zeros, retain_graph=True, allow_unused=True)
    for g in found:
        if g is None:
            continue
        numbers = g.detach().numpy()
        if not (np.allclose(numbers, 0) if masked else (numbers == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")


def check_batches(inputs, roots):
    """Two upstream gradients at once give what they give one by one."""
    targets = differentiable(inputs)
    for i, out in enumerate(roots):
        pair = FUNCTIONS["randn"](2, *out.shape, dtype=out.dtype)
        one_by_one = [np.stack(gs) for gs in zip(*[pulled(out, targets, v) for v in pair])]
        both = grad(out, targets, pair, True, is_grads_batched=True, allow_unused=True)
        for j, (expected, found) in enumerate(zip(one_by_one, both)):
            numbers = 0 if found is None else found.detach().numpy().reshape(2, -1)
            if not np.allclose(numbers, expected, 1e-5, 1e-8):
                raise GradcheckError(
                    f"For output {i} and input {j}:\n\ngradcheck or gradgradcheck failed while "
                    f"testing batched gradient computation.\n\nGot:\n{found}\n\nExpected:\n"
                    f"{tensor(expected)}"
                )


class UndefinedGrad(Node):
    """Passes no gradient on: what is behind it sees an upstream gradient that is absent."""

    __slots__ = ()

    def apply(self, g, create_graph):
        return [None]

    @classmethod
    def of(cls, out):
        """A tensor like `out`, behind such a node."""
        result = make(out._array)
        result._node, result._requires_grad = placed(cls.__new__(cls), edge(out)), True
        return result


def check_undefined(func, inputs):
    """Absent upstream gradients, of all outputs and of each in turn, give none or zeros."""

    def outputs():
        return [out for out in as_tuple(func(*inputs)) if out.requires_grad]

    roots = outputs()
    check_undefined_of([UndefinedGrad.of(out) for out in roots], inputs)
    for absent in range(len(roots) if len(roots) > 1 else 0):
        roots = outputs()
        roots[absent] = UndefinedGrad.of(roots[absent])
        check_undefined_of(roots, inputs)


def check_undefined_of(roots, inputs):
    zeros = [make(np.zeros_like(out._array)) for out in roots]
    try:
        found = grad(roots, differentiable(inputs), zeros, allow_unused=True)
    except RuntimeError as error:
        warn_of_undefined()
        raise GradcheckError(
            "Expected backward function to handle undefined output grads. Please look at \"Notes "
            'about undefined output gradients" in "tools/autograd/derivatives.yaml"'
        ) from error
    if any(g is not None and g._array.any() for g in found):
        warn_of_undefined()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined "
            'or zero. Please look at "Notes about undefined output gradients" in '
            '"tools/autograd/derivatives.yaml"'
        )


def warn_of_undefined():
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default, but it may break existing callers of this function. If this is true for you, you "
        'can call this function with "check_undefined_grad=False" to disable the feature',
        stacklevel=4,
    )


# The last lines of two errors; they speak of PyTorch's own tests.

WORKAROUNDS = """
If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck{}
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `{}` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `{}`{}
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `{}`
"""

NONDETERMINISTIC = """

NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.
""" + WORKAROUNDS.format(
    ".\nIf the test",
    "nondet_tol=<tol>",
    "gradcheck_nondet_tol=<tol>",
    ".",
    "gradcheck_nondet_tol=<tol>",
)

PASSES_IN_SLOW_MODE = """Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode!
""" + WORKAROUNDS.format(
    ":\n\nIf the test",
    "fast_mode=False",
    "gradcheck_fast_mode=False",
    "",
    "gradcheck_fast_mode=False",
).rstrip("\n")
