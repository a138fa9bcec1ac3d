"""The cards and exercises of lesson 07: nodes and edges, their order, and three broken engines."""

from .cards import Card
from .count import count_operations
from .exercises import function
from .hunt import Engine


def _end_is_leaf(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return (3 * (x * x)).is_leaf


def _sent_by_mul(torch):
    p, q = torch.tensor(3.0, requires_grad=True), torch.tensor(5.0, requires_grad=True)
    return [g.item() for g in (p * q).grad_fn(torch.tensor(10.0))]


def _without_order(_):
    return Engine(waits=False)(_doubled_twice, 1.0)


def _doubled_twice(a):
    b = a + a
    return b + b


def _behind_two_losses(torch):
    """How many operations lead to a loss after its pass, and to the next one."""
    inputs, t = torch.ones(4, 2), torch.tensor([1.0, 3.0, 0.0, 2.0])
    w, b = torch.zeros(2, requires_grad=True), torch.zeros((), requires_grad=True)
    loss = ((inputs @ w + b - t) ** 2).mean()
    loss.backward()
    after = count_operations(loss)
    return [after, count_operations(((inputs @ w + b - t) ** 2).mean())]


def _ways_to_leaves(torch):
    a, b, c = [torch.tensor(n, requires_grad=True) for n in (1.0, 2.0, 3.0)]
    nodes, ends = [(3 * a + 2 * b * b + torch.log(c)).grad_fn], 0
    for node in nodes:
        ends += hasattr(node, "variable")
        nodes += [n for n, _ in node.next_functions if n is not None]
    return ends


CARDS = {
    "07-total": Card(
        "Somebody adds the line total = total + loss to the loop, to report the mean loss in the "
        "end. What does this line change?",
        answer="it learns the same prices, and keeps more after each step",
        choices=[
            "it stops in the second step, with a message",
            "it learns other prices, because gradients are added up, too",
            "it learns the same prices, and keeps more after each step",
            "nothing: total is one number",
        ],
        why="total is a tensor. It keeps the record of how it was computed, over all steps.",
        misconceptions={
            "it stops in the second step, with a message": "No message comes. Run it.",
            "it learns other prices, because gradients are added up, "
            "too": "backward starts at loss, and not at total. So the gradients are as they were.",
            "nothing: total is one number": "It has one number, and besides the record of how it "
            "was computed.",
        },
    ),
    "07-node": Card(
        "w requires grad, x does not. h = x * 2, out = h * w, large = w > 3. Which of the three "
        "lines is recorded?",
        answer="only out = h * w",
        choices=["all three", "out = h * w and large = w > 3", "only out = h * w", "none of them"],
        why="An operation is recorded if an operand requires grad and the operation has a slope.",
        misconceptions={
            "all three": "In x * 2 nothing requires grad, so no gradient will ever be asked for "
            "there.",
            "out = h * w and large = w > 3": "w > 3 answers yes or no. That has no slope, so there "
            "is nothing to record.",
            "none of them": "w requires grad, and h * w has a slope: it is recorded at once, not "
            "only when backward is called.",
        },
    ),
    "07-a": Card(
        "x is made by hand, y = x * x and z = 3 * y. backward starts at z. True or false: z is a "
        "leaf.",
        answer=_end_is_leaf,
        choices=["True", "False"],
        why="An operation made z. Only x was made by none.",
        misconceptions={
            "True": "On the way back z comes first, not last. Ask for its is_leaf.",
        },
    ),
    "07-ends": Card(
        "y = 3*a + 2*b*b + log(c) has three leaves. You start at y and follow each line back, as "
        "often as it is drawn. How many times do you arrive at a leaf?",
        answer=_ways_to_leaves,
        why="b * b uses b twice, so two ways end at b.",
        misconceptions={
            "3": "Each leaf is there, but b is used twice: two ways lead to it.",
            "5": "The factors 3 and 2 are plain numbers: no line leads to them. Count the uses of "
            "a, b and c.",
            "6": "The factors 3 and 2 are plain numbers: no line leads to them.",
        },
    ),
    "07-kept": Card(
        "In the healthy program 5 operations lead to the first loss. How many lead to it after "
        "loss.backward()? And how many lead to the second loss, which the next step computes? "
        "Type both numbers.",
        answer=_behind_two_losses,
        why="A pass takes no node away. The second loss is computed from X, w, b and t, and not "
        "from the first loss.",
        misconceptions={
            "[0, 5]": "backward throws away the numbers that nodes have saved. Count the nodes.",
            "[5, 10]": "So it would be for total. Nothing leads from the second loss to the first.",
            "[0, 0]": "No pass has run from the second loss yet. And a pass takes no node away.",
            "[5, 0]": "The second loss is computed like the first one, and is recorded, too.",
        },
    ),
    "07-forget": Card(
        "In total = total + ... the program wants the number of the loss, and no record. What "
        "stands in place of the dots?",
        answer="loss.item()",
        choices=["loss * 1", "loss.sum()", "loss.item()", "loss.grad"],
        why="item() gives a plain number. A plain number has no record.",
        misconceptions={
            "loss * 1": "That is one more operation on the record.",
            "loss.sum()": "A sum of one number is that number, and one more operation on the "
            "record.",
            "loss.grad": "That would be a gradient, not the loss, and here it is None.",
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
        "runs b twice. What has arrived at a in the end, all added up?",
        answer=_without_order,
        why="Each call of b sends 2 and 2, because b has both shares from the start.",
        misconceptions={
            "4": "That is the derivative of c = 4a, as if b had run only once.",
            "2": "That is one share from b. Two come with each call.",
            "6": "That is 2 + 4: as if b had only one share at its first call. It has both.",
            "1": "That is what c starts with. Every plus sends it on twice.",
            "16": "b has 2 on each call, not 4: nothing more arrives there between the calls.",
        },
    ),
}


# --- the exercises -------------------------------------------------------------------------------


def _graphs(_):
    """Graphs with one right order each: numbers say when a node was made."""
    graphs = [
        ({3: [2, 2], 2: [1, 1], 1: []}, 3),
        ({4: [3, 2], 3: [2], 2: [1], 1: []}, 4),
        ({5: [2, 4], 4: [3], 3: [2, 2], 2: [1], 1: []}, 5),
        ({6: [2, 5], 5: [3, 3], 4: [3], 3: [2], 2: [], 1: []}, 5),
        ({1: []}, 1),
    ]
    return {f"operands = {operands}, root = {root}": (operands, root) for operands, root in graphs}


def _activations(torch):
    def of(g, x):
        x = torch.tensor(x)
        return torch.tensor(g), x, torch.tanh(x)

    return {
        "one number": of(10.0, 0.5),
        "three numbers": of([1.0, 10.0, -2.0], [0.5, -1.0, 2.0]),
        "a matrix": of([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]], [[0.1, 0.2, -0.3], [1.0, -2.0, 0.0]]),
    }


def _engines(_):
    """All four, in an order of their own, and as functions: they show nothing but what they do."""
    engines = [Engine(adds=False), Engine(), Engine(waits=False), Engine(undoes=False)]
    calls = [lambda function, *inputs, one=one: one(function, *inputs) for one in engines]
    return {f"engine {k} of the four": (call,) for k, call in enumerate(calls, 1)}


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
            "Two tasks: find all nodes that can be reached from the root, each once; then bring "
            "them into an order in which no operand stands before its user.",
            "A node is made after its operands, so its number is larger. Which simple order of the "
            "numbers is right, then?",
            "Collect the nodes in a set: start with the root, and take in the operands of each new "
            "node. Then return sorted(found, reverse=True): the youngest first.",
        ),
        also_right=(
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
            """,
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
                found = [root]
                for node in found:
                    found += operands[node]
                return found
            """: "A node stands there once for each use. It has to run once, after all its users.",
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
                found = []
                def visit(node):
                    found.append(node)
                    for operand in operands[node]:
                        visit(operand)
                visit(root)
                return found
            """: "That is naive recursion: a node is listed anew for each way that leads to it.",
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
        answer="tanh_rule",
        inputs=_activations,
        solution="""
            def tanh_rule(g, x, out):
                return g * (1 - out * out)
        """,
        praise="What arrived, times the derivative, number by number. x itself is not needed.",
        hints=(
            "A rule takes g, what arrived at the node, and gives what goes to x: for each number "
            "g times the derivative.",
            "The derivative of tanh at x is 1 - tanh(x)\u00b2, and tanh(x) is there already: it is "
            "out.",
            "Return g * (1 - out * out).",
        ),
        also_right=(
            ("out * out", "out**2"),
            ("g * (1 - out * out)", "g - g * out * out"),
            ("out * out", "x.tanh()**2"),
            ("g * (1 - out * out)", "g * 4 / (x.exp() + (-x).exp())**2"),
        ),
        mistakes={
            (
                "g * (1 - out * out)",
                "1 - out * out",
            ): "That is the derivative alone. What arrived, g, still multiplies it.",
            (
                "1 - out * out",
                "1 - x * x",
            ): "1 - x\u00b2 is not the derivative: what is squared is tanh(x), which is out.",
            (
                "g * (1 - out * out)",
                "g",
            ): "That sends on what arrived, as a plus does. tanh has a derivative of its own.",
            (
                "g * (1 - out * out)",
                "g * out",
            ): "That multiplies by the value of tanh. A rule multiplies by its derivative.",
            ("1 - out * out", "1 - out"): "The square is missing: 1 - out\u00b2.",
            ("1 - out * out", "1 + out * out"): "The sign: 1 - out\u00b2. A steep tanh grows flat.",
            (
                "(1 - out * out)",
                "1 - out * out",
            ): "Brackets are missing: g multiplies the whole of 1 - out\u00b2.",
            (
                "g * (1 - out * out)",
                "g / (1 - out * out)",
            ): "That divides by the derivative. On the way back, too, it is multiplied.",
            (
                "g * (1 - out * out)",
                "(g * (1 - out * out)).sum()",
            ): "Nothing is to be added up: each x has an out of its own.",
            (
                "    return g * (1 - out * out)",
                "    g * (1 - out * out)",
            ): "End the function with return.",
            (
                "return g * (1 - out * out)",
                "return (1 - g * g) * out",
            ): "g and out have changed places.",
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
        praise="A test for each bug, on which it must show. Now read hunt.py: it is short.",
        hints=(
            "Take one bug after the other. On which smallest function does it give a wrong number? "
            "Where is something added; where would a node be called twice; where is a number "
            "repeated?",
            "Missing order shows only where an operation's result, not a leaf, is used twice: "
            "h = 2 * x, then h * h. At x = 3 the gradient is 24. A broadcast shows in "
            "(x + b).sum() with x = [1., 2.] and b = 5.: look at the shape of b's gradient.",
            "h * h at x = 3: 12 if one share was overwritten, 48 if h ran twice. And for x + b two "
            "gradients come back; that of b, [1], has to be one number: .dim() is 0.",
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
            ): "The two are exchanged: overwriting loses a share, running twice sends too much.",
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
