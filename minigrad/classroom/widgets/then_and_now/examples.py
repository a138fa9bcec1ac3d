"""The cells of the old documents: their code, and what they printed then.

S4 is a notebook of 2017, "Understanding backward() in PyTorch"; S1 is a forum thread, S3 a question
with three answers. Random inputs were printed to four digits; the constants that stand in for them
reproduce every printed digit of what was computed from them.
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
class Change:
    """A piece of code and what takes its place.

    shape: whether it makes a gradient fit, so that the old rule does without it.
    """

    old: str
    new: str
    shape: bool = True


@dataclass(frozen=True)
class Document:
    """Some cells of a document that belong together: `more` of an example.

    inputs: what has to stand in for random numbers, today and then. edits: the smallest edit with
    which the cells print today what they printed then.
    """

    cells: tuple
    inputs: tuple = ()
    edits: tuple = ()
    year: str = "2017"

    def code(self, *changes):
        """The source of each cell, after some changes."""
        sources = [cell.code for cell in self.cells]
        for change in changes:
            sources = [source.replace(change.old, change.new) for source in sources]
        return sources


def _old(name, title, cells, note, inputs=(), edits=(), year="2017"):
    document = Document(tuple(cells), inputs, edits, year)
    return Example(name, title, None, {}, note=note, more=document)


def _section(group, *examples):
    """Examples under one heading of the list."""
    return [replace(example, group=group) for example in examples]


def _given(*cells):
    return tuple(OldCell(cell.label, cell.code, cell.printed, given=True) for cell in cells)


def _in(number, code, printed=""):
    return OldCell(f"In [{number}]", code, printed)


def _matrix(text):
    return f"Variable containing:\n{text}\n[torch.FloatTensor of size 2x2]"


_PRINT_GRADS = """\
print('z gradient', z.grad)
print('y gradient', y.grad)
print('x gradient', x.grad)"""
_NO_GRADS = "z gradient None\ny gradient None\nx gradient "
_ZERO = " 0  0\n 0  0\n[torch.FloatTensor of size 2x2]"
_ZERO_X = "x.grad.data.zero_()"
_RANDOM_2X2 = "torch.randn(2, 2)"
_PICK_FIRST = "z.backward(torch.FloatTensor([1, 0]), retain_graph=True)"

_IMPORT = (_in(1, "import torch"), _in(2, "from torch.autograd import Variable"))
_LISTS = (_in(3, "x = [ [1, 2, 3], [4, 5, 6]]"),
          _in(4, "y = torch.FloatTensor(x)"),
          _in(5, "z = Variable(y)"),
          _in(6, "z", "Variable containing:\n 1  2  3\n 4  5  6\n[torch.FloatTensor of size 2x3]"))
_CHAIN = (_in(16, "x = Variable(torch.randn(1, 1), requires_grad=True)"),
          _in(17, "x", "Variable containing:\n-0.6444\n[torch.FloatTensor of size 1x1]"),
          _in(18, "y = 2 * x  #define an operation on x"),
          _in(19, "y", "Variable containing:\n-1.2889\n[torch.FloatTensor of size 1x1]"),
          _in(20, "z = y ** 3  #define one more operation to check the chain rule"),
          _in(21, "z", "Variable containing:\n-2.1411\n[torch.FloatTensor of size 1x1]"),
          _in(22, _PRINT_GRADS, _NO_GRADS + "None"))
_CHAIN_INPUT = Change("torch.randn(1, 1)", "torch.FloatTensor([[-0.644444]])")
_RATE = (_in(25, "x = Variable(torch.randn(1, 1), requires_grad=True)\ny = 2 * x\nz = y ** 3"),
         _in(26, "z.backward(torch.FloatTensor([1]), retain_graph=True)"),
         _in(27, _PRINT_GRADS, _NO_GRADS + "Variable containing:\n 110.4875\n"
             "[torch.FloatTensor of size 1x1]"),
         _in(28, _ZERO_X, " 0\n[torch.FloatTensor of size 1x1]"),
         _in(29, "z.backward(torch.FloatTensor([0.1]), retain_graph=True)\n" + _PRINT_GRADS,
             _NO_GRADS + "Variable containing:\n 11.0488\n[torch.FloatTensor of size 1x1]"))
_RATE_INPUT = Change("torch.randn(1, 1)", "torch.FloatTensor([[2.145611]])")
_ONE_BY_ONE = Change("FloatTensor([1])", "FloatTensor([[1]])")
_TENTH_BY_ONE = Change("FloatTensor([0.1])", "FloatTensor([[0.1]])")
_SQUARE = (_in(30, "x = Variable(torch.randn(2, 2), requires_grad=True)\nprint('x', x)\n\n"
               "y = 2 * x\nz = y ** 3", "x " + _matrix("-0.1982  1.4902\n-1.0550  0.4618")),
           _in(31, "z.shape", "torch.Size([2, 2])"),
           _in(32, "z.backward(torch.FloatTensor([1, 1]), retain_graph=True)"),
           _in(33, "x.grad", _matrix("  0.9431  53.2989\n 26.7135   5.1188")),
           _in(34, _ZERO_X, _ZERO),
           _in(35, _PICK_FIRST),
           _in(36, "x.grad", _matrix("  0.9431   0.0000\n 26.7135   0.0000")))
_SQUARE_INPUT = Change(
    _RANDOM_2X2, "torch.FloatTensor([[-0.198232, 1.490231], [-1.055018, 0.461826]])"
)
_FOUR_ONES = Change("torch.FloatTensor([1, 1])", "torch.ones(2, 2)")
_MEAN = (_in(37, "x = Variable(torch.randn(2, 2), requires_grad=True)\nprint('x', x)\n\n"
             "y = 2 * x\nz = y ** 3\nout = z.mean()",
             "x " + _matrix("-1.0168 -0.3331\n 0.9356  0.1357")),
         _in(38, "out", "Variable containing:\n-0.5337\n[torch.FloatTensor of size 1]"),
         _in(39, "out.backward(torch.FloatTensor([1]), retain_graph=True)"),
         _in(40, "x.grad", _matrix(" 6.2033  0.6656\n 5.2515  0.1105")),
         _in(41, _ZERO_X, _ZERO),
         _in(42, "out.backward(torch.FloatTensor([0.1]), retain_graph=True)"),
         _in(43, "x.grad", _matrix(" 0.6203  0.0666\n 0.5252  0.0110")))
_MEAN_INPUT = Change(_RANDOM_2X2, "torch.FloatTensor([[-1.0168, -0.33307], [0.935552, 0.13569]])")
_ONE = Change("torch.FloatTensor([1])", "torch.tensor(1.)")
_TENTH = Change("torch.FloatTensor([0.1])", "torch.tensor(0.1)")
_FREED = (_in(44, "x = Variable(torch.randn(2, 2), requires_grad=True)\nprint('x', x)\n\n"
              "y = 2 * x\nz = y ** 3\nout = z.mean()",
              "x " + _matrix("-0.2237  1.4244\n 1.4300  0.4250")),
          _in(45, "out", "Variable containing:\n 11.7597\n[torch.FloatTensor of size 1]"),
          _in(46, "out.backward(torch.FloatTensor([1]))"),
          _in(47, "x.grad", _matrix("  0.3004  12.1738\n 12.2694   1.0836")),
          _in(48, _ZERO_X, _ZERO),
          _in(50, "#out.backward(torch.FloatTensor([0.1]), retain_graph=True)"))
_FREED_INPUT = Change(_RANDOM_2X2, "torch.FloatTensor([[-0.223742, 1.424418], [1.43, 0.42497]])")
_BARE = Change("out.backward(torch.FloatTensor([1]))", "out.backward()")

_EXAMPLE_3 = """\
a = torch.empty(1, requires_grad = True, pin_memory=True)
b = torch.empty(1, requires_grad = True, pin_memory=True)
c = torch.empty(1, requires_grad = True, pin_memory=True)
y=3*a + 2*b*b + torch.log(c)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(a.grad)
print(b.grad)
print(c.grad)"""
_EXPANDED = Change("y.backward(gradients)", "y.expand(3).backward(gradients)")


def _drawn(name, number, code, printed, values):
    """A cell that only draws random numbers."""
    draw = code.removeprefix("Variable(").removesuffix(")") if "Variable" in code else code
    return _old(
        name,
        f"{code}: random numbers",
        (_in(number, code, printed),),
        "Each run draws other numbers; the printed ones stand in for them. Only the way a tensor "
        "is written has changed.",
        inputs=(Change(draw, f"torch.FloatTensor({values})"),),
    )


_EXAMPLES = [
    *_section("S4, 2017: tensors and Variables",
        _old("S4-1", "the two imports", _IMPORT,
             "Both lines still work. Variable is a shell now: it gives its tensor back."),
        _old("S4-2", "a list becomes a tensor, the tensor a Variable", _given(*_IMPORT) + _LISTS,
             "A Variable is a plain tensor today, and is written as one."),
        _old("S4-3", "a Variable that requires grad",
             _given(*_IMPORT, *_LISTS) + (
                 _in(7, "z = Variable(y, requires_grad = True)"),
                 _in(8, "z", _LISTS[-1].printed)),
             "The same numbers; today the tensor says of itself that it requires grad."),
    ),
    *_section("S4, 2017: random numbers",
        _drawn("S4-4", 9, "torch.randn(1, 1)", " 0.4562\n[torch.FloatTensor of size 1x1]",
               "[[0.4562]]"),
        _drawn("S4-5", 10, "torch.randn(1)", "-0.1740\n[torch.FloatTensor of size 1]", "[-0.1740]"),
        _drawn("S4-6", 11, "torch.randn(4)",
               "-1.6094\n 0.5641\n 0.6932\n 1.6073\n[torch.FloatTensor of size 4]",
               "[-1.6094, 0.5641, 0.6932, 1.6073]"),
        _drawn("S4-7", 12, "torch.randn(2, 3)",
               "-1.8842 -0.2613  0.6636\n-0.5081  2.6716 -0.3373\n[torch.FloatTensor of size 2x3]",
               "[[-1.8842, -0.2613, 0.6636], [-0.5081, 2.6716, -0.3373]]"),
        _drawn("S4-8", 13, "Variable(torch.randn(1))",
               "Variable containing:\n-0.5223\n[torch.FloatTensor of size 1]", "[-0.5223]"),
        _drawn("S4-9", 15, "Variable(torch.randn(2, 3))",
               "Variable containing:\n 0.2711  2.0850  1.0181\n 0.0304 -0.4553 -1.0596\n"
               "[torch.FloatTensor of size 2x3]",
               "[[0.2711, 2.0850, 1.0181], [0.0304, -0.4553, -1.0596]]"),
    ),
    *_section("S4, 2017: backward of one element",
        _old("S4-10", "x, y = 2x, z = y³, before backward", _CHAIN,
             "The same numbers. Reading .grad of y and z, which are no leaves, warns today.",
             inputs=(_CHAIN_INPUT,)),
        _old("S4-11", "z.backward(): x.grad is 24x²",
             _given(*_CHAIN[:6]) + (
                 _in(23, "z.backward()"),
                 _in(24, _PRINT_GRADS, _NO_GRADS + "Variable containing:\n 9.9674\n"
                     "[torch.FloatTensor of size 1x1]")),
             "z has one element, so backward needs no argument, then and now.",
             inputs=(_CHAIN_INPUT,)),
        _old("S4-12", "z is 1x1, the gradient [1]", _RATE[:3],
             "One element each, but not one shape: today the gradient is [[1]].",
             inputs=(_RATE_INPUT,), edits=(_ONE_BY_ONE,)),
        _old("S4-13", "x.grad.data.zero_()", _given(*_RATE[:3]) + _RATE[3:4],
             "Clearing works as before, once the backward above it does.",
             inputs=(_RATE_INPUT,), edits=(_ONE_BY_ONE,)),
        _old("S4-14", "the gradient [0.1], \"to set learning rate\"",
             _given(*_RATE[:4]) + _RATE[4:],
             "0.1 scales this gradient; no step is taken. Its shape has to be z's, (1, 1).",
             inputs=(_RATE_INPUT,), edits=(_ONE_BY_ONE, _TENTH_BY_ONE)),
    ),
    *_section("S4, 2017: backward of four elements",
        _old("S4-15", "z is 2x2, the gradient [1, 1]", _SQUARE[:4],
             "Two weights for four outputs: then they were used for each row. Today write "
             "all four.",
             inputs=(_SQUARE_INPUT,), edits=(_FOUR_ONES,)),
        _old("S4-16", "x.grad.data.zero_() for 2x2", _given(*_SQUARE[:4]) + _SQUARE[4:5],
             "Clearing works as before, once the backward above it does.",
             inputs=(_SQUARE_INPUT,), edits=(_FOUR_ONES,)),
        _old("S4-17", "the gradient [1, 0]",
             _given(*_SQUARE[:5]) + _SQUARE[5:],
             "[1, 0] was used for each row, so it picks the first column, not the first element.",
             inputs=(_SQUARE_INPUT,),
             edits=(_FOUR_ONES, Change("torch.FloatTensor([1, 0])",
                                       "torch.FloatTensor([1, 0]).expand(2, 2)"))),
    ),
    *_section("S4, 2017: backward of a mean",
        _old("S4-18", "a mean, the gradient [1]", _MEAN[:4],
             "A mean had shape (1,) then; it has shape () now, and so must its gradient.",
             inputs=(_MEAN_INPUT,), edits=(_ONE,)),
        _old("S4-19", "x.grad.data.zero_() after the mean", _given(*_MEAN[:4]) + _MEAN[4:5],
             "Clearing works as before, once the backward above it does.",
             inputs=(_MEAN_INPUT,), edits=(_ONE,)),
        _old("S4-20", "a mean, the gradient [0.1]", _given(*_MEAN[:5]) + _MEAN[5:],
             "A tenth of the gradient of S4-18: the argument scales, nothing more.",
             inputs=(_MEAN_INPUT,), edits=(_ONE, _TENTH)),
        _old("S4-21", "a mean, without retain_graph", _FREED[:4],
             "A mean has one element: backward() needs no gradient, and none of a wrong shape.",
             inputs=(_FREED_INPUT,), edits=(_BARE,)),
        _old("S4-22", "x.grad.data.zero_() once more", _given(*_FREED[:4]) + _FREED[4:5],
             "Clearing .grad does not bring the graph back: see S4-23.",
             inputs=(_FREED_INPUT,), edits=(_BARE,)),
        _old("S4-23", "the second backward, commented out",
             _given(*_FREED[:5]) + _FREED[5:],
             "\"We will get an error in next iteration\": without its # sign the line fails, then "
             "and now, because the first backward has freed the graph. Keeping the graph mends it.",
             inputs=(_FREED_INPUT, _BARE, Change("#out.backward(torch.FloatTensor([0.1])",
                                                 "out.backward(torch.tensor(0.1)")),
             edits=(Change("out.backward()", "out.backward(retain_graph=True)", shape=False),)),
    ),
    *_section("S4, 2017: its closing sentences",
        _old("S4-24", "\"we need to specify grad_variables\"",
             _given(*_SQUARE[:1]) + (OldCell(
                 "wrap-up",
                 "torch.autograd.backward([z], grad_variables=[torch.ones(2, 2)])\nx.grad"
             ),),
             "The second of the four closing sentences, as code: true, but the argument is called "
             "grad_tensors now. The old name still works, and warns.",
             inputs=(_SQUARE_INPUT,),
             edits=(Change("grad_variables", "grad_tensors", shape=False),)),
    ),
    *_section("other documents",
        _old("S1-4", "out.backward() equals out.backward(torch.Tensor([1]))",
             (OldCell("", "x = Variable(torch.FloatTensor([1, 2, 3]), requires_grad=True)\n"
                      "out = (x * x).sum()", given=True),
              OldCell("claim, left", "out.backward(retain_graph=True)\nx.grad"),
              OldCell("claim, right", "x.grad = None\nout.backward(torch.Tensor([1]))\nx.grad")),
             "True while a sum had shape (1,). It has shape () now, and the 1 that backward() "
             "stands for is torch.tensor(1.)",
             edits=(Change("torch.Tensor([1])", "torch.tensor(1.)"),), year="then"),
        _old("S3-5", "Example 3: three weights for one output",
             (OldCell("", _EXAMPLE_3, "tensor([3.3003])\ntensor([0.])\ntensor([inf])"),),
             "The three weights were added to 1.1001 without a word: 3·1.1001 is 3.3003. The "
             "pinned memory happened to hold zeros.",
             edits=(Change("torch.empty(1, requires_grad = True, pin_memory=True)",
                           "torch.zeros(1, requires_grad = True)", shape=False), _EXPANDED),
             year="2019"),
        _old("S3-6", "Example 3 without pin_memory",
             (OldCell("", _EXAMPLE_3.replace(", pin_memory=True", "")),),
             "\"You may have different results each time\": empty memory holds anything. Zeros "
             "give the document's numbers, the shape has to be mended either way.",
             edits=(Change("torch.empty(1,", "torch.zeros(1,", shape=False), _EXPANDED),
             year="2019"),
    ),
]

EXAMPLES = by_name(*_EXAMPLES)
