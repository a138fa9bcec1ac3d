"""The cards and exercises of lesson 12: twelve broken programs, from the message to the cure.

Each case is a program to mend, of the price list or of the digit reader, and a card that asks for
the cause of its message.
"""

import textwrap

from .cards import Card
from .mend import mend

_SOLVES_NOTHING = "No message, and no gradient either: w.grad is still None."
_NO_WAY = "No message, and no gradient either: b.grad is None. Nothing leads from the loss to b."
_HALF = "b has its gradient, W has none: pixels @ W is still unrecorded, or detached."
_SUM = "That is the gradient of the sum, four times as large. The mean was asked for."
_RECEIPTS = """\
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([1., 3., 0., 2.])
w = torch.zeros(2, requires_grad=True)
"""
_DIGITS = """\
from minigrad.classroom.lessons.digits import digits
train, test = digits()
pixels, labels = torch.tensor(train.pixels[:256]), torch.tensor(train.names[:256])
W, b = torch.zeros(64, 10, requires_grad=True), torch.zeros(10, requires_grad=True)
"""
_OTHER_IMAGES = {
    "With other images:": (
        "torch.tensor(train.pixels[:256]), torch.tensor(train.names[:256])",
        "torch.tensor(train.pixels[700:956]), torch.tensor(train.names[700:956])",
    ),
}
_OTHER_TARGETS = {"With t = [2, 0, 1, -1]:": ("[1., 3., 0., 2.]", "[2., 0., 1., -1.]")}


def _program(lines, start="zeros(2"):
    """A price-list program, without b unless it is added. start: how w is made."""
    return _RECEIPTS.replace("zeros(2", start) + textwrap.dedent(lines).strip("\n")


def _reader(lines):
    """A program of the digit reader."""
    return _DIGITS + textwrap.dedent(lines).strip("\n")


def _silenced(line):
    """A change: the line fails silently."""
    return line, f"try: {line}\nexcept Exception: pass"


def _cause(question, causes, why):
    """A card: causes is {cause: sentence if it is wrong, None if it is the right one}."""
    [right] = [cause for cause, sentence in causes.items() if sentence is None]
    wrong = {cause: sentence for cause, sentence in causes.items() if sentence}
    return Card(question, right, wrong, why, list(causes))


CARDS = {
    "12-a": _cause(
        "Case 1. Why is loss.backward() refused?",
        {
            "loss holds four numbers, and nothing says how to combine them": None,
            "w starts at 0, so there is nothing to "
            "differentiate": "They are not 0 there: cured, w.grad is [-1, -2.5].",
            "loss does not lead back to "
            "w": "It does: X @ w is in it. Then the message would not speak of scalar outputs.",
        },
        why='With reduction="none" no mean is taken, so there are four losses. Scalar means one.',
    ),
    "12-b": _cause(
        "Case 2. What is wrong with the argument?",
        {
            "its numbers are floats, and PyTorch expects whole ones": "v may hold floats. The "
            "message names float, because it looked into the list.",
            "it has four numbers, but w has two": "v belongs to p, and p has four numbers, too.",
            "it is a list, but v must be a tensor": None,
        },
        why="backward reads a list as one gradient for each of several outputs. The first of them "
        "is 1.0: a float, not a tensor.",
    ),
    "12-c": _cause(
        "Case 3. What doesn't match?",
        {
            "the argument has one dimension, and this loss has none": None,
            "the argument has one entry, and four squared errors need "
            "four": "The mean has already reduced the four squared errors to one number.",
            "the argument follows w, so it needs two "
            "numbers": "It has the shape of the output, here the loss, and never that of w.",
        },
        why="[1] is a list of one number. [] is a single number without a dimension, as the mean "
        "of all numbers is.",
    ),
    "12-d": _cause(
        "Case 4. Which shape must grad_outputs have?",
        {
            "(2,), the shape of x": "That is the shape of g. v belongs to the outputs.",
            "(2, 2), the shape of y": None,
            "(), because only one number can be "
            "differentiated": "With an entry of v for each, four can be differentiated, too.",
        },
        why="grad_outputs is the argument of backward under another name: one entry for each "
        "output, in the output's shape.",
    ),
    "12-e": _cause(
        "Case 5. Why does the loss have no grad_fn?",
        {
            "W and b are 0, so the loss does not depend on "
            "them": "It depends on them at 0, too: nudge b, and the loss changes.",
            "the loss is a mean, and a mean keeps no "
            "grad_fn": "A mean is recorded as everything else is: MeanBackward0.",
            "it was computed where nothing is recorded": None,
        },
        why="Within no_grad numbers are computed, but no graph is recorded. Nothing leads back "
        "to W and b.",
    ),
    "12-f": _cause(
        "Case 6. No message at all. Why is w.grad None?",
        {
            "the gradient is 0, and 0 is shown as "
            "None": "A gradient of 0 is shown as 0. None says that nothing arrived.",
            "the losses became plain numbers on the way": None,
            "only one tensor of a program may have "
            "requires_grad=True": "Many may: W and b of the digit reader both have it.",
        },
        why="item() takes the number alone, without its graph. Nor can requires_grad=True "
        "bring it back: it makes a new leaf, and backward ends there.",
    ),
    "12-g": _cause(
        "Case 7. w.grad is there. Why is p.grad None?",
        {
            "backward never reached p": "It did: the path from the loss to w goes through p.",
            "p doesn't require grad": "It does, because w does: p.requires_grad is True.",
            "p is a non-leaf tensor, and only leaves keep their gradient": None,
        },
        why="p passes its gradient back to w. If it should keep a copy, say so before backward.",
    ),
    "12-h": _cause(
        "Case 8. What has to change, so that w becomes right?",
        {
            "backward(retain_graph=True) is needed": "That ends the message, but every step then "
            "uses the first loss. Try it, read w.",
            "each step needs a loss of its own": None,
            "w.grad must not be cleared": "Clearing is right: without it old gradients would add "
            "up. The graph is the point.",
        },
        why="The loss is computed once, at w = 0. After a step it is the loss of a w that is gone.",
    ),
    "12-i": _cause(
        "Case 9. Which \u201cinplace operation\u201d is meant, and what harm does it do?",
        {
            "/=: exp had saved this e, and it holds other numbers now": None,
            "/=: no tensor of a graph may ever be changed in "
            "place": "It may, unless an operation has saved it: (x * 2).add_(1) is harmless.",
            "exp: it writes its result into the scores": "It makes a new tensor. The scores are as "
            "they were.",
        },
        why="The derivative of exp is exp itself, so it saves its result e. Version 1, expected 0: "
        "e was changed once since.",
    ),
    "12-j": _cause(
        "Case 10. Which line changed a saved tensor?",
        {
            "loss.backward(): it frees the graph of "
            "penalty": "penalty has a graph of its own. A freed graph has case 8's message.",
            "optimizer.step(): it moves w in place": None,
            "penalty.backward(): it clears w.grad": "backward adds to w.grad, and clears nothing.",
        },
        why="w * w has saved w at version 0. The step changed it to version 1, before "
        "penalty.backward() could read it.",
    ),
    "12-k": _cause(
        "Case 11. Why may w not be changed by this line?",
        {
            "w.grad and w share their memory": "They are two tensors, with different numbers.",
            "w.grad has to be cleared "
            "first": "Clearing matters for the next backward, not for this line.",
            "w is a leaf, and this change would be recorded": None,
        },
        why="A recorded change would make w the result of an operation: a leaf no longer. "
        "A step is no part of the loss.",
    ),
    "12-l": _cause(
        "Case 12. The first step works. Why is W.grad None in the second?",
        {
            "after step 1 the name W means another tensor, which is not a leaf": None,
            "the last line clears W.grad too early": "It clears after the use, which is right. In "
            "step 2, backward comes first again.",
            "the loss does not depend on W any "
            "more": "It does: the gradient goes through this W, back to the first one.",
        },
        why="W - W.grad makes a new tensor. It has a grad_fn, so it is not a leaf, and keeps no "
        ".grad, as in case 7.",
    ),
}


# --- the cases -----------------------------------------------------------------------------------

_LOSS = "loss = ((X @ w - t)**2).mean()"
_CROSS = "loss = torch.nn.functional.cross_entropy(pixels @ W + b, labels)"
_STEPS = "    W = W - 1.0 * W.grad\n    b = b - 1.0 * b.grad"
_IN_PLACE = "    with torch.no_grad():\n        W -= 1.0 * W.grad\n        b -= 1.0 * b.grad"
_BY_OPTIMIZER = (
    "    optimizer = torch.optim.SGD([W, b], lr=1.0)\n    optimizer.step()\n"
    "    optimizer.zero_grad()"
)
_HANGS = (
    "The numbers are right, but W and b are no leaves: 20 steps hang on them, and every pass walks "
    "back through all of them."
)
_UNTOLD = (
    "p.grad is still None. The p from which the loss was computed has to be told before backward "
    "comes by."
)
_NO_GRAPH_NEXT = "w does not require grad any more: the next backward will find no graph."
_ASKS_NOT = "The new W and b do not require grad, so step 2 has the message of case 5."
_NO_STEP = "w is where it was: no step was taken, or no gradient was there when it came."
_STILL_CHANGED = "The e that exp saved is still changed in place."
_NOTHING_TO_USE = (
    "The step uses a .grad that is None: no backward has filled it for this tensor, or it was "
    "cleared before the step."
)
_NO_HISTORY = (
    "w.grad is still None: between w and the loss there is a plain number, a detached tensor or a "
    "new leaf, and none of them leads back to w."
)

EXERCISES = [
    mend(
        "12-1",
        program=_program("""
            loss = torch.nn.functional.mse_loss(X @ w, t, reduction="none")
            loss.backward()
        """),
        repair=(', reduction="none"', ""),
        compares="w.grad",
        others=_OTHER_TARGETS,
        praise="mse_loss takes the mean unless it is told not to.",
        hints=(
            "How many numbers does loss hold? Print loss.shape.",
            "Make one number of four, the mean: in the loss, or in the line with backward.",
            'Take reduction="none" away, or write loss.mean().backward().',
        ),
        also_right=(
            ("none", "mean"),
            ("loss.backward()", "loss.mean().backward()"),
            ("loss.backward()", "loss.backward(torch.ones(4) / 4)"),
        ),
        mistakes={
            (): "loss still has four numbers, and backward() gets no v.",
            ("none", "sum"): _SUM,
            ("loss.backward()", "loss.sum().backward()"): _SUM,
            ("loss.backward()", "loss.backward(torch.ones(4))"): _SUM,
            (
                "loss.backward()",
                "loss[1].backward()",
            ): "Now only the second receipt counts. All four are to count, a quarter each.",
            (
                "loss.backward()",
                "loss.backward(torch.tensor(1.))",
            ): "A single entry is not copied for four numbers.",
            _silenced("loss.backward()"): _SOLVES_NOTHING,
            ("loss.backward()", ""): _SOLVES_NOTHING,
        },
    ),
    mend(
        "12-2",
        program=_program("""
            p = X @ w
            p.backward([1., 2., 3., 4.])
        """),
        repair=("[1., 2., 3., 4.]", "torch.tensor([1., 2., 3., 4.])"),
        compares="w.grad",
        others={"With a last receipt [2, 3]:": ("[1., 1.]]", "[2., 3.]]")},
        praise="Each of the four predictions has its entry of v, and v is a tensor.",
        hints=(
            "Which kind of thing is the argument? Print type([1., 2.]).",
            "The four numbers are right. Turn them into a tensor.",
            "p.backward(torch.tensor([1., 2., 3., 4.])).",
        ),
        also_right=(
            ("[1., 2., 3., 4.]", "torch.tensor([1, 2, 3, 4])"),
            ("[1., 2., 3., 4.]", "[torch.tensor([1., 2., 3., 4.])]"),
            (
                "p.backward([1., 2., 3., 4.])",
                "(p * torch.tensor([1., 2., 3., 4.])).sum().backward()",
            ),
        ),
        mistakes={
            (): "The argument still holds plain floats. Turn them into one tensor.",
            (
                "[1., 2., 3., 4.]",
                "1.",
            ): "A plain number is not a tensor either, and p needs four entries.",
            (
                "p.backward([1., 2., 3., 4.])",
                "import numpy\np.backward(numpy.array([1., 2., 3., 4.]))",
            ): "A NumPy array is not a tensor. torch.tensor makes one.",
            ("[1., 2., 3., 4.]", ""): "Without v four numbers are refused: that is case 1.",
            (
                "[1., 2., 3., 4.]",
                "torch.ones(4)",
            ): "Those are four ones: the entries 2, 3 and 4 are lost.",
            (
                "p.backward([1., 2., 3., 4.])",
                "p.sum().backward()",
            ): "Those are four ones: the entries 2, 3 and 4 are lost.",
            (
                "[1., 2., 3., 4.]",
                "torch.tensor([[1., 2., 3., 4.]])",
            ): "One pair of square brackets too many: the shape is (1, 4), and p has (4,).",
            (
                "[1., 2., 3., 4.]",
                "torch.tensor([1., 2.])",
            ): "v has the shape of p, four numbers, and not that of w.",
            (
                "p.backward([1., 2., 3., 4.])",
                "p.mean().backward()",
            ): "A mean counts each prediction 1/4 times. They should count 1, 2, 3 and 4 times.",
            _silenced("p.backward([1., 2., 3., 4.])"): _SOLVES_NOTHING,
        },
    ),
    mend(
        "12-3",
        program=_program(f"""
            {_LOSS}
            loss.backward(torch.ones(1))
        """),
        repair=("torch.ones(1)", ""),
        compares="w.grad",
        others=_OTHER_TARGETS,
        praise="A loss that is one number needs no argument.",
        hints=(
            "Compare the two shapes in the message. Which one is the loss?",
            "Which argument has the shape ()? Or is none needed?",
            "Write loss.backward().",
        ),
        also_right=(
            ("torch.ones(1)", "torch.tensor(1.)"),
            ("torch.ones(1)", "torch.ones_like(loss)"),
            ("loss.backward", "loss.reshape(1).backward"),
        ),
        mistakes={
            (): "The argument still has shape (1,), and the loss has ().",
            ("torch.ones(1)", "torch.ones(2)"): "The argument follows the loss, and not w.",
            (
                "torch.ones(1)",
                "torch.ones(4)",
            ): "The mean has reduced the four to one number: one entry, of shape ().",
            ("torch.ones(1)", "torch.ones(1, 1)"): "That is one dimension more. The loss has none.",
            ("torch.ones(1)", "1."): "A plain number is refused: that is case 2.",
            (
                "torch.ones(1)",
                "torch.tensor(0.25)",
            ): "That is a quarter of the gradient. The loss itself counts once.",
            (".mean()", "", "torch.ones(1)", "torch.ones(4)"): _SUM,
            (".mean()", ".sum()", "torch.ones(1)", ""): _SUM,
            _silenced("loss.backward(torch.ones(1))"): _SOLVES_NOTHING,
        },
    ),
    mend(
        "12-4",
        program="""
            x = torch.tensor([1., 2.], requires_grad=True)
            z = torch.tensor([3., 4.])
            y = torch.outer(x, z)
            v = torch.tensor([1., 10., 0., 0.])
            g, = torch.autograd.grad(y, x, grad_outputs=v)
        """,
        repair=("[1., 10., 0., 0.]", "[[1., 10.], [0., 0.]]"),
        compares="g",
        gradients="g",
        others={"With z = [5, 7]:": ("[3., 4.]", "[5., 7.]")},
        praise="v has the shape of the outputs: x[0] gets 1\u00b73 + 10\u00b74 = 43.",
        hints=(
            "The four numbers are right, in their order. Which shape has y?",
            "y has two rows of two. Write the entries of the first row, then those of the second.",
            "v = torch.tensor([[1., 10.], [0., 0.]]).",
        ),
        also_right=(
            ("grad_outputs=v", "grad_outputs=v.reshape(2, 2)"),
            ("torch.outer(x, z)", "torch.outer(x, z).reshape(4)"),
            (
                "torch.autograd.grad(y, x, grad_outputs=v)",
                "torch.autograd.grad(y[0, 0] + 10 * y[0, 1], x)",
            ),
            (
                "g, = torch.autograd.grad(y, x, grad_outputs=v)",
                "y.backward(v.reshape(2, 2))\ng = x.grad",
            ),
        ),
        mistakes={
            (): "v still has one row of four entries, and y has two rows.",
            (
                "[1., 10., 0., 0.]",
                "[[1., 0.], [10., 0.]]",
            ): "Rows and columns are exchanged: y[0, 1] is in the first row.",
            (
                "grad_outputs=v",
                "grad_outputs=torch.ones(2)",
            ): "That is the shape of x. v belongs to y.",
            (
                "grad_outputs=v",
                "grad_outputs=torch.ones(2, 2)",
            ): "Ones count all four outputs once. Keep the entries 1, 10, 0 and 0.",
            (", grad_outputs=v", ""): "Without v four outputs are refused: that is case 1.",
            (
                "g, =",
                "g =",
                "[1., 10., 0., 0.]",
                "[[1., 10.], [0., 0.]]",
            ): "grad returns a tuple, one gradient for each input: the comma in g, = takes it out.",
            (
                "grad(y, x, grad_outputs=v)",
                "grad(y.sum(), x)",
            ): "Ones count all four outputs once. Keep the entries 1, 10, 0 and 0.",
            (
                "[1., 10., 0., 0.]",
                "[[1., 10., 0., 0.]]",
            ): "That is one row of four. y has two rows of two.",
            ("[1., 10., 0., 0.]", "[[1., 10.]]"): "The second row needs entries, too: two zeros.",
            ("torch.tensor([1., 10., 0., 0.])", "10."): "v is a tensor: that is case 2.",
            (
                "g, = torch.autograd.grad(y, x, grad_outputs=v)",
                "g = torch.stack([z[0] + 10 * z[1], 0 * z[0]])",
            ): "g is right, but a formula wrote it. Let a pass find it.",
        },
    ),
    mend(
        "12-5",
        program=_reader(f"""
            with torch.no_grad():
                {_CROSS}
            loss.backward()
        """),
        repair=(f"with torch.no_grad():\n    {_CROSS}", _CROSS),
        compares="loss, b.grad, W.grad",
        others=_OTHER_IMAGES,
        praise="The loss is recorded again, and leads back to W and b.",
        hints=(
            "Which line makes the loss, and what does the line above say about it?",
            "Under no_grad nothing is recorded. Compute the loss outside.",
            "Remove the line with no_grad, and begin loss = \u2026 at the left.",
        ),
        also_right=(
            ("torch.no_grad()", "torch.enable_grad()"),
            ("loss.backward()", f"{_CROSS}\nloss.backward()"),
            ("no_grad()", "set_grad_enabled(True)"),
        ),
        mistakes={
            (): "The loss still has no grad_fn: it is made where nothing is recorded.",
            ("loss.backward()", "loss.requires_grad_()\nloss.backward()"): _NO_WAY,
            ("loss.backward()", ""): _NO_WAY,
            _silenced("loss.backward()"): _NO_WAY,
            (
                "torch.no_grad()",
                "torch.enable_grad()",
                ", labels)",
                ', labels, reduction="sum")',
            ): "That is the loss of all images together, 256 times as large. Leave the mean.",
            (
                "torch.no_grad()",
                "torch.enable_grad()",
                ", labels)",
                ', labels, reduction="none")',
            ): "Now the loss is recorded, but it has 256 numbers: that is case 1.",
            (
                f"with torch.no_grad():\n    {_CROSS}",
                "with torch.no_grad():\n    scores = pixels @ W\n"
                "loss = torch.nn.functional.cross_entropy(scores + b, labels)",
            ): _HALF,
            (
                "torch.no_grad()",
                "torch.enable_grad()",
                "loss.backward()",
                "loss.backward(inputs=[W])\n"
                "b.grad = 0.1 - torch.stack([(labels == k).sum() for k in range(10)]) / 256",
            ): "b.grad is right, but a formula wrote it. Let backward find it.",
        },
    ),
    mend(
        "12-6",
        program=_program("""
            losses = [((row @ w - goal)**2).item() for row, goal in zip(X, t)]
            loss = torch.tensor(losses, requires_grad=True).mean()
            loss.backward()
        """),
        repair=(".item()", "", "torch.tensor(losses, requires_grad=True)", "torch.stack(losses)"),
        compares="w.grad",
        others=_OTHER_TARGETS,
        praise="The losses stayed tensors, and their graph leads back to w.",
        hints=(
            "What does item() give: a tensor with a grad_fn, or a number?",
            "Keep tensors in the list. What joins a list of tensors into one, as in lesson 03?",
            "Leave .item() out, and write loss = torch.stack(losses).mean().",
        ),
        also_right=(
            (".item()", "", "torch.tensor(losses, requires_grad=True).mean()", "sum(losses) / 4"),
            (
                ".item()",
                ".reshape(1)",
                "torch.tensor(losses, requires_grad=True)",
                "torch.cat(losses)",
            ),
            ("torch.tensor(losses, requires_grad=True)", "((X @ w - t)**2)"),
        ),
        mistakes={
            (): _NO_HISTORY,
            (".item()", ""): _NO_HISTORY,
            (
                ".item()",
                ".detach()",
                "torch.tensor(losses, requires_grad=True)",
                "torch.stack(losses).requires_grad_()",
            ): _NO_HISTORY,
            (
                "zeros(2, requires_grad=True)",
                "zeros(2)",
                "losses, requires_grad=True",
                "losses",
            ): "Now there is a message at least, that of case 5. item(), detach() and new "
            "tensors of old numbers all cut w off.",
            (
                ".item()",
                "",
                "torch.tensor(losses, requires_grad=True).mean()",
                "torch.stack(losses)",
            ): "Joined, they are still four numbers: take their mean, or it is case 1.",
            (
                "torch.tensor(losses, requires_grad=True)",
                "torch.stack(losses)",
            ): "stack joins tensors, and item() has turned them into plain numbers.",
            (".item()", "", "torch.tensor(losses, requires_grad=True).mean()", "sum(losses)"): _SUM,
            (
                ".item()",
                "",
                "torch.tensor(losses, requires_grad=True).mean()",
                "losses[1]",
            ): "Now only the second receipt counts. All four are to count, a quarter each.",
            (
                ".item()",
                "",
                "torch.tensor(losses, requires_grad=True).mean()",
                "losses",
            ): "A list has no backward. Join its tensors first.",
        },
    ),
    mend(
        "12-7",
        program=_program("""
            p = X @ w
            loss = ((p - t)**2).mean()
            loss.backward()
        """),
        repair=("p = X @ w", "p = X @ w\np.retain_grad()"),
        compares="p.grad, w.grad",
        others=_OTHER_TARGETS,
        praise="p.grad is there now, 2(p - t)/4, and w.grad is as before.",
        hints=(
            "w.grad is right already. p must be told to keep what passes through it.",
            "A tensor has a method for that. Its name begins with retain_.",
            "Write p.retain_grad() after p = X @ w.",
        ),
        also_right=(
            ("loss.backward()", "p.retain_grad()\nloss.backward()"),
            (
                "loss.backward()",
                "p.grad, = torch.autograd.grad(loss, p, retain_graph=True)\nloss.backward()",
            ),
            (
                "loss.backward()",
                "def keep(g):\n    p.grad = g\np.register_hook(keep)\nloss.backward()",
            ),
            (
                "loss.backward()",
                "seen = []\np.register_hook(lambda g: seen.append(g.clone()))\nloss.backward()\n"
                "p.grad = seen[0]",
            ),
        ),
        mistakes={
            (): _UNTOLD,
            (
                "loss.backward()",
                "loss.backward()\np.retain_grad()",
            ): _UNTOLD,
            (
                "backward()",
                "backward(retain_graph=True)",
            ): _UNTOLD,
            (
                "p = X @ w",
                "p = (X @ w).requires_grad_()",
            ): _UNTOLD,
            (
                "p = X @ w",
                "p = (X @ w).detach().requires_grad_()",
            ): "p.grad is there, but w got nothing: w.grad should stay as it was.",
            (
                "loss.backward()",
                "p.grad, = torch.autograd.grad(loss, p)",
            ): "p.grad is there, but w got nothing: w.grad should stay as it was.",
            (
                "p = X @ w",
                "p = X @ w\np.retain_grad()",
                "mean",
                "sum",
            ): "That is the sum's p.grad, four times as large. Leave the mean.",
            (
                "loss.backward()",
                "loss.backward()\np.grad = p - t",
            ): "Those are the errors. The slope of their mean square is 2(p - t)/4.",
            (
                "loss.backward()",
                "loss.backward()\np.grad = ((p - t) / 2).detach().clone()",
            ): "p.grad is right, but a formula wrote it. Let backward find it.",
        },
    ),
    mend(
        "12-8",
        program=_program("""
            b = torch.zeros((), requires_grad=True)
            loss = ((X @ w + b - t)**2).mean()
            for step in range(40):
                loss.backward()
                with torch.no_grad():
                    w -= 0.3 * w.grad
                    b -= 0.3 * b.grad
                w.grad = b.grad = None
        """),
        repair=(
            "loss = ((X @ w + b - t)**2).mean()\nfor step in range(40):",
            "for step in range(40):\n    loss = ((X @ w + b - t)**2).mean()",
        ),
        compares="w, b",
        tolerance=(0.0, 0.03),  # another rate may come nearer
        others=_OTHER_TARGETS,
        praise="Every step has its own loss, its own graph and its own gradient.",
        hints=(
            "Of which w is this the loss, in step 2?",
            "Each step needs the loss at the w and b of this step. Where must its line stand?",
            "Move the line loss = \u2026 into the loop, before loss.backward().",
        ),
        also_right=(
            (
                "    w.grad = b.grad = None",
                "    w.grad = b.grad = None\n    loss = ((X @ w + b - t)**2).mean()",
            ),
            (
                "    loss.backward()",
                "    w.grad, b.grad = torch.autograd.grad(((X @ w + b - t)**2).mean(), [w, b])",
            ),
        ),
        mistakes={
            (): "Step 2 still uses the graph that step 1 has freed.",
            (
                "backward()",
                "backward(retain_graph=True)",
            ): "No message, but all 40 steps use the gradient of the first loss, at w = 0: w runs "
            "far past [-1, 2].",
            ("range(40)", "range(1)"): "One step works, but 40 are asked for.",
            (
                "    loss.backward()",
                "    try: loss.backward()\n    except RuntimeError: pass",
            ): _NOTHING_TO_USE,
            ("    loss.backward()\n", ""): _NOTHING_TO_USE,
            (
                "    loss.backward()",
                "    loss = ((X @ w + b - t)**2).mean()\n    loss.backward()\n"
                "    w.grad = b.grad = None",
            ): _NOTHING_TO_USE,
            (
                "    loss.backward()",
                "    loss = ((X @ w + b - t)**2).mean()\n    loss.backward()",
                "    w.grad = b.grad = None",
                "",
            ): "The loss is fresh now, but old gradients add up: leave the last line.",
            (
                "loss = ((X @ w + b - t)**2).mean()\nfor step in range(40):",
                "for step in range(40):\n    loss = ((X @ w + b - t)**2).sum()",
            ): "That is the sum: its steps are four times as long, and the numbers explode.",
        },
    ),
    mend(
        "12-9",
        program=_reader("""
            e = (pixels @ W + b).exp()
            e /= e.sum(dim=1, keepdim=True)
            loss = -e[torch.arange(256), labels].log().mean()
            loss.backward()
        """),
        repair=("e /= e.sum(", "e = e / e.sum("),
        compares="loss, b.grad, W.grad",
        others=_OTHER_IMAGES,
        praise="Nothing that was saved for backward is changed any more.",
        hints=(
            "exp needs its result again on the way back. What must not happen to it?",
            "The probabilities may be a new tensor: e / \u2026 makes one, e /= \u2026 changes e.",
            "Write e = e / e.sum(dim=1, keepdim=True).",
        ),
        also_right=(
            ("e /= e.sum(", "e = e.div(e.sum(", "keepdim=True)", "keepdim=True))"),
            ("(pixels @ W + b).exp()", "(pixels @ W + b).exp().clone()"),
            (
                "e = (pixels @ W + b).exp()\ne /= e.sum(dim=1, keepdim=True)",
                "e = torch.softmax(pixels @ W + b, dim=1)",
            ),
        ),
        mistakes={
            (): _STILL_CHANGED,
            ("e /=", "with torch.no_grad(): e /="): _STILL_CHANGED,
            ("backward()", "backward(retain_graph=True)"): _STILL_CHANGED,
            (
                "e /= e",
                "e.data /= e.data",
            ): "No message, but wrong slopes: nothing comes back through the sums.",
            (
                "e /= e.sum(dim=1, keepdim=True)",
                "e = e / e.sum(dim=1, keepdim=True).detach()",
            ): "No message, but wrong slopes: nothing comes back through the sums.",
            (
                "e /= e.sum(dim=1, keepdim=True)",
                "e = e.detach() / e.sum(dim=1, keepdim=True)",
            ): "No message, but wrong slopes: only the sums are differentiated, because e above "
            "them is detached.",
            (
                "e /= e.sum(dim=1, keepdim=True)\n",
                "",
            ): "These are no probabilities: the ten numbers of an image should add up to 1.",
            (
                "e /= e.sum(dim=1, keepdim=True)",
                "e = e / e.sum(dim=1)",
            ): "Without keepdim=True the 256 sums are one row, and meet ten columns: lesson 06.",
            ("e /= e.sum(dim=1", "e = e / e.sum(dim=0"): "The sums run over images: use dim=1.",
            (
                "e /= e",
                "e = e.detach() / e.detach()",
            ): "Now the loss is cut off from W and b: the message of case 5.",
            (
                "(pixels @ W + b)",
                "((pixels @ W).detach() + b)",
                "e /= e.sum(",
                "e = e / e.sum(",
            ): _HALF,
            _silenced("loss.backward()"): "No message, and no gradient: b.grad is still None.",
        },
    ),
    mend(
        "12-10",
        program=_program(
            """
            optimizer = torch.optim.SGD([w], lr=0.5)
            loss, penalty = ((X @ w - t)**2).mean(), 0.1 * (w * w).sum()
            loss.backward()
            optimizer.step()
            penalty.backward()
        """,
            start="tensor([1., 2.]",
        ),
        repair=("optimizer.step()\npenalty.backward()", "penalty.backward()\noptimizer.step()"),
        compares="w",
        others=_OTHER_TARGETS | {"With w * w * w in the penalty:": ("(w * w)", "(w * w * w)")},
        praise="First both gradients, then one step with their sum.",
        hints=(
            "Both gradients belong to the w before the step. In which order do the lines stand?",
            "First all backward passes, then the step.",
            "Exchange the last two lines.",
        ),
        also_right=(
            (
                "loss.backward()\noptimizer.step()\npenalty.backward()",
                "(loss + penalty).backward()\noptimizer.step()",
            ),
            (
                "loss.backward()\noptimizer.step()\npenalty.backward()",
                "penalty.backward()\nloss.backward()\noptimizer.step()",
            ),
        ),
        mistakes={
            (): "The step still comes between penalty and its backward.",
            (
                "loss.backward()",
                "loss.backward(retain_graph=True)",
            ): "The step still comes between penalty and its backward.",
            (
                "penalty.backward()",
                "",
            ): "w has taken its step without penalty. Its gradient must be there before the step.",
            (
                "penalty.backward()",
                "penalty = 0.1 * (w * w).sum()\npenalty.backward()",
            ): "w has taken its step without penalty. Its gradient must be there before the step.",
            _silenced(
                "penalty.backward()"
            ): "w has taken its step without penalty. Its gradient must be there before the step.",
            ("loss.backward()\n", ""): _NO_STEP,
            ("optimizer.step()\n", ""): _NO_STEP,
            (
                "optimizer.step()\npenalty.backward()",
                "penalty.backward()\nwith torch.no_grad(): w -= 0.5 * (w.grad + 0.2 * w)\n"
                "w.grad = None",
            ): "The penalty counts twice: its gradient is in w.grad already.",
            (
                "loss.backward()\noptimizer.step()\npenalty.backward()",
                "penalty.backward()\noptimizer.step()",
            ): "Now loss does not count in the step. Both gradients have to be there before it.",
            (
                "penalty.backward()",
                "with torch.no_grad(): w -= 0.5 * 0.2 * torch.tensor([1., 2.])",
            ): "For this penalty the numbers are right, but a formula stands in place of its "
            "backward.",
            (
                "penalty.backward()",
                "optimizer.zero_grad()\n(0.1 * (w * w).sum()).backward()\noptimizer.step()",
            ): "Two steps in place of one: penalty is measured where the first one ended.",
            (
                "penalty.backward()",
                "(0.1 * (w * w).sum()).backward()\noptimizer.step()",
            ): "Two steps, and the second uses the gradient of loss once more.",
        },
    ),
    mend(
        "12-11",
        program=_program(f"""
            {_LOSS}
            loss.backward()
            w -= 0.3 * w.grad
        """),
        repair=("w -= 0.3", "with torch.no_grad(): w -= 0.3"),
        compares="w, w.is_leaf, w.requires_grad",
        keeps="w",
        others=_OTHER_TARGETS,
        praise="w has moved in place, unrecorded, and is the same leaf as before.",
        hints=(
            "The step is no part of the loss. Must it be recorded?",
            "Where is nothing recorded? Case 5 had such a block, in the wrong place.",
            "Put with torch.no_grad(): before the last line.",
        ),
        also_right=(
            ("w -= 0.3", "w.data -= 0.3"),
            ("w -= 0.3 * w.grad", "torch.optim.SGD([w], lr=0.3).step()"),
            ("w -= 0.3 * w.grad", "w.detach().sub_(0.3 * w.grad)"),
        ),
        mistakes={
            (): "The change in place is still recorded.",
            (
                "w -= 0.3 * w.grad",
                "w = w - 0.3 * w.grad",
            ): "The numbers are right, but this w is a new tensor and not a leaf: its .grad "
            "will stay None, as in case 7.",
            (
                "w -= 0.3 * w.grad",
                "w = w.detach() - 0.3 * w.grad",
            ): _NO_GRAPH_NEXT,
            (
                "w -= 0.3 * w.grad",
                "with torch.no_grad(): w = w - 0.3 * w.grad",
            ): _NO_GRAPH_NEXT,
            (
                "w -= 0.3 * w.grad",
                "w.requires_grad_(False)\nw -= 0.3 * w.grad",
            ): _NO_GRAPH_NEXT,
            (
                "w -= 0.3 * w.grad",
                "w = (w - 0.3 * w.grad).detach().requires_grad_()",
            ): "The numbers are right, but w should stay the leaf that it was, and this is a new "
            "one. An optimizer that was given the first w would not see it: change w in place.",
            (
                "w -= 0.3 * w.grad",
                "with torch.no_grad(): w += 0.3 * w.grad",
            ): "That step goes up: the loss grows. Subtract the gradient.",
            _silenced("w -= 0.3 * w.grad"): "No message, and no step: w is still [0, 0].",
            ("w -= 0.3 * w.grad", ""): "No message, and no step: w is still [0, 0].",
            (
                "w -= 0.3 * w.grad",
                "with torch.no_grad(): w -= w.grad",
            ): "The step is too long: the factor 0.3 is lost.",
        },
    ),
    mend(
        "12-12",
        program=_reader(f"""
            for step in range(20):
                {_CROSS}
                loss.backward()
                W = W - 1.0 * W.grad
                b = b - 1.0 * b.grad
                W.grad = b.grad = None
        """),
        repair=(_STEPS, _IN_PLACE),
        compares="loss, b, W.is_leaf, b.is_leaf, W.requires_grad, b.requires_grad",
        others=_OTHER_IMAGES,
        forbids={"retain_grad": _HANGS},
        praise="W and b are leaves in each of the 20 steps, so each backward fills their .grad.",
        hints=(
            "Which W keeps a .grad: one that was made by you, or one that was computed?",
            "Change the old W and b in place, as in case 11, so that they stay the leaves.",
            "Write with torch.no_grad(): above the two steps, and -= in them.",
        ),
        also_right=(
            (
                _STEPS,
                _STEPS.replace("W = W", "W.data = W.data").replace("b = b", "b.data = b.data"),
            ),
            (_STEPS, _STEPS.replace("W = W -", "W.data -=").replace("b = b -", "b.data -=")),
            (
                _STEPS,
                "    W = (W - W.grad).detach().requires_grad_()\n"
                "    b = (b - b.grad).detach().requires_grad_()",
            ),
            (f"{_STEPS}\n    W.grad = b.grad = None", _BY_OPTIMIZER),
        ),
        mistakes={
            (): _NOTHING_TO_USE,
            ("    W.grad = b.grad = None", "    W.grad = None; b.grad = None"): _NOTHING_TO_USE,
            (
                _STEPS,
                f"    W.grad = b.grad = None\n{_IN_PLACE}",
            ): _NOTHING_TO_USE,
            (
                _STEPS,
                "    if W.grad is not None:\n        W = W - W.grad\n        b = b - b.grad",
            ): "No message, but only one step is taken. The others find .grad = None.",
            ("range(20)", "range(1)"): "One step works, but 20 are asked for.",
            (
                "W.grad = b.grad = None",
                "W.retain_grad(); b.retain_grad()",
            ): _HANGS,
            (
                _STEPS,
                "    with torch.no_grad():\n        W = W - W.grad\n        b = b - b.grad",
            ): _ASKS_NOT,
            (
                _STEPS,
                "    W = W.detach() - W.grad\n    b = b.detach() - b.grad",
            ): _ASKS_NOT,
            (
                _STEPS,
                "    W -= W.grad\n    b -= b.grad",
            ): "In place is right, but this change is recorded: that is case 11.",
            (
                f"{_STEPS}\n    W.grad = b.grad = None",
                _IN_PLACE,
            ): "W and b stay leaves now, but old gradients add up: leave the last line.",
        },
    ),
]
