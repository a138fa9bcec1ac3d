"""The products with a Jacobian: v·J from the left, J·u from the right, and what PyTorch says.

v·J is a backward pass. J·u is `autograd.functional.jvp`. Nothing is multiplied here.
"""

from dataclasses import dataclass

import numpy as np

from minigrad.autograd import functional

from .. import agreement, engines, recorded
from ..formatting import nested, shape
from ..typed_numbers import Refused
from .maps import MAPS
from .point import Point, forward, single, tensor, values_of
from .torch_answer import could_not_run, live, missing, stored

PRODUCTS = ("v\u00b7J", "J\u00b7u", "J\u00b7v", "u\u00b7J")


@dataclass(frozen=True)
class Products:
    """Both products that exist for every map, for one x, one v and one u."""

    point: Point
    v: np.ndarray
    u: np.ndarray
    input_grad: np.ndarray  # v·J, in the input's shape
    output_change: np.ndarray | None  # J·u, in the output's shape; None if it cannot be had
    note: str  # why it cannot


@dataclass(frozen=True)
class Tried:
    """A product that was tried: its name, whether it fits, its value, and a sentence."""

    name: str
    fits: bool
    value: list | float | None
    sentence: str


@dataclass(frozen=True)
class TorchProducts:
    """What PyTorch finds for the same map, x, v and u."""

    jacobian: np.ndarray  # [output, input]
    input_grad: np.ndarray
    output_change: np.ndarray | None


# --- by minigrad ---------------------------------------------------------------------------------


def multiply(point, v, u):
    """Both products, by the engine; every shape but the right one is refused."""
    v, u = single(v), single(u)
    leaf, y = forward(engines.minigrad, point.preset, point.x)
    y.backward(tensor(v), inputs=[leaf])  # refuses every shape but the output's, in PyTorch's words
    if u.shape != point.x.shape:
        raise Refused(
            f"u has shape {shape(u.shape)}; it is a direction of the input, so it needs the "
            f"input's shape {shape(point.x.shape)}."
        )
    change, note = None, ""
    try:
        change = from_the_right(point, u)
    except Exception as error:  # a function that can be differentiated only once
        note = f"J\u00b7u cannot be had: {error}"
    return Products(point, v, u, values_of(leaf.grad), change, note)


def from_the_right(point, u):
    """J·u. jvp differentiates the backward pass: where that cannot be done, RuntimeError."""
    # Not strict, jvp answers zeros where it cannot know: right only if J is zero.
    strict = bool(point.jacobian.any())
    _, change = functional.jvp(_of_input(point), tensor(point.x), tensor(u), strict=strict)
    return values_of(change)


def from_the_left(point, v):
    """v·J, by one backward pass."""
    return values_of(functional.vjp(_of_input(point), tensor(point.x), tensor(v))[1])


def _of_input(point):
    """The example's function of its input alone, on minigrad."""
    return lambda x: point.preset.function(engines.minigrad, x)


# --- any pairing ---------------------------------------------------------------------------------


def attempt(products, name):
    """One of the four pairings, right or wrong, as `Tried`."""
    a = products.point.preset.input_name
    if name == "v\u00b7J":
        value = products.input_grad.tolist()
        return Tried(name, True, value, f"v\u00b7J fits every map: {a}.grad = {nested(value)}.")
    if name == "J\u00b7u":
        if products.output_change is None:
            return Tried(name, False, None, products.note)
        value = products.output_change.tolist()
        return Tried(name, True, value, f"J\u00b7u fits every map: {nested(value)}.")
    if name == "J\u00b7v":
        return _wrong_side(products, name, products.v, from_the_right, products.input_grad)
    return _wrong_side(products, name, products.u, from_the_left, products.output_change)


def _wrong_side(products, name, vector, multiply_from, right):
    """v from the right, or u from the left. right: the right product with the same vector."""
    try:
        value = multiply_from(products.point, vector)
    except Exception as error:
        return Tried(name, False, None, f"{_why_not(products, name)}. PyTorch says: {error}")
    found, jacobian = nested(value.tolist()), products.point.jacobian
    letter, meant, what = ("v", "v\u00b7J", "what backward computes")
    if name == "u\u00b7J":
        letter, meant, what = ("u", "J\u00b7u", "what a step along u changes")
    if right is not None and agreement.agree(value, right):
        symmetric = agreement.agree(jacobian, jacobian.T)
        why = "because J equals its transpose" if symmetric else f"for this {letter}, by chance"
        sentence = f"{name} = {found}: the same as {meant} here, {why}."
    else:
        other = "not to be had" if right is None else nested(right.tolist())
        sentence = (
            f"{name} = {found} fits, since J is square, but it is not {what}: {meant} = {other}."
        )
    return Tried(name, True, value.tolist(), sentence)


def _why_not(products, name):
    outputs, inputs = products.point.jacobian.shape
    if name == "J\u00b7v":
        letter, side, vector = "v", "right", products.v
        needed, what, has, whose = inputs, "input", outputs, "output"
    else:
        letter, side, vector = "u", "left", products.u
        needed, what, has, whose = outputs, "output", inputs, "input"
    if needed == has:
        own = shape(vector.shape)
        return f"{name} is refused: {letter} has the {whose}'s shape {own}, not the {what}'s"
    numbers = "1 number" if needed == 1 else f"{needed} numbers"
    return (
        f"{name} is refused: from the {side} J takes {numbers}, one for each {what}; {letter} has "
        f"{has}, one for each {whose}"
    )


# --- by PyTorch ----------------------------------------------------------------------------------


def stored_answer(products):
    """PyTorch's `TorchProducts` from the record alone: its Jacobian, in which both are linear."""
    point, preset = products.point, products.point.preset
    found, version = None, None
    if MAPS.get(preset.name) == preset and np.array_equal(point.x, np.float32(preset.x)):
        found, version = recorded.old_answer("jacobians", preset.name)
    if found is None:
        return missing("for this function and input")
    jacobian = np.array(found)
    input_grad = (products.v.ravel() @ jacobian).reshape(point.x.shape)
    output_change = (jacobian @ products.u.ravel()).reshape(point.y.shape)
    return stored(version, TorchProducts(jacobian, input_grad, output_change))


def live_answer(torch, products):
    """The same, asked of PyTorch now."""
    point, preset = products.point, products.point.preset

    def run(leaf):
        return preset.function(torch, leaf)

    x, v, u = (
        torch.tensor(values.tolist(), dtype=torch.float32)
        for values in (point.x, products.v, products.u)
    )
    try:
        jacobian = torch.autograd.functional.jacobian(run, x)
        leaf, y = forward(torch, preset, point.x)
        y.backward(v, inputs=[leaf])
        grad = values_of(leaf.grad)
    except Exception as error:
        return could_not_run(error)
    try:
        change = values_of(torch.autograd.functional.jvp(run, x, u)[1])
    except Exception:
        change = None  # a function that PyTorch can differentiate only once
    jacobian = values_of(jacobian).reshape(point.jacobian.shape)
    return live(torch, TorchProducts(jacobian, grad, change))
