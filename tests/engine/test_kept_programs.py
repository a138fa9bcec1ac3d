"""Random programs that once came out differently, cut down to the lines that mattered."""
import pytest

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
t5 = torch.autograd.grad(t1, [t3], torch.ones(2, 1), retain_graph=True, allow_unused=True)

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
t2 = t1.fill_(-1)
t3 = t1.copy_(torch.tensor(3))  # RuntimeError
t1[True] = 2  # RuntimeError

# elements that share memory, written to by an index: PyTorch only warns
t0 = torch.tensor([[1.0, 2.0]])
t1 = t0.expand((3, 2))
t1[[0, 1]] += 1
t1[[0, 2], 1] = 5
t2 = t1.index_fill_(0, torch.tensor([1]), 3)
t3 = t1.masked_fill_(torch.tensor([True, False]), 7)

t0 = torch.tensor([[1.0, 2.0]], requires_grad=True)
t1 = (t0 * 2).expand((3, 2))
t1[[0, 1]] = t0
t2 = t1.sum().backward()  # RuntimeError

# an index: what is wrong with the view first, then the value's shape, then the index's bounds
t0 = torch.zeros((2, 0), requires_grad=True)
t1 = t0[torch.tensor([-3])]
t2 = t0[torch.tensor([4, 5]), torch.tensor([1, 2])]  # IndexError
t3 = t1.sum().backward()

t0 = torch.zeros((2, 3))
t0[torch.tensor([2, -2]), 2:-2] = torch.ones(2, 3)  # RuntimeError
t0[torch.tensor([2, -2]), 2:-2] = torch.ones(2, 1)
t0[torch.tensor([2, -2])] = torch.ones(2, 1)  # IndexError
t0[True] = 2.0
t0[False] = 3.0
t1 = t0[0:0, torch.tensor([5])]

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

t0 = torch.tensor([3.0])
t1 = t0[...]
t1[...] *= torch.tensor([2.0], requires_grad=True)  # RuntimeError

# a view borrows from its base that it requires grad
t0 = torch.ones(6)
t1 = t0.view((2, 3))
t2 = t0.requires_grad_()
t3 = t1.requires_grad
t4 = t1.backward(torch.ones(2, 3))  # RuntimeError
t5 = torch.autograd.grad((t1 * 2).sum(), t1)  # RuntimeError
t6 = t1.requires_grad_()
t7 = (t1 * 2).sum().backward()

t0 = torch.tensor([2.0], requires_grad=True)
with torch.no_grad(): t1 = t0.view((1, 1))
t2 = t1.requires_grad
t3 = torch.autograd.grad(t0.exp(), t1)  # RuntimeError
t4 = t0.requires_grad_(False)
t5 = t1.requires_grad

# views and another shape in place, under no_grad
t0 = torch.tensor([[1.0, 2.0]], requires_grad=True)
t1 = (t0 * 2).view((2, 1))
with torch.no_grad(): t2 = t1.squeeze_()
t3 = t0.unbind(1); t3_0, t3_1, = t3
with torch.no_grad(): t4 = t3_1.unsqueeze_(0)  # RuntimeError

t0 = torch.tensor([[0.0, -0.5, 2.0]], requires_grad=True)
t1 = t0.chunk(2, 1); t1_0, t1_1, = t1
with torch.no_grad(): t2 = t1_0.T.mul_(1.5)

# detached in place after it was saved, before it was saved, and without a graph
t0 = torch.tensor([2.0, 3.0], requires_grad=True)
t1 = t0 * t0
t2 = t1 * t0
t3 = t1.detach_()
t4 = t2.sum().backward()  # RuntimeError
t5 = (t1 * t0).sum().backward()
t6 = torch.tensor([1.0, 1.0])
t7 = t6 * t0
t8 = t6.detach_()
t9 = t7.sum().backward()

# a gradient of integers that holds nan; erfinv saves what it was given; kron no view
t0 = torch.tensor([1, 2])
t1 = torch.autograd.grad(t0, t0, torch.tensor([float("nan"), 1.0]))  # RuntimeError

t0 = torch.tensor([0.25], requires_grad=True)
t1 = t0.erfinv()
t2 = t1 + 1
t3 = t1.mul_(2)
t4 = t2.backward()
t5 = torch.tensor([2.0])
t6 = torch.kron(t0, t5)
t7 = t5.mul_(2)
t8 = t6.backward()

# alpha is looked at last; of bools it is one
t0 = torch.tensor([True, False])
t1 = torch.add(t0, t0, alpha=-1)
t2 = t0.add_(torch.tensor([1, 2]), alpha=0.5)  # RuntimeError
t3 = torch.tensor([1, 2])
t4 = t3.add_(torch.tensor([1, 2, 3]), alpha=0.5)  # RuntimeError
t5 = t3.sub(torch.tensor([1, 2]), alpha=True)  # RuntimeError
t6 = t3[:1].expand((2,)).add_(t3, alpha=0.5)  # RuntimeError

# how a result lies in memory
t0 = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
t1 = torch.cat([t0.t(), t0.t()]).view((2, 6))
t2 = torch.stack([t0.t(), t0.t()], 1).view((2, 6))
t3 = t0.t().softmax(1).view((2, 3))
t4 = t0.t().log_softmax(0).cumsum(0).view((6,))
t6 = t0.t().masked_fill(t0.t() > 2, 0).view((6,))
t7 = torch.zeros_like(t0.t()).view((6,))  # RuntimeError
t8 = t0.t().cummax(0); t8_0, t8_1, = t8
t9 = t8_1.view((6,))
t10 = torch.nn.functional.layer_norm(t0.t(), (2,)).view((6,))
t11 = t0.t().unsqueeze(-1).stride()
t12 = t0[0].expand((1, 3)).stride()
t13 = t0[:, None].expand((2, 4, 3)).stride()

# nothing to join
t0 = torch.cat([torch.zeros(0), torch.zeros(0)], 1)
t5 = t0.cummax(-2)
t6 = torch.tensor([True]).expand(())  # RuntimeError

# nothing to sort, in a matrix
t0 = torch.zeros((2, 0), requires_grad=True)
t1 = t0.sort(1); t1_0, t1_1, = t1
t2 = t0.cummax(-2); t2_0, t2_1, = t2
t3 = t0.gather(1, torch.zeros((2, 0), dtype=torch.int64))
t4 = (t1_0 + t2_0 + t3).sum().backward()
"""


@pytest.mark.parametrize("program", KEPT.strip().split("\n\n"))
def test_program_agrees(program):
    replay("\n".join(line for line in program.splitlines() if not line.startswith("#")))
