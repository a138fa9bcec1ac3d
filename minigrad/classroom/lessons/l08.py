"""The cards and exercises of lesson 08: .grad adds up until it is cleared."""

import minigrad

from .cards import Card
from .exercises import function, numbers
from .mend import mend


def _twice(torch):
    """w.grad of the price-list program's first loss, after two calls of backward at one place."""
    inputs = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    targets = torch.tensor([1.0, 3.0, 0.0, 2.0])
    w = torch.zeros(2, requires_grad=True)
    for _ in range(2):
        ((inputs @ w - targets) ** 2).mean().backward()
    return w.grad


def _v_is_added_up(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 10.0])
    for _ in range(2):
        (x * x).backward(v)
    return v.tolist() == [2.0, 20.0]


CARDS = {
    "08-a": Card(
        "The line that clears .grad is missing below. What does the loss do in 40 steps?",
        answer="it swings up and down",
        choices=[
            "it falls to nearly 0 all the same",
            "it falls, only more slowly",
            "it swings up and down",
            "it grows without end",
        ],
        why="Run the program. The third loss is larger than the second, and the fifth is small "
        "again.",
        misconceptions={
            "it falls to nearly 0 all the "
            "same": "Then the missing line would do nothing. Run the program and read the third "
            "loss.",
            "it falls, only more slowly": "The second loss is as small as in the correct program. "
            "Run it and read the third loss.",
            "it grows without end": "It comes back again and again. Run the program and read the "
            "fifth loss.",
        },
    ),
    "08-b": Card(
        "In the price-list program at its start, one backward() leaves w.grad = [-1, -2.5]. w does "
        "not move, and nothing is cleared. The loss is computed again, and backward() is called "
        "again. What is w.grad now?",
        answer=_twice,
        why="The second call finds [-1, -2.5] once more, and adds it to what is there.",
        misconceptions={
            "[-1, -2.5]": "That would be right if the second call replaced the first. It adds.",
            "[[-1, -2.5], [-1, -2.5]]": "That keeps the two gradients apart. w.grad has one "
            "number for each number of w.",
            "[1, 6.25]": "That multiplies the two gradients. They are added.",
            "[0, 0]": "Nothing is subtracted. The second call finds the same gradient and adds it.",
            "[-0.5, -1.25]": "That is half of one gradient. Two calls add up to more.",
        },
    ),
    "08-c": Card(
        "x = [1, 2] and v = [1, 10]. (x * x).backward(v) runs twice. True or false: afterwards v "
        "holds [2, 20].",
        answer=_v_is_added_up,
        choices=["True", "False"],
        why="backward only reads v. What adds up is x.grad.",
        misconceptions={
            "True": "Then backward would write into its argument. Run it and look at v.",
        },
    ),
    "08-d": Card(
        "x = 2.1456 and z = (2x)\u00b3. With 1, z.backward gives x.grad = 110.4875. In a new run "
        "it gets 0.1 instead. What is x after this call?",
        answer="2.1456, as before",
        choices=["-8.9, after a step of 0.1 \u00b7 110.4875", "2.1456, as before", "11.0488"],
        why="backward writes into x.grad. No line of this program changes x.",
        misconceptions={
            "-8.9, after a step of 0.1 \u00b7 110.4875": "That is a step with the learning "
            "rate 0.1. Look for a line that takes one.",
            "11.0488": "That is x.grad, a tenth of 110.4875. The question is about x itself.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _batches(torch):
    """Batches in parts, of one size and of different sizes."""

    def leaves(values, offset=0.0):
        w = torch.tensor(values, requires_grad=True)
        return w, torch.tensor(offset, requires_grad=True)

    def parts(*sizes):
        start, pairs = 0, []
        for size in sizes:
            rows = range(start, start + size)
            pairs.append(
                (
                    torch.tensor([[float(k // 2), float(k % 2)] for k in rows]),
                    torch.tensor([[1.0, 3.0, 0.0, 2.0, 5.0, -1.0][k] for k in rows]),
                )
            )
            start += size
        return pairs

    return {
        "four parts of one receipt": (parts(1, 1, 1, 1), *leaves([0.0, 0.0])),
        "parts of 2 and 2 receipts": (parts(2, 2), *leaves([0.0, 0.0])),
        "parts of 3 and 1 receipts": (parts(3, 1), *leaves([1.0, -1.0], 0.5)),
        "parts of 1, 3 and 2 receipts": (parts(1, 3, 2), *leaves([0.5, 2.0], 1.0)),
        "one part": (parts(4), *leaves([2.0, 1.0], -1.0)),
    }


_ONE_PASS = "Call backward once for each part, on the loss of that part."


def _other_passes(heard):
    """Whether not each part had a pass of its own, one that reached w and b."""
    parts, w, _ = heard.given
    if not isinstance(w, minigrad.Tensor):  # PyTorch tells nothing
        return False
    return heard.passes != len(parts) or 0 < len(heard.leaves) < 2 * len(parts)


_EMPTY = (
    "The step finds .grad empty: it was cleared before it was used, or w = w - \u2026 has made a "
    "new tensor, which has none. Clear after the step, and leave the step as it was."
)

EXERCISES = [
    mend(
        "08-1",
        program="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t = torch.tensor([1., 3., 0., 2.])
            w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
            losses = []
            for step in range(40):
                loss = ((X @ w + b - t)**2).mean()
                losses.append(loss.item())
                loss.backward()
                with torch.no_grad():
                    w -= 0.3 * w.grad
                    b -= 0.3 * b.grad
        """,
        repair=("b -= 0.3 * b.grad", "b -= 0.3 * b.grad\n    w.grad = b.grad = None"),
        compares="losses[1], losses[2], losses[-1]",
        others={
            "With other targets:": (
                "torch.tensor([1., 3., 0., 2.])",
                "torch.tensor([2., 0., 1., -1.])",
            ),
        },
        praise="Each step now uses its own gradient alone, and the loss falls to 4e-06.",
        hints=(
            "Each step should use the gradient of its own loss alone. What else does .grad hold?",
            "Clear both gradients, that of w and that of b, once in each step. The right place is "
            "after they are used, or before the next backward.",
            "Add w.grad = b.grad = None as the last line of the loop.",
        ),
        also_right=(
            ("    loss.backward()", "    w.grad = b.grad = None\n    loss.backward()"),
            ("b -= 0.3 * b.grad", "b -= 0.3 * b.grad\n    w.grad.zero_()\n    b.grad.zero_()"),
            ("loss.backward()", "w.grad, b.grad = torch.autograd.grad(loss, [w, b])"),
        ),
        mistakes={
            (): "No line clears .grad yet, so each call adds to all the earlier ones.",
            (
                "b -= 0.3 * b.grad",
                "b -= 0.3 * b.grad\n    w.grad = None",
            ): "w.grad is cleared, but b.grad still adds up: clear both.",
            (
                "b -= 0.3 * b.grad",
                "b -= 0.3 * b.grad\n    b.grad = None",
            ): "b.grad is cleared, but w.grad still adds up: clear both.",
            ("loss.backward()", "loss.backward()\n    w.grad = b.grad = None"): _EMPTY,
            (
                "w -= 0.3 * w.grad\n        b -= 0.3 * b.grad",
                "w = w - 0.3 * w.grad\n        b = b - 0.3 * b.grad",
            ): _EMPTY,
            (
                "loss.backward()",
                "loss.backward()\n    w.grad.zero_()\n    b.grad.zero_()",
            ): "No step moves w and b: their .grad was cleared before the step, or w and b were "
            "set to 0 in place of it. Clear .grad after the step, or before backward.",
            (
                "0.3 * w.grad",
                "0.03 * w.grad",
                "0.3 * b.grad",
                "0.03 * b.grad",
            ): "Smaller steps only make the swing slower. Clear .grad in each step.",
            (
                "* w.grad",
                "* w.grad / (step + 1)",
                "* b.grad",
                "* b.grad / (step + 1)",
            ): "That takes the mean of all gradients so far, so old ones still count. Clear .grad.",
        },
    ),
    function(
        "08-2",
        answer="grads_in_parts",
        inputs=_batches,
        forbids={_ONE_PASS: _other_passes},
        solution="""
            def grads_in_parts(parts, w, b):
                w.grad = b.grad = None
                n = sum(len(t) for X, t in parts)
                for X, t in parts:
                    loss = ((X @ w + b - t)**2).mean()
                    (loss * len(t) / n).backward()
                return w.grad, b.grad
        """,
        praise="Multiplied by its part of the whole, each loss adds what its receipts add in the "
        "large batch.",
        hints=(
            "In the mean of all n receipts each counts 1/n. How much does a receipt count in the "
            "mean of its part?",
            "In a part of len(t) receipts it is 1/len(t). So the loss of a part has to be "
            "multiplied by len(t)/n before its backward.",
            "Let n = sum(len(t) for X, t in parts), and in the loop (loss * len(t) / n).backward()."
            " Clear w.grad and b.grad once, before the loop.",
        ),
        also_right=(
            ("(loss * len(t) / n).backward()", "loss.backward(torch.tensor(len(t) / n))"),
            ("    for X, t in parts:\n", "    parts = parts[::-1]\n    for X, t in parts:\n"),
            (".mean()", ".sum()", "loss * len(t) / n", "loss / n"),
            (
                "    for X, t in parts:\n",
                "    for X, t in reversed(parts):\n",
            ),
        ),
        mistakes={
            (
                "    for X, t in parts:\n        loss = ((X @ w + b - t)**2).mean()\n"
                "        (loss * len(t) / n).backward()",
                "    sum(((X @ w + b - t)**2).sum() / n for X, t in parts).backward()",
            ): _ONE_PASS,
            (
                "    for X, t in parts:\n        loss = ((X @ w + b - t)**2).mean()\n"
                "        (loss * len(t) / n).backward()",
                "    X, t = [torch.cat(one) for one in zip(*parts)]\n"
                "    ((X @ w + b - t)**2).mean().backward()",
            ): _ONE_PASS,
            (
                "    for X, t in parts:\n",
                "    parts.reverse()\n    for X, t in parts:\n",
            ): "parts belongs to the caller: leave the list as it is.",
            (
                "loss * len(t) / n",
                "loss",
            ): "Each part counts as if it were the whole batch. Multiply each loss by the size "
            "of its part, divided by the number of all receipts.",
            (
                "loss * len(t) / n",
                "loss / len(parts)",
            ): "That is right only if all parts have the same size. Multiply each by its "
            "number of receipts, divided by n.",
            (
                "loss * len(t) / n",
                "loss * len(t)",
            ): "That is the gradient of the sum over all receipts. The mean divides by n.",
            (
                "loss * len(t) / n",
                "loss / n",
            ): "The mean has already divided by the size of the part. Now n divides a second time.",
            (
                "loss * len(t) / n",
                "loss / len(t)",
            ): "That divides by the size of the part twice. Use len(t) / n.",
            (
                "    w.grad = b.grad = None\n",
                "",
            ): "The old .grad was still there: backward() adds to it. Clear it before the loop.",
            (
                "    w.grad = b.grad = None\n",
                "",
                "for X, t in parts:\n",
                "for X, t in parts:\n        w.grad = b.grad = None\n",
            ): "Only the last part is left. Clear once, before the loop, and call backward "
            "for each part.",
            (
                "    w.grad = b.grad = None\n",
                "    w.grad.zero_()\n    b.grad.zero_()\n",
            ): "Before the first backward() both .grad are None: w.grad = b.grad = None clears "
            "them in every case.",
            (
                "return w.grad, b.grad",
                "return b.grad, w.grad",
            ): "Return them in the other order: w.grad first.",
            (
                "    w.grad = b.grad = None\n",
                "    w.grad = None\n",
            ): "w.grad was cleared, b.grad was not.",
            ("return w.grad, b.grad", "return w.grad"): "Return both: w.grad, b.grad.",
            ("    return w.grad, b.grad", ""): "End the function with return w.grad, b.grad.",
        },
    ),
    numbers(
        "08-3",
        answer="v",
        given="""
            x = torch.tensor([1., 2., 3.], requires_grad=True)
            (x * x).backward(torch.tensor([2., 0., 3.]))
        """,
        then="(x * x).backward(v)",
        shows="x.grad",
        solution="v = torch.tensor([-1., 1., -2.])",
        praise="The v of both calls add up, too: [2, 0, 3] + [-1, 1, -2] = [1, 1, 1].",
        hints=(
            "The first call left [4, 0, 18]. How much must the second call add to each number?",
            "It must add [-2, 4, -12]. Each number of v is multiplied by 2x before it is added.",
            "For the third, v times 6 is -12, so v[2] is -2. v may have negative entries.",
        ),
        also_right=(
            "torch.tensor([-1, 1, -2])",
            "torch.ones(3) - torch.tensor([2., 0., 3.])",
            "torch.tensor([-2., 4., -12.]) / (2 * x.detach())",
        ),
        mistakes={
            "torch.zeros(3)": "Zeros add nothing: [4, 0, 18] stays.",
            "torch.ones(3)": "You added a whole [2, 4, 6] to what was there. Add only what is "
            "missing.",
            "torch.tensor([-2., 0., "
            "-3.])": "That undoes the first call. Then [2, 4, 6] is still missing.",
            "torch.tensor([-2., 4., "
            "-12.])": "That is what has to be added. Each entry of v is still multiplied by 2x.",
            "torch.tensor([2., 4., 6.])": "That is the x.grad to be reached. v is multiplied by 2x "
            "and then added.",
            "torch.tensor([0., 1., 0.])": "Only the second number is right. The others must "
            "become smaller: v may have negative entries.",
            "torch.tensor([1., 1., 2.])": "The first and the third number grow. They must become "
            "smaller: use negative entries.",
            "torch.tensor([-2., 1., "
            "-3.])": "The first and the third number are back at 0. There, 2 and 6 must stay.",
            "torch.tensor([0.5, 1., "
            "1/3])": "That would be right if v multiplied what is there. The second call adds.",
        },
    ),
]
