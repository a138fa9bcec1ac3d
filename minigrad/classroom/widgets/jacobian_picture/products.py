"""The products with a Jacobian: v·J from the left, J·u from the top, and the two wrong pairings.

v·J is a backward pass, J·u is `autograd.functional.jvp`. Nothing is multiplied here.
"""

from dataclasses import dataclass

from minigrad.autograd import functional

from ...compare import agreement, engines
from ...show.formatting import nested, shape
from ..shared.point import values_of

PRODUCTS = ("J\u00b7v", "u\u00b7J")  # the wrong ones


@dataclass(frozen=True)
class Tried:
    """A product that was tried: its name, whether it fits, and its value or why there is none."""

    name: str
    fits: bool
    sentence: str
    refusal: str = ""  # in PyTorch's words

    def told(self):
        """The sentence, and what PyTorch says."""
        return self.sentence + (f" PyTorch says: {self.refusal}" if self.refusal else "")


def of_input(torch, example):
    """An example's function of its input alone; its other tensors are constants."""
    _, *others = example.inputs.values()
    others = [torch.tensor(values, dtype=torch.float32) for values in others]
    return lambda x: example.function(torch, x, *others)


def from_the_top(point, u):
    """J·u. jvp differentiates the backward pass: where that cannot be done, RuntimeError."""
    # Not strict, jvp answers zeros where it cannot know: right only if J is zero.
    return _product(functional.jvp, point, u, strict=bool(point.jacobian.any()))


def from_the_left(point, v):
    """v·J, by one backward pass."""
    return _product(functional.vjp, point, v)


def _product(product, point, vector, **options):
    torch = engines.minigrad
    x, vector = (torch.tensor(values.tolist(), dtype=torch.float32) for values in (point.x, vector))
    return values_of(product(of_input(torch, point.example), x, vector, **options)[1])


def attempt(state, name):
    """One of the wrong pairings as `Tried`: v from the top, or u from the left.

    state: what the picture shows. Where J is square the product exists, and is another one.
    """
    if name == "J\u00b7v":
        letter, vector, product, right = "v", state.v, from_the_top, state.input_grad
        meant, what = "v\u00b7J", "what backward computes"
    else:
        letter, vector, product, right = "u", state.u, from_the_left, state.output_change
        meant, what = "J\u00b7u", "what a step along u changes"
    try:
        value = product(state.point, vector).tolist()
    except Exception as error:
        return Tried(name, False, _why_not(state, name, vector), str(error))
    said = f"{name} = {nested(value)}"
    if right is not None and agreement.agree(value, right):
        jacobian = state.point.jacobian
        symmetric = agreement.agree(jacobian, jacobian.T)
        why = "because J equals its transpose" if symmetric else f"for this {letter}, by chance"
        said += f": the same as {meant} here, {why}."
    else:
        right = "not to be had" if right is None else nested(right.tolist())
        said += f" fits, as J is square, but is not {what}: {meant} = {right}."
    return Tried(name, True, said)


def sizes(state, name):
    """(letter, side, numbers needed, for each what, numbers it has, for each what) of a pairing."""
    outputs, inputs = state.point.jacobian.shape
    if name == "J\u00b7v":
        return "v", "right", inputs, "input", outputs, "output"
    return "u", "left", outputs, "output", inputs, "input"


def _why_not(state, name, vector):
    letter, side, needed, what, has, whose = sizes(state, name)
    if needed == has:
        own = shape(vector.shape)
        return f"{name} is refused: {letter} has the {whose}'s shape {own}, not the {what}'s."
    numbers = "1 number" if needed == 1 else f"{needed} numbers"
    return (
        f"{name} is refused: from the {side} J takes {numbers}, one for each {what}; {letter} "
        f"has {has}, one for each {whose}."
    )
