"""The cards and exercises of lesson 09: what a backward pass frees, and what to do instead."""

from .cards import Card
from .mend import mend


def _two_heads(torch):
    w, a, b = (torch.tensor(value, requires_grad=True) for value in [2.0, 3.0, 1.0])
    h = w * w
    (a * h + b * h * h).backward()
    return torch.stack([w.grad, a.grad, b.grad])


def _kept_too_long(torch):
    """w after three steps along a graph that was recorded at w = 0."""
    w = torch.tensor(0.0, requires_grad=True)
    loss = (w - 1) ** 2
    for _ in range(3):
        w.grad = None
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= 0.3 * w.grad
    return f"w becomes {w.item():.1f}"


CARDS = {
    "09-center": Card(
        "The digit reader's loop gets the line center = 0.9 * center + 0.1 * scores.mean(dim=0), "
        "and the loss is computed from scores - center. What happens in 100 steps?",
        answer="the second backward is refused",
        choices=[
            "the loss falls, as without the center",
            "the loss stays where it was",
            "the second backward is refused",
        ],
        why="The new center is computed from the old one, which leads back into the graph of the "
        "first step. That graph has been used up.",
        misconceptions={
            "the loss falls, as without the center": "That is what you want, and it would be so if "
            "center held numbers only. But it remembers how it was computed.",
            "the loss stays where it was": "The center is subtracted from every image's scores "
            "alike, so the scores of two images can still differ.",
        },
    ),
    "09-a": Card(
        "out.backward() and x.grad.data.zero_() have run. Now the program calls "
        "out.backward(torch.tensor(0.1), retain_graph=True). What happens?",
        answer="it is refused",
        choices=[
            "x.grad is a tenth of before: [[0.03, 1.22], [1.23, 0.11]]",
            "x.grad stays zeros, without a message",
            "it is refused",
        ],
        why="retain_graph=True says what this pass leaves for the next one. The pass before this "
        "one did not have it.",
        misconceptions={
            "x.grad is a tenth of before: [[0.03, 1.22], [1.23, 0.11]]": "That needs the values "
            "that the power has saved. Ask which call should have kept them.",
            "x.grad stays zeros, without a "
            "message": "PyTorch does not go on silently when saved values are missing.",
        },
    ),
    "09-b": Card(
        "w = 2, a = 3, b = 1; h = w\u00b7w, l1 = a\u00b7h, l2 = b\u00b7h\u00b7h. l1 alone gives w "
        "the gradient 12, l2 alone 32. What are [w.grad, a.grad, b.grad] after (l1 + "
        "l2).backward()?",
        answer=_two_heads,
        why="Both losses depend on w, so it gets both gradients. Only l1 depends on a, and only l2 "
        "on b.",
        misconceptions={
            "[44, 20, 20]": "That gives each head both losses. But l2 does not depend on a, nor l1 "
            "on b.",
            "[32, 4, 16]": "That is l2 alone for w. But l1 depends on w, too.",
            "[22, 2, 8]": "That is the mean of the losses. Here they are added.",
            "[12, 4, 16]": "That is l1 alone for w. But l2 depends on w, too.",
            "[44, 3, 1]": "3 and 1 are a and b themselves. The slope of a\u00b7h in a is h = 4.",
            "[88, 4, 16]": "That counts each loss twice for w. One pass counts each loss once.",
        },
    ),
    "09-c": Card(
        "w1 = 2, w2 = 5, loss = 3\u00b7w1\u00b7w2. loss.backward(retain_graph=True) leaves "
        "w1.grad = 3\u00b75 = 15. A step changes w2 to 2. Nothing is cleared. What does "
        "loss.backward() do now?",
        answer="it is refused",
        choices=[
            "w1.grad becomes 30: 15 again, since the graph was kept",
            "w1.grad becomes 21: 3\u00b72 = 6 more, for the new w2",
            "it is refused",
        ],
        why="The graph has saved w2 itself, not a copy, and w2 is no longer what it was.",
        misconceptions={
            "w1.grad becomes 30: 15 again, since the graph was "
            "kept": "That needs w2 = 5. The graph has saved the tensor w2, which holds 2 now.",
            "w1.grad becomes 21: 3\u00b72 = 6 more, for the new w2": "That needs a new forward "
            "pass. The loss is still 30, from the old numbers, and PyTorch does not mix old and "
            "new ones.",
        },
    ),
    "09-d": Card(
        "w = 0, and loss = (w - 1)\u00b2 is computed once, before the loop. Each of three steps "
        "runs w.grad = None, loss.backward(retain_graph=True) and w -= 0.3 * w.grad. What happens?",
        answer=_kept_too_long,
        choices=[
            "w becomes 0.936",
            "w becomes 1.8",
            "w becomes 3.6",
            "the second pass is refused, as before",
        ],
        why="Each pass computes the gradient at w = 0, which is -2. So each step adds 0.6.",
        misconceptions={
            "w becomes 0.936": "That computes the loss again in each step. Here it was computed "
            "once, at 0.",
            "w becomes 3.6": "That adds up .grad. But None clears it. What is kept are the "
            "saved values.",
            "the second pass is refused, as "
            "before": "A step changes w. What the square has saved is w - 1, another tensor, and "
            "nothing changes that one.",
        },
    ),
    "09-advice": Card(
        "Each backward of the weekly program has retain_graph=True. After the first week b is 0.5. "
        "Where is b after the second week?",
        answer="near 1",
        choices=["at 0.75", "near 1", "at 0.5"],
        why="In the second week p and old lead to the same w and b. Their difference does not "
        "change with w or b, so this term has the slope 0 and holds nothing back.",
        misconceptions={
            "at 0.75": "That is right if old holds numbers only. Here it has a graph, which leads "
            "to w and b.",
            "at 0.5": "No pass is refused: the saved values are kept.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------

_CREATE = "That keeps the graph, as retain_graph does. Find a way without keeping it."
_RETAIN = "That gives the right numbers, but find a way without keeping the graph (retain_graph)."
_FREED = ("loss.backward(retain_graph=True)", "loss.backward()")

EXERCISES = [
    mend(
        "09-1",
        program="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t = torch.tensor([1., 3., 0., 2.])
            w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
            p = X @ w + b
            l1 = ((p - t)**2).mean()
            l2 = 0.1 * ((p - 1)**2).mean()
            l1.backward()
            l2.backward()
        """,
        repair=("l1.backward()\nl2.backward()", "(l1 + l2).backward()"),
        compares="w.grad",
        others={
            "With other targets:": (
                "torch.tensor([1., 3., 0., 2.])",
                "torch.tensor([2., 0., 1., -1.])",
            ),
        },
        forbids={"retain_graph": _RETAIN, "create_graph": _CREATE},
        praise="Both gradients are there, and no graph was kept for them: "
        "[-1, -2.5] + [-0.1, -0.1] = [-1.1, -2.6].",
        hints=(
            "Both losses go back through the same p. How can one pass serve both of them?",
            "The gradient of a sum is the sum of the gradients.",
            "Write (l1 + l2).backward() instead of the last two lines.",
        ),
        also_right=(
            ("l1.backward()\nl2.backward()", "torch.stack([l1, l2]).backward(torch.ones(2))"),
            (
                "l2 = 0.1 * ((p - 1)**2).mean()\nl1.backward()",
                "l1.backward()\nl2 = 0.1 * ((X @ w + b - 1)**2).mean()",
            ),
            ("l1.backward()\nl2.backward()", "loss = l2 + l1\nloss.backward(torch.tensor(1.))"),
        ),
        mistakes={
            (): "Both passes go through the same X @ w. The first one has freed what it saved.",
            ("l1.backward()\n", "l1.backward(retain_graph=True)\n"): _RETAIN,
            ("l1.backward()\n", "l1.backward(create_graph=True)\n"): _CREATE,
            ("l1.backward()\n", "l1.backward(None, True)\n"): _RETAIN,
            ("l2.backward()", ""): "l2 is left out. It has a gradient of its own, [-0.1, -0.1].",
            (
                "l1.backward()\n",
                "",
            ): "Only the gradient of l2 is there: l1 is left out, or was cleared away.",
            (
                "l1.backward()\nl2.backward()",
                "((l1 + l2) / 2).backward()",
            ): "That is half: the mean of the losses. Their sum is meant.",
            (
                "0.1 * ((p - 1)**2)",
                "0.1 * ((p.detach() - 1)**2)",
            ): "detach cuts l2 off from w and b: it has no gradient to give.",
            (
                "l1.backward()\nl2.backward()",
                "l1.backward()\nw.grad = b.grad = None\n((X @ w + b - 1)**2 * "
                "0.1).mean().backward()",
            ): "Only the gradient of l2 is there: l1 is left out, or was cleared away.",
            (
                "l1.backward()\nl2.backward()",
                "(l1 + 0.1 * l2).backward()",
            ): "The factor 0.1 is in l2 already: do not put it in a second time.",
        },
    ),
    mend(
        "09-2",
        program="""
            X = torch.tensor([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
            t, losses = torch.tensor([1., 3., 0., 2.]), []
            w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
            optimizer = torch.optim.SGD([w, b], lr=0.3)
            p = X @ w + b
            for step in range(40):
                loss = ((p - t)**2).mean()
                losses.append(loss.item())
                optimizer.zero_grad()
                loss.backward(retain_graph=True)
                optimizer.step()
        """,
        repair=(
            "p = X @ w + b\nfor step in range(40):\n",
            "for step in range(40):\n    p = X @ w + b\n",
            *_FREED,
        ),
        compares="losses[:3], losses[20], w",
        others={
            "With other targets:": (
                "torch.tensor([1., 3., 0., 2.])",
                "torch.tensor([2., 0., 1., -1.])",
            ),
        },
        forbids={"retain_graph": "Find a way without keeping the graph."},
        praise="Each step records its own graph, with the w and b of that step.",
        hints=(
            "Which part of the graph is recorded only once, and which part in each step?",
            "p was computed with the first w and b. After a step they have other numbers.",
            "Move the line p = X @ w + b into the loop, as its first line.",
        ),
        also_right=(
            ("optimizer.step()", "optimizer.step()\n    p = X @ w + b", *_FREED),
            ("((p - t)**2)", "((X @ w + b - t)**2)", *_FREED),
        ),
        mistakes={
            (): "There is no message, but p still holds the predictions of the first w and b.",
            (
                "p = X @ w + b\nfor step in range(40):\n",
                "for step in range(40):\n    p = X @ w + b\n",
                *_FREED,
                "    optimizer.step()",
                "",
            ): "The parameters never move, so every loss is the first one. Each step has to come "
            "after its backward.",
            _FREED: "All steps go back through one p, and the first pass has freed its values.",
            (
                "((p - t)**2)",
                "((p.detach() - t)**2)",
            ): "p is cut off from w and b, by detach or by no_grad: nothing is left to learn.",
            (
                "p = X @ w + b\nfor step in range(40):\n",
                "for step in range(40):\n    p = X @ w + b\n",
                "retain_graph=True",
                "None, True",
            ): "Find a way without keeping the graph.",
            (
                "    loss.backward(retain_graph=True)\n",
                "    loss.backward()\n    p = X @ w + b\n",
            ): "p is new, but too early: the step comes after it, so p is always one step old.",
            (
                "p = X @ w + b\nfor step in range(40):\n",
                "for step in range(40):\n    p = X @ w + b\n",
                "    optimizer.zero_grad()\n",
                "",
            ): "p is new in each step now, but .grad adds up: leave zero_grad in.",
        },
    ),
    mend(
        "09-3",
        program="""
            w, h = torch.tensor(1., requires_grad=True), torch.tensor(0.)
            optimizer = torch.optim.SGD([w], lr=0.1)
            losses = []
            for x in [2., 1., 3.]:
                h = 0.5 * h + w * x
                loss = (h - 2 * x)**2
                losses.append(loss.item())
                optimizer.zero_grad()
                loss.backward(retain_graph=True)
                optimizer.step()
        """,
        repair=("0.5 * h +", "0.5 * h.detach() +", *_FREED),
        compares="losses, w",
        others={"With other batches:": ("[2., 1., 3.]", "[1., 2., -1., 2.]")},
        forbids={"retain_graph": "Find a way without keeping the graph."},
        praise="The number h is carried over, and each graph begins with its own batch.",
        hints=(
            "In the second batch, how far back does the graph of h go?",
            "It goes on into the first batch, whose values are kept. Carry only the number on.",
            "h.detach() is h's number without its graph. Use it where the old h comes in.",
        ),
        also_right=(
            ("optimizer.step()", "optimizer.step()\n    h = h.detach()", *_FREED),
            ("0.5 * h +", "0.5 * h.item() +", *_FREED),
            ("    h = 0.5", "    h = torch.tensor(float(h))\n    h = 0.5", *_FREED),
        ),
        mistakes={
            (): "There is no message, but each pass goes back through all earlier batches.",
            _FREED: "The second batch goes back into the first one, which is freed.",
            ("0.5 * h + ", ""): "The state is lost. Carry on half of h's number.",
            (
                "0.5 * h +",
                "0.5 * torch.tensor(1.) +",
            ): "The state is replaced by 1. Carry on half of h's number.",
            (
                "0.5 * h + w * x",
                "(0.5 * h + w * x).detach()",
            ): "Cut too late: w is cut off as well. Detach the old h alone.",
            (
                "0.5 * h + w * x",
                "0.5 * h.detach() + w * x",
                "    optimizer.zero_grad()\n",
                "",
            ): "The state is cut off well, but .grad adds up: leave zero_grad in.",
            (
                "0.5 * h + w * x",
                "0.5 * h.detach() + w * x",
                "    optimizer.step()",
                "optimizer.step()",
            ): "The step has to be in the loop, after each backward.",
            ("0.5 * h +", "h.detach() +"): "Half of the old h comes in: keep the factor 0.5.",
        },
    ),
]
