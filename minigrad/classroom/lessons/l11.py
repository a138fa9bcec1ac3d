"""The cards and exercises of lesson 11: programs of 2017 to 2019, and what they need today."""

import minigrad

from .cards import Card
from .exercises import mend, numbers


def train(steps=40):
    """What the price-list program learns as it is written today: w and b."""
    inputs = minigrad.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    targets = minigrad.tensor([1.0, 3.0, 0.0, 2.0])
    w, b = (minigrad.zeros(n, requires_grad=True) for n in (2, 1))
    for _ in range(steps):
        ((inputs @ w + b - targets) ** 2).mean().backward()
        with minigrad.no_grad():
            for parameter in (w, b):
                parameter -= 0.3 * parameter.grad
                parameter.grad = None
    return w.detach(), b.detach()


def _wrapped_and_changed(torch):
    y = torch.FloatTensor([[1, 2, 3], [4, 5, 6]])
    z = torch.autograd.Variable(y)
    z[0, 0] = 7
    return y[0, 0]


def _one_row_for_all(torch):
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    z = x * x
    z.backward(torch.tensor([1.0, 0.0]).expand_as(z))
    return x.grad


_IMPORT = "line 2, from torch.autograd import Variable"
_WRAP = "line 3, X = Variable(\u2026)"
_INDEX = "line 8, losses.append(loss.data[0])"
_STEP = "line 11, p.data -= 0.3 * p.grad.data"


CARDS = {
    "11-a": Card(
        "The program below ran in 2017. PyTorch 2.13 stops in one of its lines. In which one?",
        answer=_INDEX,
        choices=[_IMPORT, _WRAP, _INDEX, _STEP],
        why="Every other line still works. Run the program, and read the message.",
        misconceptions={
            _IMPORT: "Nobody needs this line any more, but it still works.",
            _WRAP: "Nobody needs Variable any more, but it still takes a tensor.",
            _STEP: "This is old style, but .data still gives the numbers.",
        },
    ),
    "11-b": Card(
        "y = torch.FloatTensor([[1, 2, 3], [4, 5, 6]]) and z = Variable(y). Then z[0, 0] = 7. What "
        "is y[0, 0] now?",
        answer=_wrapped_and_changed,
        why="Variable makes no copy: the numbers of y and z stand in the same memory.",
        misconceptions={
            1: "It would still be 1 if Variable made a copy. It makes none.",
            0: "Nothing is cleared. A 7 is written.",
        },
    ),
    "11-c": Card(
        "x = [[1, 2], [3, 4]] and z = x * x. In 2017 z.backward(torch.FloatTensor([1, 0])) ran. "
        "What did it leave in x.grad?",
        answer=_one_row_for_all,
        why="[1, 0] was used for each row: the first column has the weight 1, the second 0.",
        misconceptions={
            "[[2, 0], [0, 0]]": "That is the first element alone, as if zeros were filled in.",
            "[[2, 4], [0, 0]]": "That is one weight for each row. But each row got both weights.",
            "[[1, 0], [1, 0]]": "Those are the weights. Each is still multiplied by 2x.",
            "[[2, 4], [6, 8]]": "That is 2x, for the weights [1, 1].",
            "[2, 0]": "x.grad has the shape of x, (2, 2).",
        },
    ),
    "11-d": Card(
        "x = [3, 6, 9] and loss = (x * x).mean(). loss.backward() leaves [2, 4, 6] in x.grad. "
        "Which of the calls backward(torch.Tensor([1])) and backward(torch.tensor(1.)) does so "
        "today?",
        answer="only the one with torch.tensor(1.)",
        choices=[
            "both",
            "only the one with torch.Tensor([1])",
            "only the one with torch.tensor(1.)",
            "neither: they leave [6, 12, 18], a 1 for each of three",
        ],
        why="The weight needs the shape of the output. A mean has the shape (), and "
        "torch.Tensor([1]) has (1,).",
        misconceptions={
            "both": "They were the same when a mean had the shape (1,). Today its shape is (), and "
            "[1] has (1,).",
            "only the one with torch.Tensor([1])": "It was so when a mean had the shape (1,). "
            "Today it is the other way round.",
            "neither: they leave [6, 12, 18], a 1 for each of "
            "three": "The weight belongs to the output, and the mean is one output.",
        },
    ),
    "11-e": Card(
        "y = 3a + 2b\u00b2 + log c has one element. backward was given three weights, 0.1, 1 and "
        "0.0001, and a.grad became 3.3003. Which one weight did the old engine use for y?",
        answer=1.1001,
        why="Divide by the slope of 3a: 3.3003 / 3 = 1.1001. That is 0.1 + 1 + 0.0001.",
        misconceptions={
            0.1: "With the first weight alone a.grad would be 3 times 0.1, which is 0.3.",
            1: "With the weight 1 a.grad would be 3.",
            0.0001: "With the last weight alone a.grad would be 0.0003.",
            0.3667: "That is the mean of the three. It would give 1.1001 in a.grad.",
            3.3003: "That is a.grad. Divide it by the slope of 3a, which is 3.",
            0.00001: "That is the product of the three. It would give 0.00003 in a.grad.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------

_INT_INPUTS = (
    "Variable(torch.FloatTensor([[0, 0], [0, 1], [1, 0], [1, 1]]))",
    "torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]])",
)
_INPUTS = (_INT_INPUTS[0], "torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])")
_TARGETS = ("Variable(torch.FloatTensor([1, 3, 0, 2]))", "torch.tensor([1., 3., 0., 2.])")
_START = ("Variable(torch.zeros(n), requires_grad=True)", "torch.zeros(n, requires_grad=True)")
_NUMBER = ("loss.data[0]", "loss.item()")
_OLD_MOVE = "p.data -= 0.3 * p.grad.data"
_MOVE = (_OLD_MOVE, "with torch.no_grad(): p -= 0.3 * p.grad")
_CLEAR = ("p.grad.data.zero_()", "p.grad.zero_()")
_NO_IMPORT = ("from torch.autograd import Variable\n", "")
_NEW_DATA = (*_NO_IMPORT, *_INPUTS, *_TARGETS, *_NUMBER)
_NEW_TENSORS = (*_NEW_DATA, *_START)
_STILL_VARIABLE = (
    "The numbers are right. Now port the rest: no Variable is needed, and so no import of it."
)
_STILL_DATA = "The numbers are right. Now port the rest: change p under no_grad(), without .data."

_ROWS = ("torch.FloatTensor([1, 0, -1])", "torch.FloatTensor([1, 0, -1]).expand(2, 3)")
_MEAN = ("torch.FloatTensor([3])", "torch.tensor(3.)")
_ADDED = ("torch.FloatTensor([1, 10, 100])", "torch.FloatTensor([111])")


EXERCISES = [
    mend(
        "11-1",
        program="""
            from torch.autograd import Variable
            X = Variable(torch.FloatTensor([[0, 0], [0, 1], [1, 0], [1, 1]]))
            t, losses = Variable(torch.FloatTensor([1, 3, 0, 2])), []
            w, b = (Variable(torch.zeros(n), requires_grad=True) for n in (2, 1))
            for step in range(40):
                loss = ((X @ w + b - t)**2).mean()
                losses.append(loss.data[0])
                loss.backward()
                for p in (w, b):
                    p.data -= 0.3 * p.grad.data
                    p.grad.data.zero_()
        """,
        repair=(*_NEW_TENSORS, *_MOVE, *_CLEAR),
        compares="type(losses[0]).__name__, losses[:2], losses[-1:]",
        others={"With 7 steps:": ("range(40)", "range(7)")},
        forbids={"Variable": _STILL_VARIABLE, "data": _STILL_DATA},
        praise="No Variable and no .data is left, and the program learns as it did in 2017.",
        hints=(
            "First make it run: take the one number out of loss, without an index. Run it. Then "
            "port one line after the other, and run it after each.",
            "A tensor asks for gradients itself: torch.zeros(n, requires_grad=True). With the last "
            "Variable its import goes, too.",
            "In place of .data: with torch.no_grad(): p -= 0.3 * p.grad, and then p.grad.zero_().",
        ),
        also_right=(
            (*_NEW_TENSORS, *_MOVE, "p.grad.data.zero_()", "p.grad = None"),
            (*_NEW_TENSORS, _OLD_MOVE, "p.detach().sub_(0.3 * p.grad)", *_CLEAR),
            (
                *_NO_IMPORT,
                "Variable(torch.FloatTensor([[0, 0], [0, 1], [1, 0], [1, 1]]))",
                "torch.FloatTensor([[0, 0], [0, 1], [1, 0], [1, 1]])",
                *_TARGETS,
                *_START,
                *_MOVE,
                *_CLEAR,
                "loss.data[0]",
                "float(loss)",
            ),
        ),
        mistakes={
            (): "A mean has the shape () today, so it has no element [0]. Take its one number out.",
            (
                "loss.data[0]",
                "loss",
            ): "losses holds tensors. In 2017 loss.data[0] was a plain number: take it with "
            ".item().",
            _NUMBER: _STILL_VARIABLE,
            _NEW_TENSORS: _STILL_DATA,
            (*_NEW_DATA[2:], *_MOVE, *_CLEAR): _STILL_VARIABLE,
            (
                *_NEW_TENSORS,
                _OLD_MOVE,
                "p -= 0.3 * p.grad",
                *_CLEAR,
            ): "w and b may only be moved where nothing is recorded: with torch.no_grad().",
            (
                *_NEW_TENSORS,
                _OLD_MOVE,
                "with torch.no_grad(): p = p - 0.3 * p.grad",
                *_CLEAR,
            ): "p = p - \u2026 makes a new tensor, and w and b stay. Use p -= \u2026, in place.",
            (
                *_NEW_TENSORS,
                _OLD_MOVE,
                "p = p - 0.3 * p.grad",
                "p.grad.data.zero_()",
                "p.grad = None",
            ): "p = p - \u2026 makes a new tensor, and w and b stay. Use p -= \u2026, under "
            "no_grad().",
            (
                *_NUMBER,
                _OLD_MOVE,
                "p = p - 0.3 * p.grad",
            ): "p = p - \u2026 makes a new tensor, and w and b stay. Use p -= \u2026, under "
            "no_grad().",
            (*_NEW_TENSORS[2:], *_MOVE, *_CLEAR): _STILL_VARIABLE,
            (
                *_NEW_TENSORS,
                _OLD_MOVE,
                "getattr(p, 'data').sub_(0.3 * p.grad)",
                *_CLEAR,
            ): _STILL_DATA,
            (
                *_NEW_TENSORS,
                *_MOVE,
                "        p.grad.data.zero_()",
                "",
            ): "Nothing is cleared any more: p.grad adds up, and the loss swings.",
            (
                *_NEW_DATA,
                _START[0],
                "torch.zeros(n)",
                *_MOVE,
                *_CLEAR,
            ): "w and b have to ask for gradients: requires_grad=True.",
            (
                *_NO_IMPORT,
                *_INT_INPUTS,
                *_TARGETS,
                *_NUMBER,
                *_START,
                *_MOVE,
                *_CLEAR,
            ): "torch.tensor([0, 1]) keeps whole numbers whole. Write 0. and 1., with points.",
        },
    ),
    mend(
        "11-2",
        program="""
            from torch.autograd import Variable
            a = Variable(torch.FloatTensor([[1, 2, 3], [4, 5, 6]]), requires_grad=True)
            (a * a).backward(torch.FloatTensor([1, 0, -1]))
            b = Variable(torch.FloatTensor([1, 2, 3]), requires_grad=True)
            (b * b).mean().backward(torch.FloatTensor([3]))
            c = Variable(torch.FloatTensor([2]), requires_grad=True)
            (c * c).backward(torch.FloatTensor([1, 10, 100]))
        """,
        repair=(*_ROWS, *_MEAN, *_ADDED),
        compares="a.grad, b.grad, c.grad",
        others={
            "With another a:": ("[[1, 2, 3], [4, 5, 6]]", "[[2, 1, 5], [3, 1, -2]]"),
            "With another b:": ("torch.FloatTensor([1, 2, 3])", "torch.FloatTensor([3, 0, 6])"),
            "With another c:": ("torch.FloatTensor([2])", "torch.FloatTensor([5])"),
        },
        praise="The old numbers are back, with weights that today's PyTorch takes.",
        hints=(
            "Take the three calls one by one: which shapes have the output and the argument?",
            "(a * a) has two rows, and [1, 0, -1] was used for each. A mean has shape (). (c * c) "
            "has one element, and the three weights were added.",
            "Write .expand(2, 3) after the first argument, torch.tensor(3.) for the second, and "
            "torch.FloatTensor([111]) for the third.",
        ),
        also_right=(
            (
                "torch.FloatTensor([1, 0, -1])",
                "torch.tensor([[1., 0., -1.], [1., 0., -1.]])",
                *_MEAN,
                "(c * c)",
                "(c * c).expand(3)",
            ),
            (*_ROWS, ".mean()", ".mean(dim=0, keepdim=True)", *_ADDED),
            (
                *_ROWS,
                ".mean().backward(torch.FloatTensor([3]))",
                ".sum().backward()",
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([1, 10, 100]).sum().reshape(1)",
            ),
        ),
        mistakes={
            (): "Three weights for six outputs: in 2017 each row used them. Write both rows.",
            _ROWS: "The first call is right. A mean has shape () today, and so must its weight.",
            (
                *_ROWS,
                *_MEAN,
            ): "Two calls are right. In the third, three weights were added up for one output.",
            (
                "torch.FloatTensor([1, 0, -1])",
                "torch.ones(2, 3)",
                *_MEAN,
                *_ADDED,
            ): "Ones give all six the same weight. The old weights were 1, 0 and -1, in each row.",
            (
                "torch.FloatTensor([1, 0, -1])",
                "torch.tensor([[1., 0., -1.], [0., 0., 0.]])",
                *_MEAN,
                *_ADDED,
            ): "The second row has zeros. In 2017 it got the weights 1, 0 and -1, too.",
            (
                *_ROWS,
                "backward(torch.FloatTensor([3]))",
                "backward()",
                *_ADDED,
            ): "backward() without an argument uses the weight 1. The old weight was 3.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.tensor(111.)",
            ): "111 is right, but c * c has shape (1,), and so must its weight: [111].",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([1])",
            ): "That keeps the first weight only. The old engine added all three.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([100])",
            ): "That keeps the last weight only. The old engine added all three.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([37])",
            ): "That is the mean of the three weights. The old engine added them.",
        },
    ),
    numbers(
        "11-3",
        answer="v",
        given="""
            x = torch.tensor([[1., 2.], [3., 4.], [5., 6.]], requires_grad=True)
            z = x * x
        """,
        then="z.backward(v)",
        shows="x.grad",
        solution="v = torch.tensor([[2., -0.5], [2., -0.5], [2., -0.5]])",
        praise="Each row has the same two weights. So the page's argument was [2, -0.5].",
        hints=(
            "x.grad is v times 2x, element by element. Two of the three are known.",
            "The first number: 4 = v times 2, so its weight is 2. The second: -2 = v times 4.",
            "Do the same in the other rows, and give v three rows of two numbers.",
        ),
        also_right=(
            "torch.tensor([2., -0.5]).expand_as(z)",
            "torch.tensor([[4., -2.], [12., -4.], [20., -6.]]) / (2 * x.detach())",
        ),
        mistakes={
            "torch.tensor([2., -0.5])": "The page could write two weights in 2017. Today v needs "
            "the shape of z.",
            "torch.ones(3, 2)": "Ones give 2x. By which weight was each number of 2x multiplied "
            "for the page?",
            "torch.tensor([[4., -2.], [12., -4.], [20., "
            "-6.]])": "Those are the printed numbers. Each weight is still multiplied by 2x.",
            "torch.tensor([[4., -1.], [4., -1.], [4., "
            "-1.]])": "You divided by x. The derivative of x\u00b2 is 2x.",
            "torch.tensor([[2., -0.5], [0., 0.], [0., "
            "0.]])": "Only the first row is right. The page's weights were used for each row.",
            "torch.tensor([[-0.5, 2.], [-0.5, 2.], [-0.5, 2.]])": "The two columns are exchanged.",
            "torch.tensor([[2., 2.], [-0.5, -0.5], [2., "
            "2.]])": "That changes from row to row. The weights change from column to column.",
            "torch.tensor([[2., 0.5], [2., 0.5], [2., "
            "0.5]])": "The signs of the second column are lost.",
        },
    ),
]
