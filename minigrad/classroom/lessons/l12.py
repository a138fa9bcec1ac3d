"""The cards and exercises of lesson 12: twelve broken programs, from the message to the cure.

Each case is a program to mend and a card that asks for the cause of its message.
"""

import textwrap

import minigrad

from .cards import Card
from .exercises import changed, mend

_SOLVES_NOTHING = "No message, and no gradient either: w.grad is still None."
_NO_WAY = f"{_SOLVES_NOTHING} Nothing leads from the loss back to w."
_SUM = "That is the gradient of the sum, four times as large. The mean was asked for."
_RECEIPTS = """\
X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
t = torch.tensor([1., 3., 0., 2.])
w = torch.zeros(2, requires_grad=True)
"""
_OTHER_TARGETS = {"With t = [2, 0, 1, -1]:": ("[1., 3., 0., 2.]", "[2., 0., 1., -1.]")}


def _program(lines, start="zeros(2"):
    """A price-list program, without b unless it is added. start: how w is made."""
    return _RECEIPTS.replace("zeros(2", start) + textwrap.dedent(lines).strip("\n")


def _silenced(line):
    """A change: the line fails without a word."""
    return line, f"try: {line}\nexcept Exception: pass"


def _cause(question, causes, why):
    """A card: causes is {cause: sentence if it is wrong, None if it is the right one}."""
    [right] = [cause for cause, sentence in causes.items() if sentence is None]
    wrong = {cause: sentence for cause, sentence in causes.items() if sentence}
    return Card(question, right, wrong, why, list(causes))


def _until_refused(torch):
    """x.grad where two sums are passed twice, and the second pass through x * x is refused."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y, z, v = x + x, x * x, torch.ones(2)
    try:
        for out in (y, y, z, z):
            out.backward(v)
    except RuntimeError:
        pass
    return x.grad


CARDS = {
    "12-a": _cause(
        "Case 1. Why is loss.backward() refused?",
        {
            "loss holds four numbers, and nobody said how to combine them": None,
            "w starts at 0, so there is nothing to "
            "differentiate": "The slopes at w = 0 are not 0: healthy, w.grad is [-1, -2.5] there.",
            "loss does not lead back to "
            "w": "It does: X @ w is in it. Then the message would not speak of scalar outputs.",
        },
        why='With reduction="none" no mean is taken, so there are four losses. Scalar means one.',
    ),
    "12-b": _cause(
        "Case 2. What is wrong with the argument?",
        {
            "its numbers are floats, and PyTorch wants whole ones": "Weights may be floats. The "
            "message names float, because it looked into the list.",
            "it has four numbers, and w has "
            "two": "The weights belong to p, and p has four numbers, too.",
            "it is a list, and weights are a tensor": None,
        },
        why="backward reads a list as one gradient for each of several outputs. The first of them "
        "is 1.0, a float and no tensor.",
    ),
    "12-c": _cause(
        "Case 3. What does not fit?",
        {
            "the argument has one dimension, and this loss has none": None,
            "the argument is one weight, and four squared errors need "
            "four": "The mean has already made one number of the four squared errors.",
            "the argument follows w, so it needs two "
            "numbers": "It has the shape of the output, here the loss, and never that of w.",
        },
        why="[1] is a row of one number. [] is a number that stands alone, as the mean of all "
        "numbers is.",
    ),
    "12-d": _cause(
        "Case 4. Which shape must grad_outputs have?",
        {
            "(2,), the shape of x": "So has the result g. The weights belong to the outputs.",
            "(2, 2), the shape of y": None,
            "(), because only one number can be "
            "differentiated": "With one weight for each output, four can be differentiated, too.",
        },
        why="grad_outputs is the argument of backward under another name: one weight for each "
        "output, in the output's shape.",
    ),
    "12-e": _cause(
        "Case 5. Why does the loss have no grad_fn?",
        {
            "w is 0, so the loss does not depend on "
            "w": "It depends on w at 0, too: healthy, w.grad is [-1, -2.5] there.",
            "the loss is a mean, and a mean keeps no "
            "grad_fn": "A mean is recorded as everything else is: MeanBackward0.",
            "it was computed where nothing is recorded": None,
        },
        why="Within no_grad numbers are computed, but no graph is recorded. Nothing leads back "
        "to w.",
    ),
    "12-f": _cause(
        "Case 6. No message at all. Why is w.grad None?",
        {
            "the gradient is 0, and 0 is shown as "
            "None": "A gradient of 0 is shown as 0. None says that nothing arrived.",
            "the losses became plain numbers on the way": None,
            "only one tensor of a program may have "
            "requires_grad=True": "Many may: w and b of the price-list program both have it.",
        },
        why="item() takes the number and leaves its history behind. Nor can requires_grad=True "
        "bring it back: it makes a new leaf, and backward ends there.",
    ),
    "12-g": _cause(
        "Case 7. w.grad is there. Why is p.grad None?",
        {
            "backward never came to p": "It did: the way from the loss to w goes through p.",
            "p asks for no gradient": "It does, because w does: p.requires_grad is True.",
            "p is a branch, and only leaves keep their gradient": None,
        },
        why="p hands its gradient on to w. If it is to keep a copy, tell it so before backward.",
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
        "Case 9. Which \u201cinplace operation\u201d is meant, and why does it harm?",
        {
            "add_: sqrt had saved this y, and y is another now": None,
            "add_: no tensor of a graph may ever be changed in "
            "place": "It may, where nobody has saved it: (x * 2).add_(1) is harmless.",
            "sqrt: it writes its result into x": "It makes a new tensor. x is as it was.",
        },
        why="The slope of \u221ax is 1/(2\u221ax), so sqrt saves its result y. Version 1, expected "
        "0: y was changed once since.",
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
            "before": "Clearing matters for the next backward, not for this line.",
            "w is a leaf, and this change would be recorded": None,
        },
        why="A recorded change would make w the result of an operation: a leaf no longer. "
        "A step is no part of the loss.",
    ),
    "12-l": _cause(
        "Case 12. Step 1 works. Why is w.grad None in step 2?",
        {
            "after step 1 the name w means another tensor, a branch": None,
            "the last line clears w.grad too early": "It clears after the use, which is right. In "
            "step 2, backward comes first again.",
            "the loss does not depend on w any "
            "more": "It does: the gradient goes through this w, back to the first one.",
        },
        why="w - 0.3 * w.grad makes a new tensor. It has a grad_fn, so it is a branch and "
        "keeps no .grad, as in case 7.",
    ),
    "12-m": _cause(
        "Which of these uncommon needs does one call of backward meet?",
        {
            "all slopes of several outputs, as a "
            "table": "One call gives v\u00b7J, one number for each input, and no table.",
            "each output counts by a factor of its own": None,
            "the gradient as a new tensor, with .grad untouched": "backward adds to .grad. "
            "autograd.grad returns a new tensor, as in case 4.",
        },
        why="The argument holds a factor for each output, as in case 2.",
    ),
    "12-n": _cause(
        "y has two elements, and each is to count once. Which line works today?",
        {
            "y.backward(grad_variables=torch.ones(2))": "That was its name in 2017. "
            "Tensor.backward refuses it now.",
            "y.backward()": "Two elements still need weights: that is case 1.",
            "y.backward(gradient=torch.ones(2))": None,
        },
        why="Weights are still needed. Only their name is new: gradient in Tensor.backward, and "
        "grad_tensors in torch.autograd.backward.",
    ),
    "12-o": Card(
        "x = [1, 2], y = x + x, z = x * x and v = [1, 1]. y.backward(v), y.backward(v), "
        "z.backward(v) and z.backward(v) follow, without retain_graph. An error ends the program "
        "where it comes. What is in x.grad then?",
        answer=_until_refused,
        misconceptions={
            "[2, 2]": "That is one pass through x + x. It saved nothing, so a second one is "
            "possible.",
            "[4, 4]": "Those are the two passes through x + x. The first one through x * x is "
            "possible, too.",
            "[4, 6]": "That is one pass each. But x + x saved nothing: it can be passed twice.",
            "[8, 12]": "That is two passes each. x * x saved x, and the first pass freed it.",
        },
        why="x + x has saved nothing and may be passed twice: [2, 2] and [2, 2]. x * x gives "
        "[2, 4], and refuses its second pass.",
    ),
}


# --- the cases -----------------------------------------------------------------------------------

_LOSS = "loss = ((X @ w - t)**2).mean()"

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
            (): "loss still has four numbers, and backward() gets no weights.",
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
            ): "One weight is not stretched over four numbers.",
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
        praise="Each of the four predictions has its weight, and the weights are a tensor.",
        hints=(
            "Which kind of thing is the argument? Print type([1., 2.]).",
            "The four numbers are right. Make a tensor of them.",
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
            (): "The argument still holds plain floats. Make one tensor of them.",
            (
                "[1., 2., 3., 4.]",
                "1.",
            ): "A plain number is no tensor either, and p needs four weights.",
            (
                "p.backward([1., 2., 3., 4.])",
                "import numpy\np.backward(numpy.array([1., 2., 3., 4.]))",
            ): "A NumPy array is no tensor. torch.tensor makes one.",
            ("[1., 2., 3., 4.]", ""): "Without weights four numbers are refused: that is case 1.",
            (
                "[1., 2., 3., 4.]",
                "torch.ones(4)",
            ): "Those are four ones: the weights 2, 3 and 4 are lost.",
            (
                "p.backward([1., 2., 3., 4.])",
                "p.sum().backward()",
            ): "Those are four ones: the weights 2, 3 and 4 are lost.",
            (
                "[1., 2., 3., 4.]",
                "torch.tensor([[1., 2., 3., 4.]])",
            ): "One pair of brackets too many: the shape is (1, 4), and p has (4,).",
            (
                "[1., 2., 3., 4.]",
                "torch.tensor([1., 2.])",
            ): "The weights follow p, four numbers, and not w.",
            (
                "p.backward([1., 2., 3., 4.])",
                "p.mean().backward()",
            ): "A mean weighs each prediction with 1/4. Weigh them with 1, 2, 3 and 4.",
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
            "What may the argument be, so that its shape is ()? Or is none needed?",
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
            ): "The mean has made one number of the four: one weight, of shape ().",
            ("torch.ones(1)", "torch.ones(1, 1)"): "That is one dimension more. The loss has none.",
            ("torch.ones(1)", "1."): "A plain number is refused: that is case 2.",
            (
                "torch.ones(1)",
                "torch.tensor(0.25)",
            ): "That is a quarter of the gradient. The loss itself has the weight 1.",
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
        others={"With z = [5, 7]:": ("[3., 4.]", "[5., 7.]")},
        praise="Weights in the shape of the outputs: x[0] gets 1\u00b73 + 10\u00b74 = 43.",
        hints=(
            "The four numbers are right, in their order. Which shape has y?",
            "y has two rows of two. Write the weights of the first row, then those of the second.",
            "v = torch.tensor([[1., 10.], [0., 0.]]).",
        ),
        also_right=(
            ("grad_outputs=v", "grad_outputs=v.reshape(2, 2)"),
            ("torch.outer(x, z)", "torch.outer(x, z).reshape(4)"),
            (
                "torch.autograd.grad(y, x, grad_outputs=v)",
                "torch.autograd.grad(y[0, 0] + 10 * y[0, 1], x)",
            ),
        ),
        mistakes={
            (): "Four weights still stand in one row, and y has two rows.",
            (
                "[1., 10., 0., 0.]",
                "[[1., 0.], [10., 0.]]",
            ): "Rows and columns are exchanged: y[0, 1] is in the first row.",
            (
                "grad_outputs=v",
                "grad_outputs=torch.ones(2)",
            ): "That is the shape of x. The weights belong to y.",
            (
                "grad_outputs=v",
                "grad_outputs=torch.ones(2, 2)",
            ): "Ones count all four outputs once. Keep the weights 1, 10, 0 and 0.",
            (", grad_outputs=v", ""): "Without weights four outputs are refused: that is case 1.",
            (
                "g, =",
                "g =",
                "[1., 10., 0., 0.]",
                "[[1., 10.], [0., 0.]]",
            ): "grad returns a tuple, one gradient for each input: the comma in g, = takes it out.",
            (
                "grad(y, x, grad_outputs=v)",
                "grad(y.sum(), x)",
            ): "Ones count all four outputs once. Keep the weights 1, 10, 0 and 0.",
            (
                "[1., 10., 0., 0.]",
                "[[1., 10., 0., 0.]]",
            ): "That is one row of four. y has two rows of two.",
            ("[1., 10., 0., 0.]", "[[1., 10.]]"): "The second row needs weights, too: two zeros.",
            ("torch.tensor([1., 10., 0., 0.])", "10."): "Weights are a tensor: that is case 2.",
        },
    ),
    mend(
        "12-5",
        program=_program(f"""
            with torch.no_grad():
                {_LOSS}
            loss.backward()
        """),
        repair=(f"with torch.no_grad():\n    {_LOSS}", _LOSS),
        compares="w.grad",
        others=_OTHER_TARGETS,
        praise="The loss is recorded again, and leads back to w.",
        hints=(
            "Which line makes the loss, and what does the line above say about it?",
            "Under no_grad nothing is recorded. Compute the loss outside.",
            "Take the line with no_grad away, and begin loss = \u2026 at the left.",
        ),
        also_right=(
            ("torch.no_grad()", "torch.enable_grad()"),
            ("loss.backward()", f"{_LOSS}\nloss.backward()"),
            ("no_grad()", "set_grad_enabled(True)"),
        ),
        mistakes={
            (): "The loss still has no grad_fn: it is made where nothing is recorded.",
            ("loss.backward()", "loss.requires_grad_()\nloss.backward()"): _NO_WAY,
            ("loss.backward()", ""): _NO_WAY,
            _silenced("loss.backward()"): _NO_WAY,
            ("torch.no_grad()", "torch.enable_grad()", "mean", "sum"): _SUM,
            (
                "torch.no_grad()",
                "torch.enable_grad()",
                ".mean()",
                "",
            ): "Now the loss is recorded, but it has four numbers: that is case 1.",
            (
                "loss.backward()",
                "w.grad = torch.tensor([-1., -2.5])",
            ): "Those numbers are right for one t only. Let backward find them.",
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
        praise="The losses stayed tensors, with their history, and it leads back to w.",
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
            (): "w.grad is still None: torch.tensor makes a new leaf, without history.",
            (
                ".item()",
                "",
            ): "w.grad is still None: torch.tensor makes a new leaf, without history.",
            (
                "zeros(2, requires_grad=True)",
                "zeros(2)",
                "losses, requires_grad=True",
                "losses",
            ): "Now PyTorch tells at least: the message of case 5. item(), detach() and new "
            "tensors of old numbers all cut w off.",
            (
                ".item()",
                "",
                "torch.tensor(losses, requires_grad=True).mean()",
                "torch.stack(losses)",
            ): "Joined, they are still four numbers: take their mean, else it is case 1.",
            (
                "torch.tensor(losses, requires_grad=True)",
                "torch.stack(losses)",
            ): "stack joins tensors, and item() has made plain numbers of them.",
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
            "A tensor has a method for that. Its name begins with retain_, and it is no graph.",
            "Write p.retain_grad() after p = X @ w.",
        ),
        also_right=(
            ("loss.backward()", "p.retain_grad()\nloss.backward()"),
            (
                "loss.backward()",
                "p.grad, = torch.autograd.grad(loss, p, retain_graph=True)\nloss.backward()",
            ),
        ),
        mistakes={
            (): "p.grad is still None. p has to be told before backward comes by.",
            (
                "loss.backward()",
                "loss.backward()\np.retain_grad()",
            ): "p.grad is still None. p has to be told before backward comes by.",
            (
                "backward()",
                "backward(retain_graph=True)",
            ): "p.grad is still None. p has to be told before backward comes by.",
            (
                "p = X @ w",
                "p = (X @ w).requires_grad_()",
            ): "p.grad is still None. p has to be told before backward comes by.",
            (
                "p = X @ w",
                "p = (X @ w).detach().requires_grad_()",
            ): "p.grad is there, but w got nothing: w.grad is to stay as it was.",
            (
                "loss.backward()",
                "p.grad, = torch.autograd.grad(loss, p)",
            ): "p.grad is there, but w got nothing: w.grad is to stay as it was.",
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
            ): "Then step 2 has no gradient: w.grad is None. Each step needs a backward.",
            (
                "    loss.backward()\n",
                "",
            ): "Then step 2 has no gradient: w.grad is None. Each step needs a backward.",
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
        program="""
            x = torch.tensor([1., 4., 16.], requires_grad=True)
            y = x.sqrt()
            y.add_(1)
            y.sum().backward()
        """,
        repair=("y.add_(1)", "y = y + 1"),
        compares="y, x.grad",
        others={"With x = [4, 9, 25]:": ("[1., 4., 16.]", "[4., 9., 25.]")},
        praise="Nothing that was saved for backward is changed any more.",
        hints=(
            "sqrt needs its result again. What must not happen to it?",
            "The sum may be a new tensor: an operation without the _ at the end makes one.",
            "Write y = y + 1.",
        ),
        also_right=(
            ("y.add_(1)", "y = y.add(1)"),
            ("y = x.sqrt()", "y = x.sqrt().clone()"),
            ("y = x.sqrt()", "y = x ** 0.5"),
        ),
        mistakes={
            (): "The y that sqrt saved is still changed in place.",
            (
                "y.add_(1)",
                "with torch.no_grad(): y.add_(1)",
            ): "The y that sqrt saved is still changed in place.",
            (
                "backward()",
                "backward(retain_graph=True)",
            ): "The y that sqrt saved is still changed in place.",
            (
                "y.add_(1)",
                "y.data.add_(1)",
            ): "No message, but wrong numbers: sqrt divides by the changed y. .data hides the "
            "change from PyTorch.",
            ("y.add_(1)", ""): "y is the root alone. One is to be added to it.",
            ("y.add_(1)", "y + 1"): "y is the root alone. One is to be added to it.",
            ("y.add_(1)", "y = y.detach() + 1"): "Now y is cut off from x: the message of case 5.",
            _silenced("y.sum().backward()"): "No message, and no gradient: x.grad is still None.",
            ("y.sum()", "x.sum()"): "x is not y. The gradient of y was asked for.",
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
        others=_OTHER_TARGETS,
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
            ): "w has made its step without penalty. Its gradient must be there before the step.",
            (
                "penalty.backward()",
                "penalty = 0.1 * (w * w).sum()\npenalty.backward()",
            ): "w has made its step without penalty. Its gradient must be there before the step.",
            _silenced(
                "penalty.backward()"
            ): "w has made its step without penalty. Its gradient must be there before the step.",
            ("loss.backward()\n", ""): "The step still comes between penalty and its backward.",
            (
                "loss.backward()\noptimizer.step()\npenalty.backward()",
                "penalty.backward()\noptimizer.step()",
            ): "Now loss has no share in the step. Both gradients are to be there before it.",
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
            ): "The numbers are right, but this w is a new tensor, a branch: its .grad will "
            "stay empty, as in case 7.",
            (
                "w -= 0.3 * w.grad",
                "w = w.detach() - 0.3 * w.grad",
            ): "This new w asks for no gradient: the next backward will find no history.",
            (
                "w -= 0.3 * w.grad",
                "with torch.no_grad(): w = w - 0.3 * w.grad",
            ): "This new w asks for no gradient: the next backward will find no history.",
            (
                "w -= 0.3 * w.grad",
                "w.requires_grad_(False)\nw -= 0.3 * w.grad",
            ): "This new w asks for no gradient: the next backward will find no history.",
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
        program=_program(f"""
            for step in range(40):
                {_LOSS}
                loss.backward()
                w = w - 0.3 * w.grad
                w.grad = None
        """),
        repair=("w = w - 0.3 * w.grad", "with torch.no_grad(): w -= 0.3 * w.grad"),
        compares="w, w.is_leaf, w.requires_grad",
        others=_OTHER_TARGETS,
        praise="w is a leaf in each of the 40 steps, so each backward finds the way to it.",
        hints=(
            "Which w keeps a .grad: one that was made by you, or one that was computed?",
            "Change the old w in place, as case 11 does in the end, so that it stays the leaf.",
            "Write with torch.no_grad(): w -= 0.3 * w.grad in its place.",
        ),
        also_right=(
            ("w = w - 0.3 * w.grad", "w.data = w.data - 0.3 * w.grad"),
            ("w = w - 0.3 * w.grad", "w.data -= 0.3 * w.grad"),
            ("w = w - 0.3 * w.grad", "w = (w - 0.3 * w.grad).detach().requires_grad_()"),
        ),
        mistakes={
            (): "In step 2 w is still a branch, and its .grad None.",
            (
                "w = w - 0.3 * w.grad",
                "if w.grad is not None: w = w - 0.3 * w.grad",
            ): "No message, but w makes one step only. The other 39 find w.grad = None.",
            (
                "range(40)",
                "range(1)",
            ): "No message, but w makes one step only. The other 39 find w.grad = None.",
            (
                "w.grad = None",
                "w.retain_grad()",
            ): "The numbers are right, but this w is a branch: 40 steps hang on it, and every "
            "pass walks back through all of them.",
            (
                "w = w - 0.3 * w.grad",
                "with torch.no_grad(): w = w - 0.3 * w.grad",
            ): "The new w asks for no gradient, so step 2 has the message of case 5.",
            (
                "w = w - 0.3 * w.grad",
                "w = w.detach() - 0.3 * w.grad",
            ): "The new w asks for no gradient, so step 2 has the message of case 5.",
            (
                "w = w - 0.3 * w.grad",
                "w -= 0.3 * w.grad",
            ): "In place is right, but this change is recorded: that is case 11.",
            (
                "w = w - 0.3 * w.grad\n    w.grad = None",
                "with torch.no_grad(): w -= 0.3 * w.grad",
            ): "w stays a leaf now, but old gradients add up: leave the last line.",
        },
    ),
]

_BY_NAME = {exercise.name: exercise for exercise in EXERCISES}


def train(silenced):
    """The loss before each of case 8's 40 steps, and after the last: cured, or only silenced."""
    case = _BY_NAME["12-8"]
    keep = ("backward()", "backward(retain_graph=True)")
    program = changed(case.program, keep) if silenced else case.solution
    note = "losses.append(((X @ w + b - t)**2).mean().item())"
    space = {"torch": minigrad, "losses": []}
    exec(program.replace("for step", f"{note}\nfor step") + f"\n    {note}", space)
    return space["losses"]
