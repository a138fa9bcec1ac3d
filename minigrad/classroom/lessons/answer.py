"""The five cards of the answer, the page that says in ten minutes what goes inside `backward()`."""

from .cards import Card


def _two_outputs(torch, v):
    x = torch.tensor(3.0, requires_grad=True)
    torch.stack([x * x, 5 * x]).backward(torch.tensor(v))
    return x.grad


def _one_row(torch, v):
    x = torch.ones(2, requires_grad=True)
    J = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    (J @ x).backward(torch.tensor(v))
    return x.grad


def _at_the_cut(torch):
    h = torch.tensor([3.0, 6.0], requires_grad=True)
    (h[0] * h[1]).backward()
    return h.grad


def _through_the_cut(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    h = 3 * x
    (h[0] * h[1]).backward()
    return x.grad


def _twice(torch, *passes):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    for v in passes:
        y.backward(torch.tensor(v), retain_graph=True)
    return x.grad


CARDS = {
    "answer-v": Card(
        "x is 3, and y = [x\u00b2, 5x]. What is x.grad after y.backward(v) with v = [2, -1]?",
        answer=lambda torch: _two_outputs(torch, [2.0, -1.0]),
        why="The derivatives are 6 and 5, and 2\u00b76 \u2212 1\u00b75 = 7.",
        misconceptions={
            lambda torch: _two_outputs(torch, [1.0, 1.0]): "That is 6 + 5, which v = [1, 1] gives.",
            3: "That is L = 2\u00b79 \u2212 1\u00b715. x.grad is its derivative, not its value.",
            lambda torch: _two_outputs(torch, [2.0, 1.0]): "You added the second term. "
            "Its entry of v is -1, so it is subtracted.",
            12: "That is the first term, 2\u00b76. The second output counts, too: \u22121 times.",
        },
    ),
    "answer-shape": Card(
        "X has the shape (8, 3), W has the shape (3, 4), and out = X @ W. "
        "Which shape must v have in out.backward(v)?",
        answer="(8, 4)",
        choices=["(3, 4)", "(8, 4)", "(8,)", "(8, 3)"],
        why="v has one entry for each output, so it has out's shape, whatever is differentiated.",
        misconceptions={
            "(3, 4)": "That is W's shape, and so the shape of W.grad. v belongs to the outputs.",
            "(8,)": "One number per row would be too few: out has 8 times 4 outputs.",
            "(8, 3)": "That is X's shape. v belongs to the outputs.",
        },
    ),
    "answer-row": Card(
        "y has three entries and x has two. The Jacobian is J = [[1, 2], [3, 4], [5, 6]]. "
        "What is x.grad after y.backward(v) with v = [0, 1, 0]?",
        answer=lambda torch: _one_row(torch, [0.0, 1.0, 0.0]),
        why="A one-hot v picks one row of J: every derivative of that one output.",
        misconceptions={
            "[2, 4, 6]": "That is a column of J. Rows belong to outputs, and v picks among rows.",
            lambda torch: _one_row(torch, [1.0, 1.0, 1.0]): "That adds all three rows, "
            "which v = [1, 1, 1] would do.",
            "[0, 1, 0]": "That is v itself. It multiplies the rows of J, which are then added.",
            "[0, 4, 0]": "x.grad has x's shape, two numbers. They are the second row of J.",
        },
    ),
    "answer-cut": Card(
        "x = [1, 2], h = 3x = [3, 6], and loss = h\u2081\u00b7h\u2082. You cut the program at h. "
        "Which v must h.backward(v) get, so that x.grad is the same as without the cut?",
        answer=_at_the_cut,
        why="v is the derivative of the loss with respect to h: [h\u2082, h\u2081].",
        misconceptions={
            "[1, 1]": "Ones would give the gradient of h\u2081 + h\u2082, "
            "as if the loss were their sum.",
            "[3, 6]": "That is h itself. v is how much the loss changes with each entry of h.",
            _through_the_cut: "That is x.grad, one step further. "
            "v is what crosses the cut, before the left part multiplies it by 3.",
        },
    ),
    "answer-twice": Card(
        "x is 2 and y = x\u00b2. You call y.backward(retain_graph=True), and then "
        "y.backward(torch.tensor(10.)). What is x.grad?",
        answer=lambda torch: _twice(torch, 1.0, 10.0),
        why="The first call leaves 4, and the second adds 10\u00b74. "
        "Without retain_graph=True it would have been refused.",
        misconceptions={
            lambda torch: _twice(torch, 10.0): "That is the second call alone. "
            ".grad is added to, never replaced.",
            lambda torch: _twice(torch, 1.0, 1.0): "You counted each call as v = 1. "
            "The second one has v = 10.",
            4: "That is the first call alone. retain_graph=True lets the second one run, too.",
            14: "The 10 multiplies the derivative 4 before it is added.",
        },
    ),
}
EXERCISES: list = []
