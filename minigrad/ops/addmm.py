"""A sum and a product in one: `addmm` and its like."""

import numpy as np

from ..operation import Operation
from .arguments import change, no_bools, same_type, scaled, wrong_factor
from .linalg import (
    Bmm,
    Mm,
    Mv,
    can_multiply,
    check_bmm,
    check_mv,
    check_vectors,
    outer_product,
    same_mv,
)
from .registry import both, method
from .shape import Expand, T, Transpose, expand


class ScaledSum(Operation):
    """beta * x + alpha * a product, which each kind has with its rules."""

    broadcasts = True

    def grad_x(g, beta):
        return scaled(g, beta)


class Addmm(ScaledSum):
    """beta * x + alpha * mat1 @ mat2."""

    def forward(x, mat1, mat2, beta, alpha):
        return added(x, beta, scaled(mat1 @ mat2, alpha))

    def grad_mat1(g, mat2, alpha):
        return scaled(Mm(g, T(mat2)), alpha)

    def grad_mat2(g, mat1, alpha):
        return scaled(Mm(T(mat1), g), alpha)


class Addmv(ScaledSum):
    """beta * x + alpha * mat @ vec."""

    def forward(x, mat, vec, beta, alpha):
        return added(x, beta, scaled(mat @ vec, alpha))

    def grad_mat(g, vec, alpha):
        return scaled(outer_product(g, vec), alpha)

    def grad_vec(g, mat, alpha):
        return scaled(Mv(T(mat), g), alpha)


class Addr(ScaledSum):
    """beta * x + alpha * the outer product of two vectors."""

    def forward(x, vec1, vec2, beta, alpha):
        return added(x, beta, np.outer(scaled(vec1, alpha), vec2))

    def grad_vec1(g, vec2, alpha):
        return scaled(Mv(g, vec2), alpha)

    def grad_vec2(g, vec1, alpha):
        return scaled(Mv(T(g), vec1), alpha)


class Baddbmm(ScaledSum):
    """beta * x + alpha * a batch of matrix products."""

    def forward(x, batch1, batch2, beta, alpha):
        return added(x, beta, scaled(batch1 @ batch2, alpha))

    def grad_batch1(g, batch2, alpha):
        return scaled(Bmm(g, Transpose(batch2, 1, 2)), alpha)

    def grad_batch2(g, batch1, alpha):
        return scaled(Bmm(Transpose(batch1, 1, 2), g), alpha)


class Addbmm(ScaledSum):
    """beta * x + alpha * the sum of a batch of matrix products."""

    def forward(x, batch1, batch2, beta, alpha):
        return added(x, beta, scaled(np.add.reduce(batch1 @ batch2, axis=0, dtype=x.dtype), alpha))

    def grad_batch1(g, batch2, alpha):
        whole = Expand(g, (batch2.shape[0], *g.shape))
        return scaled(Bmm(whole, Transpose(batch2, 1, 2)), alpha)

    def grad_batch2(g, batch1, alpha):
        whole = Expand(g, (batch1.shape[0], *g.shape))
        return scaled(Bmm(Transpose(batch1, 1, 2), whole), alpha)


def added(x, beta, product):
    """`beta * x + product`; with a `beta` of 0 not even an inf or nan of `x` is seen."""
    return product if beta == 0 else scaled(x, beta) + product


def _same_as_self(input, *others):
    for name, other in others:
        if other._array.dtype != input._array.dtype:
            raise RuntimeError(
                f"self and {name} must have the same dtype, but got {input.dtype.tensor_name} and "
                f"{other.dtype.tensor_name}"
            )


def _addmm(input, mat1, mat2):
    for name, mat in (("mat1", mat1), ("mat2", mat2)):
        if mat.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {mat.ndim}-D tensor")
    can_multiply(mat1, mat2)
    _same_as_self(input, ("mat2", mat2), ("mat1", mat1))
    no_bools("addmm_impl_cpu_", mat1._array)
    return mat1._array.shape[0], mat2._array.shape[1]


def _addmv(input, mat, vec):
    check_mv(input, mat, vec)
    same_mv(input, mat, vec)
    no_bools("addmv_impl_cpu", mat._array)
    return mat._array.shape[:1]


def _addr(input, vec1, vec2):
    check_vectors("addr", "vec1", vec1, "vec2", vec2)
    return vec1._array.shape + vec2._array.shape


def _baddbmm(input, batch1, batch2, kernel="baddbmm"):
    check_bmm(batch1, batch2)
    _same_as_self(input, ("batch1", batch1), ("batch2", batch2))
    no_bools(kernel, batch1._array)
    return (*batch1._array.shape[:2], batch2._array.shape[2])


def _addbmm(input, batch1, batch2):
    return _baddbmm(input, batch1, batch2, "addmm_impl_cpu_")[1:]


def _promoted(input, x, y, beta, alpha):
    """The three in their common dtype; RuntimeError for factors that it does not take."""
    input, x, y = same_type(input, x, y)
    for name, factor in (("beta", beta), ("alpha", alpha)):
        said = wrong_factor(name, factor, input._array.dtype)
        if said:
            raise RuntimeError(said)
    return input, x, y


def _publish_sum(name, operation, check, first, second, says, promotes=False):
    def call(input, x, y, *, beta=1, alpha=1):
        shape = check(input, x, y)
        expand(input.detach(), shape)  # refused in PyTorch's words
        if promotes:
            input, x, y = _promoted(input, x, y, beta, alpha)
        return operation(input, x, y, beta, alpha)

    def in_place(self, x, y, *, beta=1, alpha=1):
        check(self, x, y)
        if promotes:
            _, x, y = _promoted(self, x, y, beta, alpha)
        return change(operation, self, x, y, beta, alpha)

    def named(call):
        """Under the names that PyTorch gives the two factors."""

        def renamed(input, *args, **kwargs):
            for place, parameter in enumerate((first, second)):
                if parameter in kwargs:
                    args = (*args[:place], kwargs.pop(parameter), *args[place:])
            return call(input, *args, **kwargs)

        return renamed

    call, in_place = named(call), named(in_place)
    call.__name__, in_place.__name__ = name, f"{name}_"
    call.__doc__ = f"""{says}; `input` is expanded to the product's shape.

    RuntimeError for shapes that do not fit or different dtypes.
    """
    both(call)
    method(in_place)


_publish_sum(
    "addmm", Addmm, _addmm, "mat1", "mat2",
    "beta * input + alpha * mat1 @ mat2, (n, m) times (m, p)",
)  # fmt: skip
_publish_sum(
    "addmv", Addmv, _addmv, "mat", "vec", "beta * input + alpha * mat @ vec, (n, m) times (m)"
)
_publish_sum(
    "addr", Addr, _addr, "vec1", "vec2",
    "beta * input + alpha * outer(vec1, vec2), vectors (n) and (m)", promotes=True,
)  # fmt: skip
_publish_sum(
    "baddbmm", Baddbmm, _baddbmm, "batch1", "batch2",
    "beta * input + alpha * batch1 @ batch2, (b, n, m) times (b, m, p)",
)  # fmt: skip
_publish_sum(
    "addbmm", Addbmm, _addbmm, "batch1", "batch2",
    "beta * input + alpha * sum(batch1 @ batch2), (b, n, m) times (b, m, p)",
)  # fmt: skip
