"""Random programs that once came out differently, cut down to the lines that mattered."""

from tests.cases import over
from tests.engine.programs import replay

KEPT = """
# which node an error names: with its namespace, or the one that a view has now
t0 = torch.tensor(2.0, requires_grad=True)
t1 = t0 * 1
t1[...] *= t1
t2 = t1.backward()  # RuntimeError

t0 = torch.tensor([2.0], requires_grad=True)
t1 = t0 / 3
t2 = t1 / t0
t3 = t1.view((1, 1)).mul_(1.5)
t4 = (t1 * t1).backward()
t5 = torch.div(t1, t1)
t6 = t1.view((1, 1)).mul_(1.5)
t7 = t5.backward()  # RuntimeError

t0 = torch.tensor([[1.0]], requires_grad=True)
t1 = t0 * 2
t2 = t1.view((1,))
t3 = t2.tanh_()
t4 = t2.mul(3)
t1[-1:0] = t4
t5 = t4.backward()  # RuntimeError

# what is looked at first, of several that changed
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = torch.tensor([1.0, 2.0])
t2 = t0 * 1
t3 = t2 ** t1
t4 = t1.mul_(2)
t5 = t2.mul_(2)
t6 = t3.sum().backward()  # RuntimeError

t0 = torch.tensor(3.0, requires_grad=True)
t1 = t0.reshape(-1)
t2 = t0 / t1
with torch.no_grad(): t3 = t1.detach().add_(0.5)
t4 = t2.backward()  # RuntimeError

# the result of a power is kept whichever gradient needs it
t0 = torch.tensor([2.0], requires_grad=True)
t1 = t0 ** torch.tensor([2.0])
t2 = t1 + 1
t3 = t1.neg_()
t4 = t2.backward()  # RuntimeError

# roots that lead nowhere
t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = t0.view((2, 1))
t2 = t1.retain_grad()
t3 = t0 * 2
t4 = torch.autograd.grad([t3, t1], [t3], [torch.ones(2), torch.ones(2, 1)], retain_graph=True)

# a view made where nothing was recorded, of what takes part in the graph since
t0 = torch.tensor([[1.0], [2.0]])
t1 = t0.unbind()
t2, t3 = t1
with torch.no_grad(): t4 = t0[1]
t5 = t0.add_(torch.tensor(1.0, requires_grad=True))
t6 = t2.requires_grad
t7 = t2 * 2  # RuntimeError

t0 = torch.tensor([[1.0], [2.0]])
with torch.no_grad(): t1 = t0[1]
t2 = t0.add_(torch.tensor(1.0, requires_grad=True))
t3 = t1 * 2  # RuntimeError

# a pass that is refused on its way: leaves that wait for nothing more have had their gradient
t0 = torch.tensor([1.0, 2.0])
t1 = torch.tensor([0.0, 0.0], requires_grad=True)
t2 = torch.tensor(0.0, requires_grad=True)
t3 = t0 * t1 + t2
t4 = (t3 * t3).sum().backward()
t5 = ((t3 - 1) ** 2).mean().backward()  # RuntimeError
t6 = t1.grad
t7 = t2.grad

t0 = torch.tensor(2.0, requires_grad=True)
t1 = torch.tensor(3.0, requires_grad=True)
t2 = torch.tensor(1.0, requires_grad=True)
t3 = t0.exp()
t4 = t3 * t1 + t2
t5 = t3.add_(1)
t6 = t4.backward()  # RuntimeError
t7 = torch.autograd.grad(t4, [t2, t0])  # RuntimeError
t8 = t2.grad

# a square is a power: its second derivative still depends on x, as far as the graph knows
t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = t0.square()
t2 = torch.autograd.grad(t1, t0, torch.tensor([1.0, 1.0]), create_graph=True)
t3, = t2
t4 = torch.autograd.grad(t3.sum(), t0, create_graph=True)

# a gradient that is a view of the upstream gradient
t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = t0 * 2
t2 = torch.autograd.grad(t1.view((2, 1)), t1, torch.ones(2, 1)); t2_0, = t2
t3 = t2_0.mul_(0.5)
t4 = t2_0.mul_(t0)  # RuntimeError

t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = torch.autograd.grad(t0.sum(), t0); t1_0, = t1
t2 = t1_0.mul_(2)  # RuntimeError
t3 = t1_0.mul_(t0)  # RuntimeError

# a view whose base was detached
t0 = torch.tensor([1.0, 2.0], requires_grad=True)
t1 = t0 * 2
t2 = t1.view((2, 1))
t3 = t1.detach_()
with torch.no_grad(): t4 = t2.mul_(2)

# memory that overlaps in part: PyTorch compares the steps of dimensions of length 1, too
t0 = torch.tensor([[2, -2, 3]])
t1 = t0[None]
t2 = t1[::2].add_(t1)  # RuntimeError

t0 = torch.tensor([[2.0]])
t0[None] = t0  # RuntimeError
t1 = t0[None].add_(t0)

t0 = torch.tensor([[2.0, 3.0]])
t0[None] = t0

t0 = torch.tensor([2.0])
t1 = t0.expand((3,))
t1[...] = -1  # RuntimeError
t3 = t1.copy_(torch.tensor(3))  # RuntimeError
t1[True] = 2  # RuntimeError

t0 = torch.tensor([[1.0, 2.0]], requires_grad=True)
t1 = (t0 * 2).expand((3, 2))
t2 = t1.sum().backward()  # RuntimeError

t0 = torch.zeros((2, 3))
t0[torch.tensor([2, -2]), 2:-2] = torch.ones(2, 3)  # RuntimeError
t0[torch.tensor([2, -2])] = torch.ones(2, 1)  # IndexError
t0[True] = 2.0
t0[False] = 3.0

t0 = torch.tensor([2.0], requires_grad=True)
t1 = t0 * 1
with torch.no_grad(): t2 = t1.view((1,))
t3 = t1.mul_(2)
t4 = t2[torch.tensor([3])]  # RuntimeError
with torch.no_grad(): t5 = t2.cumsum(0)
t6 = t2.cumsum(0)  # RuntimeError

t0 = torch.zeros((2, 0), requires_grad=True)
t1 = t0 * 1
t1[[0, 0, 0], :0] = t1  # RuntimeError

# one number where a mask holds is taken from any dtype; the view itself is the leaf that is changed
t0 = torch.tensor([1, 2, 3])
t0[t0 > 1] = torch.tensor(2.5)
t0[t0 > 1] = torch.tensor([2.5, 3.5])  # RuntimeError

# detached in place after it was saved, before it was saved, and without a graph
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = t0 * t0
t2 = t1 * t0
t3 = t1.detach_()
t5 = (t1 * t0).sum().backward()
t6 = torch.tensor([1.0, 1.0])
t7 = t6 * t0
t8 = t6.detach_()
t9 = t7.sum().backward()

# what saved nothing is not freed
t0 = torch.tensor(1.0, requires_grad=True)
t1 = t0 % 2
t2 = t1.backward()
t3 = t1.backward()

# a gradient of integers that holds nan; erfinv saves what it was given; kron no view
t0 = torch.tensor([1, 2])
t1 = torch.autograd.grad(t0, t0, torch.tensor([float("nan"), 1.0]))  # RuntimeError

# a dimension that is not there, before shapes that do not fit
t0 = torch.tensor([1.0])
t1 = torch.stack([t0, t0, torch.ones(2)], 2)  # IndexError

# a gradient from nan is nan
t0 = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
t1 = torch.tensor([float("nan"), 2.0], dtype=torch.float64)
t2 = torch.nn.functional.smooth_l1_loss(t1, t0)
t3 = t2.backward()

# here, too
t0 = torch.tensor([float("nan"), 2.0, 30.0, float("inf")], requires_grad=True)
t1 = torch.nn.functional.softplus(t0).sum().backward()

# numbers that are gradients keep their digits, also where they are put together
t0 = torch.tensor([-0.3], dtype=torch.float64, requires_grad=True)
t1 = t0.unbind(-1)[0]
t2 = (t0 / t1).backward(torch.tensor([1.0], dtype=torch.float64))

# the smaller of numbers and bools
t0 = torch.tensor([[-0.3, 10.0, -1.0]], requires_grad=True)
t1 = torch.minimum(t0, t0 < -0.5).backward(torch.tensor([[1.0, 0.25, -0.5]]))

# a dimension that is not there
t0 = torch.zeros((2, 0))
t1 = t0.argmax(2)  # IndexError

# what is empty may be divided by zero; a number may come before %
t0 = torch.zeros((2, 0), dtype=torch.int64)
t1 = t0 % 0
t2 = t0 // torch.tensor([[0], [1]])
t3 = 5 % torch.tensor([3, 2])
t4 = 5 % torch.tensor([3.0, -2.0])
t5 = 5 // torch.tensor([3, 2])
t6 = torch.tensor([1]) % 0  # RuntimeError

# a sum of short integers is a long one
t0 = torch.tensor([[2], [3]], dtype=torch.int32)
t1 = t0.sum_to_size((1, 1))
t2 = t0.sum_to_size((2, 1))

# a power whose exponent is a tensor takes no square root
t0 = torch.tensor([-1.0, 0.0], requires_grad=True)
t1 = t0 / 0
t2 = t0 ** torch.tensor(0.5)
t3 = (1 / -t0) ** torch.tensor(0.5)

# of two operands only the second would have been saved for the first
t0 = torch.tensor([5.0, -3.0], requires_grad=True)
t1 = t0 % torch.tensor([3.0, 2.0])
t2 = t1.sum().backward(retain_graph=True)
t3 = torch.autograd.grad(t1, t0, torch.tensor([1.0, 2.0]))
t4 = torch.autograd.grad(t1, t0, torch.tensor([1.0, 2.0]), create_graph=True)

# detached in place after it was saved
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = t0 * t0
t2 = t1 * t0
t3 = t1.detach_()
t4 = t2.sum().backward(retain_graph=True)  # RuntimeError
t5 = torch.autograd.grad(t2, t0, torch.tensor([1.0, 2.0]), create_graph=True)  # RuntimeError

# a pass that is refused by a hook
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = t0 * 3
t2 = t1.register_hook(lambda g: g.sum())
t3 = t1.add_(t0)
t4 = t1.backward(torch.tensor([1.0, 10.0]))  # RuntimeError
t5 = t1.backward(torch.tensor([1.0, 10.0]), inputs=[t0])  # RuntimeError

# hooks and retain_grad of the one root are served even where nothing leads on from there
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = torch.tensor([4.0, 5.0], requires_grad=True)
t2 = t0 * 3
t3 = t2.retain_grad()
t4 = t2.register_hook(lambda g: g.mul_(2))
t5 = torch.autograd.grad(t2, t1, torch.tensor([1.0, 10.0]), allow_unused=True)
t6 = torch.autograd.grad([t2, t2], t1, [torch.ones(2), torch.ones(2)], allow_unused=True)

# on the way to one of several results are those who use the others
t0 = torch.tensor([[2.0], [3.0]], requires_grad=True)
t1 = t0.unbind(); t1_0, t1_1, = t1
t2 = t1_0 * 3
t3 = t2.retain_grad()
t4 = torch.autograd.grad([t2.exp(), t1_1], t1_1, [torch.ones(1), torch.ones(1)])

# joined is what has elements, or more than one dimension
t0 = torch.cat([torch.zeros(0), torch.zeros(0)], 1)

# a result that was saved in place lies where the tensor does: .data changes it unnoticed
t0 = torch.tensor([3.0, 4.0], requires_grad=True)
t1 = t0 * 1
t2 = t1.sqrt_()
t3 = t1.data.mul_(0.5)
t4 = t1.sum().backward()

# the gradient of a mean has memory of its own
t0 = torch.tensor([[3.0, 4.0]], requires_grad=True)
t1 = torch.autograd.grad(t0.mean(), t0); t1_0, = t1
t2 = t1_0.mul_(2)

# an expanded .grad cannot be added to
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t0.grad = torch.tensor(1.0).expand((2,))
t2 = (t0 * 2).sum().backward()  # RuntimeError
"""


@over("program", KEPT.strip().split("\n\n"))
def test_program_agrees(program):
    replay("\n".join(line for line in program.splitlines() if not line.startswith("#")))
