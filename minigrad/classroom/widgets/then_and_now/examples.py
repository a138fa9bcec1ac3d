"""The cells of old documents that lesson 11 reads: their code, and what they printed then.

Where a document drew random numbers, those that it printed stand in for them, to four digits;
numbers that others were computed from were searched for, so that every printed digit follows.
"""

from dataclasses import dataclass, replace

from ..shared.example import Example, by_name


@dataclass(frozen=True)
class OldCell:
    """One cell of a document. printed: its output then, word for word, "" where it had none."""

    label: str
    code: str
    printed: str = ""
    given: bool = False  # from before: needed to run, not what is looked at


@dataclass(frozen=True)
class Excerpt(Example):
    """Some cells of a document that belong together.

    source: where they are from. stand_ins, besides, edits: changes, (what stands there, what takes
    its place): for random numbers, today and then; the smallest with which the cells print today
    what they printed then. `besides` are not about a gradient's shape: the old rule needs them too.
    """

    document: str = ""
    cells: tuple = ()
    stand_ins: tuple = ()
    besides: tuple = ()
    edits: tuple = ()

    def code(self, *changes):
        """The source of each cell after some changes."""
        sources = [cell.code for cell in self.cells]
        for old, new in changes:
            sources = [source.replace(old, new) for source in sources]
        return sources


def _excerpt(row, name, document, cells, note, **changes):
    return Excerpt(
        name, name, None, {}, note=note, row=row, document=document, cells=cells, **changes
    )


_NOTEBOOK = "Notebook of 2017"
_TWO_BY_THREE = """\
Variable containing:
 1  2  3
 4  5  6
[torch.FloatTensor of size 2x3]"""

_TYPES = (
    OldCell("In [1]", "import torch"),
    OldCell("In [2]", "from torch.autograd import Variable"),
    OldCell("In [3]", "x = [ [1, 2, 3], [4, 5, 6]]"),
    OldCell("In [4]", "y = torch.FloatTensor(x)"),
    OldCell("In [5]", "z = Variable(y)"),
    OldCell("In [6]", "z", _TWO_BY_THREE),
    OldCell("In [7]", "z = Variable(y, requires_grad = True)"),
    OldCell("In [8]", "z", _TWO_BY_THREE),
)

_RANDOM = (
    OldCell("In [9]", "torch.randn(1, 1)", " 0.4562\n[torch.FloatTensor of size 1x1]"),
    OldCell("In [10]", "torch.randn(1)", "-0.1740\n[torch.FloatTensor of size 1]"),
    OldCell(
        "In [11]",
        "torch.randn(4)",
        "-1.6094\n 0.5641\n 0.6932\n 1.6073\n[torch.FloatTensor of size 4]",
    ),
    OldCell(
        "In [12]",
        "torch.randn(2, 3)",
        "-1.8842 -0.2613  0.6636\n-0.5081  2.6716 -0.3373\n[torch.FloatTensor of size 2x3]",
    ),
    OldCell(
        "In [13]",
        "Variable(torch.randn(1))",
        "Variable containing:\n-0.5223\n[torch.FloatTensor of size 1]",
    ),
    OldCell(
        "In [15]",
        "Variable(torch.randn(2, 3))",
        "Variable containing:\n 0.2711  2.0850  1.0181\n 0.0304 -0.4553 -1.0596\n"
        "[torch.FloatTensor of size 2x3]",
    ),
)
_DRAWN = (  # those in a Variable first: the others are part of them
    ("Variable(torch.randn(1))", "Variable(torch.FloatTensor([-0.5223]))"),
    (
        "Variable(torch.randn(2, 3))",
        "Variable(torch.FloatTensor([[0.2711, 2.0850, 1.0181], [0.0304, -0.4553, -1.0596]]))",
    ),
    ("torch.randn(1, 1)", "torch.FloatTensor([[0.4562]])"),
    ("torch.randn(1)", "torch.FloatTensor([-0.1740])"),
    ("torch.randn(4)", "torch.FloatTensor([-1.6094, 0.5641, 0.6932, 1.6073])"),
    (
        "torch.randn(2, 3)",
        "torch.FloatTensor([[-1.8842, -0.2613, 0.6636], [-0.5081, 2.6716, -0.3373]])",
    ),
)

_TWO_WEIGHTS = (
    OldCell(
        "In [30]",
        """\
x = Variable(torch.randn(2, 2), requires_grad=True)
print('x', x)

y = 2 * x
z = y ** 3""",
        """\
x Variable containing:
-0.1982  1.4902
-1.0550  0.4618
[torch.FloatTensor of size 2x2]""",
    ),
    OldCell("In [31]", "z.shape", "torch.Size([2, 2])"),
    OldCell("In [32]", "z.backward(torch.FloatTensor([1, 1]), retain_graph=True)"),
    OldCell(
        "In [33]",
        "x.grad",
        """\
Variable containing:
  0.9431  53.2989
 26.7135   5.1188
[torch.FloatTensor of size 2x2]""",
    ),
)
_FIRST_COLUMN = (
    OldCell("In [34]", "x.grad.data.zero_()", " 0  0\n 0  0\n[torch.FloatTensor of size 2x2]"),
    OldCell("In [35]", "z.backward(torch.FloatTensor([1, 0]), retain_graph=True)"),
    OldCell(
        "In [36]",
        "x.grad",
        """\
Variable containing:
  0.9431   0.0000
 26.7135   0.0000
[torch.FloatTensor of size 2x2]""",
    ),
)
_X = (
    "torch.randn(2, 2)",
    "torch.FloatTensor([[-0.198232, 1.490231], [-1.055018, 0.461826]])",
)
_ALL_FOUR = ("torch.FloatTensor([1, 1])", "torch.ones(2, 2)")

_CLAIM = (
    OldCell(
        "",
        """\
x = Variable(torch.FloatTensor([1, 2, 3]), requires_grad=True)
out = (x * x).sum()""",
        given=True,
    ),
    OldCell("claim, left", "out.backward(retain_graph=True)\nx.grad"),
    OldCell("claim, right", "x.grad = None\nout.backward(torch.Tensor([1]))\nx.grad"),
)

_WITHOUT_MEMORY = """\
a = torch.empty(1, requires_grad = True)
b = torch.empty(1, requires_grad = True)
c = torch.empty(1, requires_grad = True)
y=3*a + 2*b*b + torch.log(c)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(a.grad)
print(b.grad)
print(c.grad)"""
_UNPINNED, _PINNED = "(1, requires_grad = True)", "(1, requires_grad = True, pin_memory=True)"
_WITH_MEMORY = _WITHOUT_MEMORY.replace(_UNPINNED, _PINNED)
_THREE_OUTPUTS = ("y.backward(gradients)", "y.expand(3).backward(gradients)")

EXAMPLES = by_name(
    _excerpt(
        "S4-1 S4-2 S4-3",
        "tensors and Variables",
        _NOTEBOOK,
        _TYPES,
        "The same numbers. A Variable is a plain tensor today: it is written as one, and says "
        "of itself that it requires grad.",
    ),
    _excerpt(
        "S4-4 S4-5 S4-6 S4-7 S4-8 S4-9",
        "random numbers",
        _NOTEBOOK,
        _RANDOM,
        "Each run draws other numbers; the printed ones stand in for them. Only the way a tensor "
        "is written has changed.",
        stand_ins=_DRAWN,
    ),
    _excerpt(
        "S4-15",
        "the gradient [1, 1]",
        _NOTEBOOK,
        _TWO_WEIGHTS,
        "Two entries for four outputs: then they were repeated to fit. Today write all four.",
        stand_ins=(_X,),
        edits=(_ALL_FOUR,),
    ),
    _excerpt(
        "S4-16 S4-17",
        "the gradient [1, 0]",
        _NOTEBOOK,
        (*(replace(cell, given=True) for cell in _TWO_WEIGHTS), *_FIRST_COLUMN),
        "[1, 0] was used for each row, so it picks the first column, not the first element.",
        stand_ins=(_X,),
        edits=(
            _ALL_FOUR,
            ("torch.FloatTensor([1, 0])", "torch.FloatTensor([1, 0]).expand(2, 2)"),
        ),
    ),
    _excerpt(
        "S1-4",
        "out.backward(torch.Tensor([1]))",
        "Forum thread",
        _CLAIM,
        "True while a sum had shape (1,). It has shape () now, and the 1 that backward() stands "
        "for is torch.tensor(1.)",
        edits=(("torch.Tensor([1])", "torch.tensor(1.)"),),
    ),
    _excerpt(
        "S3-5",
        "Example 3: three entries of v for one output",
        "Answer of 2019",
        (OldCell("", _WITH_MEMORY, "tensor([3.3003])\ntensor([0.])\ntensor([inf])"),),
        "The three entries of v were added to 1.1001 without a word: 3\u00b71.1001 is 3.3003. The "
        "pinned memory happened to hold zeros.",
        besides=((f"torch.empty{_PINNED}", f"torch.zeros{_UNPINNED}"),),
        edits=(_THREE_OUTPUTS,),
    ),
    _excerpt(
        "S3-6",
        "Example 3 without pin_memory",
        "Answer of 2019",
        (OldCell("", _WITHOUT_MEMORY),),
        '"You may have different results each time": empty memory holds anything. Zeros give the '
        "document's numbers, the shape has to be mended either way.",
        besides=((f"torch.empty{_UNPINNED}", f"torch.zeros{_UNPINNED}"),),
        edits=(_THREE_OUTPUTS,),
    ),
)
