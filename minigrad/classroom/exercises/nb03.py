"""The exercises of notebook 03: choose v, isolate an output, write the product."""

import numpy as np

import minigrad
from minigrad.autograd import watch

from ..formatting import nested, number, shape
from .framework import (
    Exercise,
    Wrong,
    call,
    first_difference,
    is_floating,
    is_tensor,
    read_tensor,
    read_values,
    values_of,
)

_A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
_X = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
_W = [1.0, 2.0]


def _backward(leaf, name, output, v):
    """(leaf.grad after output.backward(v), []) for a learner's v, or (None, sentences)."""
    values, lines = read_values(v, "v")
    if lines:
        return None, lines
    try:
        output.backward(minigrad.tensor(values.tolist(), dtype=minigrad.float32))
    except RuntimeError as error:
        needed = shape(tuple(output.shape))
        return None, [
            f"v has shape {shape(values.shape)}; it needs the shape of {name}, {needed}.",
            f"PyTorch says: {error}",
        ]
    return values_of(leaf.grad), []


# --- 03-1: find v so that a.grad is 12 everywhere ------------------------------------------------


def _check_all_twelve(v):
    a = minigrad.tensor(_A, requires_grad=True)
    grad, lines = _backward(a, "out", a * a, v)
    if lines:
        return lines
    points = np.array(_A)
    likely = [
        (24 * points, "You used 12 everywhere: each weight is still multiplied by 2a."),
        (2 * points, "You used ones: that gives 2a. Choose each weight so that v times 2a is 12."),
        (2 * points**2, "You used a itself: that gives 2a times a."),
        (12 * points, "You used 6 everywhere: each weight is still multiplied by its a."),
        (np.full((2, 3), 24.0), "You divided 12 by a; the derivative of a*a is 2a."),
        (24 * points**2, "You multiplied by a instead of dividing: v times 2a is to be 12."),
        (np.full((2, 3), 6.0), "Half of it: a.grad is v times 2a, so v is 12 divided by 2a."),
    ]
    return first_difference("a.grad", grad, np.full((2, 3), 12.0), likely)


# --- 03-2: find v so that only output 2 counts ---------------------------------------------------


def _check_isolates_second(v):
    w = minigrad.tensor(_W, requires_grad=True)
    grad, lines = _backward(w, "losses", (minigrad.tensor(_X) @ w) ** 2, v)
    if lines:
        return lines
    alone = minigrad.tensor(_W, requires_grad=True)
    ((minigrad.tensor(_X) @ alone) ** 2)[1].backward()
    likely = [
        ([6.0, 6.0], "That is output 3, losses[2]: output 2 is losses[1], counted from 1."),
        ([2.0, 0.0], "That is output 1: the first weight belongs to the first output."),
        ([8.0, 10.0], "You weighed all three outputs with 1: that is the gradient of their sum."),
        ([0.0, 8.0], "You wrote the output's number as its weight; the weight that keeps it is 1."),
        ([0.0, 16.0], "You wrote the output's value as its weight; the weight that keeps it is 1."),
        ([0.0, 0.0], "With zeros no output counts at all."),
    ]
    lines = first_difference("w.grad", grad, values_of(alone.grad), likely)
    if lines:
        return lines
    values, _ = read_values(v, "v")
    others = [position for position in (0, 2) if values[position] != 0]
    if others:  # two other losses can cancel here by accident; for other inputs they do not
        return [
            f"w.grad is right here by coincidence: v[{others[0]}] is {number(values[others[0]])}, "
            "so another output still counts. To isolate one output, the other weights are 0."
        ]
    return []


# --- 03-3: write vjp_by_weighted_sum(f, x, v) ----------------------------------------------------


def _tall(x):
    return minigrad.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]]) @ x


def _wide(x):
    return minigrad.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) @ x


def _lopsided(x):
    return minigrad.tensor([[1.0, 2.0], [3.0, 4.0]]) @ x


def _squares(x):
    return x * x


def _cubes_summed(x):
    return (x * x * x).sum()


def _times_matrix(x):
    return x @ minigrad.tensor([[1.0, 0.0, 2.0, -1.0], [3.0, 1.0, 0.0, 2.0], [0.0, 5.0, 1.0, 1.0]])


def _spread(x):
    return x * minigrad.tensor([1.0, 2.0, 3.0, 4.0])


# (what it is called, f, x, v): different shapes of x and v, so that a lucky product cannot pass
_CASES = (
    ("f(x) = A @ x, A of shape (2, 3)", _wide, [1.0, 2.0, 3.0], [1.0, 10.0]),
    ("f(x) = A @ x, A of shape (3, 2)", _tall, [1.0, -2.0], [2.0, 0.5, -1.0]),
    ("f(x) = A @ x, A = [[1, 2], [3, 4]]", _lopsided, [1.0, 1.0], [1.0, 10.0]),
    ("f(x) = x * x, x of shape (2, 3)", _squares, _A, [[1.0, 0.0, 2.0], [-1.0, 0.5, 3.0]]),
    ("f(x) = (x * x * x).sum()", _cubes_summed, [1.0, 2.0], 3.0),
    (
        "f(x) = x @ B, B of shape (3, 4)",
        _times_matrix,
        _A,
        [[1.0, 2.0, 0.0, 1.0], [0.0, -1.0, 3.0, 2.0]],
    ),
    (
        "f(x) = x * row, x of shape (2, 1)",
        _spread,
        [[1.0], [2.0]],
        [[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, -1.0]],
    ),
)


def _check_vjp(function):
    if not callable(function):
        return [
            f"vjp_by_weighted_sum is of type {type(function).__name__}; it should be a function "
            "of f, x and v."
        ]
    for label, f, x, v in _CASES:
        lines = _check_case(function, f, x, v)
        if lines:
            return [f"For {label}, x = {nested(x)}, v = {nested(v)}:", *lines]
    return []


def _check_case(function, f, x, v):
    """Call the learner's function three times with one x: fresh, again, and after an old .grad."""
    leaf = minigrad.tensor(x, requires_grad=True)
    weights = minigrad.tensor(v)
    true = _vjp(f, x, v)
    for when in ("", "Called a second time with the same x: ", "With an old .grad on x: "):
        if when.startswith("With"):
            leaf.grad = minigrad.tensor((np.zeros_like(true) + 100.0).tolist())
        heard = _FirstGradient()
        with watch(heard):
            result, error = call(function, f, leaf, weights)
        if error is not None:
            return [f"{when}your function raised {error}", *_about_error(error)]
        lines = _not_a_gradient(result)
        if not lines:
            values, lines = read_tensor(result, "the result")
        if not lines:
            likely = [*_likely(f, x, v, true), *_left_over(true, when)]
            lines = first_difference("result", values, true, likely)
        if lines:
            return [when + lines[0], *lines[1:]]
        changed = heard.objection() or _changed(leaf, x, weights, v)
        if changed:
            return [when + changed]
    return []


class _FirstGradient:
    """Hears with how many numbers the backward pass began: one, if it was called on one number."""

    numbers = None

    def ran(self, node, g, grads):
        if self.numbers is None:
            self.numbers = np.size(g)

    def accumulated(self, leaf, g):
        pass

    def objection(self):
        if self.numbers in (None, 1):
            return None
        return (
            f"the result is right, but backward was given {self.numbers} weights. Make one number of "
            "f(x) and v, and call its backward() without an argument."
        )


def _vjp(f, x, v):
    leaf = minigrad.tensor(x, requires_grad=True)
    f(leaf).backward(minigrad.tensor(v))
    return values_of(leaf.grad)


def _not_a_gradient(result):
    if result is None:
        return ["your function returned None. End it with return x.grad."]
    if isinstance(result, tuple) and len(result) == 1:
        return ["your function returned a tuple with one entry. Return the entry: [0]."]
    if not is_tensor(result):
        return [
            f"your function returned something of type {type(result).__name__}; x.grad is a tensor."
        ]
    if not is_floating(result):
        dtype = str(result.dtype).split(".")[-1]
        return [f"the result has dtype {dtype}; x.grad has the dtype of x, float32."]
    return []


_OF_SHAPES = ("Mismatch in shape", "size mismatch", "cannot be multiplied", "must match the size")


def _about_error(error):
    if any(words in error for words in _OF_SHAPES):
        return ["v belongs to the outputs, and stands left of J: multiply f(x) by v, each by its own."]
    if "element 0 of tensors does not require grad" in error:
        return ["Call f with x itself: a copy or x.detach() is not connected to x.grad."]
    if "grad can be implicitly created" in error:
        return ["Weigh the outputs and sum them first; a single number needs no argument."]
    if "'NoneType' object has no attribute" in error:
        return [
            "Before the first backward() x.grad is None; x.grad = None clears it in every case."
        ]
    return []


def _likely(f, x, v, true):
    """The results of the usual mistakes, for this f, x and v."""
    v = np.array(v)
    outputs = v.shape
    jacobian = np.array(
        [_vjp(f, x, one_hot.reshape(outputs).tolist()).ravel() for one_hot in np.eye(v.size)]
    )
    return [
        (
            _vjp(f, x, np.ones(outputs).tolist()),
            "That is the result for v = ones: your function ignores v.",
        ),
        (
            _vjp(f, x, (v * v).tolist()),
            "That is the result for v squared: v was multiplied in twice.",
        ),
        (_vjp(f, x, np.abs(v).tolist()), "The sign of v was lost."),
        (true / v.size, "That is the mean of the weighted outputs; take their sum."),
        (-true, "The sign is the other way round."),
        *(
            [((jacobian @ v.ravel()), "That is J\u00b7v; a backward pass gives v\u00b7J.")]
            if jacobian.shape[0] == jacobian.shape[1]
            else []
        ),
        (jacobian, "That is the whole Jacobian; the result has the shape of x."),
        (jacobian.T, "That is the whole Jacobian, transposed; the result has the shape of x."),
    ]


def _left_over(true, when):
    sentence = (
        "The old .grad was still there: backward() adds to it. Clear it first: x.grad = None."
    )
    return [(true * 2, sentence), (true * 3, sentence), (true + 100, sentence)] if when else []


def _changed(leaf, x, weights, v):
    if not np.array_equal(values_of(leaf), np.array(x)):
        return "the result is right, but your function changed the numbers in x."
    if not np.array_equal(values_of(weights), np.array(v)):
        return "the result is right, but your function changed the numbers in v."
    if not leaf.requires_grad:
        return "the result is right, but afterwards x.requires_grad is False."
    return None


# Wrong functions, as learners write them.


def _ignores_v(f, x, v):
    x.grad = None
    f(x).sum().backward()
    return x.grad


def _squares_v(f, x, v):
    x.grad = None
    y = f(x)
    (y * v).backward(v)
    return x.grad


def _hands_v_over(f, x, v):
    x.grad = None
    f(x).backward(v)
    return x.grad


def _hands_ones_over(f, x, v):
    x.grad = None
    y = f(x) * v
    y.backward(minigrad.ones_like(y))
    return x.grad


def _weighs_the_gradient(f, x, v):
    x.grad = None
    f(x).sum().backward()
    return x.grad * v


def _forgets_to_clear(f, x, v):
    (f(x) * v).sum().backward()
    return x.grad


def _clears_afterwards(f, x, v):
    (f(x) * v).sum().backward()
    result = x.grad.clone()
    x.grad = None
    return result


def _takes_the_mean(f, x, v):
    x.grad = None
    (f(x) * v).mean().backward()
    return x.grad


def _from_the_right(f, x, v):
    rows = []
    for position in range(v.numel()):
        x.grad = None
        f(x).reshape(-1)[position].backward()
        rows.append(x.grad.reshape(-1))
    return minigrad.stack(rows) @ v.reshape(-1)


def _hard_coded(f, x, v):
    return minigrad.tensor([41.0, 52.0, 63.0])


def _knows_squares_only(f, x, v):
    return 2 * x.detach() * v


def _works_on_a_copy(f, x, v):
    copy = x.detach()
    (f(copy) * v).sum().backward()
    return copy.grad


def _changes_x(f, x, v):
    x.grad = None
    (f(x) * v).sum().backward()
    result = x.grad.clone()
    with minigrad.no_grad():
        x -= 0.1 * result
    return result


def _changes_v(f, x, v):
    x.grad = None
    (f(x) * v).sum().backward()
    v.mul_(2)
    return x.grad


def _returns_nothing(f, x, v):
    x.grad = None
    (f(x) * v).sum().backward()


def _zeroes_what_is_none(f, x, v):
    x.grad.zero_()
    (f(x) * v).sum().backward()
    return x.grad


def _forgets_the_sum(f, x, v):
    x.grad = None
    (f(x) * v).backward()
    return x.grad


def _returns_the_loss(f, x, v):
    return (f(x) * v).sum()


def _raises(f, x, v):
    raise NotImplementedError


def _takes_too_few(f, x):
    return x.grad


EXERCISES = [
    Exercise(
        name="03-1",
        check=_check_all_twelve,
        praise="v = 6 / a: each weight times 2a is 12.",
        hints=(
            "a.grad is v times 2a, element by element: nothing is mixed, because out = a * a is "
            "computed element by element.",
            "For the element 1 the derivative 2a is 2, so its weight is 6. Do the same for the others.",
        ),
        solution="v = 12 / (2 * torch.tensor([[1., 2., 3.], [4., 5., 6.]]))\n",
        answer_name="v",
        wrong=(
            Wrong("nothing written yet", ..., "no answer yet"),
            Wrong("zeros, the stub", [[0.0] * 3] * 2, "a.grad[0, 0] is 0; it should be 12"),
            Wrong("twelves", [[12.0] * 3] * 2, "You used 12 everywhere"),
            Wrong("ones", [[1.0] * 3] * 2, "You used ones"),
            Wrong("a itself", _A, "a itself"),
            Wrong("sixes", [[6.0] * 3] * 2, "You used 6 everywhere"),
            Wrong("12 / a", [[12.0, 6.0, 4.0], [3.0, 2.4, 2.0]], "the derivative of a*a is 2a"),
            Wrong("3 / a", [[3.0, 1.5, 1.0], [0.75, 0.6, 0.5]], "Half of it"),
            Wrong(
                "one element wrong",
                [[6.0, 3.0, 2.0], [1.5, 1.2, 1.1]],
                "a.grad[1, 2] is 13.2; it should be 12",
            ),
            Wrong("transposed", [[6.0, 1.5], [3.0, 1.2], [2.0, 1.0]], "shape (3, 2)"),
            Wrong("flat", [6.0, 3.0, 2.0, 1.5, 1.2, 1.0], "Mismatch in shape"),
            Wrong("one number", 6.0, "shape ()"),
            Wrong("nan", [[6.0, 3.0, 2.0], [1.5, 1.2, float("nan")]], "nan"),
            Wrong("code", "__import__('os')", "cannot be read"),
        ),
    ),
    Exercise(
        name="03-2",
        check=_check_isolates_second,
        praise="A one-hot v keeps one output and drops the others: w.grad is the gradient of losses[1].",
        hints=(
            "The loss that v makes is v[0]*losses[0] + v[1]*losses[1] + v[2]*losses[2]. Which weights "
            "leave losses[1] alone?",
            "An output with weight 0 has no share in w.grad; one with weight 1 has exactly its own.",
        ),
        solution="v = torch.tensor([0., 1., 0.])\n",
        answer_name="v",
        wrong=(
            Wrong("zeros, the stub", [0.0, 0.0, 0.0], "no output counts"),
            Wrong("counted from 0", [0.0, 0.0, 1.0], "output 3"),
            Wrong("the first", [1.0, 0.0, 0.0], "output 1"),
            Wrong("ones", [1.0, 1.0, 1.0], "sum"),
            Wrong("its number", [0.0, 2.0, 0.0], "the output's number"),
            Wrong("its value", [0.0, 4.0, 0.0], "the output's value"),
            Wrong("right by coincidence", [-3.0, -0.5, 1.0], "coincidence"),
            Wrong("its position alone", 1.0, "shape ()"),
            Wrong("a row", [[0.0, 1.0, 0.0]], "Mismatch in shape"),
            Wrong("in the shape of w", [0.0, 1.0], "shape (2,)"),
            Wrong("true and false", [False, True, False], "Use 1 or 0"),
        ),
    ),
    Exercise(
        name="03-3",
        check=_check_vjp,
        praise="Weigh, sum, backward: for every f the same as f(x).backward(v).",
        hints=(
            "y.backward(v) gives the gradient of one number: the sum of the outputs, each times its "
            "weight.",
            "Compute that number from f(x) and v, call its backward() without an argument, and return "
            "x.grad.",
            "x may carry a .grad from before, and backward() adds to it: clear it first.",
        ),
        solution=(
            "def vjp_by_weighted_sum(f, x, v):\n"
            "    x.grad = None\n"
            "    (f(x) * v).sum().backward()\n"
            "    return x.grad\n"
        ),
        answer_name="vjp_by_weighted_sum",
        wrong=(
            Wrong("ignores v", _ignores_v, "ignores v"),
            Wrong("uses v squared", _squares_v, "v squared"),
            Wrong("hands v over", _hands_v_over, "without an argument"),
            Wrong("hands ones over", _hands_ones_over, "without an argument"),
            Wrong("weighs the gradient", _weighs_the_gradient, "v belongs to the outputs"),
            Wrong("forgets to clear .grad", _forgets_to_clear, "old .grad"),
            Wrong("clears .grad too late", _clears_afterwards, "old .grad"),
            Wrong("mean for sum", _takes_the_mean, "mean"),
            Wrong("J\u00b7v", _from_the_right, "left of J"),
            Wrong("hard-coded", _hard_coded, "shape (3,); it should be (2,)"),
            Wrong("right for squares only", _knows_squares_only, "raised"),
            Wrong("works on a copy", _works_on_a_copy, "not connected"),
            Wrong("changes x", _changes_x, "changed the numbers in x"),
            Wrong("changes v", _changes_v, "changed the numbers in v"),
            Wrong("returns nothing", _returns_nothing, "returned None"),
            Wrong("zeroes a .grad that is None", _zeroes_what_is_none, "x.grad = None clears it"),
            Wrong("no sum", _forgets_the_sum, "sum them first"),
            Wrong("returns the loss", _returns_the_loss, "shape ()"),
            Wrong("raises", _raises, "raised NotImplementedError"),
            Wrong("too few arguments", _takes_too_few, "raised TypeError"),
            Wrong("not a function", [1.0], "type list"),
        ),
    ),
]
