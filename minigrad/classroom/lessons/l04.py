"""The cards and exercises of lesson 04: rows and columns of J, v from its left, J row by row."""

from .cards import Card
from .exercises import function, numbers

_SENSIBLE, _ABSURD = "small 1, large 2 more, coupon 0", "small 2, large 0 more, coupon \u221211"
_REFUSED, _EXPLODES = "none: the shapes do not fit", "none: the loss grows without limit"
_PRICES = {(1, 2, 0): _SENSIBLE, (2, 0, -11): _ABSURD}


def _from_the_wrong_side(torch):
    """The price list that two receipts and X @ v lead to."""
    x, t = torch.tensor([[0.0, 1.0], [0.0, 0.0]]), torch.tensor([3.0, 1.0])
    w, b = torch.zeros(2), torch.zeros(())
    for _ in range(40):
        v = 2 * (x @ w + b - t) / 2
        w -= 0.3 * (x @ v)
        b -= 0.3 * v.sum()
    return _PRICES[round(b.item()), round(w[1].item()), round(w[0].item())]


def _corners(torch):
    """The four receipts of the price-list program: p = X @ w + b."""
    return torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def _all_predictions(torch):
    w = torch.zeros(2, requires_grad=True)
    (_corners(torch) @ w).backward(torch.ones(4))
    return w.grad


def _square(torch):
    return torch.tensor([[2.0, 1.0], [0.0, 3.0]])


def _v(torch):
    return torch.tensor([1.0, 10.0])


def _from_the_left(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (_square(torch) @ x).backward(_v(torch))
    return x.grad


_ROW, _COLUMN = "[4, 5, 6], the second row of J", "[2, 5], the second column of J"
_CELL, _SUM = "[0, 5, 0], the middle of the second row", "15, the sum of the second row"


CARDS = {
    "04-side": Card(
        "Two receipts, no coupon: a large pizza for 3, a small one for 1. In 40 steps, w moves "
        "against X @ v, and b against v.sum(), where v = 2 * (p - t) / 2. Which price list is "
        "learned?",
        answer=_from_the_wrong_side,
        choices=[_SENSIBLE, _ABSURD, _REFUSED, _EXPLODES],
        why="Nothing stops, and the loss falls from 5 to 1. But the list is absurd: one line is "
        "wrong.",
        misconceptions={
            _SENSIBLE: "These prices fit both receipts, but one line of the program leads "
            "elsewhere.",
            _REFUSED: "All shapes fit, because there are as many receipts as prices in w. So "
            "no engine notices anything.",
            _EXPLODES: "The loss falls, from 5 to 1. Only the price list is wrong.",
        },
    ),
    "04-a": Card(
        "X = [[0, 0], [0, 1], [1, 0], [1, 1]], w = [0, 0], b = 0 and p = X @ w + b. "
        "What is w.grad after p.backward(torch.ones(4))?",
        answer=_all_predictions,
        why="w.grad has one number for each price in w: each column of X, added up.",
        misconceptions={
            _corners: "Those are all eight derivatives, the whole table. w.grad has the shape of "
            "w.",
            lambda torch: _corners(torch).sum(
                dim=1
            ): "That adds up each row: a number for each output. w.grad has one for each entry "
            "of w.",
            "[1, 1]": "That is the last receipt alone, but v has a 1 for all four.",
            "[0, 0]": "Those are the values of w. backward gives derivatives.",
            "[0, 0, 0, 0]": "Those are the values of p. backward gives derivatives.",
            "4": "That adds all eight. w.grad keeps one number for each entry of w.",
        },
    ),
    "04-place": Card(
        "A = [[1, 2, 3], [4, 5, 6]] and y = A @ x. What is \u2202y[1]/\u2202x[0]?",
        answer=lambda torch: torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])[1, 0],
        why="y[1] = 4\u00b7x[0] + 5\u00b7x[1] + 6\u00b7x[2]: if x[0] grows by 1, y[1] grows by 4.",
        misconceptions={
            "2": "That is \u2202y[0]/\u2202x[1]. The output, y[1], is named first.",
            "1": "That is \u2202y[0]/\u2202x[0]. Places are counted from 0: y[1] is the second "
            "output.",
            "5": "That is \u2202y[1]/\u2202x[1]. Places are counted from 0: x[0] is the first "
            "input.",
            "15": "That is how much y[1] grows if all three inputs grow by 1.",
        },
    ),
    "04-b": Card(
        "M = [[2, 1], [0, 3]], y = M @ x and v = [1, 10]. What is x.grad after y.backward(v)?",
        answer=_from_the_left,
        why="v is on the left of J = M. Scale the first row by 1 and the second by 10, then "
        "add up each column.",
        misconceptions={
            lambda torch: (
                _square(torch) @ _v(torch)
            ): "That is M @ v, with v on the right. There 10 multiplies a column, which belongs to "
            "an input, but v has an entry for each output.",
            lambda torch: _square(torch).sum(
                dim=0
            ): "That adds up each column of M as it is. It would be right if v were ones.",
            lambda torch: (
                _square(torch) * _v(torch).reshape(2, 1)
            ): "The rows are scaled correctly. Now add up each column.",
            lambda torch: (
                _square(torch) * _v(torch)
            ): "That scales the columns. The rows belong to the outputs, and v has an entry for "
            "each output.",
            _square: "That is J itself. x.grad has the shape of x.",
            "[3, 30]": "That adds up each row. Scale the rows, then add up each column.",
        },
    ),
    "04-c": Card(
        "y = A @ x with A = [[1, 2, 3], [4, 5, 6]]. What does y.backward(torch.tensor([0., 1.])) "
        "leave in x.grad?",
        answer=_ROW,
        why="The entry 0 drops the first row, and the 1 keeps the second: how y[1] changes "
        "with each input.",
        misconceptions={
            _COLUMN: "A column has one number for each output; x.grad has one for each input.",
            _CELL: "A one-hot v picks an output, not an input. All of its row stays.",
            _SUM: "Numbers of different columns belong to different inputs: they are not added.",
        },
        choices=[_CELL, _COLUMN, _SUM, _ROW],
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _maps(torch):
    """No map whose table equals its transpose."""

    def leaf(*values):
        return torch.tensor(values, requires_grad=True)

    wide = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tall = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    square = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    return {
        "f(x) = A @ x, A = [[1, 2, 3], [4, 5, 6]]": (lambda x: wide @ x, leaf(1.0, 2.0, 3.0)),
        "f(x) = A @ x, A of shape (3, 2)": (lambda x: tall @ x, leaf(1.0, -2.0)),
        "f(x) = M @ x, M = [[2, 1], [0, 3]]": (lambda x: square @ x, leaf(1.0, 2.0)),
        "f(x) = (A @ x)**2, A of shape (3, 2)": (lambda x: (tall @ x) ** 2, leaf(1.0, 1.0)),
        "f(x) = tanh(A @ x) * x[0], A of shape (3, 2)": (
            lambda x: torch.tanh(tall @ x) * x[0],
            leaf(0.5, -0.25),
        ),
    }


_ALL_ALIKE = (
    "Every row is the sum of all. Either backward is given ones, and not the v of its round, or "
    "x.grad is not cleared in each round, and your list holds one tensor several times."
)

EXERCISES = [
    function(
        "04-1",
        answer="collect_rows",
        inputs=_maps,
        solution="""
            def collect_rows(f, x):
                rows = []
                for v in torch.eye(len(f(x))):
                    x.grad = None
                    f(x).backward(v)
                    rows.append(x.grad)
                return torch.stack(rows)
        """,
        praise="Each one-hot v leaves one row of J: one call of backward for each output.",
        hints=(
            "torch.eye(2) has the rows [1, 0] and [0, 1]: each is a v that picks one row of J.",
            "Look at the second row. backward() adds to what x.grad holds: clear it before each "
            "call, with x.grad = None.",
            "If you clear with x.grad.zero_(), the tensor in your list becomes zero too: keep "
            "a copy, x.grad.clone().",
        ),
        also_right=(
            (
                "x.grad = None\n        f(x).backward(v)\n        rows.append(x.grad)",
                "rows.append(torch.autograd.grad(f(x), x, v)[0])",
            ),
            (
                "x.grad = None\n        f(x).backward(v)\n        rows.append(x.grad)",
                "if x.grad is not None:\n            x.grad.zero_()\n"
                "        f(x).backward(v)\n        rows.append(x.grad.clone())",
            ),
            "def collect_rows(f, x):\n    return torch.autograd.functional.jacobian(f, x)",
        ),
        mistakes={
            (
                "x.grad = None\n        ",
                "",
                "rows.append(x.grad)",
                "rows.append(x.grad.clone())",
            ): "Each row also holds the rows before it: clear x.grad before each backward().",
            (
                "x.grad = None\n        ",
                "",
            ): "x.grad was not cleared, and your list holds one and the same tensor in all "
            "places: each row shows the sum of all.",
            (
                "x.grad = None\n        ",
                "",
                "rows.append(x.grad)",
                "rows.append(x.grad)\n        x.grad.zero_()",
            ): "Your list holds x.grad itself, and zero_() emptied it afterwards: keep "
            "a copy, x.grad.clone().",
            (
                "        x.grad = None\n",
                "",
                "rows = []",
                "rows = []\n    x.grad = None",
                "rows.append(x.grad)",
                "rows.append(x.grad.clone())",
            ): "You cleared x.grad once. It must be empty before each backward().",
            (
                "x.grad = None\n        f(x)",
                "if x.grad is not None: x.grad.zero_()\n        f(x)",
            ): "zero_() empties the tensor that your list holds already: append x.grad.clone(), or "
            "clear with x.grad = None.",
            (
                "x.grad = None\n        ",
                "",
                "rows.append(x.grad)",
                "rows.append(x.grad)\n        x.grad = None",
            ): "You clear after each row. Before the first one x may carry an old .grad: clear "
            "before each backward().",
            (
                "torch.stack(rows)",
                "torch.stack(rows, dim=1)",
            ): "Your rows have become columns: this is the transpose of J. Rows are outputs.",
            (
                "torch.stack(rows)",
                "torch.stack(rows).sum(dim=0)",
            ): "You added up each column, which is x.grad for v = ones.",
            ("torch.stack(rows)", "rows"): "Join the list at the end: torch.stack(rows).",
            (
                "torch.stack(rows)",
                "torch.cat(rows)",
            ): "All numbers are in one line. Append each row as a whole, and join them with "
            "torch.stack.",
            ("backward(v)", "backward(torch.ones(len(v)))"): _ALL_ALIKE,
            (
                "        x.grad = None\n",
                "",
                "rows = []",
                "rows = []\n    x.grad = None",
            ): _ALL_ALIKE,
            (
                "x.grad = None\n        ",
                "x.grad.zero_()\n        ",
            ): "Before the first backward() x.grad is None: x.grad = None clears it in every case.",
            (
                "rows = []",
                "rows, y = [], f(x)",
                "f(x).backward(v)",
                "y.backward(v)",
            ): "One y allows one backward(): it throws away what y has recorded. Recompute f(x) "
            "for each v.",
            (
                "x.grad = None\n        ",
                "",
                "backward(v)",
                "backward(torch.ones(len(v)))",
            ): "All rows are the same, and 10 is 5 + 5. Which v does each round give to "
            "backward(), and what is in x.grad before the second round?",
            (
                "len(f(x))",
                "len(x)",
            ): "You made a v for each input. There is one row, so one v, for each output.",
            (
                "    return torch.stack(rows)",
                "        return torch.stack(rows)",
            ): "return is inside the loop: it stops after the first row.",
            ("    return torch.stack(rows)", ""): "End the function with return torch.stack(rows).",
        },
    ),
    numbers(
        "04-2",
        answer="v",
        given="""
            A = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
            x = torch.tensor([1., 2., 3.], requires_grad=True)
            y = A @ x
        """,
        then="y.backward(v)",
        shows="x.grad",
        solution="v = torch.tensor([-2., 1.])",
        praise="-2 times the first row plus 1 times the second: v\u00b7J mixes the rows of J.",
        hints=(
            "x.grad is v[0] times the first row plus v[1] times the second. How many "
            "numbers does v have?",
            "The last column says 3*v[0] + 6*v[1] = 0, so v[0] is -2 times v[1].",
            "Put that into the first column: -2*v[1] + 4*v[1] = 2.",
        ),
        also_right=("torch.tensor([-2, 1])", "torch.tensor([-1., 0.5]) * 2"),
        mistakes={
            "torch.tensor([2., 1., 0.])": "v has one entry for each output, and y has two. "
            "[2, 1, 0] is what x.grad should be.",
            "torch.tensor([1., -2.])": "The right entries for the wrong rows: the first entry "
            "belongs to the first row.",
            "torch.tensor([2., -1.])": "Every sign is the other way round.",
            "torch.tensor([2., 1.])": "The first row must count negatively, else no number can "
            "become 0.",
            "torch.tensor([-1., 1.])": "That is the second row minus the first. The last number "
            "must become 0.",
            "torch.ones(2)": "That adds up each column of J as it is: both rows count the same.",
            "torch.tensor([4., 13.])": "That is J\u00b7[2, 1, 0]. backward has its vector on "
            "the left of J.",
            "torch.tensor([[-2., 1.]])": "That is a table of one row. v must have the shape of "
            "y, (2,).",
        },
    ),
]
