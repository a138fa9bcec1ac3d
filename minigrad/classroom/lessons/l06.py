"""The cards and exercises of lesson 06: matrix products, means, and inputs that are broadcast."""

from .cards import Card
from .exercises import function, mend, numbers


def _product(torch):
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    (x @ _square(torch)).backward(_weights(torch))
    return x.grad


def _square(torch):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def _weights(torch):
    return torch.tensor([[1.0, 10.0]])


def _mean_of_cubes(torch):
    x = torch.tensor([5.0, 1.0, -1.0, 0.0], requires_grad=True)
    ((2 * x) ** 3).mean().backward()
    return x.grad[0]


def _column_times_row(torch):
    a = torch.tensor([[1.0], [2.0]], requires_grad=True)
    b = torch.tensor([10.0, 20.0, 30.0])
    (a * b).backward(torch.tensor([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]))
    return a.grad


def _other_of_product(torch):
    a = _square(torch).requires_grad_()
    (torch.tensor([[1.0, 2.0]]) @ a).backward(_weights(torch))
    return a.grad


def _tenth_of_the_loss(torch):
    """Which of the card's three programs leaves what the weight 0.1 leaves."""
    programs = {
        "(0.1 * out).backward()": lambda x: (0.1 * ((2 * x) ** 3).mean()).backward(),
        "out.backward(), with 0.1 * x in place of x": lambda x: (
            ((2 * (0.1 * x)) ** 3).mean().backward()
        ),
        "(out + 0.1).backward()": lambda x: (((2 * x) ** 3).mean() + 0.1).backward(),
    }
    weighed = _left_by(torch, lambda x: ((2 * x) ** 3).mean().backward(torch.tensor(0.1)))
    for name, program in programs.items():
        if abs(_left_by(torch, program) - weighed) < 1e-6:
            return name


def _left_by(torch, program):
    x = torch.tensor([[-1.0168, -0.33307], [0.935552, 0.13569]], requires_grad=True)
    program(x)
    return x.grad[0][0].item()


def _smaller_loss(torch):
    t = torch.tensor([[1.0], [3.0], [0.0], [2.0]])
    right, same = [
        ((torch.tensor(p) - t) ** 2).mean().item() for p in ([1.0, 3.0, 0.0, 2.0], [1.5] * 4)
    ]
    return "1.5 for each receipt" if same < right else "the right ones"


CARDS = {
    "06-a": Card(
        "t has the shape (4, 1), and X @ w + b has the shape (4,). What does the program do?",
        answer="it runs, and all four predictions end nearly equal",
        choices=[
            "it stops with a message about shapes",
            "it runs, and all four predictions end nearly equal",
            "it learns the right price list, as before",
            "it runs, and the loss grows without end",
        ],
        why="Both numbers of w end near 0, so every pizza costs nearly b.",
        misconceptions={
            "it stops with a message about "
            "shapes": "No message comes: PyTorch stretches both shapes until they fit.",
            "it learns the right price list, as "
            "before": "Then w would end near [-1, 2]. Run the program, and look at w.",
            "it runs, and the loss grows without "
            "end": "The loss does fall, from 3.5. Run the program, and see how far.",
        },
    ),
    "06-shape": Card(
        "x has the shape (2, 3), a has the shape (3, 4), and out = x @ a. Which shape must v have "
        "in out.backward(v)?",
        answer=lambda torch: str(tuple((torch.ones(2, 3) @ torch.ones(3, 4)).shape)),
        choices=["(2, 3)", "(3, 4)", "(2, 4)", "(4, 4)"],
        why="v has one weight for each number of out, and out has 2 rows and 4 columns.",
        misconceptions={
            "(2, 3)": "That is the shape of x, and of x.grad. v weighs the numbers of out.",
            "(3, 4)": "That is the shape of a. v weighs the numbers of out.",
            "(4, 4)": "out has only 2 rows, one for each row of x.",
        },
    ),
    "06-b": Card(
        "x = [[1, 2]], a = [[1, 2], [3, 4]] and out = x @ a. What is x.grad after "
        "out.backward(torch.tensor([[1., 10.]]))?",
        answer=_product,
        why="The first number of x is multiplied by the first row of a, 1 and 2: 1\u00b71 + "
        "10\u00b72. The second is multiplied by 3 and 4: 1\u00b73 + 10\u00b74.",
        misconceptions={
            lambda torch: (
                _weights(torch) @ _square(torch)
            ): "That is v @ a: you went down the columns of a. x[0, 0] meets its first row.",
            lambda torch: (
                torch.ones(1, 2) @ _square(torch).T
            ): "That is right for v = [[1, 1]]. The second output has the weight 10.",
            "[[7, 10]]": "That is out itself. backward gives derivatives.",
            "[[1, 20], [3, 40]]": "Those are the weighted slopes, one for each x and output. For "
            "each x they still have to be added.",
            "[[1, 20]]": "That is x times v. The derivatives of out are numbers of a.",
            "[21, 43]": "The numbers are right. x.grad has the shape of x, one row of two.",
        },
    ),
    "06-other": Card(
        "The same numbers: x = [[1, 2]], a = [[1, 2], [3, 4]], out = x @ a, and v = [[1, 10]]. "
        "Now a requires grad. What is a.grad?",
        answer=_other_of_product,
        why="A number of a is multiplied by the x of its row, and goes into the output of its "
        "column. The second row and second column has 2\u00b710.",
        misconceptions={
            "[[1, 2], [10, 20]]": "Rows and columns are exchanged. The columns of a belong to the "
            "outputs, so the weight 10 belongs to the second column.",
            "[[1, 1], [2, 2]]": "That is right for v = [[1, 1]]. The second column has the "
            "weight 10.",
            "[[1, 10], [1, 10]]": "Those are the weights alone. Each is multiplied by the x of its "
            "row.",
            "[[1, 20], [3, 40]]": "That is a, weighed. The derivatives with respect to a are "
            "numbers of x.",
        },
    ),
    "06-c": Card(
        "x = [5, 1, -1, 0], z = (2x)\u00b3 and out = z.mean(). Each number of z has the derivative "
        "24x\u00b2. What is x.grad[0] after out.backward()?",
        answer=_mean_of_cubes,
        why="24\u00b725 = 600 is the derivative of z[0], and a mean of four numbers hands 1/4 back "
        "to z[0].",
        misconceptions={
            600: "That is right for z.sum(). A mean of four hands 1/4 back to each.",
            162: "That is the mean of all four derivatives. x[0] reaches z[0] alone.",
            250: "That is z[0]/4, a value. backward gives derivatives.",
            6: "That is 24/4. x\u00b2 = 25 still multiplies it.",
            2400: "That multiplies by 4. A mean divides.",
        },
    ),
    "06-tenth": Card(
        "out is the mean of (2x)\u00b3, as before. Which program leaves the same x.grad as "
        "out.backward(torch.tensor(0.1))?",
        answer=_tenth_of_the_loss,
        choices=[
            "(0.1 * out).backward()",
            "out.backward(), with 0.1 * x in place of x",
            "(out + 0.1).backward()",
        ],
        why="The one output has the weight 0.1, and a weight multiplies every slope. So does the "
        "factor 0.1 of the loss.",
        misconceptions={
            "out.backward(), with 0.1 * x in place "
            "of x": "That changes the function: (0.2x)\u00b3 has a thousandth of the slopes.",
            "(out + 0.1).backward()": "A number that is added changes no slope. A weight "
            "multiplies.",
        },
    ),
    "06-fit": Card(
        "Which two shapes cannot be added?",
        answer="(2, 3) and (2,)",
        choices=["(2, 1) and (4,)", "(2, 3) and (2, 1)", "(2, 3) and (2,)", "(3, 1) and (1, 4)"],
        why="From the right: 3 meets 2. They differ, and neither of them is 1.",
        misconceptions={
            "(2, 1) and (4,)": "1 meets 4, and then 2 meets a missing size. So they fit.",
            "(2, 3) and (2, 1)": "3 meets 1, and then 2 meets 2. So they fit.",
            "(3, 1) and (1, 4)": "1 meets 4, and then 3 meets 1. Both are stretched, and they fit.",
        },
    ),
    "06-d": Card(
        "a = [[1], [2]], b = [10, 20, 30], y = a * b. What is a.grad after "
        "y.backward(torch.tensor([[1., 0., 0.], [0., 2., 0.]]))?",
        answer=_column_times_row,
        why="The first row of y is a[0] times 10, 20, 30, and its weights are 1, 0, 0. The second "
        "is a[1] times the same, and its weights are 0, 2, 0.",
        misconceptions={
            "[[10, 0, 0], [0, 40, 0]]": "Those are all six shares. a has one number for each row: "
            "add them up.",
            "[[60], [60]]": "That is right for six ones. Most of the weights here are 0.",
            "[[10], [20]]": "The weight 2 is missing: 2\u00b720.",
            "[[1], [2]]": "Those are the weights, added. Each still multiplies its number of b.",
            "[1, 4, 0]": "That belongs to b: one number for each column.",
            "[10, 40]": "The numbers are right. a.grad has the shape of a, (2, 1).",
        },
    ),
    "06-e": Card(
        "Which predictions have the smaller loss in the broken program: the right ones, "
        "p = [1, 3, 0, 2], or 1.5 for each receipt?",
        answer=_smaller_loss,
        choices=["the right ones", "1.5 for each receipt", "both have the same loss"],
        why="Each p is compared with all four payments, and their mean, 1.5, is nearest to all of "
        "them.",
        misconceptions={
            "the right ones": "That would be so if each p met its own payment alone. Count the "
            "differences.",
            "both have the same loss": "1.5 differs from the payments by 0.5 or 1.5. The right "
            "ones differ by up to 3.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _gradients(torch):
    """Gradients of outputs, and the shapes of inputs that were stretched to them."""
    two_by_three = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]

    def of(shape):
        return torch.tensor(two_by_three), shape

    many = torch.tensor([two_by_three, [[10.0, 0.0, -1.0], [0.0, 20.0, 3.0]]])
    return {
        "a missing dimension": of((3,)),
        "a column": of((2, 1)),
        "a row": of((1, 3)),
        "one number": of(()),
        "one number in brackets": of((1, 1)),
        "nothing stretched": of((2, 3)),
        "both at once": (many, (2, 1)),
        "two dimensions missing": (many, (3,)),
        "a 1 in front and at the end": (many, (1, 2, 1)),
    }


EXERCISES = [
    mend(
        "06-1",
        program="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t = torch.tensor([[1.], [3.], [0.], [2.]])
            w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
            for step in range(40):
                loss = ((X @ w + b - t)**2).mean()
                loss.backward()
                with torch.no_grad():
                    w -= 0.3 * w.grad
                    b -= 0.3 * b.grad
                w.grad = b.grad = None
        """,
        repair=("b - t)", "b - t.squeeze(1))"),
        compares="w, b",
        others={
            "With other receipts:": (
                "[[0., 0.], [0., 1.], [1., 0.], [1., 1.]]",
                "[[0., 1.], [1., 1.], [1., 0.], [0., 0.]]",
            ),
        },
        praise="Now p and t have the same shape, and each prediction meets its own payment.",
        hints=(
            "Both p and t should have the shape (4,), so that p - t has four numbers.",
            "t is a table of four rows and one column. Take its column, or give it the shape (4,).",
            "In the line of the loss write t.squeeze(1), t[:, 0] or t.reshape(4) in place of t.",
        ),
        also_right=(
            ("b - t)", "b - t[:, 0])"),
            ("b - t)", "b - t.T)"),
            ("X @ w + b - t", "(X @ w + b).reshape(4, 1) - t"),
            ("[[1.], [3.], [0.], [2.]]", "[1., 3., 0., 2.]"),
        ),
        mistakes={
            (): "Each p is still pulled to the mean of all four payments. Look at the shape of "
            "p - t.",
            ("b - t)", "b - t[0])"): "That takes the first payment for all four receipts.",
            (
                "b - t)",
                "b - t[:, 0])",
                ".mean()",
                ".sum()",
            ): "The shapes fit now, but the mean has become a sum: four times the gradient.",
            (
                "range(40)",
                "range(400)",
            ): "More steps lead nearer to the wrong place. Look at the shape of p - t.",
            (
                "X @ w + b - t",
                "(X @ w + b).sum() - t",
            ): "That adds up all predictions. Each needs its own payment.",
            (
                ".mean()",
                ".mean(dim=0)[0]",
            ): "That keeps the first column of p - t, the first receipt alone.",
            (
                "b - t)",
                "b - t.squeeze(1))",
                "range(40)",
                "range(4)",
            ): "The shapes fit now. Leave the 40 steps as they were.",
        },
    ),
    numbers(
        "06-2",
        answer="v",
        given="""
            x = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
            a = torch.tensor([[1., 0.], [2., 1.], [0., 3.]])
            b = torch.zeros(2, requires_grad=True)
            out = x @ a + b
        """,
        then="out.backward(v)",
        shows="x.grad[0], b.grad",
        solution="v = torch.tensor([[1., 2.], [4., 0.]])",
        praise="The first row of x.grad tells that of v, and b.grad is the sum of both rows of v.",
        hints=(
            "v has the shape of out, (2, 2). Its first row alone makes the first row of x.grad.",
            "If the first row of v is [p, q], that of x.grad is [p, 2p + q, 3q]. b.grad is the sum "
            "of both rows of v.",
            "p = 1 and q = 2. The second row is [5, 2] - [1, 2].",
        ),
        also_right=(
            "torch.tensor([[1, 2], [4, 0]])",
            "torch.stack([torch.tensor([1., 2.]), torch.tensor([5., 2.]) - torch.tensor([1., "
            "2.])])",
        ),
        mistakes={
            "torch.ones(2, 2)": "With ones, x.grad has the sums of a's rows. Give each "
            "column of a its weight.",
            "torch.tensor([[1., 2.], [5., "
            "2.]])": "[5, 2] is the sum of both rows of v, not its second row.",
            "torch.tensor([[1., 2.], [0., "
            "0.]])": "The first row is right. b reaches both rows of out, so the second "
            "counts, too.",
            "torch.tensor([[1., 2.], [1., "
            "2.]])": "The first row is right. The second need not be the same: see what is "
            "missing in b.grad.",
            "torch.tensor([[1., 4.], [2., "
            "0.]])": "Rows and columns are exchanged: a row of v belongs to a row of out.",
            "torch.tensor([[5., 2.], [5., "
            "2.]])": "b.grad is a sum over the rows of v, not each of them.",
            "torch.tensor([[1., 4., 6.], [0., 0., "
            "0.]])": "That has the shape of x. v has the shape of out, (2, 2).",
            "torch.tensor([1., 2.])": "That is one row alone. v has one weight for each output.",
            "torch.tensor([[9., 22.], [-4., -20.]])": "That multiplies [1, 4, 6] by a once more. "
            "Look for v in v @ a.T = [1, 4, 6].",
        },
    ),
    function(
        "06-3",
        answer="unbroadcast",
        inputs=_gradients,
        solution="""
            def unbroadcast(g, shape):
                while g.dim() > len(shape):
                    g = g.sum(dim=0)
                for k, size in enumerate(shape):
                    if size == 1:
                        g = g.sum(dim=k, keepdim=True)
                return g
        """,
        praise="The shares of all uses are added, and g has the shape of the input again.",
        hints=(
            "Two kinds of dimensions were stretched: those that the input lacks, and those where "
            "its size is 1. Along both g has to be summed.",
            "Missing dimensions are at the left: while g has more dimensions than the shape, "
            "g = g.sum(dim=0).",
            "Then for each k with shape[k] == 1 let g = g.sum(dim=k, keepdim=True). keepdim leaves "
            "a size of 1 in the place of k.",
        ),
        also_right=(
            """
            def unbroadcast(g, shape):
                padded = (1,) * (g.dim() - len(shape)) + tuple(shape)
                dims = tuple(k for k, size in enumerate(padded) if size == 1)
                return g.sum(dim=dims).reshape(shape) if dims else g
            """,
            "def unbroadcast(g, shape):\n    return g.sum_to_size(shape)",
            """
            def unbroadcast(g, shape):
                x = torch.zeros(shape, requires_grad=True)
                (x + torch.zeros(g.shape)).backward(g)
                return x.grad
            """,
        ),
        mistakes={
            """
            def unbroadcast(g, shape):
                return g.sum(dim=0)
            """: "That sums the first dimension, whatever the shape is. Let the shape decide.",
            """
            def unbroadcast(g, shape):
                return g
            """: "That is g as it came, in the shape of the output.",
            """
            def unbroadcast(g, shape):
                return g.sum()
            """: "That sums everything. Sum only along what was stretched.",
            (
                "    while g.dim() > len(shape):\n        g = g.sum(dim=0)\n",
                "",
            ): "Dimensions that the input lacks have to be summed away, too.",
            (
                "    for k, size in enumerate(shape):\n        if size == 1:\n"
                "            g = g.sum(dim=k, keepdim=True)\n",
                "",
            ): "A dimension of size 1 was stretched, too: sum along it.",
            (
                "while g.dim()",
                "if g.dim()",
            ): "More than one dimension may be missing: while, not if.",
            (
                ", keepdim=True",
                "",
            ): "Without keepdim=True the summed dimension is lost; the input has a 1 there.",
            (
                "g.sum(dim=0)",
                "g[0]",
            ): "That keeps one share and forgets the others. All of them count: sum.",
            (
                "g.sum(dim=0",
                "g.mean(dim=0",
                "g.sum(dim=k",
                "g.mean(dim=k",
            ): "That takes the mean of the shares. Each counts in full: sum.",
            (
                "g.sum(dim=0)",
                "g.sum(dim=-1)",
            ): "Missing dimensions are at the left: sum along dim 0.",
            ("    return g", ""): "End the function with return g.",
        },
    ),
]
