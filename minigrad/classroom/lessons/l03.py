"""The cards and exercises of lesson 03: choose v, isolate an output, write the weighted sum."""

import numpy as np

import minigrad

from .cards import Card
from .exercises import function, numbers

_MISTYPED = """
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([1., 3., 0., 6.])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros((), requires_grad=True)
for step in range(400):
    loss = (X @ w + b - t)**2
    loss.backward(v)
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
    w.grad = b.grad = None
"""


def price_list(v):
    """What is learned from the receipts, one of them mistyped, with this upstream gradient."""
    space = {"torch": minigrad, "v": minigrad.tensor(v) / sum(v)}
    exec(_MISTYPED, space)
    coupon, large = space["w"].tolist()
    prices = {"small pizza": space["b"].item(), "coupon": coupon, "large": large}
    return {name: round(price, 2) + 0.0 for name, price in prices.items()}  # no -0.0


def _grad(program):
    """A card's answer: `.grad` of the tensor that `program(torch)` returns, after its backward."""
    return lambda torch: program(torch).grad


def _six(torch):
    return torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)


def _squares_weighed_by_themselves(torch):
    a = _six(torch)
    (a * a).backward(a)
    return a


def _differentiates_by_r_alone(torch):
    s = torch.tensor([1.0, 2.0], requires_grad=True)
    r = torch.tensor([3.0, 4.0], requires_grad=True)
    (s * s * r).backward(r)
    return s.grad is None and r.grad.tolist() == [1.0, 4.0]


def _three_losses(torch):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.stack([w[0] ** 2, w[1] ** 2, (w[0] + w[1]) ** 2]).backward(torch.ones(3))
    return w


def _cube(torch):
    a = torch.tensor(2.0, requires_grad=True)
    (a * a * a).backward()
    return a


_LAST, _TEN_TIMES = "only the last one counts", "all four count, the last one ten times as much"
_LONG, _REFUSED = "the steps become ten times as long", "nothing: it is refused"
_EQUAL, _SMALL, _ZERO = "1, 1, 1 and 1", "1, 1, 1 and 0.1", "1, 1, 1 and 0"

CARDS = {
    "03-a": Card(
        "loss holds four squared errors. backward gets the numbers 1, 1, 1 and 10, divided by 13. "
        "What does that do?",
        answer=_TEN_TIMES,
        choices=[_LAST, _TEN_TIMES, _LONG, _REFUSED],
        why="There is one entry for each squared error. The first three count the same, and the "
        "last one counts ten times as much.",
        misconceptions={
            _LAST: "Then the other three entries would be 0, but they are 1.",
            _LONG: "Then all four entries would be ten times as large, but only one of them is.",
            _REFUSED: "backward refuses a wrong shape, but four entries for four outputs are "
            "right.",
        },
    ),
    "03-b": Card(
        "a = [[1, 2, 3], [4, 5, 6]] and out = a * a. What is a.grad after out.backward(a)?",
        answer=_grad(_squares_weighed_by_themselves),
        why="Each derivative 2a is multiplied by its entry of v, which is a here.",
        misconceptions={
            lambda torch: (
                2 * _six(torch)
            ): "That is 2a. It would be right if v were ones, but here v is a.",
            lambda torch: _six(torch) ** 2: "That is out itself; a.grad holds derivatives.",
            _six: "That is v alone. Each entry of v multiplies a derivative 2a.",
            lambda torch: (
                3 * _six(torch) ** 2
            ): "That is 3a\u00b2, as if v were differentiated, too.",
        },
    ),
    "03-cube": Card(
        "a is 2. After (a * a).backward(a), a.grad is 8. What is it after (a * a * a).backward(), "
        "with a new a that is also 2?",
        answer=_grad(_cube),
        why="The derivative of a\u00b3 is 3a\u00b2: at 2 it is 12.",
        misconceptions={
            8: "8 is what v = 2 gives. v does not change when a is nudged, but here all three "
            "factors do.",
            4: "That is the derivative of a\u00b2. There are three factors here.",
            6: "That is 3a. The derivative of a\u00b3 is 3a\u00b2.",
        },
    ),
    "03-c": Card(
        "True or false: s = [1, 2], r = [3, 4], out = s * s * r. After out.backward(r), "
        "s.grad is None and r.grad is s * s = [1, 4].",
        answer=_differentiates_by_r_alone,
        choices=["True", "False"],
        why="The argument doesn't name a variable. Its entries 3 and 4 belong to the two outputs, "
        "and both s and r get a gradient.",
        misconceptions={
            "True": "That would be so if backward(r) meant: differentiate with respect to r.",
        },
    ),
    "03-d": Card(
        "On their own, the three losses would give the gradients [2, 0], [0, 4] and [6, 6]. What "
        "is w.grad when v is three ones?",
        answer=_grad(_three_losses),
        why="w has two numbers, and so has w.grad: what the three losses contribute is added.",
        misconceptions={
            "[[2, 0], [0, 4], [6, 6]]": "That keeps the three gradients apart. Only their sum "
            "arrives in w.grad.",
            "[6, 6]": "That is the last one alone. Nothing is overwritten: all three are added.",
            "[2, 4, 12]": "That adds the numbers of each loss. w.grad has one number for each "
            "number of w.",
            "[1, 4, 9]": "Those are the losses themselves; w.grad holds derivatives.",
            "18": "That adds everything. w.grad has one number for each number of w.",
        },
    ),
    "03-mend": Card(
        "The fourth payment was typed as 6. You suspect it, but you do not know the right number. "
        "With which v does the program learn small 1, coupon -1 and large 2?",
        answer=_ZERO,
        choices=[_EQUAL, _SMALL, _ZERO],
        why="With 0 the fourth receipt does not count, and the other three are enough for three "
        "prices.",
        misconceptions={
            _EQUAL: "Then the wrong receipt counts as much as each of the right ones.",
            _SMALL: "Then the wrong receipt counts less, but it still moves the prices.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _maps(torch):
    """Functions of different shapes, so that no lucky product can pass."""

    def leaf(values):
        return torch.tensor(values, requires_grad=True)

    tall = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    wide = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    square = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = torch.tensor([1.0, 2.0, 3.0, 4.0])
    rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    of_six = torch.tensor([[1.0, 0.0, 2.0], [-1.0, 0.5, 3.0]])
    spread = torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 0.0, -1.0]])
    return {
        "f(x) = A @ x, A = [[1, 2, 3], [4, 5, 6]]": (
            lambda x: wide @ x,
            leaf([1.0, 2.0, 3.0]),
            torch.tensor([1.0, 10.0]),
        ),
        "f(x) = A @ x, A = [[1, 2], [3, 4], [5, 7]]": (
            lambda x: tall @ x,
            leaf([1.0, -2.0]),
            torch.tensor([2.0, 0.5, -1.0]),
        ),
        "f(x) = A @ x, A = [[1, 2], [3, 4]]": (
            lambda x: square @ x,
            leaf([1.0, 1.0]),
            torch.tensor([1.0, 10.0]),
        ),
        "f(x) = x * x": (lambda x: x * x, leaf(rows), of_six),
        "f(x) = (x * x * x).sum()": (
            lambda x: (x * x * x).sum(),
            leaf([1.0, 2.0]),
            torch.tensor(3.0),
        ),
        "f(x) = x * [1, 2, 3, 4]": (lambda x: x * row, leaf([[1.0], [2.0]]), spread),
        "f(x) = tanh(A @ x) * x[0], A = [[1, 2, 3], [4, 5, 6]]": (
            lambda x: torch.tanh(wide @ x) * x[0],
            leaf([0.5, -0.25, 0.125]),
            torch.tensor([2.0, -3.0]),
        ),
    }


def _was_given_v(heard):
    """Whether a pass began with v, a multiple of it, or an entry: with ones it is a mere sum."""
    v = np.ravel(heard.given[2].tolist())
    for g in [np.ravel(start.tolist()) for start in heard.starts]:
        is_entry = g.size == 1 and g[0] in v
        is_multiple = g.size == v.size and np.linalg.matrix_rank([g, v]) < 2
        if is_entry and g[0] != 1 or is_multiple and len(set(g)) > 1:
            return True
    return False


_NO_ARGUMENT = (
    "The result is right, but the engine was given v. Compute one number from f(x) and v, and call "
    "its backward() without an argument."
)
_CLEAR = "The old .grad was still there: backward() adds to it. Clear it first: x.grad = None."

EXERCISES = [
    numbers(
        "03-1",
        answer="v",
        given="""
            a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
            out = a * a
        """,
        then="out.backward(v)",
        shows="a.grad",
        solution="v = 12 / (2 * torch.tensor([[1., 2., 3.], [4., 5., 6.]]))",
        praise="v = 6 / a: each entry times 2a is 12.",
        hints=(
            "a.grad is v times 2a, element by element: nothing is mixed, because out = a * a is "
            "computed element by element.",
            "Where a is 1, 2a is 2, so the entry of v is 6. Do the same for the others.",
        ),
        also_right=("6 / a", "(6 / a).double()", "torch.tensor([[6, 1.5], [3, 1.2], [2, 1]]).t()"),
        mistakes={
            "torch.full((2, 3), 12.)": "You used 12 everywhere, but each entry is still multiplied "
            "by 2a.",
            "torch.ones(2, 3)": "You used ones, which gives 2a. Choose each entry so that v times "
            "2a is 12.",
            "a": "You used a itself, which gives 2a times a.",
            "torch.full((2, 3), 6.)": "You used 6 everywhere, but each entry is still multiplied "
            "by its a.",
            "12 / a": "You divided 12 by a, but the derivative of a*a is 2a.",
            "12 * a": "You multiplied by a instead of dividing: v times 2a should be 12.",
            "3 / a": "Half of it: a.grad is v times 2a, so v is 12 divided by 2a.",
            "(6 / a).t()": "Rows and columns are exchanged: v has the shape of out.",
        },
    ),
    function(
        "03-2",
        answer="vjp_by_weighted_sum",
        inputs=_maps,
        forbids={_NO_ARGUMENT: _was_given_v},
        solution="""
            def vjp_by_weighted_sum(f, x, v):
                x.grad = None
                (f(x) * v).sum().backward()
                return x.grad
        """,
        praise="Weigh, sum, backward: for every f the same as f(x).backward(v).",
        hints=(
            "y.backward(v) computes the gradient of one number: the sum of the outputs, each times "
            "its entry of v.",
            "Compute that number from f(x) and v, call its backward() without an argument, and "
            "return x.grad.",
            "x may carry a .grad from before, and backward() adds to it: clear it first.",
        ),
        also_right=(
            (
                "    x.grad = None\n    (f(x) * v).sum().backward()\n    return x.grad",
                "    return torch.autograd.grad((v * f(x)).sum(), x)[0]",
            ),
            ("(f(x) * v).sum().backward()", "(f(x) * v).backward(torch.ones_like(v))"),
            (
                "x.grad = None\n    (f(x) * v).sum().backward()\n    return x.grad",
                "J = torch.func.jacrev(f)(x.detach()).reshape(v.numel(), -1)\n"
                "    return (v.reshape(1, -1) @ J).reshape(x.shape)",
            ),
            ("x.grad = None", "x = x.detach().clone().requires_grad_()"),
            ("return x.grad", "print('here')\n    return x.grad.clone().double()"),
        ),
        mistakes={
            ("(f(x) * v)", "f(x)"): "That is the result for v = ones: your function ignores v.",
            (
                "(f(x) * v)",
                "(f(x) * v * v)",
            ): "That is the result for v squared: v was multiplied in twice.",
            ("(f(x) * v)", "(f(x) * v.abs())"): "The sign of v was lost.",
            ("f(x)", "-f(x)"): "The sign is the other way round.",
            (".sum()", ".mean()"): "That is the mean of f(x) * v; take the sum.",
            (
                ".sum()",
                "",
            ): "Add up f(x) * v first: a single number needs no argument.",
            ("x.grad = None\n    ", ""): _CLEAR,
            (
                "x.grad = None\n    ",
                "",
                "return x.grad",
                "g, x.grad = x.grad, None\n    return g",
            ): "You cleared .grad after using it; an older one was still added.",
            (
                "x.grad = None",
                "x.grad.zero_()",
            ): "Before the first backward() x.grad is None; x.grad = None clears it in every case.",
            ("(f(x) * v).sum().backward()", "f(x).backward(v)"): _NO_ARGUMENT,
            (
                "(f(x) * v)",
                "f(x)",
                "return x.grad",
                "return x.grad * v",
            ): "v belongs to the outputs: multiply f(x) by v, not the gradient.",
            (
                "(f(x) * v)",
                "(f(x.detach()) * v)",
            ): "Nothing leads back to x: x.detach() is cut off from it, and under no_grad() "
            "nothing is recorded. Call f with x itself.",
            (
                "x.grad = None\n    (f(x) * v).sum().backward()\n    return x.grad",
                "return torch.func.vjp(f, x)[1](v)[0]",
            ): _NO_ARGUMENT,
            ("return x.grad", "return (f(x) * v).sum()"): "That is L itself; return its gradient.",
            (
                "    return x.grad",
                "",
            ): "The result is None. End with return, and return the .grad of the "
            "very tensor with which f was called.",
            (
                "return x.grad",
                "v.mul_(2)\n    return x.grad",
            ): "v belongs to the caller: leave it as it is.",
            (
                "return x.grad",
                "return torch.func.jacrev(f)(x) @ v",
            ): "Here v multiplies the table of all derivatives from the wrong side (lesson 04).",
            (
                "return x.grad",
                "return torch.func.jacrev(f)(x)",
            ): "That is the table of all derivatives; the result has the shape of x.",
        },
    ),
    numbers(
        "03-3",
        answer="v",
        given="""
            X = torch.tensor([[1., 0.], [0., 1.], [1., 1.]])
            w = torch.tensor([1., 2.], requires_grad=True)
            losses = (X @ w) ** 2
        """,
        others={"This was luck with w = [1, 2]. With w = [3, -1]:": ("[1., 2.]", "[3., -1.]")},
        then="losses.backward(v)",
        shows="w.grad",
        solution="v = torch.tensor([0., 1., 0.])",
        praise="A single 1 among zeros lets one output through: the gradient of losses[1].",
        hints=(
            "The weighted sum is v[0]*losses[0] + v[1]*losses[1] + v[2]*losses[2]. For which v is "
            "it losses[1]?",
            "With the entry 0 a loss adds zeros to w.grad; with 1 it adds its own gradient.",
        ),
        also_right=("torch.tensor([0, 1, 0])", "torch.eye(3)[1]"),
        mistakes={
            "torch.tensor([0., 0., 1.])": "That is output 3, losses[2]: output 2 is losses[1], "
            "counted from 1.",
            "torch.tensor([1., 0., 0.])": "That is output 1: the first entry belongs to the first "
            "output.",
            "torch.ones(3)": "You used three ones, which gives the gradient of the sum.",
            "torch.tensor([0., 2., 0.])": "You wrote the number of the output as its entry; the "
            "entry that keeps it is 1.",
            "torch.tensor([0., 4., 0.])": "You wrote the value of the output as its entry; the "
            "entry that keeps it is 1.",
            "torch.zeros(3)": "With zeros no output counts at all.",
            "torch.tensor([6., 4., -2.])": "Other outputs still count. To isolate one, the other "
            "entries are 0.",
            "torch.tensor([0., 1.])": "v has one entry for each loss, not for each number of w.",
        },
    ),
]
