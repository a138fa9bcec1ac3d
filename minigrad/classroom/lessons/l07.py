"""The cards and exercises of lesson 07: nodes and edges, their order, and three broken engines."""

import numpy as np

from .cards import Card
from .exercises import function
from .hunt import Engine


def _end_is_leaf(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return (3 * x**2).is_leaf


def _sent_by_mul(torch):
    p, q = torch.tensor(3.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    return [g.item() for g in (p * q).grad_fn(torch.tensor(10.0))]


def _without_order(_):
    return Engine(waits=False)(_doubled_twice, 1.0)


def _doubled_twice(a):
    b = a + a
    return b + b


CARDS = {
    "07-total": Card(
        "The line total = total + loss is added to the loop, to report the mean loss at the end. "
        "What does this line change?",
        answer="it learns the same, but holds on to more after each step",
        choices=[
            "it stops in the second step, with a message",
            "it learns something else, because gradients are added up, too",
            "it learns the same, but holds on to more after each step",
            "nothing: total is one number",
        ],
        why="total is a tensor. It keeps the record of how it was computed, over all steps.",
        misconceptions={
            "it stops in the second step, with a message": "No message comes. Run it.",
            "it learns something else, because gradients are added up, too": "backward starts at "
            "loss, not at total, so the gradients stay the same.",
            "nothing: total is one number": "total has one number, and with it the record of how "
            "it was computed.",
        },
    ),
    "07-node": Card(
        "w requires grad, x does not. h = x * 2, out = h * w, large = w > 3. Which of the three "
        "lines is recorded?",
        answer="only out = h * w",
        choices=["all three", "out = h * w and large = w > 3", "only out = h * w", "none of them"],
        why="An operation is recorded if an operand requires grad and the result can have a "
        "gradient.",
        misconceptions={
            "all three": "In x * 2 nothing requires grad, so no gradient will ever be asked for "
            "there.",
            "out = h * w and large = w > 3": "w > 3 gives True or False. That has no derivative, "
            "so there is nothing to record.",
            "none of them": "w requires grad, so h * w is recorded at once, not only when backward "
            "is called.",
        },
    ),
    "07-a": Card(
        "x was made by torch.tensor, y = x ** 2 and z = 3 * y. backward starts at z. True or "
        "false: z is a leaf.",
        answer=_end_is_leaf,
        choices=["True", "False"],
        why="An operation made z. No operation made x.",
        misconceptions={
            "True": "On the way back z comes first, not last. Ask for its is_leaf.",
        },
    ),
    "07-b": Card(
        "out = p * q, with p = 3 and q = 5. The number 10 arrives at the node of out. "
        "What does the node send to p, and what to q?",
        answer=_sent_by_mul,
        why="It sends to each operand what arrived, times the derivative with respect to this "
        "operand. With respect to p that derivative is q.",
        misconceptions={
            "[30, 50]": "That is 10 times each one's own value. The derivative of p * q with "
            "respect to p is q.",
            "[5, 3]": "Those are the derivatives. What arrived, 10, still multiplies them.",
            "[3, 5]": "Those are the values of p and q.",
            "[10, 10]": "That is what a plus would send: both its derivatives are 1.",
            "[150, 150]": "That is 10 times the result. A rule takes derivatives.",
        },
    ),
    "07-c": Card(
        "a = 1, b = a + a, c = b + b. c sends 1 and 1 to b, so 2 arrives there. Then the recursion "
        "runs b twice. What has arrived at a at the end, all added up?",
        answer=_without_order,
        why="Each call of b sends 2 and 2, because both contributions are there from the start.",
        misconceptions={
            "4": "That is the derivative of c = 4a, as if b had run only once.",
            "2": "That is one contribution from b. Two come with each call.",
            "6": "That is 2 + 4, as if b had one contribution at its first call. It has both.",
            "1": "That is what c starts with. Every plus sends it on twice.",
            "16": "b has 2 on each call, not 4: nothing more arrives there between the calls.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _graphs(_):
    """Numbers say when a node was made. Some have several orders: then the younger goes first."""
    graphs = [
        ({3: [2, 2], 2: [1, 1], 1: []}, 3),
        ({4: [3, 2], 3: [2], 2: [1], 1: []}, 4),
        ({4: [3, 2], 3: [1], 2: [1], 1: []}, 4),
        ({4: [2, 3], 3: [1], 2: [1], 1: []}, 4),
        ({5: [2, 4], 4: [3], 3: [2, 2], 2: [1], 1: []}, 5),
        ({7: [6, 3], 6: [5, 4], 5: [1], 4: [2], 3: [2], 2: [1, 1], 1: []}, 7),
        ({6: [2, 5], 5: [3, 3], 4: [3], 3: [2], 2: [], 1: []}, 5),
        ({1: []}, 1),
    ]
    return {f"operands = {operands}, root = {root}": (operands, root) for operands, root in graphs}


def _upstream(torch):
    def of(x, v):
        return torch.tensor(x, requires_grad=True), torch.tensor(v)

    return {
        "one number": of(0.5, 10.0),
        "three numbers": of([0.5, -1.0, 2.0], [1.0, 10.0, -2.0]),
        "a matrix": of([[0.1, 0.2, -0.3], [1.0, -2.0, 4.0]], [[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]]),
    }


def _is_another_function(heard):
    """Whether forward no longer computes Softsign."""
    x = np.asarray(heard.given[0].tolist())
    made = zip(heard.operations, heard.results)
    results = [result.tolist() for name, result in made if name == "SoftsignBackward"]
    return not all(np.allclose(result, x / (1 + abs(x))) for result in results)


def _engines(_):
    """All four, two of them twice, and as functions: they show nothing but what they do."""
    parts = [{"adds": False}, {}, {"waits": False}, {"undoes": False}, {}, {"waits": False}]
    engines = [Engine(**some) for some in parts]
    calls = [lambda function, *inputs, one=one: one(function, *inputs) for one in engines]
    return {f"engine {k} of the six": (call,) for k, call in enumerate(calls, 1)}


EXERCISES = [
    function(
        "07-1",
        answer="order",
        inputs=_graphs,
        solution="""
            def order(operands, root):
                found, stack = set(), [root]
                while stack:
                    node = stack.pop()
                    if node not in found:
                        found.add(node)
                        stack += operands[node]
                return sorted(found, reverse=True)
        """,
        praise="Each node once, and after everything that uses it.",
        hints=(
            "Two tasks: find all nodes that can be reached from the root, each once; then put them "
            "into an order in which no operand comes before its user.",
            "A node is made after its operands, so its number is larger. Which simple order of the "
            "numbers is right, then?",
            "Collect the nodes in a set: start with the root, and take in the operands of each new "
            "node. Then return sorted(found, reverse=True): the youngest first.",
        ),
        also_right=(
            """
            def order(operands, root):
                ready, taken = {root}, ()
                while ready:
                    node = max(ready)
                    ready = ready - {node} | set(operands[node])
                    taken += (node,)
                return taken
            """,
        ),
        mistakes={
            """
            def order(operands, root):
                done = []
                def visit(node):
                    if node not in done:
                        for operand in operands[node]:
                            visit(operand)
                        done.append(node)
                visit(root)
                return done[::-1]
            """: "That is a topological order. But where two nodes could come next, it does not "
            "always take the younger one.",
            """
            def order(operands, root):
                found = [root]
                while operands[found[-1]]:
                    found.append(max(operands[found[-1]]))
                return found
            """: "That follows one operand of each node. A node on another path is never found.",
            """
            def order(operands, root):
                found = [root]
                for node in found:
                    found += operands[node]
                return found
            """: "A node is listed once for each use. It has to run once, after all its users.",
            """
            def order(operands, root):
                found = [root]
                for node in found:
                    found += [n for n in dict.fromkeys(operands[node]) if n not in found]
                return found
            """: "Nearest first: a node that is used near and far then stands before a user of it.",
            """
            def order(operands, root):
                found = []
                def visit(node):
                    if node not in found:
                        found.append(node)
                        for operand in operands[node]:
                            visit(operand)
                visit(root)
                return found
            """: "You list a node when you first meet it. Some of its users may still be to come.",
            """
            def order(operands, root):
                found = operands[root]
                found.insert(0, root)
                for node in found:
                    found += [n for n in operands[node] if n not in found]
                return sorted(set(found), reverse=True)
            """: "operands belongs to the caller: leave its keys and lists as they are, and begin "
            "with a list of your own.",
            """
            def order(operands, root):
                found = []
                def visit(node):
                    found.append(node)
                    for operand in operands[node]:
                        visit(operand)
                visit(root)
                return found
            """: "That is naive recursion: a node is listed again for each path that leads to it.",
            (
                "sorted(found, reverse=True)",
                "sorted(found)",
            ): "That is the way forward, operands first. Backward goes from the root.",
            (
                "sorted(found, reverse=True)",
                "sorted(operands, reverse=True)",
            ): "Some of these nodes are not reached from the root: nothing arrives there.",
            (
                "sorted(found, reverse=True)",
                "sorted(found - {root}, reverse=True)",
            ): "The root is missing: the pass starts there.",
        },
    ),
    function(
        "07-2",
        answer="x_grad",
        inputs=_upstream,
        forbids={
            "That is right, but it must come from Softsign: call Softsign.apply(x), and ask for "
            "its gradient.": lambda heard: (
                heard.operations and "SoftsignBackward" not in heard.operations
            ),
            "The rule is right, but forward computes something else now: it is x / (1 + x.abs()), "
            "so gradcheck says False.": _is_another_function,
        },
        solution="""
            class Softsign(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x / (1 + x.abs())
                @staticmethod
                def backward(ctx, v):
                    x, = ctx.saved_tensors
                    return v / (1 + x.abs())**2

            def x_grad(x, v):
                return torch.autograd.grad(Softsign.apply(x), x, v)[0]
        """,
        praise="What arrived, times the derivative, number by number: gradcheck finds the same.",
        hints=(
            "The rule receives v, what arrived at the node. It returns what goes to x: for each "
            "number v times the derivative.",
            "The derivative needs x, which is in ctx.saved_tensors.",
            "Return v / (1 + x.abs())**2.",
        ),
        also_right=(
            ("v / (1 + x.abs())**2", "v * (1 + x.abs())**-2"),
            ("v / (1 + x.abs())**2", "v * (1 - (x / (1 + x.abs())).abs())**2"),
            (
                "ctx.save_for_backward(x)",
                "ctx.save_for_backward(x / (1 + x.abs()))",
                "x, = ctx.saved_tensors",
                "out, = ctx.saved_tensors",
                "v / (1 + x.abs())**2",
                "v * (1 - out.abs())**2",
            ),
        ),
        mistakes={
            (
                "v / (1 + x.abs())**2",
                "v",
            ): "That passes on what arrived, as an addition does. Softsign "
            "has a derivative of its own.",
            (
                "v / (1 + x.abs())**2",
                "1 / (1 + x.abs())**2",
            ): "That is the derivative alone. What arrived, v, still multiplies it.",
            (
                "v / (1 + x.abs())**2",
                "v / (1 + x.abs())",
            ): "The square is missing: (1 + |x|)\u00b2.",
            (
                "v / (1 + x.abs())**2",
                "v / (1 + x)**2",
            ): "The absolute value is missing. For negative x the derivative is another one.",
            (
                "v / (1 + x.abs())**2",
                "v * (1 + x.abs())**2",
            ): "That divides by the derivative. On the way back, too, it is multiplied.",
            (
                "v / (1 + x.abs())**2",
                "v * x / (1 + x.abs())",
            ): "That multiplies by the value of Softsign. A rule multiplies by its derivative.",
            (
                "return x / (1 + x.abs())",
                "return x.tanh()",
            ): "The rule is right, but forward computes something else now: it is "
            "x / (1 + x.abs()), so gradcheck says False.",
            (
                "v / (1 + x.abs())**2",
                "(v / (1 + x.abs())**2).sum()",
            ): "Nothing is to be added up: each x has an output of its own.",
            (
                "v / (1 + x.abs())**2",
                "v / (1 + v.abs())**2",
            ): "The derivative is taken at x, not at v.",
            (
                "return v / (1 + x.abs())**2",
                "v / (1 + x.abs())**2",
            ): "The rule returns nothing: end it with return.",
        },
    ),
    function(
        "07-3",
        answer="which",
        inputs=_engines,
        solution="""
            def which(engine):
                def twice(x):
                    h = 2 * x
                    return h * h
                if engine(lambda x, b: (x + b).sum(), [1., 2.], 5.)[1].dim() > 0:
                    return "skips"
                g = engine(twice, 3.).item()
                return {24: "whole", 12: "overwrites", 48: "recurses"}[g]
        """,
        praise="A test for each bug, in which it must show. Now read hunt.py: it is short.",
        hints=(
            "Take one bug after the other. What is the smallest function on which it gives a wrong "
            "number? Where is something added; where would a node be called twice; where is a "
            "number repeated?",
            "Missing order shows only where an operation's result, not a leaf, is used twice: "
            "h = 2 * x, then h * h. At x = 3 the gradient is 24. A broadcast shows in "
            "(x + b).sum() with x = [1., 2.] and b = 5.: look at the shape of b's gradient.",
            "h * h at x = 3: 12 if a contribution was overwritten, 48 if h ran twice. For x + b "
            "two gradients come back; that of b, [1], has to be one number: .dim() is 0.",
        ),
        also_right=(
            """
            def which(engine):
                if engine(lambda x: x * x, 3.) != 6:
                    return "overwrites"
                if engine(lambda x: (x + x) + (x + x), 1.) != 4:
                    return "whole"
                h = engine(lambda x: (lambda h: h + h)(x + x), 1.)
                if h != 4:
                    return "recurses"
                b = engine(lambda b, x: (b * x).sum(), 1., [1., 2., 3.])[0]
                return "whole" if b.numel() == 1 else "skips"
            """,
            """
            def which(engine):
                x, b = engine(lambda x, b: (x * b).sum(), [[1., 2.], [3., 4.]], [5., 6.])
                if tuple(b.shape) != (2,):
                    return "skips"
                g = engine(lambda x: (lambda h: h * h * h)(2 * x), 1.).item()
                return "whole" if g == 24 else "recurses" if g > 24 else "overwrites"
            """,
        ),
        mistakes={
            """
            def which(engine):
                g = engine(lambda x: x * x, 3.)
                return "whole" if g == 6 else "overwrites"
            """: "x * x finds the engine that overwrites, and no other: add a test for each bug.",
            """
            def which(engine):
                g = engine(lambda x: (2 * x)**3, 1.)
                return "whole" if g == 24 else "overwrites"
            """: "No bug has shown. In a chain, as in (2x)\u00b3, nothing meets and nothing is "
            "repeated: test something else.",
            """
            def which(engine):
                g = engine(lambda x: (lambda h: h * h)(2 * x), 3.)
                return "whole" if g == 24 else "overwrites"
            """: "This test finds two bugs, but does not tell them apart: look at the number.",
            (
                '12: "overwrites", 48: "recurses"',
                '12: "recurses", 48: "overwrites"',
            ): "The two are exchanged: overwriting loses a contribution, running twice sends "
            "too much.",
            (
                "[1].dim() > 0",
                "[1].sum() != 2",
            ): "An engine that skips the undoing passed your test. Add one number to several, and "
            "look at the shape of that number's gradient.",
            (
                "    def twice(x):\n        h = 2 * x\n        return h * h\n",
                "",
                "engine(twice, 3.)",
                "4 * engine(lambda x: x * x, 3.)",
            ): "A leaf sends nothing on, so using a leaf twice does not show that the order "
            "is missing.",
            (
                "[1].dim() > 0",
                "[1].dim() == 0",
            ): "Exchanged: a gradient of the wrong shape is the sign that undoing was skipped.",
        },
    ),
]
