"""The cards and exercises of lesson 04: rows and columns of J, v from its left, J row by row."""

from .cards import Card
from .exercises import function, numbers


def _corners(torch):
    """The points of the course's training program: p = X @ w + b."""
    return torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def _all_predictions(torch):
    w = torch.zeros(2, requires_grad=True)
    (_corners(torch) @ w).backward(torch.ones(4))
    return w.grad


def _square(torch):
    return torch.tensor([[2.0, 1.0], [0.0, 3.0]])


def _weights(torch):
    return torch.tensor([1.0, 10.0])


def _from_the_left(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (_square(torch) @ x).backward(_weights(torch))
    return x.grad


_ROW, _COLUMN = "[4, 5, 6], row 2 of J", "[2, 5], column 2 of J"
_CELL, _SUM = "[0, 5, 0], the middle of row 2", "15, the sum of row 2"

_ADDED, _TABLE = "[6, 6]", "[[2, 0], [2, 1], [2, 1], [0, 4]]"
_ONES, _MESSAGE = "[1, 1, 1, 1]", "a message: the shapes do not fit"


CARDS = {
    "04-a": Card(
        "X = [[0, 0], [0, 1], [1, 0], [1, 1]], w = [0, 0], b = 0 and p = X @ w + b. "
        "What is w.grad after p.backward(torch.ones(4))?",
        answer=_all_predictions,
        why="One number for each entry of w: each column of the table X, added up.",
        misconceptions={
            _corners: "Those are all eight derivatives, the whole table. w.grad has the shape of "
            "w.",
            lambda torch: _corners(torch).sum(
                dim=1
            ): "That adds up each row: a number for each output. w.grad has one for each entry "
            "of w.",
            "[1, 1]": "That is the last point alone. All four outputs have the weight 1.",
            "[0, 0]": "Those are the values of w. backward gives derivatives.",
            "[0, 0, 0, 0]": "Those are the values of p. backward gives derivatives.",
            "4": "That adds all eight. w.grad keeps one number for each entry of w.",
        },
    ),
    "04-b": Card(
        "M = [[2, 1], [0, 3]], y = M @ x and v = [1, 10]. What is x.grad after y.backward(v)?",
        answer=_from_the_left,
        why="v stands at the left of J = M: row 1 times 1, row 2 times 10. Then add up each "
        "column.",
        misconceptions={
            lambda torch: (
                _square(torch) @ _weights(torch)
            ): "That is J\u00b7v, v from the right: it weighs the inputs. v weighs the outputs.",
            lambda torch: _square(torch).sum(
                dim=0
            ): "That adds up each column of J: right if both weights were 1.",
            lambda torch: (
                _square(torch) * _weights(torch).reshape(2, 1)
            ): "The rows are weighed rightly. Now add up each column.",
            lambda torch: (
                _square(torch) * _weights(torch)
            ): "That weighs the columns. The rows are the outputs, and v weighs outputs.",
            _square: "That is J itself. x.grad has the shape of x.",
            "[3, 30]": "That adds up each row. Weigh the rows, then add up each column.",
        },
    ),
    "04-c": Card(
        "y = A @ x with A = [[1, 2, 3], [4, 5, 6]]. What does y.backward(torch.tensor([0., 1.])) "
        "leave in x.grad?",
        answer=_ROW,
        why="Weight 0 drops row 1, weight 1 keeps row 2: how y[1] changes with each input.",
        misconceptions={
            _COLUMN: "A column has one number for each output; x.grad has one for each input.",
            _CELL: "A v with one 1 picks an output, not an input: all of its row stays.",
            _SUM: "Numbers of different columns belong to different inputs: they are not added.",
        },
        choices=[_CELL, _COLUMN, _SUM, _ROW],
    ),
    "04-d": Card(
        "x = [1, 2] and y = torch.outer(x, x) = [[1, 2], [2, 4]], each x[i] times each x[k]. "
        "What does torch.autograd.grad(y, x, grad_outputs=torch.ones(4)) give?",
        answer=_MESSAGE,
        why="v has the shape of y, (2, 2): not the number of its elements, nor the shape of x.",
        misconceptions={
            _ADDED: "ones(2, 2) give that: J has the rows [2, 0], [2, 1], [2, 1], [0, 4], and each "
            "column adds up to 6. A v of shape (4,) has not the shape of y.",
            _TABLE: "That is J: a row for each of the four products. A backward pass gives "
            "v\u00b7J.",
            _ONES: "Those are the weights. And y has another shape than they.",
        },
        choices=[_ADDED, _TABLE, _ONES, _MESSAGE],
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
    }


_ALL_ALIKE = (
    "Every row is the sum of all: either backward is given ones and not the v of its round, or "
    "x.grad is not cleared in each round, and your list holds it several times."
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
        praise="Row k is x.grad for the weight 1 on output k: one backward pass for each row.",
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
                "torch.stack(rows)",
                "torch.stack(rows, dim=1)",
            ): "Your rows stand as columns: this is J transposed. Rows are outputs.",
            (
                "torch.stack(rows)",
                "torch.stack(rows).sum(dim=0)",
            ): "You added up each column: that is x.grad for v = ones.",
            ("torch.stack(rows)", "rows"): "Join the list at the end: torch.stack(rows).",
            (
                "torch.stack(rows)",
                "torch.cat(rows)",
            ): "torch.cat puts all in one line; torch.stack keeps a row for each.",
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
            ): "The first backward() frees the graph of y. Compute f(x) anew for each v, or keep "
            "the graph with retain_graph=True.",
            (
                "x.grad = None\n        ",
                "",
                "backward(v)",
                "backward(torch.ones(len(v)))",
            ): "Two causes. backward() is given ones, not the v of its round, so each pass gives "
            "[5, 7, 9]. And x.grad is not cleared: the second pass adds to it, 5 + 5 = 10. Your "
            "list holds this same tensor each time, so its first row changes, too.",
            (
                "len(f(x))",
                "len(x)",
            ): "You made a v for each input. There is one row, so one v, for each output.",
            (
                "    return torch.stack(rows)",
                "        return torch.stack(rows)",
            ): "return stands inside the loop: it stops after the first row.",
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
        praise="-2 times row 1 plus 1 times row 2: v\u00b7J mixes the rows of J.",
        hints=(
            "x.grad is v[0] times row 1 plus v[1] times row 2. How many numbers has v?",
            "The last column says 3*v[0] + 6*v[1] = 0, so v[0] is -2 times v[1].",
            "Put that into the first column: -2*v[1] + 4*v[1] = 2.",
        ),
        also_right=("torch.tensor([-2, 1])", "torch.tensor([-1., 0.5]) * 2"),
        mistakes={
            "torch.tensor([2., 1., 0.])": "That is what x.grad should be. v has one weight for "
            "each output, and y has two.",
            "torch.tensor([1., -2.])": "Right weights, wrong rows: the first weight is for row 1.",
            "torch.tensor([2., -1.])": "Every sign is the other way round.",
            "torch.tensor([2., 1.])": "Row 1 must count negatively, else nothing can become 0.",
            "torch.tensor([-1., 1.])": "That is row 2 minus row 1. The last number must become 0.",
            "torch.ones(2)": "That adds up each column of J as it is: both rows count alike.",
            "torch.tensor([4., 13.])": "That is J\u00b7[2, 1, 0]: backward multiplies J from the "
            "left.",
            "torch.tensor([[-2., 1.]])": "The right numbers in one row too many: v has the shape "
            "of y.",
        },
    ),
]
