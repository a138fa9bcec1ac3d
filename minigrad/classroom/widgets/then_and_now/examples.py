"""Cells of old documents that pass v in another shape: their code, and what they printed then.

Where a document drew random numbers, others stand in, from which every digit it printed follows.
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

    stand_ins: changes, (what stands there, what takes its place), of random numbers and of memory
    that nobody has written to. edits: the smallest with which the cells print today what they
    printed then.
    """

    document: str = ""
    cells: tuple = ()
    stand_ins: tuple = ()
    edits: tuple = ()

    def code(self, edited=False):
        """The source of each cell as it is run: as it stands, or with the smallest edit."""
        sources = [cell.code for cell in self.cells]
        for old, new in (*self.stand_ins, *(self.edits if edited else ())):
            sources = [source.replace(old, new) for source in sources]
        return sources


def _excerpt(name, document, cells, **changes):
    return Excerpt(name, name, None, {}, document=document, cells=cells, **changes)


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

_THREE_ENTRIES = """\
a = torch.empty(1, requires_grad = True, pin_memory=True)
b = torch.empty(1, requires_grad = True, pin_memory=True)
c = torch.empty(1, requires_grad = True, pin_memory=True)
y=3*a + 2*b*b + torch.log(c)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(a.grad)
print(b.grad)
print(c.grad)"""

EXAMPLES = by_name(
    _excerpt(
        "the gradient [1, 1]", "Notebook of 2017", _TWO_WEIGHTS, stand_ins=(_X,), edits=(_ALL_FOUR,)
    )
    .of_row("S4-15")
    .noting("Two entries for four outputs. In 2017 they were repeated; today you write all four."),
    _excerpt(
        "the gradient [1, 0]",
        "Notebook of 2017",
        (*(replace(cell, given=True) for cell in _TWO_WEIGHTS), *_FIRST_COLUMN),
        stand_ins=(_X,),
        edits=(
            _ALL_FOUR,
            ("torch.FloatTensor([1, 0])", "torch.FloatTensor([1, 0]).expand(2, 2)"),
        ),
    )
    .of_row("S4-17")
    .noting("[1, 0] was used for each row, so it picks the first column, not the first element."),
    _excerpt(
        "Example 3: three entries of v for one output",
        "Answer of 2019",
        (OldCell("", _THREE_ENTRIES, "tensor([3.3003])\ntensor([0.])\ntensor([inf])"),),
        stand_ins=(
            ("empty(1, requires_grad = True, pin_memory=True)", "zeros(1, requires_grad = True)"),
        ),
        edits=(("y.backward(gradients)", "y.expand(3).backward(gradients)"),),
    )
    .of_row("S3-5")
    .noting(
        "The three entries of v were added to 1.1001 without a word: 3\u00b71.1001 is 3.3003. The "
        "pinned memory happened to hold zeros."
    ),
)
