"""The cards and stages of lesson 13: an engine of one's own, in six parts."""

from ..show.html import Shown
from . import stages
from .cards import Card
from .stages import stage
from .verdict import code


def _last_share_only(torch):
    """a.grad of a = 3, s = a + 2, out = a * s, where each share replaces the one before."""
    return torch.tensor(3.0)


CARDS = {
    "13-a": Card(
        "a = 3, s = a + 2, out = a * s. hand_back writes what arrives into .grad, and passes each "
        "contribution back at once. What is a.grad after hand_back(out, start(out, None))?",
        answer=_last_share_only,
        why="a gets 5 from the product first. Then s passes its 3 back, which overwrites the 5.",
        misconceptions={
            "8": "That is the derivative, 2a + 2. But the line value.grad = g adds nothing up.",
            "5": "That arrives first, from the product. What comes through s arrives after it.",
            "15": "That is out. a.grad says how fast it grows with a.",
            "1": "The rule of + passes back what arrives at s, and that is a = 3, not 1.",
        },
    ),
    "13-read": Card(
        "After 150 steps, how many of the 500 digits that it has never seen does the engine read "
        "right?",
        answer="between 450 and 480",
        choices=["about 50", "about 250", "about 400", "between 450 and 480", "more than 490"],
        why="464 of them, which is 92.8 %. What makes it possible is one gradient a step, for all "
        "2,410 parameters at once.",
        misconceptions={
            "about 50": "That is what guessing gives: one of ten.",
            "about 250": "Two small layers are enough for more than that.",
            "about 400": "It reads more than nine of ten right.",
            "more than 490": "Larger networks do so. Some of these digits puzzle people, too.",
        },
    ),
}


# --- the six parts -------------------------------------------------------------------------------

VALUES = stage(
    "13-1",
    answer="Value",
    program="""
        import numpy as np

        class Value:
            def __init__(self, data, parents=(), rule=lambda g: ()):
                self.data = data
                self.parents = ()
                self.rule = rule
                self.grad = 0
    """,
    solution="""
        import numpy as np

        class Value:
            def __init__(self, data, parents=(), rule=lambda g: ()):
                self.data = np.array(data, dtype=float)
                self.parents = parents
                self.rule = rule
                self.grad = None
    """,
    examples={
        "For a = Value([1, 2]):": (
            "a = Value([1, 2])",
            "a.data, kind(a.data), named(a.parents), a.grad",
        ),
        "For a = Value(2.5), b = Value([[1.], [3.]]), out = Value([[2.5], [7.5]], (a, b), f):": (
            "def f(g): return g, g\n"
            "a, b = Value(2.5), Value([[1.], [3.]])\nout = Value([[2.5], [7.5]], (a, b), f)",
            "a.data, b.data, out.data, named(out.parents), named(out.rule), out.grad, a.grad",
        ),
        "For a value made of another one, c = Value(3., (a,)):": (
            "a = Value(1.)\nc = Value(3., (a,))",
            "named(c.parents), named(a.parents)",
        ),
        "For a value that uses a twice, out = Value(4., (a, b, a)):": (
            "a, b = Value(2.), Value(0.)\nout = Value(4., (a, b, a))",
            "named(out.parents)",
        ),
    },
    praise="A value knows its numbers, where they came from, and that it has no gradient yet.",
    hints=(
        "Three things are to be kept: the numbers as an array, the parents as they are given, and "
        "no gradient yet. Which of the stub's lines does something else?",
        "np.array(data, dtype=float) makes an array of floats of a number, a list or an array.",
        "self.parents = parents, and self.grad = None, as a leaf's .grad is before any backward.",
    ),
    also_right=(
        ("np.array(data, dtype=float)", "np.asarray(data, np.float64)"),
        ("self.parents = parents", "self.parents = list(parents)"),
    ),
    mistakes={
        (
            "np.array(data, dtype=float)",
            "data",
        ): "data stays what was given: [1, 2] * 3 would be a list of six numbers.",
        (
            "np.array(data, dtype=float)",
            "np.array(data)",
        ): "Whole numbers stay whole numbers, and a step of 0.3 could not move them: use floats.",
        (
            "self.parents = parents",
            "self.parents = ()",
        ): "The parents are forgotten: then there is no way back from a result.",
        (
            "self.parents = parents",
            "self.parents = tuple(p.data for p in parents)",
        ): "Keep the parents themselves, not their numbers: a gradient has to reach them.",
        (
            "self.parents = parents",
            "self.parents = list(dict.fromkeys(parents))",
        ): "A parent that is used twice has to be there twice: a * a has a "
        "contribution for each of them.",
        (
            "self.data =",
            "data =",
        ): "data = \u2026 names it within the function only. self.data = \u2026 keeps it.",
        (
            "self.grad = None",
            "self.grad = 0",
        ): "A fresh .grad is None, not 0: nothing has arrived yet.",
        (
            "self.grad = None",
            "self.grad = np.zeros_like(self.data)",
        ): "A fresh .grad is None, not zeros: nothing has arrived yet.",
        (
            "self.rule = rule",
            "self.rule = lambda g: ()",
        ): "The rule is forgotten: keep the one that is given.",
        (
            "np.array(data, dtype=float)",
            "data",
            "= parents\n",
            "= ()\n",
            "= None",
            "= 0",
        ): "Unchanged, data stays a list: [1, 2] * 3 would be a list of six numbers.",
    },
)

RULES = stage(
    "13-2",
    answer="add, mul",
    after=VALUES,
    program="""
        def as_value(x):
            return x if isinstance(x, Value) else Value(x)

        def add(a, b):
            a, b = as_value(a), as_value(b)
            return Value(a.data + b.data, (a, b), lambda g: (0, 0))

        def mul(a, b):
            a, b = as_value(a), as_value(b)
            return Value(a.data * b.data, (a, b), lambda g: (0, 0))

        Value.__add__ = Value.__radd__ = add
        Value.__mul__ = Value.__rmul__ = mul
        Value.__sub__ = lambda a, b: a + as_value(b) * -1
    """,
    solution="""
        def as_value(x):
            return x if isinstance(x, Value) else Value(x)

        def add(a, b):
            a, b = as_value(a), as_value(b)
            return Value(a.data + b.data, (a, b), lambda g: (g, g))

        def mul(a, b):
            a, b = as_value(a), as_value(b)
            return Value(a.data * b.data, (a, b), lambda g: (g * b.data, g * a.data))

        Value.__add__ = Value.__radd__ = add
        Value.__mul__ = Value.__rmul__ = mul
        Value.__sub__ = lambda a, b: a + as_value(b) * -1
    """,
    examples={
        "For a = [1, 2], b = [5, 7], out = a + b, g = [0.1, 10]:": (
            "a, b, g = Value([1., 2.]), Value([5., 7.]), np.array([0.1, 10.])\nout = a + b",
            "out.data, named(out.parents), kind(out.rule(g)[0]), out.rule(g)[0], out.rule(g)[1], "
            "len(out.rule(g))",
        ),
        "For a = [1, 2], b = [5, 7], out = a * b, g = [0.1, 10]:": (
            "a, b, g = Value([1., 2.]), Value([5., 7.]), np.array([0.1, 10.])\nout = a * b",
            "out.data, named(out.parents), kind(out.rule(g)[0]), out.rule(g)[0], out.rule(g)[1], "
            "len(out.rule(g))",
        ),
        "For a = [[3], [4]], out = a * a, g = [[1], [2]]:": (
            "a, g = Value([[3.], [4.]]), np.array([[1.], [2.]])\nout = a * a",
            "out.data, named(out.parents), out.rule(g)[0], out.rule(g)[1]",
        ),
        "For a = 4, out = 3 * a + 1, g = 1:": (
            "a, g = Value(4.), np.array(1.)\nout = 3 * a + 1\nproduct = out.parents[0]",
            "out.data, len(out.parents), len(product.parents), a in product.parents",
        ),
    },
    praise="Each rule returns a contribution for each parent: g times a derivative.",
    hints=(
        "A rule gets g, with the shape of its own output, and returns a contribution for each "
        "parent: g times the derivative of the output with respect to this parent.",
        "The derivative of a + b is 1, with respect to a and to b. That of a * b with respect to a "
        "is b.",
        "add: lambda g: (g, g). mul: lambda g: (g * b.data, g * a.data).",
    ),
    also_right=(
        ("(g, g)", "(1 * g, 1 * g)"),
        ("(g * b.data, g * a.data)", "[b.data * g, a.data * g]"),
        (
            "add(a, b):\n    a, b = as_value(a), as_value(b)",
            "add(b, a):\n    b, a = as_value(b), as_value(a)",
            "(a, b), lambda g: (g, g)",
            "(b, a), lambda g: (g, g)",
        ),
    ),
    mistakes={
        ("(g, g)", "(0, 0)"): "Nothing is passed back to the parents of a sum.",
        (
            "(g * b.data, g * a.data)",
            "(0, 0)",
        ): "Nothing is passed back to the parents of a product.",
        (
            "(g, g)",
            "(1, 1)",
        ): "Those are the derivatives alone. Each is multiplied by what arrives, g.",
        (
            "(g, g)",
            "(np.ones_like(g), np.ones_like(g))",
        ): "Those are the derivatives alone. Each is multiplied by what arrives: g is ignored.",
        (
            "(g, g)",
            "(g / 2, g / 2)",
        ): "g is not divided among the parents: nudging either one moves the sum as much.",
        (
            "(g, g)",
            "(g * a.data, g * b.data)",
        ): "The derivative of a + b with respect to a is 1, whatever a is.",
        (
            "(g * b.data, g * a.data)",
            "(b.data, a.data)",
        ): "Those are the derivatives alone: g is ignored. Multiply each by g.",
        (
            "(g * b.data, g * a.data)",
            "(g * a.data, g * b.data)",
        ): "Swapped: the derivative of a * b with respect to a is b.",
        (
            "(g * b.data, g * a.data)",
            "(g, g)",
        ): "That is the rule of +. The derivative of a * b with respect to a is b.",
        (
            "(g * b.data, g * a.data)",
            "(g * a.data * b.data, g * a.data * b.data)",
        ): "g times the output: the derivative of a * b with respect to a is b alone.",
        (
            "(g * b.data, g * a.data)",
            "(b * g, a * g)",
        ): "Contributions are bare arrays, not values of the graph: use b.data and a.data.",
        (
            "(g * b.data, g * a.data)",
            "(g * b, g * a)",
        ): "b is a Value. Its numbers, an array, are b.data.",
        (
            "(a, b), lambda g: (g *",
            "(), lambda g: (g *",
        ): "The product forgets its parents: Value(numbers, (a, b), rule).",
        (
            "(g, g)",
            "(0, 0)",
            "(g * b.data, g * a.data)",
            "(0, 0)",
        ): "As they stand, the rules pass nothing back to the parents.",
    },
)

START = stage(
    "13-3",
    answer="start",
    after=RULES,
    program="""
        def shares(value, g):
            return zip(value.parents, value.rule(g))

        def mismatch(v, out):
            has = [f"has a shape of torch.Size({list(x.shape)})" for x in (v, out.data)]
            return RuntimeError(f"Mismatch in shape: grad_output[0] {has[0]} and output[0] {has[1]}.")

        def start(out, v):
            if v is None:
                v = np.ones(out.data.shape)
            return as_value(v).data
    """,  # noqa: E501
    solution="""
        def shares(value, g):
            return zip(value.parents, value.rule(g))

        def mismatch(v, out):
            has = [f"has a shape of torch.Size({list(x.shape)})" for x in (v, out.data)]
            return RuntimeError(f"Mismatch in shape: grad_output[0] {has[0]} and output[0] {has[1]}.")

        def start(out, v):
            if v is None and out.data.size != 1:
                raise RuntimeError("grad can be implicitly created only for scalar outputs")
            v = np.ones(out.data.shape) if v is None else as_value(v).data
            if v.shape != out.data.shape:
                raise mismatch(v, out)
            return v
    """,  # noqa: E501
    examples={
        "For out of shape (), here 5:": ("out = Value(5.)", "start(out, None), start(out, 0.5)"),
        "For out of shape (3,):": (
            "out = Value([1., 2., 3.])",
            "start(out, None), start(out, [0.1, 1., 0.0001]), kind(start(out, [0.1, 1., 0.0001])), "
            "start(out, 1.), start(out, [1.])",
        ),
        "For one number in brackets, out of shape (1,):": (
            "out = Value([5.])",
            "start(out, None), start(out, [2.]), start(out, 2.)",
        ),
        "For out of shape (1, 1):": ("out = Value([[5.]])", "start(out, None), start(out, [2.])"),
        "For out of shape (2, 3):": (
            "out, w = Value(np.zeros((2, 3))), Value([[1., 2., 3.], [4., 5., 6.]])",
            "start(out, w), start(out, np.ones(6)), start(out, np.ones(3)), start(out, np.ones((2, "
            "4))), start(out, np.ones((2, 1))), start(out, np.ones((3, 2))), start(out, None)",
        ),
        "For out of shape (1, 3):": (
            "out = Value([[1., 2., 3.]])",
            "start(out, None), start(out, [[0.1, 1., 10.]]), start(out, np.ones((3, 1)))",
        ),
    },
    praise="Nothing is guessed and nothing is stretched: one entry of v for each output, or a "
    "refusal.",
    hints=(
        "Two refusals are missing: no v for an output that is not one number, and a v whose shape "
        "is not that of out.",
        "out.data.size counts the numbers, and size 1 needs no v, be the shape (), (1,) or (1, 1). "
        "v.shape and out.data.shape are to be equal.",
        'First: if v is None and out.data.size != 1: raise RuntimeError("grad can be ..."). At '
        "the end: if v.shape != out.data.shape: raise mismatch(v, out).",
    ),
    also_right=(
        ("out.data.size != 1", "np.prod(out.data.shape) != 1"),
        ("scalar outputs", "scalar outputs."),
        (
            "if v.shape != out.data.shape:\n        raise mismatch(v, out)\n    return v",
            "if list(v.shape) == list(out.data.shape):\n        return v * 1.0\n"
            "    raise mismatch(v, out)",
        ),
    ),
    mistakes={
        (
            '    if v is None and out.data.size != 1:\n        raise RuntimeError("grad can be '
            'implicitly created only for scalar outputs")\n',
            "",
        ): "Without v, three outputs must be refused: ones would be a guess.",
        (
            "    if v.shape != out.data.shape:\n        raise mismatch(v, out)\n",
            "",
        ): "Any shape is accepted: compare v.shape with out.data.shape.",
        (
            "raise mismatch(v, out)",
            "return mismatch(v, out)",
        ): "return gives the error back like any value, and the program goes on: raise it.",
        (
            "raise mismatch(v, out)",
            "raise mismatch(Value, out)",
        ): "mismatch compares two shapes: give it v, the array, and out.",
        (
            "    return v",
            "    return Value(v)",
        ): "The first g is a bare array, not a value of the graph: return v.",
        (
            "    return v",
            "    return v.tolist()",
        ): "A list times 2 is a longer list. The first g is an array: return v.",
        (
            "v.shape != out.data.shape",
            "v.size != out.data.size",
        ): "(6,) has as many numbers as (2, 3), but another shape. Compare the shapes.",
        (
            "v.shape != out.data.shape",
            "v.ndim != out.data.ndim",
        ): "Two shapes of two numbers each may differ: compare the shapes themselves.",
        (
            "v.shape != out.data.shape",
            "(v.size, v.ndim) != (out.data.size, out.data.ndim)",
        ): "(3, 2) holds as many numbers as (2, 3), but it is another shape: the order counts.",
        (
            "v.shape != out.data.shape",
            "sorted(v.shape) != sorted(out.data.shape)",
        ): "(3, 2) holds as many numbers as (2, 3), but it is another shape: the order counts.",
        (
            "out.data.size != 1",
            "out.data.ndim == 1 and out.data.size != 1",
        ): "Numbers in a table are many numbers, too: count them all.",
        (
            "out.data.size != 1",
            "out.data.ndim and len(out.data) != 1",
        ): "len counts rows, and the shape (1, 3) has one row of three numbers.",
        (
            "out.data.size != 1",
            "out.data.shape != ()",
        ): "An output of shape (1,) is one number, too, and needs no v.",
        (
            "np.ones(out.data.shape) if v is None",
            "np.array(1.) if v is None",
        ): "The 1 that is filled in needs the shape of out.",
        (
            "else as_value(v).data",
            "else np.broadcast_to(as_value(v).data, out.data.shape)",
        ): "A smaller v is stretched to fit, and a wrong shape goes unnoticed.",
        (
            "else as_value(v).data",
            "else np.ones(as_value(v).data.shape)",
        ): "v is ignored: ones of its shape are returned.",
        (
            'RuntimeError("grad can',
            'ValueError("grad can',
        ): "PyTorch raises a RuntimeError, and so should you.",
        (
            '    if v is None and out.data.size != 1:\n        raise RuntimeError("grad can be '
            'implicitly created only for scalar outputs")\n',
            "",
            "    if v.shape != out.data.shape:\n        raise mismatch(v, out)\n",
            "",
        ): "Nothing is refused: ones are filled in for any output, and any shape is accepted. "
        "Raise the errors; to print them is not enough.",
    },
)

_NOT_ARRIVED = (
    "Something is read from arrived that is not there yet: a value runs before those that use it, "
    "or a first contribution is added to nothing."
)
_STUB_ORDER = (
    "order still lists the root first, and a value that is used twice comes twice. Each value "
    "comes once, after its parents."
)

PASS = stage(
    "13-4",
    answer="order, backward",
    after=START,
    program="""
        def order(value, found):
            found.append(value)
            for parent in value.parents: order(parent, found)
            return found

        def backward(out, v=None):
            arrived = {out: start(out, v)}
            for value in order(out, []):
                for parent, share in shares(value, arrived[value]):
                    arrived[parent] = share
                if not value.parents: value.grad = arrived[value]

        Value.backward = backward
    """,
    solution="""
        def order(value, found):
            for parent in value.parents:
                if parent not in found:
                    order(parent, found)
            found.append(value)
            return found

        def backward(out, v=None):
            arrived = {out: start(out, v)}
            for value in reversed(order(out, [])):
                for parent, share in shares(value, arrived[value]):
                    arrived[parent] = arrived.get(parent, 0) + share
                if not value.parents:
                    value.grad = arrived[value] + (0 if value.grad is None else value.grad)

        Value.backward = backward
    """,
    examples={
        "For x = 2, y = x * x, z = y * x, w = z * y:": (
            "x = Value(2.)\ny = x * x\nz = y * x\nw = z * y",
            "named(order(w, []))",
        ),
        "For a chain, x = 2, y = 3 * x, z = 5 * y:": (
            "x = Value(2.)\ny = 3 * x\nz = 5 * y\nz.backward()",
            "x.grad",
        ),
        "For a = 1, b = a + a, c = b + b:": (
            "a = Value(1.)\nb = a + a\nc = b + b\nc.backward()",
            "a.grad",
        ),
        "For out = a * a and out.backward(a):": (
            "a = Value([[1., 2., 3.], [4., 5., 6.]])\nout = a * a\nout.backward(a)",
            "a.grad",
        ),
        "For p = a * b, q = p + a, r = q * p, with a = 2, b = 3:": (
            "a, b = Value(2.), Value(3.)\np = a * b\nq = p + a\nr = q * p\nr.backward()",
            "a.grad, b.grad",
        ),
        "For p = a * b, q = p + a, r = p * q, with a = 2, b = 3:": (
            "a, b = Value(2.), Value(3.)\np = a * b\nq = p + a\nr = p * q\nr.backward()",
            "a.grad, b.grad, p.grad",
        ),
        "For y = x * x, x = [1, 2], v = [1, 10], y.backward(v) twice:": (
            "x = Value([1., 2.])\ny = x * x\ny.backward([1., 10.])\nonce = 1 * x.grad\n"
            "y.backward([1., 10.])",
            "once, x.grad, y.grad",
        ),
        "For p = a + b, q = p + a, a = [1, 2], b = [3, 4], q.backward([1, 10]):": (
            "a, b = Value([1., 2.]), Value([3., 4.])\np = a + b\nq = p + a\nq.backward([1., 10.])",
            "a.grad, b.grad",
        ),
        "For y = a + b, y.backward([1, 10]) twice:": (
            "a, b = Value([1., 2.]), Value([3., 4.])\ny = a + b\ny.backward([1., 10.])\n"
            "y.backward([1., 10.])",
            "a.grad, b.grad",
        ),
        "For y = 3 * x, z = y + y, where runs counts how often y's rule runs:": (
            "x, runs = Value(2.), []\ny = Value(6., (x,), lambda g: (runs.append(g) or 3 * g,))\n"
            "z = y + y\nz.backward()",
            "x.grad, len(runs)",
        ),
        "For a leaf itself, x.backward():": ("x = Value(3.)\nx.backward()", "x.grad"),
    },
    praise="Every contribution arrives, is added up, and their sum is passed back once.",
    hints=(
        "order: a value may come only once, after all its parents; then walk from the end. "
        "backward: what arrives at one value from several places is added.",
        "order: for each parent not yet in found, call order(parent, found); append the value "
        "itself last. In backward go through reversed(order(out, [])).",
        "arrived[parent] = arrived.get(parent, 0) + share adds within one pass. At a leaf, add "
        "arrived[value] to value.grad, which may be None.",
    ),
    also_right=(
        (
            "reversed(order(out, []))",
            "order(out, [])[::-1]",
            "arrived.get(parent, 0) + share",
            "share + arrived[parent] if parent in arrived else share",
        ),
        (
            "value.grad = arrived[value] + (0 if value.grad is None else value.grad)",
            "if value.grad is None: value.grad = arrived[value]\n"
            "            else: value.grad += arrived[value]",
        ),
    ),
    mistakes={
        (
            "arrived[parent] = arrived.get(parent, 0) + share",
            "arrived[parent] = share",
        ): "The second contribution overwrites the first. They have to be added.",
        (
            "arrived[value] + (0 if value.grad is None else value.grad)",
            "arrived[value]",
        ): "The second backward replaces .grad. It has to add to it (lesson 08).",
        (
            "arrived[parent] = arrived.get(parent, 0) + share",
            "if parent in arrived: arrived[parent] += share\n"
            "            else: arrived[parent] = share",
        ): "+= changes an array in place, and the rule of + returns one and the same array for "
        "both parents: make a new array for each sum.",
        ("reversed(order(out, []))", "order(out, [])"): _NOT_ARRIVED,
        (
            "arrived[parent] = arrived.get(parent, 0) + share",
            "arrived[parent] += share",
        ): _NOT_ARRIVED,
        (
            "        if parent not in found:\n            order(parent, found)",
            "        order(parent, found)",
        ): "A value that is used twice comes twice, and passes its gradient back twice.",
        (
            "order(parent, found)\n    found.append(value)",
            "order(parent, found)",
            "def order(value, found):\n",
            "def order(value, found):\n    found.append(value)\n",
            "reversed(order(out, []))",
            "order(out, [])",
        ): "A value comes before its parents. Append it after them, so that the root is last.",
        """
        def backward(out, v=None):
            def hand_back(value, g):
                value.grad = g if value.grad is None else value.grad + g
                for parent, share in shares(value, value.grad):
                    hand_back(parent, share)
            hand_back(out, start(out, v))
        Value.backward = backward
        """: "A value passes on before all has arrived, then again with more: the first part "
        "counts twice. Walk in an order.",
        """
        def backward(out, v=None):
            arrived = {out: start(out, v)}
            def call(value):
                found = list(shares(value, arrived[value]))
                for parent, share in found:
                    arrived[parent] = arrived.get(parent, 0) + share
                for parent, share in found:
                    call(parent)
            call(out)
            for value in arrived:
                if not value.parents:
                    value.grad = arrived[value] + (0 if value.grad is None else value.grad)
        Value.backward = backward
        """: "That is lesson 07's recursion: a value that is used twice runs twice, each time with "
        "all that has arrived.",
        (
            "arrived.get(parent, 0) + share",
            "share + arrived[parent] if parent in arrived else share",
            "value.grad = arrived[value] + (0 if value.grad is None else value.grad)",
            "if value.grad is None: value.grad = arrived[value]\n"
            "            else: value.grad += arrived[value]",
        ): "The first time .grad becomes the very array that arrived, and + returns the same one "
        "for both parents. So += changes both: make a new array for each sum.",
        ("start(out, v)", "start(out, None)"): "v is ignored: begin with start(out, v).",
        (
            "        if not value.parents:\n            value",
            "        value",
        ): "Only leaves keep a .grad: p was made by an operation.",
        """
        def order(value, found):
            found.append(value)
            for parent in value.parents:
                order(parent, found)
            return found
        def backward(out, v=None):
            arrived = {out: start(out, v)}
            for value in order(out, []):
                for parent, share in shares(value, arrived[value]):
                    arrived[parent] = share
                if not value.parents:
                    value.grad = arrived[value]
        Value.backward = backward
        """: "Unchanged, order lists the root first and values twice, and backward overwrites what "
        "has arrived before.",
        # each contribution goes its whole path alone: right numbers, and 2**30 rounds for 30 sums
        (
            "    arrived = {out: start(out, v)}\n    for value in reversed(order(out, [])):\n"
            "        for parent, share in shares(value, arrived[value]):\n"
            "            arrived[parent] = arrived.get(parent, 0) + share\n"
            "        if not value.parents:\n"
            "            value.grad = arrived[value] + (0 if value.grad is None else value.grad)",
            "    def hand_back(value, g):\n"
            "        if not value.parents:\n"
            "            value.grad = g if value.grad is None else value.grad + g\n"
            "        for parent, share in shares(value, g):\n"
            "            hand_back(parent, share)\n"
            "    hand_back(out, start(out, v))",
        ): "The gradients are right, but each contribution goes its whole path alone, so a rule "
        "runs once for each path. Wait for the sum, and pass it back once.",
        (
            "    for parent in value.parents:\n        if parent not in found:\n"
            "            order(parent, found)\n    found.append(value)\n",
            "    found.append(value)\n    for parent in value.parents: order(parent, found)\n",
        ): _STUB_ORDER,
        (
            "    return found",
            "    return found[::-1]",
        ): "The root comes first here. It has to be last, so that each value comes after its "
        "parents.",
    },
)

SHRINK = stage(
    "13-5",
    answer="unbroadcast",
    after=PASS,
    program="""
        def unbroadcast(g, shape):
            return g

        def shares(value, g):
            pairs = zip(value.parents, value.rule(g))
            return [(parent, unbroadcast(share, parent.data.shape)) for parent, share in pairs]
    """,
    solution="""
        def unbroadcast(g, shape):
            while g.ndim > len(shape):
                g = g.sum(axis=0)
            for axis, size in enumerate(shape):
                if size == 1:
                    g = g.sum(axis=axis, keepdims=True)
            return g

        def shares(value, g):
            pairs = zip(value.parents, value.rule(g))
            return [(parent, unbroadcast(share, parent.data.shape)) for parent, share in pairs]
    """,
    examples={
        "For g = [[1, 2, 3], [4, 5, 6]]:": (
            "g = np.array([[1., 2., 3.], [4., 5., 6.]])",
            "unbroadcast(g, (2, 3)), unbroadcast(g, (3,)), unbroadcast(g, (2, 1)), "
            "unbroadcast(g, (1, 3)), unbroadcast(g, (1, 1)), unbroadcast(g, ())",
        ),
        "For g of shape (2, 3, 2), the numbers 0 to 11:": (
            "g = np.arange(12.).reshape(2, 3, 2)",
            "unbroadcast(g, (3, 2)), unbroadcast(g, (2,)), unbroadcast(g, (3, 1)), "
            "unbroadcast(g, (2, 1, 2))",
        ),
        "For g of shape (2, 2, 2, 3), the numbers 0 to 23:": (
            "g = np.arange(24.).reshape(2, 2, 2, 3)",
            "unbroadcast(g, (3,)), unbroadcast(g, ()), unbroadcast(g, (1, 3)), "
            "unbroadcast(g, (2, 1, 1, 3))",
        ),
        "For g of shape (2, 2), where adding rows or columns looks alike:": (
            "g = np.array([[1., 2.], [3., 5.]])",
            "unbroadcast(g, (2,)), unbroadcast(g, (2, 1))",
        ),
        "For a of shape (2, 1), b of shape (3,), (a * b).backward(v):": (
            "a, b = Value([[1.], [2.]]), Value([10., 20., 30.])\n"
            "(a * b).backward([[1., 0., 0.], [0., 2., 0.]])",
            "a.grad, b.grad",
        ),
    },
    praise="A number that was used in many places gets the sum of what comes back from all of "
    "them.",
    hints=(
        "A stretched number is used in many places, and each of them sends something back. What "
        "happens to several contributions to one number?",
        "Two cases: whole axes in front that shape does not have, and axes where shape has a 1. In "
        "both, add up along this axis; in the second the axis stays, with size 1.",
        "While g.ndim > len(shape): g = g.sum(axis=0). Then for each axis where shape has a 1: "
        "g = g.sum(axis=axis, keepdims=True).",
    ),
    also_right=(
        (
            "    for axis, size in enumerate(shape):\n        if size == 1:\n"
            "            g = g.sum(axis=axis, keepdims=True)\n    return g",
            "    ones = tuple(k for k, size in enumerate(shape) if size == 1)\n"
            "    return g.sum(axis=ones).reshape(shape)",
        ),
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n",
            "    g = g.sum(axis=tuple(range(g.ndim - len(shape))))\n",
        ),
    ),
    mistakes={
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n"
            "    for axis, size in enumerate(shape):\n        if size == 1:\n"
            "            g = g.sum(axis=axis, keepdims=True)\n",
            "",
        ): "As it stands, the function leaves g in the shape of the output.",
        (
            "    for axis, size in enumerate(shape):\n        if size == 1:\n"
            "            g = g.sum(axis=axis, keepdims=True)\n",
            "",
        ): "The axes in front are added up. Those where the shape has a 1 are still too long.",
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n",
            "",
        ): "The axes of size 1 are added up. Those in front, which shape does not have, are left.",
        (
            "g = g.sum(axis=0)",
            "g = g[0]",
        ): "Only the first row is kept. All rows come back to the same numbers: add them up.",
        (
            "g = g.sum(axis=0)",
            "g = g.mean(axis=0)",
        ): "A mean is too small: each place sends its whole contribution back. Add them up.",
        (
            "g = g.sum(axis=0)",
            "g = g.sum(axis=-1)",
        ): "The axes in front are too many, not those at the end: add along axis 0.",
        (
            "while g.ndim",
            "if g.ndim",
        ): "More than one axis may be too many in front: while, not if.",
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n",
            "    if g.ndim > len(shape):\n        g = g.sum(axis=0)\n"
            "    if g.ndim > len(shape):\n        g = g.sum(axis=0)\n",
        ): "Three axes may be too many, or four: repeat until g has as many as shape.",
        ("keepdims=True", "keepdim=True"): "NumPy writes keepdims, with an s.",
        (", keepdims=True", ""): "The axis of size 1 has to stay: keepdims=True.",
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n"
            "    for axis, size in enumerate(shape):\n        if size == 1:\n"
            "            g = g.sum(axis=axis, keepdims=True)\n    return g",
            "    return g.reshape(-1)[:int(np.prod(shape))].reshape(shape)",
        ): "Numbers were cut off to make the shape right. They have to be added up.",
        (
            "    while g.ndim > len(shape):\n        g = g.sum(axis=0)\n"
            "    for axis, size in enumerate(shape):\n        if size == 1:\n"
            "            g = g.sum(axis=axis, keepdims=True)\n    return g",
            "    return g if g.shape == shape else np.full(shape, g.sum())",
        ): "Everything is added up into one number. Add along the stretched axes only.",
    },
)

FUNCTIONS = stage(
    "13-6",
    answer="exp, log, tanh, sum, @",
    after=SHRINK,
    program="""
        def elementwise(a, f, slope):
            return Value(f(a.data), (a,), lambda g: (g * slope(a.data),))

        def matmul(a, b):
            return Value(a.data @ b.data, (a, b), lambda g: (g, g))

        Value.exp = lambda a: elementwise(a, np.exp, lambda x: 1)
        Value.log = lambda a: elementwise(a, np.log, lambda x: 1)
        Value.tanh = lambda a: elementwise(a, np.tanh, lambda x: 1)
        Value.sum = lambda a: Value(a.data.sum(), (a,), lambda g: (g,))
        Value.__matmul__ = matmul
        Value.__pow__ = lambda a, n: elementwise(a, lambda x: x**n, lambda x: n * x**(n - 1))
        Value.mean = lambda a: a.sum() * (1 / a.data.size)
    """,
    solution="""
        def elementwise(a, f, slope):
            return Value(f(a.data), (a,), lambda g: (g * slope(a.data),))

        def matmul(a, b):
            return Value(a.data @ b.data, (a, b), lambda g: (g @ b.data.T, a.data.T @ g))

        Value.exp = lambda a: elementwise(a, np.exp, lambda x: np.exp(x))
        Value.log = lambda a: elementwise(a, np.log, lambda x: 1 / x)
        Value.tanh = lambda a: elementwise(a, np.tanh, lambda x: 1 - np.tanh(x)**2)
        Value.sum = lambda a: Value(a.data.sum(), (a,), lambda g: (g * np.ones(a.data.shape),))
        Value.__matmul__ = matmul
        Value.__pow__ = lambda a, n: elementwise(a, lambda x: x**n, lambda x: n * x**(n - 1))
        Value.mean = lambda a: a.sum() * (1 / a.data.size)
    """,
    examples={
        "For x = [0, 1], x.exp().backward([1, 10]):": (
            "x = Value([0., 1.])\nx.exp().backward([1., 10.])",
            "x.exp(), x.grad",
        ),
        "For x = [2, 4], x.log().backward([1, 10]):": (
            "x = Value([2., 4.])\nx.log().backward([1., 10.])",
            "x.log(), x.grad",
        ),
        "For x = [0, 0.5], x.tanh().backward([1, 10]):": (
            "x = Value([0., 0.5])\nx.tanh().backward([1., 10.])",
            "x.tanh(), x.grad",
        ),
        "For x of shape (2, 3), x.sum().backward(5):": (
            "x = Value(np.ones((2, 3)))\nx.sum().backward(5.)",
            "x.sum(), x.grad",
        ),
        "For a of shape (2, 3), b of shape (3, 1), out = a @ b, v = [[1], [10]]:": (
            "a, b = Value([[1., 2., 3.], [4., 5., 6.]]), Value([[1.], [0.], [2.]])\nout = a @ b\n"
            "out.backward([[1.], [10.]])",
            "out, a.grad, b.grad",
        ),
        "For a and b of shape (2, 2), out = a @ b, v = [[1, 0], [0, 0]]:": (
            "a, b = Value([[1., 2.], [3., 4.]]), Value([[5., 6.], [7., 8.]])\nout = a @ b\n"
            "out.backward([[1., 0.], [0., 0.]])",
            "out, a.grad, b.grad",
        ),
        "For loss = ((x - 1)**2).mean(), x = [1, 2, 4]:": (
            "x = Value([1., 2., 4.])\nloss = ((x - 1)**2).mean()\nloss.backward()",
            "loss, x.grad",
        ),
    },
    praise="That is the engine. Whatever is built of these operations has a gradient now.",
    hints=(
        "slope is the derivative as a function of the input x. For sum each number has the "
        "derivative 1: which shape must come back? For @ look at lesson 06.",
        "exp: np.exp(x). log: 1 / x. tanh: 1 minus the square of tanh(x). sum: spread the one "
        "number g over the shape of a, with np.ones.",
        "sum: (g * np.ones(a.data.shape),). @: (g @ b.data.T, a.data.T @ g).",
    ),
    also_right=(
        ("(g @ b.data.T, a.data.T @ g)", "((b.data @ g.T).T, (g.T @ a.data).T)"),
        ("g * np.ones(a.data.shape)", "np.broadcast_to(g, a.data.shape)"),
        ("1 - np.tanh(x)**2", "1 / np.cosh(x)**2"),
    ),
    mistakes={
        (
            "lambda x: np.exp(x)",
            "lambda x: x * np.exp(x - 1)",
        ): "That treats exp like a power. The derivative of exp is exp itself.",
        (
            "lambda x: 1 / x",
            "lambda x: np.log(x)",
        ): "The derivative of log x is 1 / x; only exp is its own derivative.",
        (
            "lambda x: 1 / x",
            "lambda x: x",
        ): "It is upside down: the derivative of log x is 1 / x.",
        (
            "1 - np.tanh(x)**2",
            "1 - x**2",
        ): "1 - t\u00b2 holds for the result t = tanh(x), not for the input x.",
        (
            "1 - np.tanh(x)**2",
            "1 - np.tanh(x)",
        ): "The square is missing: 1 minus the square of tanh(x).",
        (
            "g * np.ones(a.data.shape)",
            "g",
        ): "One number came back for many inputs: each input needs its own, g times 1.",
        (
            "g * np.ones(a.data.shape)",
            "g * np.ones(a.data.shape) / a.data.size",
        ): "That is the rule of the mean. In a sum each number counts with 1.",
        (
            "g * np.ones(a.data.shape)",
            "np.ones(a.data.shape)",
        ): "g is ignored: the ones are to be multiplied by it.",
        (
            "(g @ b.data.T, a.data.T @ g)",
            "(b.data.T @ g, g @ a.data.T)",
        ): "The order matters: g stands left of b's transpose, and right of a's.",
        (
            "(g @ b.data.T, a.data.T @ g)",
            "(g @ b.data, a.data @ g)",
        ): "The transposes are missing: look at the shapes.",
        (
            "(g @ b.data.T, a.data.T @ g)",
            "(g * b.data.T, a.data.T * g)",
        ): "* multiplies place by place. Here matrices are multiplied: @.",
        (
            "lambda x: np.exp(x)",
            "lambda x: 1",
            "lambda x: 1 / x",
            "lambda x: 1",
            "lambda x: 1 - np.tanh(x)**2",
            "lambda x: 1",
            "g * np.ones(a.data.shape)",
            "g",
            "(g @ b.data.T, a.data.T @ g)",
            "(g, g)",
        ): "At least one of these lines is still as it was.",
    },
)

EXERCISES = [VALUES, RULES, START, PASS, SHRINK, FUNCTIONS]


# --- the whole engine ----------------------------------------------------------------------------


def whole():
    """The reference engine on one screen, with its number of lines."""
    made = stages.made_of(FUNCTIONS.stages)
    listing = code(made.text)
    head = f"The engine has {made.lines} lines."
    return Shown(f"{head}\n\n{listing.text}", f"<p>{head}</p>{listing.html}")


def engine():
    """The engine of all six parts: the learner's own where they pass, else the reference."""
    return stages.engine(FUNCTIONS)
