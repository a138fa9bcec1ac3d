"""The cards and exercises of lesson 06: matrix products, means, and inputs that are broadcast."""

from .cards import Card
from .digits import digits
from .exercises import function, numbers
from .mend import mend


def _product(torch):
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    (x @ _square(torch)).backward(_upstream(torch))
    return x.grad


def _square(torch):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]])


def _upstream(torch):
    return torch.tensor([[1.0, 10.0]])


def _other_of_product(torch):
    a = _square(torch).requires_grad_()
    (torch.tensor([[1.0, 2.0]]) @ a).backward(_upstream(torch))
    return a.grad


def _tenth_of_the_loss(torch):
    """Which of the card's three programs leaves what v = 0.1 leaves."""
    programs = {
        "(0.1 * out).backward()": lambda x: (0.1 * ((2 * x) ** 3).mean()).backward(),
        "out.backward(), with 0.1 * x instead of x": lambda x: (
            ((2 * (0.1 * x)) ** 3).mean().backward()
        ),
        "(out + 0.1).backward()": lambda x: (((2 * x) ** 3).mean() + 0.1).backward(),
    }
    left = _left_by(torch, lambda x: ((2 * x) ** 3).mean().backward(torch.tensor(0.1)))
    for name, program in programs.items():
        if abs(_left_by(torch, program) - left) < 1e-6:
            return name


def _left_by(torch, program):
    x = torch.tensor([[-1.0168, -0.33307], [0.935552, 0.13569]], requires_grad=True)
    program(x)
    return x.grad[0][0].item()


def _sevens_as_eights(torch):
    """What the reader of the lesson's first program does: softmax over the wrong dimension."""
    train, test = digits()
    pixels, labels = torch.tensor(train.pixels[:500]), torch.tensor(train.names[:500])
    w, b = torch.zeros(64, 10), torch.zeros(10)
    for _ in range(100):
        w, b = w.detach().requires_grad_(), b.detach().requires_grad_()
        e = (pixels @ w + b).exp()
        loss = -(e / e.sum(dim=0))[torch.arange(500), labels].log().mean()
        w, b = [one - g for one, g in zip((w, b), torch.autograd.grad(loss, [w, b]))]
    read = (torch.tensor(test.pixels) @ w + b).argmax(dim=1)
    right = (read == torch.tensor(test.names)).sum().item()
    sevens = read[torch.tensor(test.names) == 7]
    return _SEVENS if right < 400 and (sevens == 8).sum().item() > 25 else _HEALTHY


def _first_row(torch):
    e = torch.tensor([[1.0, 3.0], [4.0, 4.0], [5.0, 3.0]])
    return (e / e.sum(dim=0))[0]


_SEVENS, _HEALTHY = "it runs, and reads most sevens as 8", "it runs, and reads as well as before"

CARDS = {
    "06-a": Card(
        "e has the shape (500, 10), and the program computes p = e / e.sum(dim=0). What does it "
        "do?",
        answer=_sevens_as_eights,
        choices=[
            "it stops with a message about shapes",
            _HEALTHY,
            _SEVENS,
            "it runs, and the loss grows without end",
        ],
        why="e.sum(dim=0) has ten numbers, and is stretched over all 500 rows.",
        misconceptions={
            "it stops with a message about shapes": "No message comes: e.sum(dim=0) has ten "
            "numbers, as a row of e has.",
            _HEALTHY: "The program divides by other sums than softmax does. Run it, and look at "
            "the sevens.",
            "it runs, and the loss grows without end": "The loss does fall. Run the program, and "
            "look at what it reads.",
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
                _upstream(torch) @ _square(torch)
            ): "That is v @ a: you went down the columns of a. x[0, 0] meets its first row.",
            lambda torch: (
                torch.ones(1, 2) @ _square(torch).T
            ): "That is right for v = [[1, 1]]. Here v has 10 for the second output.",
            "[[7, 10]]": "That is out itself. backward gives derivatives.",
            "[[1, 20], [3, 40]]": "Those are the derivatives times v, one for each x and output. "
            "For each x they still have to be added.",
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
            "[[1, 2], [10, 20]]": "Rows and columns are swapped. The columns of a belong to the "
            "outputs, so the 10 of v belongs to the second column.",
            "[[1, 1], [2, 2]]": "That is right for v = [[1, 1]]. v has 10 for the second column.",
            "[[1, 10], [1, 10]]": "That is v in each row. Each entry is still multiplied by the x "
            "of its row.",
            "[[1, 20], [3, 40]]": "That is a times v. The derivatives with respect to a are "
            "numbers of x.",
        },
    ),
    "06-tenth": Card(
        "out is the mean of (2x)\u00b3. Which program leaves the same x.grad as "
        "out.backward(torch.tensor(0.1))?",
        answer=_tenth_of_the_loss,
        choices=[
            "(0.1 * out).backward()",
            "out.backward(), with 0.1 * x instead of x",
            "(out + 0.1).backward()",
        ],
        why="The upstream gradient of the one output is 0.1, and it multiplies every derivative. "
        "So does the factor 0.1 on the loss.",
        misconceptions={
            "out.backward(), with 0.1 * x instead "
            "of x": "That changes the function: the derivatives of (0.2x)\u00b3 are a thousandth.",
            "(out + 0.1).backward()": "Adding a number changes no derivative. v multiplies them.",
        },
    ),
    "06-fit": Card(
        "Tensors of which two shapes cannot be added?",
        answer="(2, 3) and (2,)",
        choices=["(2, 1) and (4,)", "(2, 3) and (2, 1)", "(2, 3) and (2,)", "(3, 1) and (1, 4)"],
        why="From the right: 3 meets 2. They differ, and neither of them is 1.",
        misconceptions={
            "(2, 1) and (4,)": "1 meets 4, and then 2 meets a missing size. So they fit.",
            "(2, 3) and (2, 1)": "3 meets 1, and then 2 meets 2. So they fit.",
            "(3, 1) and (1, 4)": "1 meets 4, and then 3 meets 1. Both are stretched, and they fit.",
        },
    ),
    "06-e": Card(
        "e = [[1, 3], [4, 4], [5, 3]]: three images, two digits. What is the first row of "
        "e / e.sum(dim=0)?",
        answer=_first_row,
        why="e.sum(dim=0) adds down the columns and gives [10, 10]. It is stretched over the rows.",
        misconceptions={
            "[0.25, 0.75]": "That divides the row by its own sum, 4, as softmax should. dim=0 adds "
            "down the columns.",
            "[10, 10]": "Those are the sums. The first row of e is divided by them.",
            "[0.05, 0.15]": "That divides by the sum of all six numbers, 20.",
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
        "one number of shape (1, 1)": of((1, 1)),
        "nothing stretched": of((2, 3)),
        "both at once": (many, (2, 1)),
        "two dimensions missing": (many, (3,)),
        "a 1 in front and at the end": (many, (1, 2, 1)),
        "three dimensions missing": (many, ()),
        "three dimensions missing, and a 1": (torch.stack([many, 2 * many]), (1,)),
    }


_OVER_IMAGES = (
    "The sums run over the images, one sum for each digit. The ten numbers of one image are in a "
    "row: dim=1."
)

EXERCISES = [
    mend(
        "06-1",
        program="""
            from minigrad.classroom.lessons.digits import digits
            train, test = digits()
            pixels, labels = torch.tensor(train.pixels[:500]), torch.tensor(train.names[:500])
            W, b = torch.zeros(64, 10, requires_grad=True), torch.zeros(10, requires_grad=True)
            for step in range(20):
                e = (pixels @ W + b).exp()
                p = e / e.sum(dim=0)
                loss = -p[torch.arange(500), labels].log().mean()
                W.grad, b.grad = torch.autograd.grad(loss, [W, b])
                with torch.no_grad():
                    for one in W, b: one -= 1.0 * one.grad
        """,
        repair=("e.sum(dim=0)", "e.sum(dim=1, keepdim=True)"),
        compares="p.sum(dim=1)[:4], loss, W",
        others={
            "With other images:": (
                "torch.tensor(train.pixels[:500]), torch.tensor(train.names[:500])",
                "torch.tensor(train.pixels[700:1200]), torch.tensor(train.names[700:1200])",
            ),
        },
        praise="Now the ten probabilities of each image add up to 1.",
        hints=(
            "The sums should run over the ten digits of one image, and there should be 500 of "
            "them, one for each row of e.",
            "e.sum(dim=1) has the right sums, but the shape (500,). From the right, 500 meets 10. "
            "Which shape would be stretched over the ten columns?",
            "Write e.sum(dim=1, keepdim=True): its shape is (500, 1).",
        ),
        also_right=(
            ("e.sum(dim=0)", "e.sum(dim=1).reshape(500, 1)"),
            ("e.sum(dim=0)", "e.sum(dim=-1)[:, None]"),
            ("e / e.sum(dim=0)", "(e.T / e.sum(dim=1)).T"),
            ("e / e.sum(dim=0)", "torch.softmax(pixels @ W + b, dim=1)"),
        ),
        mistakes={
            (): _OVER_IMAGES,
            (
                "e.sum(dim=0)",
                "e.sum(dim=0, keepdim=True)",
            ): _OVER_IMAGES,
            (
                "e.sum(dim=0)",
                "e.sum()",
            ): "That is one sum for all images. Each image needs its own.",
            (
                "e.sum(dim=0)",
                "e.sum(dim=1)",
            ): "The sums are right, 500 of them, but they stand in one row: from the right, 500 "
            "meets the ten columns. Keep their dimension.",
            (
                "e.sum(dim=0)",
                "e.mean(dim=1, keepdim=True)",
            ): "A mean is a tenth of the sum, so the ten probabilities add up to 10.",
            (
                "e.sum(dim=0)",
                "e.sum(dim=1, keepdim=True)",
                "range(20)",
                "range(10)",
            ): "The sums are right now. Leave the 20 steps as they were.",
            (
                "e.sum(dim=0)",
                "e.sum(dim=1, keepdim=True).detach()",
            ): "The sums are right, but detached: no gradient reaches the other scores through "
            "them.",
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
            "torch.ones(2, 2)": "With ones, x.grad has the sums of a's rows. Each "
            "column of a needs its own entry of v.",
            "torch.tensor([[1., 2.], [5., "
            "2.]])": "[5, 2] is the sum of both rows of v, not its second row.",
            "torch.tensor([[1., 2.], [0., "
            "0.]])": "The first row is right. b reaches both rows of out, so the second "
            "counts, too.",
            "torch.tensor([[1., 2.], [1., "
            "2.]])": "The first row is right. The second need not be the same: see what is "
            "missing in b.grad.",
            "torch.tensor([[1., 4.], [2., "
            "0.]])": "Rows and columns are swapped: a row of v belongs to a row of out.",
            "torch.tensor([[5., 2.], [5., "
            "2.]])": "b.grad is a sum over the rows of v, not each of them.",
            "torch.tensor([[1., 4., 6.], [0., 0., "
            "0.]])": "That has the shape of x. v has the shape of out, (2, 2).",
            "torch.tensor([1., 2.])": "That is one row alone. v has one entry for each output.",
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
        praise="The contributions of all uses are added, and g has the shape of the input again.",
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
                "    while g.dim() > len(shape):\n        g = g.sum(dim=0)\n",
                "    if g.dim() > len(shape):\n        g = g.sum(dim=0)\n" * 2,
            ): "More than two dimensions may be missing: while, not if.",
            (
                ", keepdim=True",
                "",
            ): "Without keepdim=True the summed dimension is lost; the input has a 1 there.",
            (
                "g.sum(dim=0)",
                "g[0]",
            ): "That keeps one contribution and forgets the others. All of them count: sum.",
            (
                "g.sum(dim=0",
                "g.mean(dim=0",
                "g.sum(dim=k",
                "g.mean(dim=k",
            ): "That takes the mean of the contributions. Each counts in full: sum.",
            (
                "g.sum(dim=0)",
                "g.sum(dim=-1)",
            ): "Missing dimensions are at the left: sum along dim 0.",
            ("    return g", ""): "End the function with return g.",
        },
    ),
]
