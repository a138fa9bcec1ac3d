"""What layers do besides activation: the linear map, look-up in a table, and normalisation."""

from math import prod

import numpy as np

from ..broadcasting import undo_broadcast
from ..operation import Operation
from .convert import in_image_order, row_by_row
from .elementwise import Sqrt, Tied
from .linalg import as_it_lies
from .reduce import Mean, Sum
from .scatter import IndexSelect, array_of, wrap
from .select import PlaceAdd, Where
from .shape import Reshape


class Linear(Operation, name="AddmmBackward0"):
    """`x + mat1 @ mat2`, the linear layer: `addmm` with the bias as `x`, in fewer steps."""

    def forward(x, mat1, mat2):
        # Transposed, so that the weight comes as it lies in memory: BLAS is faster that way.
        return np.add((mat2.T @ mat1.T).T, x, order="C")

    def grad_x(g, like_x):
        return undo_broadcast(g, like_x.shape, like_x.dtype)

    def grad_mat1(g, mat2):
        return g @ mat2.T

    def grad_mat2(g, mat1, like_mat2):
        return as_it_lies(g, mat1, like_mat2)


class Embedding(Operation):
    """The rows of `x` at `index`; the gradient skips the row `padding`.

    With `by_freq` a row's gradient is divided by how often it was named.
    """

    called = {"index": "indices"}
    tensor_params = ("index",)

    def forward(x, index, padding, by_freq):
        return x[index]

    def grad_x(g, x_shape, index, padding, by_freq):
        if by_freq:
            counts = np.bincount(array_of(index).reshape(-1), minlength=x_shape[0])
            g = g / wrap(counts[array_of(index)][..., None], g)
        if padding is not None:
            g = Where((index == padding)[..., None], 0.0, g)
        return PlaceAdd(g, x_shape, index)


class EmbeddingBag(Operation):
    """The sum, mean or maximum of the rows of `x` at `index`, for each of `number` bags.

    `bags` says to which bag each row belongs; those at `padding` belong to none.
    """

    tensor_params = ("index", "bags")

    def forward(x, weights, index, bags, number, mode, padding):
        rows = x[index] if weights is None else x[index] * weights[:, None]
        kept = index != (-1 if padding is None else padding)
        if mode == "max":
            found = np.full((number, x.shape[1]), -np.inf, x.dtype)
            np.maximum.at(found, bags[kept], rows[kept])
            return np.where(np.isneginf(found), 0, found).astype(x.dtype)
        found = np.zeros((number, x.shape[1]), x.dtype)
        np.add.at(found, bags[kept], rows[kept])
        if mode == "mean":
            found /= bag_sizes(index, bags, number, padding)
        return found

    def grad_x(g, x, weights, index, bags, out, number, mode, padding):
        kept = index != (-1 if padding is None else padding)
        if mode == "max":  # the first of the largest takes all
            at = first_of_largest(array_of(x), index, bags, array_of(out), kept)
            columns = np.arange(x.shape[1])
            held = at >= 0
            return PlaceAdd(Where(held, g, 0.0), x.shape, (np.where(held, at, 0), columns))
        if mode == "mean":
            g = g / wrap(bag_sizes(index, bags, number, padding), g)
        rows = IndexSelect(g, 0, bags)
        if weights is not None:
            rows = rows * weights.reshape(-1, 1)
        return PlaceAdd(Where(kept[:, None], rows, 0.0), x.shape, (index,))

    def grad_weights(g, x, index, bags, padding):
        kept = index != (-1 if padding is None else padding)
        rows = Sum(IndexSelect(g, 0, bags) * IndexSelect(x, 0, index), (1,), False)
        return Where(kept, rows, 0.0)


def bag_sizes(index, bags, number, padding):
    """How many rows each bag has, in a column; at least 1."""
    kept = bags if padding is None else bags[index != padding]
    return np.maximum(np.bincount(kept, minlength=number), 1).reshape(-1, 1)


def first_of_largest(x, index, bags, out, kept):
    """For each bag and column the row of `x` whose element it took; -1 for none."""
    at = np.full(out.shape, -1)
    for row, bag in reversed(list(zip(index[kept], bags[kept]))):
        at[bag] = np.where(x[row] == out[bag], row, at[bag])
    return at


def standard(x, dims, eps):
    """`x` with mean 0 and variance 1 over `dims`, and the factor that did it."""
    centred = x - Mean(x, dims, True)
    factor = 1 / Sqrt(Mean(centred * centred, dims, True) + eps)
    return centred * factor, factor


def summed_to(g, broadcast, shape):
    """The gradient of a parameter that had been reshaped to `broadcast` to act on many elements."""
    dims = tuple([d for d, n in enumerate(broadcast) if n == 1])
    return Reshape(Sum(g, dims, False) if dims else g, shape)


def scaled(x, weight, bias, shape):
    """Times `weight` plus `bias`, each reshaped to `shape`; either may be None."""
    if weight is not None:
        x = x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


class NativeLayerNorm(Operation):
    """`x` brought to mean 0 and variance 1 over `dims`, times `weight`, plus `bias`.

    `shape` is the shape in which weight and bias, where not None, are broadcast to `x`.
    """

    called = {"x": "input"}

    def forward(x, weight, bias, dims, shape, eps):
        x = row_by_row(x)
        centred = x - np.mean(x, axis=dims, keepdims=True)
        variance = np.mean(centred * centred, axis=dims, keepdims=True)
        return scaled(centred / np.sqrt(variance + eps), weight, bias, shape)

    def grad_x(g, x, weight, dims, shape, eps):
        y, factor = standard(x, dims, eps)
        if weight is not None:
            g = g * Reshape(weight, shape)
        return (g - Mean(g, dims, True) - y * Mean(g * y, dims, True)) * factor

    def grad_weight(g, x, weight_shape, dims, shape, eps):
        return summed_to(g * standard(x, dims, eps)[0], shape, weight_shape)

    def grad_bias(g, bias_shape, shape):
        return summed_to(g, shape, bias_shape)


class NativeBatchNorm(NativeLayerNorm):
    """The same for each channel, over the batch."""

    called = {"x": "input"}
    forward = in_image_order(NativeLayerNorm.forward)


class FixedBatchNorm(Operation, name="NativeBatchNormBackward0"):
    """`(x - mean) * factor` with numbers that were found in training, times `weight`, plus `bias`."""

    @in_image_order
    def forward(x, weight, bias, mean, factor, shape):
        return scaled((x - mean) * factor, weight, bias, shape)

    def grad_x(g, weight, factor, shape):
        if weight is not None:
            g = g * Reshape(weight, shape)
        return g * factor

    def grad_weight(g, x, weight_shape, mean, factor, shape):
        return summed_to(g * ((x - mean) * factor), shape, weight_shape)

    def grad_bias(g, bias_shape, shape):
        return summed_to(g, shape, bias_shape)


class NativeGroupNorm(Operation):
    """`x` (N, C, *) brought to mean 0 and variance 1 over each group of channels, then as above."""

    called = {"x": "input"}

    @in_image_order
    def forward(x, weight, bias, groups, eps):
        rows = x.reshape(x.shape[0], groups, prod(x.shape[1:]) // groups)
        centred = rows - np.mean(rows, axis=2, keepdims=True)
        variance = np.mean(centred * centred, axis=2, keepdims=True)
        found = (centred / np.sqrt(variance + eps)).reshape(x.shape)
        return scaled(found, weight, bias, by_channel(x))

    def grad_x(g, x, weight, groups, eps):
        if weight is not None:
            g = g * Reshape(weight, by_channel(x))
        rows = (x.shape[0], groups, prod(x.shape[1:]) // groups)
        y, factor = standard(Reshape(x, rows), (2,), eps)
        g = Reshape(g, rows)
        return Reshape((g - Mean(g, (2,), True) - y * Mean(g * y, (2,), True)) * factor, x.shape)

    def grad_weight(g, x, weight_shape, groups, eps):
        rows = (x.shape[0], groups, prod(x.shape[1:]) // groups)
        y = Reshape(standard(Reshape(x, rows), (2,), eps)[0], x.shape)
        return summed_to(g * y, by_channel(x), weight_shape)

    def grad_bias(g, bias_shape):
        return summed_to(g, by_channel(g), bias_shape)


def by_channel(x):
    """The shape in which a number for each channel is broadcast to `x`."""
    return (1, x.shape[1]) + (1,) * (x.ndim - 2)


class RreluWithNoise(Operation):
    """`x` where it is positive, else `x` times a slope of its own."""

    def forward(x, slopes):
        return np.where(x > 0, x, x * slopes)

    def grad_x(g, x, slopes):
        return Tied(g * Where(x > 0, 1.0, slopes), x)
