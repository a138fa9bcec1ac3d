"""The cards and exercises of lesson 01: a slope is growth per unit of a nudge."""

import minigrad

from .cards import Card
from .exercises import function, numbers

_PRICE_LIST = """
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([1., 3., 0., 2.])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros((), requires_grad=True)
for step in range(steps):
    loss = ((X @ w + b - t)**2).mean()
    losses.append(loss.item()), larges.append(w[1].item())
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
    w.grad = b.grad = None
"""


def train(steps, sign="-=", torch=minigrad):
    """The price-list program's losses, and its w[1], before each step."""
    losses, larges = [], []
    program = _PRICE_LIST.replace("-=", sign)
    exec(program, {"torch": torch, "steps": steps, "losses": losses, "larges": larges})
    return losses, larges


class Counted:
    """A function that counts its runs."""

    def __init__(self, function):
        self.function, self.runs = function, 0

    def __call__(self, *arguments):
        self.runs += 1
        return self.function(*arguments)


def two_lines(at, nudge):
    """b\u00b2 with the lines of two quotients: curves, their places, and what is to be seen."""
    low, high, here = at - nudge, at + nudge, at**2
    up, both = (high**2 - here) / nudge, (high**2 - low**2) / (2 * nudge)
    places = [low + k / 4 for k in range(8 * nudge + 7)]
    curves = {
        "y = b\u00b2": [b**2 for b in places],
        f"only up: slope {up:g}": [here + up * (b - at) for b in places],
        f"up and down: slope {both:g}": [low**2 + both * (b - low) for b in places],
    }
    words = f"from {at} to {high}, slope {up:g}; from {low} to {high}, slope {both:g}"
    return curves, places, f"y = b\u00b2 and two lines: {words}."


def _after_one_step(torch, sign="-="):
    return train(2, sign, torch)[1][1]


def _slopes(torch):
    """The three slopes of the formula with a, b and c."""
    a, b, c = (torch.tensor(value, requires_grad=True) for value in (0.1, 1.0, 0.1))
    (3 * a + 2 * b * b + torch.log(c)).backward()
    return torch.stack([a.grad, b.grad, c.grad])


def _square(torch, *places):
    return (torch.tensor(place) ** 2 for place in places)


def _up_and_down(torch):
    high, low = _square(torch, 5.0, 1.0)
    return (high - low) / 4


def _up(torch):
    high, here = _square(torch, 5.0, 3.0)
    return (high - here) / 2


def _down(torch):
    here, low = _square(torch, 3.0, 1.0)
    return (here - low) / 2


def _runs_for_a_thousand(torch):
    """Counted, with as little work as can be."""
    program = Counted(lambda place: place)
    for place in [None, *range(1000)]:
        program(place)
    return program.runs


def _through_two(torch):
    x = torch.tensor(2.0, requires_grad=True)
    ((3 * x + 1) ** 2).backward()
    return x.grad


_UP, _STAYS, _FALLS = "it grows a little", "it stays at 3.5", "it falls a little"
_SLOWER, _RESTS, _CLIMBS = "it falls, but more slowly", "it stays near 3.5", "it climbs"

CARDS = {
    "01-climb": Card(
        "In the price-list program both lines with -= were changed to +=. The first loss is 3.5. "
        "What does the loss do next?",
        _CLIMBS,
        choices=[_SLOWER, _RESTS, _CLIMBS],
        why="The first step is as long as before, but it goes the other way.",
        misconceptions={
            _SLOWER: "The first step is as long as before. It only goes the other way.",
            _RESTS: "w and b are moved in each step, and the loss depends on both.",
        },
    ),
    "01-a": Card(
        "w = [0, 0] and b = 0, so all predictions are 0, and the loss is 3.5. w[1] matters for "
        "the two receipts with a large pizza, which cost 3 and 2. Nudge w[1] from 0 to 0.01. "
        "What does the loss do?",
        _FALLS,
        choices=[_UP, _STAYS, _FALLS],
        why="Two predictions come nearer to what was paid; the other two stay as they are.",
        misconceptions={
            _UP: "w[1] grows, and so do two predictions: from 0 towards 3 and 2.",
            _STAYS: "Two of the four predictions move from 0 to 0.01, and their errors with them.",
        },
    ),
    "01-b": Card(
        "y = 3a + 2b\u00b2 + log c at a = 0.1, b = 1, c = 0.1. The derivative of log c is 1/c. How "
        "much does y grow per unit of a, of b, and of c? Answer with a list of three.",
        _slopes,
        why="3 for a, 4b = 4 for b, and 1/c = 10 for c.",
        misconceptions={
            "[0.3, 2, -2.3026]": "Those are the values of the three terms, not their slopes.",
            "[3, 2, 10]": "The derivative of b\u00b2 is 2b; the 2 in front doubles it.",
            "[3, 4, 0.1]": "That is c; the slope of log c is 1/c.",
            "[0.3, 4, 10]": "3a grows by 3 for each unit of a, wherever a is.",
        },
    ),
    "01-c": Card(
        "y = b\u00b2 at b = 3. Nudge b up and down by 2: divide the difference of y at 5 and y "
        "at 1 by the difference of b. What slope is it?",
        _up_and_down,
        why="(25 \u2212 1) / 4 = 6.",
        misconceptions={
            _up: "That is only up: from 3 to 5.",
            _down: "That is only down: from 1 to 3.",
            12: "From 1 to 5 b moves by 4, twice the nudge.",
            24: "That is the growth of y. Divide it by the growth of b.",
        },
    ),
    "01-e": Card(
        "At the start w = [0, 0] and w.grad = [-1, -2.5]. What is w[1] after w -= 0.3 * w.grad?",
        _after_one_step,
        why="0 \u2212 0.3 \u00b7 (\u22122.5): a negative slope makes w[1] grow.",
        misconceptions={
            lambda torch: _after_one_step(
                torch, "+="
            ): "That is += again. Two minus signs: taking away a negative number adds.",
            0.3: "That is w[0]. The slope of w[1] is -2.5.",
            2.5: "That would be a step by the whole slope; it is 0.3 times the slope.",
            -2.5: "That is the slope itself; w[1] moves by 0.3 times the slope, the other way.",
        },
    ),
    "01-chain": Card(
        "y = 3x + 1, and z = y\u00b2. At x = 2, y is 7: there y grows 3 per unit of x, and z grows "
        "14 per unit of y. How much does z grow per unit of x?",
        _through_two,
        why="3 \u00b7 14 = 42: z grows 14 times as fast as y, and y 3 times as fast as x.",
        misconceptions={
            17: "You added the slopes. A nudge becomes 3 times as large, then 14 times: multiply.",
            14: "That is per unit of y. The question is per unit of x, and y grows faster than x.",
            12: "You took the slope of z at 2. z depends on y, and y is 7.",
            49: "That is z itself, not how fast it grows.",
            3: "That is how much y grows. z grows much faster.",
        },
    ),
    "01-runs": Card(
        "A price list has 1,000 numbers. You nudge each of them up once to find all slopes. How "
        "many times does the program run, including the run without a nudge?",
        _runs_for_a_thousand,
        why="One run without a nudge, and one for each of the 1,000 numbers.",
        misconceptions={
            1000: "Add the run without a nudge, with which all the others are compared.",
            2000: "The run without a nudge is the same for all numbers: do it once.",
            2: "That is enough for one number. Each number needs a run of its own.",
            1: "One run gives one loss. A slope compares two losses.",
        },
    ),
}


def _nudges(torch):
    """Functions that bend and one that does not, at single and several places."""

    def at(*values):
        return torch.tensor(values if len(values) > 1 else values[0], dtype=torch.float64)

    return {
        "f(x) = 2 * x * x, eps = 0.1": (lambda x: 2 * x * x, at(1.0), 0.1),
        "f(x) = (2 * x)**3, eps = 0.5": (lambda x: (2 * x) ** 3, at(-0.5), 0.5),
        "f(x) = torch.log(x), eps = 0.001": (torch.log, at(0.1), 0.001),
        # Only up is wrong by eps here: two millionths, and that is noticed.
        "f(x) = x * x, eps = 2e-6": (lambda x: x * x, at(0.0), 2e-6),
        "f(x) = 7 - 3 * x, eps = 2": (lambda x: 7 - 3 * x, at(4.0), 2.0),
        "f(x) = x**3, eps = 0.01": (lambda x: x**3, at(1.0, -2.0, 0.5), 0.01),
    }


_BOTH_SIDES = "    return (f(x + eps) - f(x - eps)) / (2 * eps)"

EXERCISES = [
    function(
        "01-1",
        answer="nudge",
        inputs=_nudges,
        plain=True,
        solution="""
            def nudge(f, x, eps):
                return (f(x + eps) - f(x - eps)) / (2 * eps)
        """,
        praise="Up and down, divided by the distance from x - eps to x + eps.",
        hints=(
            "Compute f twice, at x + eps and at x - eps, and take the difference.",
            "How far apart are x + eps and x - eps? Divide by that.",
        ),
        also_right=(
            (_BOTH_SIDES, "    return (f(x + eps) - f(x - eps)) / eps / 2"),
            (
                _BOTH_SIDES,
                "    up, down = (f(x + eps) - f(x)) / eps, (f(x) - f(x - eps)) / eps\n"
                "    return (up + down) / 2",
            ),
            (_BOTH_SIDES, "    return ((f(x + eps) - f(x - eps)) / (2 * eps)).tolist()"),
        ),
        mistakes={
            (
                "f(x - eps)",
                "f(x)",
                "2 * eps",
                "eps",
            ): "You only nudge up. If you also nudge down, the two errors cancel.",
            (
                "f(x + eps)",
                "f(x)",
                "2 * eps",
                "eps",
            ): "You only nudge down. If you also nudge up, the two errors cancel.",
            ("2 * eps", "eps"): "From x - eps to x + eps it is 2 * eps, not eps.",
            ("f(x - eps)", "f(x)"): "From x to x + eps it is only eps; or nudge down, too.",
            (
                "(f(x + eps) - f(x - eps))",
                "abs(f(x + eps) - f(x - eps))",
            ): "The sign is lost: where f falls, its slope is negative.",
            (" / (2 * eps)", ""): "That is how much f grows. Divide it by how far x moved.",
            (
                "f(x + eps) - f(x - eps)",
                "f(x - eps) - f(x + eps)",
            ): "The sign is the other way round: f at x + eps comes first.",
            (
                "/ (2 * eps)",
                "/ 2 * eps",
            ): "Python divides by 2, then multiplies by eps: put parentheses around 2 * eps.",
            (
                "    return",
                "    eps = 1e-6\n    return",
            ): "That is nearer to the slope than two nudges by eps come: use f(x + eps) and "
            "f(x - eps) alone, with the eps that is given.",
            (
                "    return (f(x + eps) - f(x - eps))",
                "    high, low = x.add_(eps), x - eps\n    return (f(high) - f(low))",
            ): "x belongs to the caller: compute x + eps, and leave x as it is.",
            (
                "(f(x + eps) - f(x - eps)) / (2 * eps)",
                "2 * eps / (f(x + eps) - f(x - eps))",
            ): "That is the growth of x per unit of f: turn the fraction upside down.",
        },
    ),
    numbers(
        "01-2",
        answer="slope",
        given="""
            x = torch.tensor(2., requires_grad=True)
            z = (2 * x)**3
        """,
        solution="slope = 96.",
        by_hand=True,
        praise="2 \u00b7 48: z grows 96 times as fast as x there.",
        hints=(
            "It is a chain: y = 2x, then z = y\u00b3. How fast does y grow, and how fast z with y?",
            "The slope of y\u00b3 is 3y\u00b2, and y is 4. Multiply both slopes.",
        ),
        also_right=("24 * 2**2", "torch.tensor(96.)"),
        mistakes={
            "1 / 96": "That is the growth of x per unit of z. x.grad is z per unit of x.",
            "64.": "That is z itself, not how fast it grows.",
            "48.": "That is per unit of y = 2x. y grows twice as fast as x.",
            "50.": "You added the slopes 2 and 48. Along a chain they are multiplied.",
            "24.": "That is 24x\u00b2 at x = 1; here x is 2.",
            "2304.": "You squared 24x; only x is squared.",
            "12.": "That is 3x\u00b2. z is (2x)\u00b3, which is 8x\u00b3.",
        },
    ),
]
