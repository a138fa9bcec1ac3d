"""The exercises of lesson 11: programs of 2017 to 2019, and what they need today."""

from .cards import Card
from .exercises import numbers
from .mend import mend

CARDS: dict[str, Card] = {}  # a dictionary asks nothing

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
_STILL_DATA = (
    "The numbers are right. Now port the rest: no .data is needed, neither for p, which is changed "
    "under no_grad(), nor for p.grad."
)

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
        compares="type(losses[0]).__name__, len(losses), losses[:2], losses[20:21]",
        others={"With 7 steps:": ("40", "7")},
        forbids={
            "Variable": _STILL_VARIABLE,
            **dict.fromkeys((".data", "getattr", "attrgetter", "exec", "eval"), _STILL_DATA),
        },
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
        praise="The old numbers are back, with upstream gradients that today's PyTorch takes.",
        hints=(
            "Take the three calls one by one: which shapes have the output and the argument?",
            "(a * a) has two rows, and [1, 0, -1] was used for each. A mean has shape (). (c * c) "
            "has one element, and the three entries were added.",
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
            (): "Three entries for six outputs: in 2017 each row used them. Write both rows.",
            _ROWS: "The first call is right. A mean has shape () today, and so must v.",
            (
                *_ROWS,
                *_MEAN,
            ): "Two calls are right. In the third, three entries were added up for one output.",
            (
                "torch.FloatTensor([1, 0, -1])",
                "torch.ones(2, 3)",
                *_MEAN,
                *_ADDED,
            ): "Ones treat all six alike. The old entries were 1, 0 and -1, in each row.",
            (
                "torch.FloatTensor([1, 0, -1])",
                "torch.tensor([[1., 0., -1.], [0., 0., 0.]])",
                *_MEAN,
                *_ADDED,
            ): "The second row has zeros. In 2017 it got 1, 0 and -1, too.",
            (
                *_ROWS,
                "backward(torch.FloatTensor([3]))",
                "backward()",
                *_ADDED,
            ): "backward() without an argument uses 1. The old program gave it 3.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.tensor(111.)",
            ): "111 is right, but c * c has shape (1,), and so must v: [111].",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([1])",
            ): "That keeps the first entry only. In 2017 all three were added.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([100])",
            ): "That keeps the last entry only. In 2017 all three were added.",
            (
                *_ROWS,
                *_MEAN,
                "torch.FloatTensor([1, 10, 100])",
                "torch.FloatTensor([37])",
            ): "That is the mean of the three entries. In 2017 they were added.",
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
        praise="Each row has the same two entries. So the page's argument was [2, -0.5].",
        hints=(
            "x.grad is v times 2x, element by element. Two of the three are known.",
            "The first number: 4 = v times 2, so its entry of v is 2. The second: -2 = v times 4.",
            "Do the same in the other rows, and give v three rows of two numbers.",
        ),
        also_right=(
            "torch.tensor([2., -0.5]).expand_as(z)",
            "torch.tensor([[4., -2.], [12., -4.], [20., -6.]]) / (2 * x.detach())",
        ),
        mistakes={
            "torch.tensor([2., -0.5])": "The page could write two entries in 2017. Today v needs "
            "the shape of z.",
            "torch.ones(3, 2)": "Ones give 2x. By what did the page multiply each number of 2x?",
            "torch.tensor([[4., -2.], [12., -4.], [20., "
            "-6.]])": "Those are the printed numbers. Each entry of v is still multiplied by 2x.",
            "torch.tensor([[4., -1.], [4., -1.], [4., "
            "-1.]])": "You divided by x. The derivative of x\u00b2 is 2x.",
            "torch.tensor([[2., -0.5], [0., 0.], [0., "
            "0.]])": "Only the first row is right. The page's two entries were used for each row.",
            "torch.tensor([[-0.5, 2.], [-0.5, 2.], [-0.5, 2.]])": "The two columns are swapped.",
            "torch.tensor([[2., 2.], [-0.5, -0.5], [2., "
            "2.]])": "That changes from row to row. The entries change from column to column.",
            "torch.tensor([[2., 0.5], [2., 0.5], [2., "
            "0.5]])": "The signs of the second column are wrong.",
        },
    ),
]
