"""The programs of five texts about backward(gradient), in documents.toml; only imports are changed.

Each program prints what its text says it prints (line breaks apart): the
numbers are the texts', in today's notation. Where a text drew random numbers, they are numbers that
give every digit it shows. A program that PyTorch no longer runs ends with PyTorch's sentence of
today.
"""

import contextlib
import io
import pathlib
import re
import tomllib

import pytest

from tests.cases import over

# What stands above each program. The words in capitals stand for what follows.
IMPORTS = """
import torch
from torch.autograd import Variable
"""
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
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)
TEXTS = tomllib.loads(pathlib.Path(__file__).with_name("documents.toml").read_text("utf-8"))


def programs():
    """{title: (source, what it prints)}."""
    found = {}
    for title, one in TEXTS.items():
        source = one.get("source", "")
        if not source:
            source, count = re.subn(*one["replaced"], found[one["like"]][0])
            assert count, title
        found[title] = source, one["prints"].replace("FREED", FREED)
    return found


PROGRAMS = programs()


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
@pytest.mark.filterwarnings("ignore:`grad_variables` is deprecated")
@over("engine", ["torch", "minigrad"])
@over("title", PROGRAMS)
def test_a_program_prints_what_its_text_says(title, engine):
    source, printed = PROGRAMS[title]
    source = IMPORTS + source.replace("NET", NET).replace("SHOW", SHOW)
    if engine == "minigrad":  # only the imports change
        source = source.replace("import torch\n", "import minigrad as torch\n")
        source = re.sub(r"(import|from) torch\.", r"\1 minigrad.", source)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            exec(compile(source, "program", "exec"), {})
    except Exception as error:
        print(f"{type(error).__name__}: {getattr(error, 'msg', error)}", file=said)
    assert said.getvalue().split() == printed.split()


def test_there_are_as_many_as_in_the_texts():
    assert len(PROGRAMS) == 40
