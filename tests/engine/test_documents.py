"""The programs of five texts about backward(gradient), with only their imports changed.

Each program prints what its text says it prints, the lines after `#>`: the numbers are the texts', in
today's notation. Where a text drew random numbers, they are numbers that give every digit it shows. A
program that PyTorch no longer runs ends with PyTorch's sentence of today.
"""
import contextlib
import io
import re

import pytest

# Above each program stand `import torch` and `from torch.autograd import Variable`. A program `#= title: ...`
# is that of another title with something replaced; the words in capitals stand for what follows.
NET = """
import torch.nn as nn
import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)
    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))
net = Net()
params = list(net.parameters())
print(len(params), params[0].size())
input = torch.randn(1, 1, 32, 32)
out = net(input)
print(out.size())
"""
SHOW = """
print('z gradient', z.grad)
print('y gradient', y.grad)
print('x gradient', x.grad) # note that x.grad is also a Variable
"""
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
TEXTS = r"""
# -- "Backward function in PyTorch"
## the gradient is the tensor itself
import numpy as np
a = Variable(torch.FloatTensor([[1,2,3],[4,5,6]]), requires_grad=True)
out = a * a
out.backward(a)
print(a.grad)
#> tensor([[ 2.,  8., 18.],
#>         [32., 50., 72.]])
## one scalar at a time
a = torch.tensor([[1,2,3],[4,5,6]], dtype=torch.float, requires_grad=True)
for i in range(2):
  for j in range(3):
    out = a[i,j] * a[i,j]
    out.backward()
print(a.grad)
#> tensor([[ 2.,  4.,  6.],
#>         [ 8., 10., 12.]])
## whole numbers cannot require grad
a = torch.tensor([[1,2,3],[4,5,6]], requires_grad=True)
#> RuntimeError: Only Tensors of floating point and complex dtype can require gradients
## ones as gradient
a = torch.tensor([[1,2,3],[4,5,6]], dtype=torch.float, requires_grad=True)
out = a * a
out.backward(torch.ones(2,3))
print(a.grad)
#> tensor([[ 2.,  4.,  6.],
#>         [ 8., 10., 12.]])
## ones as gradient, after the first program
a = Variable(torch.FloatTensor([[1,2,3],[4,5,6]]), requires_grad=True)
out = a * a
out.backward(a)
out.backward(torch.ones(2,3))
#> RuntimeError: FREED
# -- "'gradient' argument in out.backward(gradient)"
## no gradient for several outputs
out = torch.ones(10, requires_grad=True) * 2
out.backward()
#> RuntimeError: grad can be implicitly created only for scalar outputs
## [1] as gradient of one output
a = torch.tensor([3.0], requires_grad=True)
out = a * a
out.backward(torch.Tensor([1]))
print(a.grad)
loss = (a * a).sum()
loss.backward(torch.Tensor([1]))
#> tensor([6.])
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([]).
## a net with ten parameters and ten outputs
NET
out.backward(torch.randn(1, 10))
print(all(p.grad is not None and p.grad.shape == p.shape for p in params))
net.zero_grad()
print(params[0].grad)
net(input).backward(torch.randn(10))
#> 10 torch.Size([6, 1, 5, 5])
#> torch.Size([1, 10])
#> True
#> None
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([10]) and output[0] has a shape of torch.Size([1, 10]).
## the gradient of a loss
NET
target = torch.randn(1, 10)
loss = torch.nn.functional.mse_loss(out, target)
loss.backward()
print(loss.size(), all(p.grad is not None for p in params))
#> 10 torch.Size([6, 1, 5, 5])
#> torch.Size([1, 10])
#> torch.Size([]) True
## a matrix product
x = Variable(torch.ones(2, 3), requires_grad=True)
a = Variable(torch.ones(3, 4))
out = torch.mm(x,a)    # shape: (2,4)
gradient = torch.FloatTensor([[1,2,3,4],[5,6,7,8]]) # shape=(2,4)
#gradient = torch.ones(4, 4)
out.backward(gradient)
print(x.grad)
print(a.grad)
#> tensor([[10., 10., 10.],
#>         [26., 26., 26.]])
#> None
## a matrix product, the line in the comment
#= a matrix product: r"#gradient", r"gradient"
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([4, 4]) and output[0] has a shape of torch.Size([2, 4]).
## the gradient of the next function's input
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
output = a * a
cut = output.detach().requires_grad_()
newOutput = 3 * cut.sum()
newOutput.backward()
output.backward(cut.grad)
print(a.grad)
#> tensor([ 6., 12., 18.])
# -- "How Pytorch Backward() function works"
## a scalar output
x = torch.randn(3, requires_grad=True)
y = x.sum()
y.backward() #is equivalent to y.backward(torch.tensor(1.))
print(x.grad)
y.backward(torch.tensor(1.))
print(x.grad)
#> tensor([1., 1., 1.])
#> tensor([2., 2., 2.])
## doubled until it is long, as printed
x = torch.randn(3, requires_grad=True)
y = x * 2
while < 1000:
y = y * 2
#> SyntaxError: invalid syntax
## doubled until it is long
x = torch.tensor([1.0, -0.5, 0.25], requires_grad=True)
y = x * 2
while y.data.norm() < 1000:
    y = y * 2
v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)
y.backward(v)
print(x.grad)
print(y.sum().item())
#> tensor([1.0240e+02, 1.0240e+03, 1.0240e-01])
#> 768.0
## a chain of two maps
x = torch.tensor([2.0, 3.0], requires_grad=True)
def F1(x):
    return torch.stack([x[0] ** 2 + x[1], x[0] * x[1]])
def F2(y):
    return torch.stack([y[0] * y[1], y[0] + 2 * y[1]])
for v in (torch.ones(2), torch.tensor([0.2, 0.8])):
    y = F1(x)
    seam = y.detach().requires_grad_()
    z = F2(seam)
    z.backward(v)
    x.grad = None
    y.backward(seam.grad)
    print(y, z, seam.grad, x.grad)
#> tensor([7., 6.], grad_fn=<StackBackward0>) tensor([42., 19.], grad_fn=<StackBackward0>) tensor([7., 9.]) tensor([55., 25.])
#> tensor([7., 6.], grad_fn=<StackBackward0>) tensor([42., 19.], grad_fn=<StackBackward0>) tensor([2., 3.]) tensor([17.,  8.])
# -- "Pytorch, what are the gradient arguments"
## a fragment without its function
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(x.grad)
#> NameError: name 'y' is not defined
## example 1
a = torch.tensor([1.0, 2.0, 3.0], requires_grad = True)
b = torch.tensor([3.0, 4.0, 5.0], requires_grad = True)
c = torch.tensor([6.0, 7.0, 8.0], requires_grad = True)
y=3*a + 2*b*b + torch.log(c)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients,retain_graph=True)
print(a.grad) # tensor([3.0000e-01, 3.0000e+00, 3.0000e-04])
print(b.grad) # tensor([1.2000e+00, 1.6000e+01, 2.0000e-03])
print(c.grad) # tensor([1.6667e-02, 1.4286e-01, 1.2500e-05])
#> tensor([3.0000e-01, 3.0000e+00, 3.0000e-04])
#> tensor([1.2000e+00, 1.6000e+01, 2.0000e-03])
#> tensor([1.6667e-02, 1.4286e-01, 1.2500e-05])
## example 2
a = torch.tensor(0.1, requires_grad = True)
b = torch.tensor(1.0, requires_grad = True)
c = torch.tensor(0.1, requires_grad = True)
y=3*a + 2*b*b + torch.log(c)
y.backward()
print(a.grad) # tensor(3.)
print(b.grad) # tensor(4.)
print(c.grad) # tensor(10.)
#> tensor(3.)
#> tensor(4.)
#> tensor(10.)
## example 3, as printed
a = torch.empty(1, requires_grad = True, pin_memory=True)
#> RuntimeError: pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system.
## example 3, in ordinary memory
a = torch.zeros(1, requires_grad = True)
b = torch.zeros(1, requires_grad = True)
c = torch.zeros(1, requires_grad = True)
y=3*a + 2*b*b + torch.log(c)
gradients = torch.FloatTensor([0.1, 1.0, 0.0001])
y.backward(gradients)
print(a.grad) # tensor([3.3003])
print(b.grad) # tensor([0.])
print(c.grad) # tensor([inf])
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([1]).
## example 3, with what it did then
#= example 3, in ordinary memory: r"y\.backward", r"y.expand(3).backward"
#> tensor([3.3003])
#> tensor([0.])
#> tensor([inf])
## example 4
a = torch.tensor(1.0, requires_grad = True)
b = torch.tensor(1.0, requires_grad = True)
c = torch.tensor(1.0, requires_grad = True)
y=3*a + 2*b*b + torch.log(c)
y.backward(retain_graph=True)
print(a.grad, b.grad, c.grad)
y.backward()
print(a.grad) # tensor(6.)
print(b.grad) # tensor(8.)
print(c.grad) # tensor(2.)
#> tensor(3.) tensor(4.) tensor(1.)
#> tensor(6.)
#> tensor(8.)
#> tensor(2.)
## example 4 without retain_graph
#= example 4: r"retain_graph=True", r""
#> tensor(3.) tensor(4.) tensor(1.)
#> RuntimeError: FREED
## the three values are gradients at the output
x = torch.tensor(2.0, requires_grad=True)
y = torch.stack([x, x ** 2, x ** 3])
y.backward(torch.FloatTensor([0.1, 1.0, 0.0001]))
print(f"{x.grad.item():.4f}")
#> 4.1012
## one output at a time
x = Variable(torch.FloatTensor([[1, 2, 3, 4]]), requires_grad=True)
z = 2*x
loss = z.sum(dim=1)
# do backward for first element of z
z.backward(torch.FloatTensor([[1, 0, 0, 0]]), retain_graph=True)
print(x.grad.data)
x.grad.data.zero_() #remove gradient in x.grad, or it will be accumulated
# do backward for second element of z
z.backward(torch.FloatTensor([[0, 1, 0, 0]]), retain_graph=True)
print(x.grad.data)
x.grad.data.zero_()
# do backward for all elements of z, with weight equal to the derivative of
# loss w.r.t z_1, z_2, z_3 and z_4
z.backward(torch.FloatTensor([[1, 1, 1, 1]]), retain_graph=True)
print(x.grad.data)
x.grad.data.zero_()
# or we can directly backprop using loss
loss.backward() # equivalent to loss.backward(torch.FloatTensor([1.0]))
print(x.grad.data)
#> tensor([[2., 0., 0., 0.]])
#> tensor([[0., 2., 0., 0.]])
#> tensor([[2., 2., 2., 2.]])
#> tensor([[2., 2., 2., 2.]])
## one output at a time, the equivalent
#= one output at a time: r"loss\.backward\(\)", r"loss.backward(torch.FloatTensor([1.0]))"
#> tensor([[2., 0., 0., 0.]])
#> tensor([[0., 2., 0., 0.]])
#> tensor([[2., 2., 2., 2.]])
#> tensor([[2., 2., 2., 2.]])
## one output at a time, without the row
x = Variable(torch.FloatTensor([[1, 2, 3, 4]]), requires_grad=True)
z = 2*x
z.backward(torch.FloatTensor([1, 0, 0, 0]))
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([4]) and output[0] has a shape of torch.Size([1, 4]).
## three losses
w = torch.tensor([1.0, 2.0], requires_grad=True)
X = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
loss1, loss2, loss3 = (X @ w) ** 2
loss = [loss1, loss2, loss3]
for weights in ([1.0, 1.0, 1.0], [-0.1, 1.0, 0.0001]):
    w.grad = None
    torch.stack(loss).backward(torch.FloatTensor(weights), retain_graph=True)
    print(w.grad)
loss.backward(torch.FloatTensor([1.0, 1.0, 1.0]))
#> tensor([ 8., 10.])
#> tensor([-0.1994,  4.0006])
#> AttributeError: 'list' object has no attribute 'backward'
# -- "Understanding backward() in PyTorch", a notebook of Variables
## from a list to a Variable
x = [ [1, 2, 3], [4, 5, 6]]
y = torch.FloatTensor(x)
z = Variable(y)
print(z, z.size())
z = Variable(y, requires_grad = True)
print(z)
y[0, 0] = 7
print(z.data)
#> tensor([[1., 2., 3.],
#>         [4., 5., 6.]]) torch.Size([2, 3])
#> tensor([[1., 2., 3.],
#>         [4., 5., 6.]], requires_grad=True)
#> tensor([[7., 2., 3.],
#>         [4., 5., 6.]])
## random numbers
for x in (torch.randn(1, 1), torch.randn(1), torch.randn(4), torch.randn(2, 3),
          Variable(torch.randn(1)), Variable(torch.randn(2, 3))):
    print(x.size(), x.dtype)
#> torch.Size([1, 1]) torch.float32
#> torch.Size([1]) torch.float32
#> torch.Size([4]) torch.float32
#> torch.Size([2, 3]) torch.float32
#> torch.Size([1]) torch.float32
#> torch.Size([2, 3]) torch.float32
## gradients before and after
x = Variable(torch.FloatTensor([[-0.644444]]), requires_grad=True) #x is a leaf created by user, thus grad_fn is none
y = 2 * x  #define an operation on x
z = y ** 3  #define one more operation to check the chain rule
print(x, y, z)
SHOW
z.backward()
SHOW
#> tensor([[-0.6444]], requires_grad=True) tensor([[-1.2889]], grad_fn=<MulBackward0>) tensor([[-2.1411]], grad_fn=<PowBackward0>)
#> z gradient None
#> y gradient None
#> x gradient None
#> z gradient None
#> y gradient None
#> x gradient tensor([[9.9674]])
## a scaled gradient, as printed
x = Variable(torch.FloatTensor([[2.145611]]), requires_grad=True) #x is a leaf created by user, thus grad_fn is none
y = 2 * x
z = y ** 3
z.backward(torch.FloatTensor([1]), retain_graph=True)
SHOW
print(x.grad.data.zero_())
z.backward(torch.FloatTensor([0.1]), retain_graph=True) #Modifying the default value of grad_variables to 0.1
print('z gradient', z.grad)
print('y gradient', y.grad)
print('x gradient', x.grad)
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([1, 1]).
## a scaled gradient
#= a scaled gradient, as printed: r"FloatTensor\((\[[01.]+\])\)", r"FloatTensor([\1])"
#> z gradient None
#> y gradient None
#> x gradient tensor([[110.4875]])
#> tensor([[0.]])
#> z gradient None
#> y gradient None
#> x gradient tensor([[11.0488]])
## a matrix, as printed
x = Variable(torch.FloatTensor([[-0.198232, 1.490231], [-1.055018, 0.461826]]), requires_grad=True)
print('x', x)
y = 2 * x
z = y ** 3
print(z.shape)
z.backward(torch.FloatTensor([1, 1]), retain_graph=True)
print(x.grad)
print(x.grad.data.zero_())
z.backward(torch.FloatTensor([1, 0]), retain_graph=True)
print(x.grad)
#> x tensor([[-0.1982,  1.4902],
#>         [-1.0550,  0.4618]], requires_grad=True)
#> torch.Size([2, 2])
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([2, 2]).
## a matrix
#= a matrix, as printed: r"(FloatTensor\(\[1, .\]\))", r"\1.expand(2, 2)"
#> x tensor([[-0.1982,  1.4902],
#>         [-1.0550,  0.4618]], requires_grad=True)
#> torch.Size([2, 2])
#> tensor([[ 0.9431, 53.2989],
#>         [26.7135,  5.1188]])
#> tensor([[0., 0.],
#>         [0., 0.]])
#> tensor([[ 0.9431,  0.0000],
#>         [26.7135,  0.0000]])
## the mean, as printed
x = Variable(torch.FloatTensor([[-1.0168, -0.33307], [0.935552, 0.13569]]), requires_grad=True)
y = 2 * x
z = y ** 3
out = z.mean()
print(out)
out.backward(torch.FloatTensor([1]), retain_graph=True)
print(x.grad)
print(x.grad.data.zero_())
out.backward(torch.FloatTensor([0.1]), retain_graph=True)
print(x.grad)
#> tensor(-0.5337, grad_fn=<MeanBackward0>)
#> RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([]).
## the mean
#= the mean, as printed: r"FloatTensor\(\[([01.]+)\]\)", r"tensor(float(\1))"
#> tensor(-0.5337, grad_fn=<MeanBackward0>)
#> tensor([[6.2033, 0.6656],
#>         [5.2515, 0.1105]])
#> tensor([[0., 0.],
#>         [0., 0.]])
#> tensor([[0.6203, 0.0666],
#>         [0.5252, 0.0110]])
## a graph that is used up
x = Variable(torch.FloatTensor([[-0.223742, 1.424418], [1.43, 0.42497]]), requires_grad=True)
y = 2 * x
z = y ** 3
out = z.mean()
print(out)
out.backward()
print(x.grad)
print(x.grad.data.zero_())
out.backward(torch.tensor(0.1), retain_graph=True)
#> tensor(11.7597, grad_fn=<MeanBackward0>)
#> tensor([[ 0.3004, 12.1738],
#>         [12.2694,  1.0836]])
#> tensor([[0., 0.],
#>         [0., 0.]])
#> RuntimeError: FREED
## grad_variables, the old name
x = torch.tensor([1.0, 2.0], requires_grad=True)
torch.autograd.backward(x * x, grad_variables=torch.ones(2))
print(x.grad)
(x * x).backward(grad_variables=torch.ones(2))
#> tensor([2., 4.])
#> TypeError: Tensor.backward() got an unexpected keyword argument 'grad_variables'
"""


def programs():
    """{title: (source, what it prints)}."""
    found = {}
    for title, body in re.findall(r"^## (.+)\n((?:(?!## |# --).*\n)+)", TEXTS, flags=re.MULTILINE):
        lines = body.splitlines()
        printed = "\n".join(line[3:] for line in lines if line[:2] == "#>")
        source = "\n".join(line for line in lines if line[:2] != "#>")
        if source.startswith("#= "):
            base, pattern, replacement = re.fullmatch(r'#= (.+): r"(.*)", r"(.*)"', source).groups()
            source, count = re.subn(pattern, replacement, found[base][0])
            assert count, title
        found[title] = source, printed.replace("FREED", FREED)
    return found


PROGRAMS = programs()


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.filterwarnings("ignore:`grad_variables` is deprecated")
@pytest.mark.parametrize("engine", ["torch", "minigrad"])
@pytest.mark.parametrize("title", PROGRAMS)
def test_a_program_prints_what_its_text_says(title, engine):
    source, printed = PROGRAMS[title]
    source = f"import torch\nfrom torch.autograd import Variable\n{source.replace('NET', NET).replace('SHOW', SHOW)}"
    if engine == "minigrad":  # only the imports change
        source = source.replace("import torch\n", "import minigrad as torch\n")
        source = re.sub(r"(import|from) torch\.", r"\1 minigrad.", source)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(source, "program", "exec"), {})
    except Exception as error:
        print(f"{type(error).__name__}: {getattr(error, 'msg', error)}", file=said)
    assert [line.rstrip() for line in said.getvalue().splitlines()] == printed.splitlines()


def test_there_are_as_many_as_in_the_texts():
    assert len(PROGRAMS) == 40
